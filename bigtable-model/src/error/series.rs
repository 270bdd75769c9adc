use crate::Timestamp;
use crate::key::SegmentError;

/// Why an operation on a series fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SeriesError {
    /// The event is earlier than the previous one.
    #[error(
        "an event{} of {at} comes after one of {after}: order the stream by time, or, if one series follows another, name them with `by_run`",
        of(series)
    )]
    Unordered {
        /// The event's time.
        at: Timestamp,
        /// The time of the previous event.
        after: Timestamp,
        /// Its series, if the stream has several.
        series: Option<String>,
    },
    /// The series starts again after another one began.
    #[error(
        "series {series} starts again after another one: order the stream by series, or, if it is ordered by time, name them with `by`"
    )]
    Again {
        /// The series.
        series: String,
    },
    /// The time is in no window: calendars end with the year 9999, and durations with the range of
    /// [`Timestamp`].
    #[error("{time} is in no window")]
    OutOfRange {
        /// The time.
        time: Timestamp,
        /// Why, if the windows are of a calendar.
        source: Option<SegmentError>,
    },
    /// Such windows, grids or aggregates are impossible.
    #[error("cannot make {what}: {reason}")]
    Refused {
        /// What was requested.
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
