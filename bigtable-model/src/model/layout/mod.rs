//! Where the cells of an event are in its row: a file for each layout.
//!
//! Everything else asks [`InLayout`], through [`ModelSchema::in_layout`], and names no layout. So a
//! layout is a file here, a variant of [`Layout`] and of [`Ways`], a keyword of the derive, and a
//! line in the laws.

mod cells;
mod columns;
mod filter;
mod latest;
mod qualifiers;
mod row;
mod target;

use std::ops::Deref;

use bytes::Bytes;
use bytestring::ByteString;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::data::{Mutation, RowFilter};
use crate::key::KeyError;
use crate::key::time::bucket::Offset;

use super::{EventTimes, ModelSchema};

pub(crate) use filter::Named;
pub(crate) use target::{EventPlace, Target};

/// Where an event's time and its fields go.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Layout {
    /// One row an event: the time is in the key, each field is a column with one cell.
    Row,
    /// One row a bucket: the time is the cells' timestamp, each field is a column with a cell for
    /// each event.
    Cells,
    /// One row a bucket: the time is in the qualifiers, each field has a column for each event.
    Columns {
        /// How the time within the bucket is written.
        offset: Offset,
        /// Whether the column's name precedes the offset: `{column}:{offset}`. Without it the
        /// offset is the whole qualifier, and an event has one column.
        named: bool,
    },
    /// One row a bucket: the time is the cells' timestamp, and the value of the one column is the
    /// qualifier of an empty cell.
    Qualifiers,
    /// One row a series, which has one event, the newest: the time is the cells' timestamp, each
    /// field is a column. Garbage collection may leave cells of earlier events, but no query
    /// returns them.
    Latest,
}

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
    /// None of it: there is one column, known by its family.
    Family,
}

/// Which events a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// The row is the event.
    One,
    /// The newest event of which it has cells.
    Newest,
    /// All events of which it has cells.
    Many,
}

/// The part of a condition that the server can compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compares {
    /// The whole condition, row by row.
    Events,
    /// The values that a column must have, cell by cell.
    Values,
    /// Nothing: without the newest event's cells, an older one would be taken for it.
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
    /// The layout as attributes call it.
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
    /// for run-time columns that share a row with those of other times.
    fn deletes_what_it_reads(&self, _schema: &ModelSchema) -> bool {
        false
    }

    /// The part of a query's condition that the server can compare.
    fn compares(&self) -> Compares {
        Compares::Values
    }

    /// Where the cells of an event with this time go; an offset is appended to `out`. `now` becomes
    /// their timestamp where cells have the time of the write.
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

    /// Lets through the cells of one event; it may let through others of its row.
    fn event_filter(&self, _schema: &ModelSchema, target: &Target, _offset: &[u8]) -> RowFilter {
        target.stamp()
    }

    /// The server's part in answering a query.
    fn cells(&self, wanted: &Wanted<'_>) -> Cells;
}

/// The [`InLayout`] of each layout, with its variant's declarations.
#[derive(Debug)]
pub(crate) enum Ways<'a> {
    Row(row::Row),
    Cells(cells::OfCells),
    Columns(columns::Columns<'a>),
    Qualifiers(qualifiers::Qualifiers),
    Latest(latest::Latest),
}

impl<'a> Deref for Ways<'a> {
    type Target = dyn InLayout<'a> + 'a;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Row(ways) => ways,
            Self::Cells(ways) => ways,
            Self::Columns(ways) => ways,
            Self::Qualifiers(ways) => ways,
            Self::Latest(ways) => ways,
        }
    }
}

impl ModelSchema {
    /// The decisions of the model's layout.
    pub(crate) fn in_layout(&self) -> Ways<'_> {
        match &self.layout {
            Layout::Row => Ways::Row(row::Row),
            Layout::Cells => Ways::Cells(cells::OfCells),
            Layout::Columns { offset, named } => Ways::Columns(columns::Columns {
                offset,
                named: *named,
            }),
            Layout::Qualifiers => Ways::Qualifiers(qualifiers::Qualifiers),
            Layout::Latest => Ways::Latest(latest::Latest),
        }
    }

    /// Which events a row holds.
    pub(crate) fn holds(&self) -> Holds {
        self.in_layout().holds()
    }

    /// Whether a column belongs to one event, so its older cells are versions; otherwise it also
    /// has the cells of other events, which timestamps distinguish.
    pub(crate) fn has_columns_of_its_own(&self) -> bool {
        !matches!(self.in_layout().time_in(), TimeIn::Stamp)
    }

    /// Deletes a column of one event: the whole column if it belongs to the event alone, else its
    /// cell.
    pub(super) fn delete_column(
        &self,
        target: &Target,
        family: ByteString,
        qualifier: Bytes,
    ) -> Mutation {
        let (start_micros, end_micros) = self.deleted_times(target);
        Mutation::DeleteFromColumn {
            family,
            qualifier,
            start_micros,
            end_micros,
        }
    }

    /// The timestamps of the cells that are deleted with a column of one event, from the first on,
    /// before the second; two zeros mean all.
    pub(super) fn deleted_times(&self, target: &Target) -> (i64, i64) {
        match self.has_columns_of_its_own() {
            true => (0, 0),
            false => (target.timestamp_micros, target.end_micros()),
        }
    }
}
