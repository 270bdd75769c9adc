//! Whether an instance changed.

use std::sync::atomic::Ordering;

use crate::memory::MemoryBackend;

/// What an instance held at one moment. While it is the same nothing was written; after a write
/// that was refused it may be another one, and so it may when nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Revision {
    /// Of the set of tables.
    tables: u64,
    /// Of all tables together, which only grows while the set of tables is the same.
    contents: u64,
}

impl MemoryBackend {
    /// That of an instance that nothing was ever written to is the default.
    pub(crate) fn revision(&self) -> Revision {
        let tables = self.store.tables();
        // A table that is deleted is not among them any more, or will not be in a moment.
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
                0 | 4 => db.create_table(schema(), Vec::new()).await.unwrap(),
                1 | 2 | 5 => db.mutate_row("t", write()).await.unwrap(),
                _ => db.delete_table("t").await.unwrap(),
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
        db.get_table("t").await.unwrap();
        assert_eq!(seen.last(), Some(&db.revision()));
    }
}
