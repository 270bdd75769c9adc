//! Times of events as timestamps of cells.

use crate::data::RowFilter;
use crate::key::KeyLayout;
use crate::model::EventTimes;

const MILLI: i64 = 1_000;
/// The latest timestamp of a cell.
const MAX: i64 = i64::MAX - i64::MAX % MILLI;

/// The cells of events whose time is the timestamp.
pub(in crate::model::layout) fn of_events(times: &EventTimes) -> Option<RowFilter> {
    let (start, end) = times.ends();
    let start = start.map_or(0, |start| ceil(start.as_micros()));
    range(start, end.map(|end| ceil(end.as_micros())))
}

/// The cells of events whose time, rounded down to milliseconds and not below 0, is the timestamp.
pub(in crate::model::layout) fn of_columns(
    key: &KeyLayout,
    times: &EventTimes,
) -> Option<RowFilter> {
    let (start, end) = times.ends();
    let start = start.map_or(0, |start| floor(start.as_micros()));
    // The timestamp may come from the time before it was rounded down to the grid.
    let slack = key
        .bucket()
        .filter(|bucket| bucket.truncate)
        .map_or(0, |bucket| bucket.grid_micros);
    let end = end.map(|end| ceil(end.as_micros().saturating_add(slack)));
    range(start, end)
}

/// The cells from a timestamp on, and those before it; `None` if there can be none before it.
pub(super) fn around(micros: i64) -> Option<(RowFilter, RowFilter)> {
    let young = range(micros, None)?;
    let RowFilter::TimestampRange { start_micros, .. } = young else {
        return None;
    };
    let old = RowFilter::TimestampRange {
        start_micros: 0,
        end_micros: start_micros,
    };
    Some((young, old))
}

/// From the first to before the second, as a range that Bigtable accepts.
fn range(start: i64, end: Option<i64>) -> Option<RowFilter> {
    let start = start.clamp(0, MAX - MILLI);
    let end = end.map(|end| end.clamp(start + MILLI, MAX));
    let narrows = start > 0 || end.is_some();
    narrows.then(|| RowFilter::TimestampRange {
        start_micros: start,
        end_micros: end.filter(|end| *end < MAX).unwrap_or(0),
    })
}

pub(super) fn floor(micros: i64) -> i64 {
    micros.saturating_sub(micros.rem_euclid(MILLI))
}

/// The first timestamp that is not before a time.
pub(super) fn ceil(micros: i64) -> i64 {
    match micros.rem_euclid(MILLI) {
        0 => micros,
        above => micros.saturating_add(MILLI - above).min(MAX),
    }
}
