//! Whether an instance changed.

use std::sync::atomic::Ordering;

use crate::memory::MemoryBackend;

/// The state of an instance at one moment. If it is the same as before, nothing was written in
/// between. It may differ after a refused write, or without a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Revision {
    /// The revision of the set of tables.
    tables: u64,
    /// The changes of all tables together, which only grow while the set of tables is the same.
    contents: u64,
}

impl MemoryBackend {
    /// The current revision; the default for an instance that was never written to.
    pub(crate) fn revision(&self) -> Revision {
        let tables = self.store.tables();
        // A deleted table is no longer among them, or soon will not be.
        let contents = tables.values().filter_map(|table| table.read().ok());
        Revision {
            tables: self.store.changes.load(Ordering::Relaxed),
            contents: contents
                .map(|content| content.changes)
                .fold(0, u64::wrapping_add),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use bytes::Bytes;

    use super::*;
    use crate::Backend;
    use crate::data::{FamilySchema, Mutation, ReadRows, RowMutations, TableSchema};

    fn schema() -> TableSchema {
        TableSchema {
            table: "t".to_owned(),
            families: [("f".to_owned(), FamilySchema::default())].into(),
            ..TableSchema::default()
        }
    }

    fn write() -> RowMutations {
        let set = Mutation::SetCell {
            family: "f".into(),
            qualifier: Bytes::new(),
            timestamp_micros: 0,
            value: Bytes::new(),
        };
        RowMutations {
            key: "r".into(),
            mutations: vec![set],
        }
    }

    #[tokio::test]
    async fn every_change_is_another_revision() {
        let db = MemoryBackend::new();
        let mut seen = vec![db.revision()];
        assert_eq!(seen, [Revision::default()]);
        for step in 0..6 {
            match step {
                0 | 4 => db.tables().create(schema(), Vec::new()).await.unwrap(),
                1 | 2 | 5 => db.mutate_row("t", write()).await.unwrap(),
                _ => db.tables().delete("t").await.unwrap(),
            }
            let revision = db.revision();
            assert!(!seen.contains(&revision), "step {step}");
            seen.push(revision);
        }
        let request = ReadRows {
            table: "t".to_owned(),
            ..ReadRows::default()
        };
        drop(db.read_rows(request));
        db.tables().get("t").await.unwrap();
        assert_eq!(seen.last(), Some(&db.revision()));
    }
}
