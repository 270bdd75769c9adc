//! Grids: time divided into consecutive cells without gaps.

use crate::Timestamp;
use crate::error::SeriesError;
use crate::key::SegmentError;
use crate::key::time::bucket::{Bucket, BucketLabel};

use super::length::{Amount, Length};

/// Cells of the same length.
#[derive(Debug, Clone)]
pub(crate) enum Grid {
    /// Cells of this many microseconds, counted from 1970.
    Every(i64),
    /// Units of the calendar.
    Calendar(Bucket),
}

/// A cell from `start` (inclusive) to `end` (exclusive).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    /// Its number, counted from the cell of 1970. Numbers ascend; a day that a zone skips has none.
    pub(crate) index: i64,
}

impl Grid {
    /// The grid of cells of a length; an invalid length is refused as `what`.
    pub(crate) fn of(length: &Length, what: &str) -> Result<Self, SeriesError> {
        match length.amount {
            Amount::Micros(micros) => Self::every(micros, length, what),
            Amount::Units(_, 1) => Self::units(length, what),
            Amount::Units(..) => Err(refused(what, "give one unit of the calendar, or hours")),
            Amount::Events(_) => Err(refused(what, "give a duration or a unit of the calendar")),
        }
    }

    /// Cells of a duration.
    pub(super) fn every(
        micros: Option<i64>,
        length: &Length,
        what: &str,
    ) -> Result<Self, SeriesError> {
        let reason = match micros {
            _ if length.zone.is_some() => {
                "only days and longer units have a time zone: remove `zone`"
            }
            None => "the length exceeds the range of timestamps: give a shorter duration",
            Some(0) => "the length is 0: give at least a microsecond",
            Some(micros) => return Ok(Self::Every(micros)),
        };
        Err(refused(what, reason))
    }

    /// Cells of one calendar unit each.
    pub(super) fn units(length: &Length, what: &str) -> Result<Self, SeriesError> {
        let Amount::Units(span, 1..) = length.amount else {
            return Err(refused(what, "the length is 0: give at least one unit"));
        };
        let bucket = Bucket {
            span,
            zone: length.zone.clone().map(Into::into),
            label: BucketLabel::Absent,
            grid_micros: 1,
            truncate: false,
        };
        match bucket.start_of(Timestamp::UNIX_EPOCH) {
            Ok(_) => Ok(Self::Calendar(bucket)),
            Err(source) => Err(refused(what, &source.to_string())),
        }
    }

    /// The cell that contains a time.
    pub(crate) fn cell(&self, time: Timestamp) -> Result<Cell, SeriesError> {
        match self {
            Self::Every(micros) => {
                let index = time.as_micros().div_euclid(*micros);
                cell_at(*micros, index).ok_or(out_of_range(time, None))
            }
            Self::Calendar(bucket) => {
                let start = bucket.start_of(time);
                let start = start.map_err(|source| out_of_range(time, Some(source)))?;
                Self::unit(bucket, start)
            }
        }
    }

    /// The cell after this one.
    pub(crate) fn next(&self, cell: &Cell) -> Result<Cell, SeriesError> {
        match self {
            Self::Every(micros) => {
                let next = cell.index.checked_add(1);
                let next = next.and_then(|index| cell_at(*micros, index));
                next.ok_or(out_of_range(cell.end, None))
            }
            Self::Calendar(bucket) => Self::unit(bucket, cell.end),
        }
    }

    /// The start of the cell with an index, or of the next cell if the calendar skips it.
    pub(super) fn start_at(&self, index: i64, near: &Cell) -> Result<Timestamp, SeriesError> {
        let start = match self {
            Self::Every(micros) => index.checked_mul(*micros).map(Timestamp::from_micros),
            Self::Calendar(bucket) => bucket.start_at(index),
        };
        start.ok_or(out_of_range(near.start, None))
    }

    fn unit(bucket: &Bucket, start: Timestamp) -> Result<Cell, SeriesError> {
        let end = bucket.next(start);
        let index = bucket.index_of(start);
        let index = index.map_err(|source| out_of_range(start, Some(source)))?;
        Ok(Cell {
            start,
            end: end.ok_or(out_of_range(start, None))?,
            index,
        })
    }
}

fn cell_at(micros: i64, index: i64) -> Option<Cell> {
    let start = index.checked_mul(micros)?;
    Some(Cell {
        start: Timestamp::from_micros(start),
        end: Timestamp::from_micros(start.checked_add(micros)?),
        index,
    })
}

const fn out_of_range(time: Timestamp, source: Option<SegmentError>) -> SeriesError {
    SeriesError::OutOfRange { time, source }
}

pub(super) fn refused(what: &str, reason: &str) -> SeriesError {
    SeriesError::Refused {
        what: what.to_owned(),
        reason: reason.to_owned(),
    }
}
