use std::time::Duration;

use crate::Timestamp;

/// Why a cell of one of the model's own columns can be no event's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CellError {
    /// Its time is between two that the model's events can have.
    #[error(
        "its time {time} is no whole multiple of {grid:?}, as the times of the model's events are: declare the unit in which it was written"
    )]
    Between {
        /// The cell's time.
        time: Timestamp,
        /// What times of events are whole multiples of.
        grid: Duration,
    },
    /// Its time is in another bucket than its row's.
    #[error("its time {time} is in another bucket than that of its row")]
    OtherBucket {
        /// The cell's time.
        time: Timestamp,
    },
    /// What of its qualifier should be the time inside the bucket is none.
    #[error("its qualifier does not end in an offset of the bucket, {expected}")]
    NoOffset {
        /// How the model writes offsets.
        expected: String,
    },
}
