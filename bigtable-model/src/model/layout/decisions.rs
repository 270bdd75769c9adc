//! The decisions of a layout, and their types.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::Timestamp;
use crate::data::RowFilter;
use crate::key::KeyError;
use crate::key::time::bucket::Offset;
use crate::model::{EventTimes, ModelSchema};

use super::target::{EventPlace, Target};

/// Qualifiers by family: the columns that a query needs.
pub(crate) type Named<'a> = BTreeMap<&'a str, BTreeSet<&'a [u8]>>;

/// Where the time of a cell's event is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TimeIn<'a> {
    /// In the key: a row is one event.
    Key,
    /// In the cell's timestamp.
    Stamp,
    /// In the qualifier, after the part that names the column.
    Qualifier(&'a Offset),
}

/// The part of a qualifier that names the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// The whole qualifier.
    Qualifier,
    /// The part before a colon.
    Prefix,
    /// No part: there is one column, known by its family.
    Family,
}

/// Which events a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// The row is the event.
    One,
    /// The newest event that has cells there.
    Newest,
    /// All events that have cells there.
    Many,
}

/// The part of a condition that the server can compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compares {
    /// The whole condition, row by row.
    Events,
    /// The values that a column must have, cell by cell.
    Values,
    /// Nothing: without the newest event's cells, an older event would be taken for the newest.
    Nothing,
}

/// The cells that a query wants.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) schema: &'a ModelSchema,
    /// The columns by family; `None` for all.
    pub(crate) columns: Option<Named<'a>>,
    pub(crate) times: &'a EventTimes,
    /// How many of the newest events of each row suffice.
    pub(crate) newest: Option<u32>,
    /// Strips values, if only keys are wanted.
    pub(crate) strip: Option<RowFilter>,
}

/// The cells that the server lets through. They may be more than the wanted ones, never fewer.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Cells {
    pub(crate) filter: Option<RowFilter>,
    /// How many of the newest cells of each column suffice.
    pub(crate) newest: Option<u32>,
}

/// The decisions of a layout.
pub(crate) trait InLayout<'a> {
    /// The layout's name in attributes.
    fn name(&self) -> &'static str;

    /// Where the time of a cell's event is.
    fn time_in(&self) -> TimeIn<'a>;

    /// Which events a row holds.
    fn holds(&self) -> Holds;

    /// The part of a qualifier that names the column.
    fn named_by(&self) -> NamedBy {
        NamedBy::Qualifier
    }

    /// Whether the value of the one column is the qualifier of an empty cell, and distinguishes
    /// events at the same time.
    fn value_is_qualifier(&self) -> bool {
        false
    }

    /// Whether deleting an event needs a read of its row first: for values that are qualifiers, and
    /// for run-time columns in a row with run-time columns of other times.
    fn deletes_what_it_reads(&self, _schema: &ModelSchema) -> bool {
        false
    }

    /// The part of a query's condition that the server can compare.
    fn compares(&self) -> Compares {
        Compares::Values
    }

    /// Where the cells of an event with this time go; an offset is appended to `out`. `now` becomes
    /// their timestamp if cells have the time of the write.
    ///
    /// # Errors
    /// [`KeyError::Segment`] for a time outside the range of buckets, the offset or cell
    /// timestamps.
    fn target(
        &self,
        schema: &ModelSchema,
        time: Option<Timestamp>,
        now: Timestamp,
        out: &mut Vec<u8>,
    ) -> Result<Target, KeyError>;

    /// The event's target, for conditions and reads; `offset` is its bytes.
    fn place(&self, target: &Target, _offset: &[u8]) -> EventPlace {
        EventPlace::Stamps(target.timestamp_micros, target.end_micros())
    }

    /// The qualifier of an event's cell in the column `name`, unless the value is the qualifier.
    fn qualifier(&self, name: &[u8], _offset: &[u8]) -> Bytes {
        Bytes::copy_from_slice(name)
    }

    /// The maximum number of bytes after a column's name in a qualifier.
    fn after_name(&self) -> usize {
        0
    }

    /// The name and the offset in the qualifier of a run-time column.
    fn parted<'q>(&self, qualifier: &'q [u8]) -> Option<(&'q [u8], &'q [u8])> {
        Some((qualifier, &[]))
    }

    /// Lets through the cells of one event, and possibly others of its row.
    fn event_filter(&self, _schema: &ModelSchema, target: &Target, _offset: &[u8]) -> RowFilter {
        target.stamp()
    }

    /// The server's part in answering a query.
    fn cells(&self, wanted: &Wanted<'_>) -> Cells;
}
