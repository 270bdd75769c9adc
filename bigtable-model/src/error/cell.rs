use std::time::Duration;

use crate::Timestamp;

/// Why a cell in one of the model's columns belongs to no event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CellError {
    /// Its time is between two times that the model's events can have.
    #[error(
        "its time {time} is not a multiple of {grid:?}, the grid of the model's times: declare the unit in which it was written"
    )]
    Between {
        /// The cell's time.
        time: Timestamp,
        /// The times of events are multiples of this.
        grid: Duration,
    },
    /// Its time is not in the bucket of its row.
    #[error("its time {time} is not in the bucket of its row")]
    OtherBucket {
        /// The cell's time.
        time: Timestamp,
    },
    /// Its qualifier does not end in a time inside the bucket.
    #[error("its qualifier does not end in an offset of the bucket, {expected}")]
    NoOffset {
        /// How the model writes offsets.
        expected: String,
    },
}
