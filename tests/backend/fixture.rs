//! A table on the emulator, and short forms of rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{
    Cell, EntryBatch, FamilySchema, Mutation, ReadRows, Row, RowMutations, RowSet, TableSchema,
};
use bigtable_model::{Backend, Status};
use bigtable_model_tests::emulator::Emulator;
use bytes::Bytes;
use futures::TryStreamExt;

/// The table of every fixture, with the families `f` and `g`.
pub(crate) const TABLE: &str = "t";

/// An instance on the shared emulator.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) address: &'static str,
    pub(crate) instance: String,
}

impl Fixture {
    /// `None` if the emulator is not installed.
    pub(crate) async fn new() -> Option<Self> {
        let fixture = Self::without_table()?;
        let schema = TableSchema {
            table: TABLE.to_owned(),
            families: ["f", "g"]
                .map(|name| (name.to_owned(), FamilySchema::default()))
                .into(),
            ..TableSchema::default()
        };
        let created = fixture.backend.tables().create(schema, Vec::new()).await;
        created.unwrap();
        Some(fixture)
    }

    pub(crate) fn without_table() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let emulator = Emulator::shared()?;
        let instance = format!("i{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let settings = GrpcSettings::new("p", &instance).emulator(emulator.address());
        Some(Self {
            backend: Arc::new(GrpcBackend::new(&settings).unwrap()),
            address: emulator.address(),
            instance,
        })
    }

    pub(crate) async fn write(&self, key: &str, mutations: Vec<Mutation>) -> Result<(), Status> {
        self.backend.mutate_row(TABLE, row(key, mutations)).await
    }

    /// Rows with one cell `f:q@1000` each, whose value is the key.
    pub(crate) async fn fill<'a>(&self, keys: impl IntoIterator<Item = &'a str>) {
        let rows = keys
            .into_iter()
            .map(|key| row(key, vec![set("f", "q", 1000, key)]));
        let outcomes = self.backend.mutate_rows(TABLE, EntryBatch::of(rows)).await;
        assert!(outcomes.unwrap().iter().all(Result::is_ok));
    }

    pub(crate) async fn read(&self, request: ReadRows) -> Result<Vec<Row>, Status> {
        self.backend.read_rows(request).rows().try_collect().await
    }

    pub(crate) async fn keys(&self, request: ReadRows) -> Vec<String> {
        let rows = self.read(request).await.unwrap();
        let keys = rows.iter().map(|row| String::from_utf8(row.key.to_vec()));
        keys.map(Result::unwrap).collect()
    }

    /// The cells of a row, in the format of [`show`].
    pub(crate) async fn cells(&self, key: &str) -> Vec<String> {
        let request = ReadRows {
            rows: RowSet::key(key.to_owned()),
            ..all()
        };
        let rows = self.read(request).await.unwrap();
        rows.iter().flat_map(show).collect()
    }
}

pub(crate) fn all() -> ReadRows {
    ReadRows {
        table: TABLE.to_owned(),
        ..ReadRows::default()
    }
}

pub(crate) fn row(key: &str, mutations: Vec<Mutation>) -> RowMutations {
    RowMutations {
        key: key.to_owned().into(),
        mutations,
    }
}

pub(crate) fn set(
    family: &str,
    qualifier: &str,
    timestamp_micros: i64,
    value: impl Into<Vec<u8>>,
) -> Mutation {
    Mutation::SetCell {
        family: family.into(),
        qualifier: qualifier.to_owned().into(),
        timestamp_micros,
        value: Bytes::from(value.into()),
    }
}

/// Cells as `family:qualifier@timestamp=value[labels]`, with sorted families: the emulator's order
/// of families is random.
pub(crate) fn show(row: &Row) -> Vec<String> {
    let mut cells: Vec<&Cell> = row.cells.iter().collect();
    cells.sort_by(|a, b| a.family.cmp(&b.family));
    let cells = cells.into_iter().map(|cell| {
        let labels: String = cell
            .labels
            .iter()
            .map(|label| format!("[{label}]"))
            .collect();
        format!(
            "{}:{}@{}={}{labels}",
            cell.family,
            cell.qualifier.escape_ascii(),
            cell.timestamp_micros,
            cell.value.escape_ascii()
        )
    });
    cells.collect()
}
