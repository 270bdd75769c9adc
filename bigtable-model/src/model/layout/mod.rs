//! Where the cells of an event are in its row: a file for each layout.
//!
//! All other code asks [`InLayout`], through [`ModelSchema::in_layout`], and names no layout. So a
//! layout consists of a file here, a variant of [`Layout`] and of [`Ways`], a keyword of the
//! derive, and a line in the laws.

mod cells;
mod columns;
mod decisions;
mod filter;
mod latest;
mod qualifiers;
mod row;
mod target;

use std::ops::Deref;

use bytes::Bytes;
use bytestring::ByteString;

use crate::data::Mutation;
use crate::key::SegmentRole;

use super::{ColumnSchema, Layout, ModelSchema};

pub(crate) use decisions::{Cells, Compares, Holds, InLayout, Named, NamedBy, TimeIn, Wanted};
pub(crate) use filter::{ending_in, qualifiers};
pub(crate) use target::{EventPlace, Target};

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

    /// Whether a row holds the newest event of its series.
    pub(crate) fn holds_the_newest(&self) -> bool {
        self.holds() == Holds::Newest
    }

    /// Whether deleting an event needs a read of its row first: for values that are qualifiers, and
    /// for run-time columns in a row with run-time columns of other times.
    pub(crate) fn deletes_what_it_reads(&self) -> bool {
        self.in_layout().deletes_what_it_reads(self)
    }

    /// Whether a row has at most one event.
    pub(crate) fn has_one_event_a_row(&self) -> bool {
        self.holds() != Holds::Many
    }

    /// Whether a column belongs to the row and not to each of its events: the copy of an
    /// identifier, in a row with many events.
    pub(crate) fn is_of_row(&self, column: &ColumnSchema) -> bool {
        // Few columns are copies, so the layout is rarely asked.
        let segment = column.copy_of.and_then(|at| self.key.segments.get(at));
        segment.is_some_and(|segment| {
            segment.role == SegmentRole::Identifier && self.holds() != Holds::One
        })
    }

    /// Whether a mutation writes a column that belongs to the row, which is the same for all of its
    /// events.
    pub(crate) fn is_written_once(&self, mutation: &Mutation) -> bool {
        let Mutation::SetCell {
            family, qualifier, ..
        } = mutation
        else {
            return false;
        };
        self.holds() != Holds::One
            && self.columns.iter().any(|one| {
                self.is_of_row(one)
                    && qualifier == one.qualifier.as_bytes()
                    && *family == *one.family
            })
    }

    /// Whether a column belongs to one event, so that its older cells are versions. If not, it also
    /// has the cells of other events, which timestamps distinguish.
    pub(crate) fn has_columns_of_its_own(&self) -> bool {
        !matches!(self.in_layout().time_in(), TimeIn::Stamp)
    }

    /// Deletes a column of one event: the whole column if it belongs only to the event, else its
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

    /// The timestamps of the cells that are deleted with a column of one event, from the first to
    /// before the second; two zeros mean all.
    pub(super) fn deleted_times(&self, target: &Target) -> (i64, i64) {
        match self.has_columns_of_its_own() {
            true => (0, 0),
            false => (target.timestamp_micros, target.end_micros()),
        }
    }
}
