#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::data::mutation;

fn rows() -> impl Strategy<Value = Vec<RowMutations>> {
    let mutations = vec(mutation(EncodedEntry::WORTH_SHARING), 0..5);
    let row = (vec(any::<u8>(), 0..5), mutations).prop_map(|(key, mutations)| RowMutations {
        key: key.into(),
        mutations,
    });
    vec(row, 0..8)
}

fn encoded(row: &RowMutations) -> EncodedEntry {
    let mut entry = EncodedEntry::default();
    entry.begin(&row.key);
    row.mutations.iter().for_each(|one| entry.add(&one.into()));
    entry
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
        // Its memory is used again.
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
            entries.extend_entry(index, &encoded(&RowMutations { key, mutations }));
        }
        prop_assert_eq!(entries.to_rows().unwrap(), &*rows);
        let wire: usize = rows.iter().map(RowMutations::wire_bytes).sum();
        prop_assert_eq!(entries.size().wire_bytes, wire);
        let mutations: usize = rows.iter().map(|row| row.mutations.len()).sum();
        prop_assert_eq!(entries.size().mutations, mutations);
    }
}
