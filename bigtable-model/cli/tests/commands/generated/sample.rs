//! Tables as data.

use std::collections::{BTreeMap, BTreeSet};

use bigtable_model::data::{FamilySchema, Mutation, RowMutations, TableSchema};
use bigtable_model::{Backend as _, MemoryBackend};
use bytes::Bytes;

use crate::place::Place;

/// A table with its cells.
pub(crate) struct Sample {
    /// Its ID; in lower case the name of the module of its structs.
    pub(crate) table: String,
    pub(crate) cells: Vec<Stored>,
}

/// A cell with its place.
pub(crate) struct Stored {
    pub(crate) key: Vec<u8>,
    pub(crate) family: String,
    pub(crate) qualifier: String,
    pub(crate) micros: i64,
    pub(crate) value: Vec<u8>,
}

impl Sample {
    pub(crate) fn new(table: &str) -> Self {
        Self {
            table: table.to_owned(),
            cells: Vec::new(),
        }
    }

    /// Adds a row whose cells have one timestamp.
    pub(crate) fn row<K: Into<Vec<u8>>, V: Into<Vec<u8>>>(
        &mut self,
        key: K,
        family: &str,
        cells: impl IntoIterator<Item = (impl Into<String>, V)>,
    ) {
        let key = key.into();
        for (qualifier, value) in cells {
            self.cell(&key, family, &qualifier.into(), 1_000, value);
        }
    }

    pub(crate) fn cell<V: Into<Vec<u8>>>(
        &mut self,
        key: &[u8],
        family: &str,
        qualifier: &str,
        micros: i64,
        value: V,
    ) {
        self.cells.push(Stored {
            key: key.to_vec(),
            family: family.to_owned(),
            qualifier: qualifier.to_owned(),
            micros,
            value: value.into(),
        });
    }

    fn families(&self) -> BTreeSet<&str> {
        self.cells.iter().map(|cell| &*cell.family).collect()
    }

    /// What `generate` proposes for it.
    pub(crate) fn proposed(&self, place: &Place) -> String {
        let mut create = vec!["presplit", &self.table, "--at", "m"];
        for family in self.families() {
            create.extend(["--family", family]);
        }
        place.done(&create);
        let mut csv = String::from("key,family,qualifier,micros,value\n");
        for cell in &self.cells {
            let [key, value] = [&cell.key, &cell.value].map(|bytes| quoted(&escaped(bytes)));
            let qualifier = quoted(&escaped(cell.qualifier.as_bytes()));
            let (family, micros) = (&cell.family, cell.micros);
            csv.push_str(&format!("{key},{family},{qualifier},{micros},{value}\n"));
        }
        place.write("cells.csv", &csv);
        place.done(&["import", &self.table, "cells.csv"]);
        place.done(&["generate", &self.table])
    }

    /// The table in memory.
    pub(crate) async fn in_memory(&self) -> MemoryBackend {
        let db = MemoryBackend::new();
        let families = self.families().into_iter();
        let schema = TableSchema {
            table: self.table.clone(),
            families: families
                .map(|family| (family.to_owned(), FamilySchema::default()))
                .collect(),
            row_key_schema: None,
        };
        db.tables().create(schema, Vec::new()).await.unwrap();
        let mut rows: BTreeMap<&[u8], Vec<Mutation>> = BTreeMap::new();
        for cell in &self.cells {
            rows.entry(&cell.key).or_default().push(Mutation::SetCell {
                family: cell.family.clone().into(),
                qualifier: Bytes::copy_from_slice(cell.qualifier.as_bytes()),
                timestamp_micros: cell.micros,
                value: Bytes::copy_from_slice(&cell.value),
            });
        }
        for (key, mutations) in rows {
            let row = RowMutations {
                key: Bytes::copy_from_slice(key),
                mutations,
            };
            db.mutate_row(&self.table, row).await.unwrap();
        }
        db
    }
}

/// Bytes as in the files of `import`.
fn escaped(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => text.replace('\\', "\\\\"),
        _ => bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect(),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
