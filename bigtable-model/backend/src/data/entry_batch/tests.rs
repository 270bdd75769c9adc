#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::data::{Mutation, mutation};

fn rows() -> impl Strategy<Value = Vec<RowMutations>> {
    let mutations = vec(mutation(EncodedEntry::WORTH_SHARING), 0..5);
    let row = (vec(any::<u8>(), 0..5), mutations).prop_map(|(key, mutations)| RowMutations {
        key: key.into(),
        mutations,
    });
    vec(row, 0..8)
}

proptest! {
    #[test]
    fn entries_become_the_rows_that_they_were(rows in rows()) {
        let mut entries: EntryBatch = rows.iter().collect();
        prop_assert_eq!(entries.to_rows().unwrap(), &*rows);
        let wire: usize = rows.iter().map(RowMutations::wire_bytes).sum();
        prop_assert_eq!(entries.size().wire_bytes, wire);
        let keys: Vec<_> = (0..rows.len()).filter_map(|at| entries.key(at)).collect();
        prop_assert_eq!(keys, rows.iter().map(|row| &*row.key).collect::<Vec<_>>());
        entries.clear();
        prop_assert_eq!(entries.to_rows().unwrap(), Vec::new());
        // Its memory is reused.
        rows.iter().for_each(|row| entries.push(row));
        prop_assert_eq!(entries.to_rows().unwrap(), rows);
    }

    #[test]
    fn what_is_added_to_an_entry_follows_its_mutations(
        mut rows in rows(),
        later in vec((0..8_usize, vec(mutation(EncodedEntry::WORTH_SHARING), 0..4)), 0..8),
    ) {
        let mut entries: EntryBatch = rows.iter().collect();
        for (index, mutations) in later {
            let Some(row) = rows.get_mut(index) else {
                continue;
            };
            let key = row.key.clone();
            row.mutations.extend(mutations.clone());
            entries.extend_entry(index, &(&RowMutations { key, mutations }).into());
        }
        prop_assert_eq!(entries.to_rows().unwrap(), &*rows);
        let wire: usize = rows.iter().map(RowMutations::wire_bytes).sum();
        prop_assert_eq!(entries.size().wire_bytes, wire);
        let mutations: usize = rows.iter().map(|row| row.mutations.len()).sum();
        prop_assert_eq!(entries.size().mutations, mutations);
    }
}

/// Each insert of a roll-up deletes the cells that it adds to. Checking the whole entry again for
/// each insert would take quadratic time: a minute here.
#[test]
fn many_events_of_one_row_with_additions_are_not_looked_at_again() {
    let qualifier = |number: u32| Bytes::from(number.to_string());
    let mut entries = EntryBatch::default();
    for number in 0..20_000 {
        let mutations = vec![
            Mutation::DeleteFromColumn {
                family: "f".into(),
                qualifier: qualifier(number),
                start_micros: 1_000,
                end_micros: 2_000,
            },
            Mutation::AddToCell {
                family: "f".into(),
                qualifier: qualifier(number),
                timestamp_micros: 1_000,
                input: 1,
            },
        ];
        let row = RowMutations {
            key: "key".into(),
            mutations,
        };
        let entry = EncodedEntry::from(&row);
        assert!(entry.size().repeats);
        match number {
            0 => entries.push_entry(&entry),
            _ => entries.extend_entry(0, &entry),
        }
    }
    let rows = entries.to_rows().unwrap();
    assert_eq!(rows.len(), 1);
    assert!(rows.iter().all(RowMutations::is_idempotent));
}
