//! One bulk-write request being built.

use crate::Timestamp;
use crate::data::{RowMutations, limits};
use crate::model::ModelSchema;
use crate::send::places::Places;

/// The maximum number of rows in one bulk-write request.
const ROWS_PER_REQUEST: usize = 1_000;

/// The maximum size of one bulk-write request, in bytes.
const BYTES_PER_REQUEST: usize = 8 << 20;

/// An entry that was taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entered {
    /// Its position among the entries.
    pub(crate) index: usize,
    /// The index of its row in the request.
    pub(crate) place: usize,
    /// The time of its event, if it belongs to one.
    pub(crate) time: Option<Timestamp>,
}

/// Entries that are sent together.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) rows: Vec<RowMutations>,
    /// The index of each key's row: the service may apply entries for one row in any order, so a
    /// request has at most one, with the changes of the row in order.
    pub(super) places: Places,
    pub(super) entries: Vec<Entered>,
    bytes: usize,
    mutations: usize,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Takes the entries, and leaves room for as many: growing takes longer than adding them.
    pub(super) fn take(&mut self) -> Self {
        let next = Self {
            rows: Vec::with_capacity(self.rows.len()),
            places: Places::with_room_of(&self.places),
            entries: Vec::with_capacity(self.entries.len()),
            ..Self::default()
        };
        std::mem::replace(self, next)
    }

    /// Whether a row of this size may be sent with the others.
    pub(crate) fn has_room_for(&self, row: &RowMutations, bytes: usize) -> bool {
        self.rows.is_empty()
            || (self.bytes + bytes <= BYTES_PER_REQUEST
                && self.mutations + row.mutations.len() <= limits::MUTATIONS
                && (self.rows.len() < ROWS_PER_REQUEST || self.places.get(&row.key).is_some()))
    }

    /// The events that it writes: the row key and the time of each.
    pub(crate) fn events(&self) -> impl Iterator<Item = (&[u8], Option<Timestamp>)> {
        self.entries.iter().filter_map(|entered| {
            let row = self.rows.get(entered.place)?;
            Some((&*row.key, entered.time))
        })
    }

    /// Adds an entry: its position, the time of its event, its row and the row's size.
    pub(crate) fn add(
        &mut self,
        schema: &ModelSchema,
        (index, time): (usize, Option<Timestamp>),
        mut row: RowMutations,
        bytes: usize,
    ) {
        let place = self.places.get_or_push(&row.key);
        let before = place.and_then(|place| self.rows.get_mut(place));
        if before.is_some() {
            row.mutations.retain(|one| !schema.is_written_once(one));
        }
        self.bytes += bytes;
        self.mutations += row.mutations.len();
        match before {
            Some(before) => before.mutations.append(&mut row.mutations),
            None => self.rows.push(row),
        }
        let place = place.unwrap_or(self.rows.len() - 1);
        self.entries.push(Entered { index, place, time });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::model::{Model, insert_mutations};
    use crate::{Error, Timestamp};

    /// A roll-up of a day in a row.
    #[derive(Debug, bigtable_derive::Model)]
    #[bigtable(crate = crate, table = "ROLLUP", family = "SUM", layout = "cells")]
    struct Rollup {
        #[bigtable(key)]
        host: String,
        #[bigtable(time, bucket = "day", unit = "s")]
        at: Timestamp,
        #[bigtable(aggregate = "sum")]
        count: i64,
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_seconds(second)
    }

    fn whole(second: i64) -> Result<RowMutations, Error> {
        let (host, count) = ("a".to_owned(), 5);
        let at = at(second);
        insert_mutations(&Rollup { host, at, count }, Timestamp::UNIX_EPOCH)
    }

    fn added(second: i64) -> Result<RowMutations, Error> {
        let (host, at) = ("a".to_owned(), at(second));
        let update = Rollup::update(&RollupKey { host, at }).add_count(1);
        update.to_mutations()
    }

    /// Whether the one entry of a row that these become may be sent again.
    fn repeats(entries: &[Result<RowMutations, Error>]) -> bool {
        let mut batch = Batch::default();
        for (index, entry) in entries.iter().enumerate() {
            let row = entry.as_ref().unwrap().clone();
            let bytes = row.wire_bytes();
            batch.add(Rollup::SCHEMA, (index, None), row, bytes);
        }
        assert_eq!((batch.rows.len(), batch.entries.len()), (1, entries.len()));
        batch.rows.iter().all(RowMutations::is_idempotent)
    }

    #[test]
    fn entries_that_share_a_row_repeat_when_all_of_them_do() {
        assert!(repeats(&[whole(1)]));
        assert!(repeats(&[whole(1), whole(2), whole(1)]));
        assert!(!repeats(&[added(1)]));
        assert!(!repeats(&[whole(2), added(1)]));
        assert!(!repeats(&[added(1), whole(1)]));
        // What is added to is replaced each time.
        assert!(repeats(&[whole(1), added(1)]));
    }
}
