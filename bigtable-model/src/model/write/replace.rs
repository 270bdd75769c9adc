//! Updates in layout `qualifiers`, where the value is a qualifier: the old value must be known to
//! replace it.

use std::ops::Bound;

use bytes::Bytes;
use bytestring::ByteString;

use crate::Timestamp;
use crate::data::{Cell, CheckAndMutateRow, Mutation, ReadRows, RowFilter, RowMutations, RowSet};

use crate::model::stamp_after;

/// Replaces an event's old value.
#[derive(Debug)]
pub(crate) struct Replacement {
    table: String,
    key: Bytes,
    family: ByteString,
    /// The event's timestamp, and the first one after it.
    stamps: (i64, i64),
    /// Writes the new value.
    new: Mutation,
}

impl Replacement {
    /// The replacement for an update of the value; `row` would write it if the event had none.
    /// `None` if `row` does not write a cell.
    pub(super) fn new(table: &str, row: &RowMutations) -> Option<Self> {
        // If a value is set twice, the last one stays, as in other layouts.
        let new = row.mutations.last()?;
        let Mutation::SetCell {
            family,
            timestamp_micros,
            ..
        } = new
        else {
            return None;
        };
        Some(Self {
            table: table.to_owned(),
            key: row.key.clone(),
            family: family.clone(),
            stamps: (*timestamp_micros, stamp_after(*timestamp_micros)),
            new: new.clone(),
        })
    }

    pub(crate) fn key(&self) -> &[u8] {
        &self.key
    }

    /// The event's time, which its cells have.
    pub(crate) fn time(&self) -> Timestamp {
        Timestamp::from_micros(self.stamps.0)
    }

    /// The read of the old value.
    pub(crate) fn request(&self) -> ReadRows {
        ReadRows {
            table: self.table.clone(),
            rows: RowSet::key(self.key.clone()),
            filter: Some(self.cells(Bound::Unbounded, Bound::Unbounded)),
            rows_limit: 1,
            ..ReadRows::default()
        }
    }

    /// The write for the cells that were read, and the predicate's result that means it was
    /// applied: if the old value is still stored, or if there is still none.
    pub(crate) fn write(&self, cells: &[Cell]) -> (CheckAndMutateRow, bool) {
        let old = cells.iter().map(|cell| &cell.qualifier);
        let first = old.clone().next().cloned().map(Bound::Included);
        let is_there = first.is_some();
        let bound = first.unwrap_or(Bound::Unbounded);
        let deletes = old.map(|qualifier| Mutation::DeleteFromColumn {
            family: self.family.clone(),
            qualifier: qualifier.clone(),
            start_micros: self.stamps.0,
            end_micros: self.stamps.1,
        });
        let mutations: Vec<_> = deletes.chain([self.new.clone()]).collect();
        let (if_true, if_false) = match is_there {
            true => (mutations, Vec::new()),
            false => (Vec::new(), mutations),
        };
        let write = CheckAndMutateRow {
            table: self.table.clone(),
            key: self.key.clone(),
            predicate: Some(self.cells(bound.clone(), bound)),
            if_true,
            if_false,
        };
        (write, is_there)
    }

    /// Lets the event's cells with these values through.
    fn cells(&self, start: Bound<Bytes>, end: Bound<Bytes>) -> RowFilter {
        let values = RowFilter::QualifierRange {
            family: self.family.to_string(),
            start,
            end,
        };
        let (start_micros, end_micros) = self.stamps;
        let stamps = RowFilter::TimestampRange {
            start_micros,
            end_micros,
        };
        RowFilter::Chain(vec![values, stamps])
    }
}
