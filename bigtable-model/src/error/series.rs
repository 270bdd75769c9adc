use crate::Timestamp;
use crate::key::SegmentError;

/// Why an operation on a series fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SeriesError {
    /// An event that is earlier than the one before it.
    #[error(
        "an event{} of {at} comes after one of {after}: order the stream by time, or, where one series follows another, name them with `by_run`",
        of(series)
    )]
    Unordered {
        /// The event's time.
        at: Timestamp,
        /// The time of the event before it.
        after: Timestamp,
        /// Its series, where the stream holds many.
        series: Option<String>,
    },
    /// A series that comes again after another one began.
    #[error(
        "series {series} comes again after another one: order the stream by series, or, where it is ordered by time, name them with `by`"
    )]
    Again {
        /// The series.
        series: String,
    },
    /// A time that is in no window: a calendar ends with the year 9999, and durations end with the
    /// range of [`Timestamp`].
    #[error("{time} is in no window")]
    OutOfRange {
        /// The time.
        time: Timestamp,
        /// Why, where a calendar says so.
        source: Option<SegmentError>,
    },
    /// Windows, grids or aggregates that cannot be.
    #[error("cannot make {what}: {reason}")]
    Refused {
        /// What was asked for.
        what: String,
        /// Why, and what to write instead.
        reason: String,
    },
}

fn of(series: &Option<String>) -> String {
    series
        .as_ref()
        .map_or_else(String::new, |series| format!(" of series {series}"))
}
