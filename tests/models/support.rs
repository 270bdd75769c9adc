//! Shared code of the model tests.

use std::sync::Arc;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{Mutation, ReadRows, Row, RowMutations};
use bigtable_model::{Backend, MemoryBackend, Timestamp};
use bigtable_model_tests::emulator::Emulator;
use futures::TryStreamExt;

/// The cells that mutations set: column, value, timestamp in microseconds.
pub fn cells(row: &RowMutations) -> Vec<(String, String, i64)> {
    let cell = |mutation: &Mutation| match mutation {
        Mutation::SetCell {
            family,
            qualifier,
            timestamp_micros,
            value,
        } => Some((
            format!("{family}:{}", qualifier.escape_ascii()),
            value.escape_ascii().to_string(),
            *timestamp_micros,
        )),
        _ => None,
    };
    row.mutations.iter().filter_map(cell).collect()
}

/// The columns that mutations delete.
pub fn deleted(row: &RowMutations) -> Vec<String> {
    let column = |mutation: &Mutation| match mutation {
        Mutation::DeleteFromColumn {
            family, qualifier, ..
        } => Some(format!("{family}:{}", qualifier.escape_ascii())),
        Mutation::DeleteFromFamily { family } => Some(format!("{family}:*")),
        _ => None,
    };
    row.mutations.iter().filter_map(column).collect()
}

/// Every row of a table.
pub async fn rows(db: &dyn Backend, table: &str) -> Vec<Row> {
    let request = ReadRows {
        table: table.to_owned(),
        ..ReadRows::default()
    };
    db.read_rows(request).rows().try_collect().await.unwrap()
}

pub fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// An instance of the emulator, if it is installed; project and instance separate tests.
pub fn emulated(project: &str, instance: &str) -> Option<Arc<dyn Backend>> {
    let settings = GrpcSettings::new(project, instance).emulator(Emulator::shared()?.address());
    Some(Arc::new(GrpcBackend::new(&settings).unwrap()))
}

/// Memory, and the emulator if it is installed; the names separate tests there.
pub fn backends(project: &str, instance: &str) -> Vec<Arc<dyn Backend>> {
    let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    [memory]
        .into_iter()
        .chain(emulated(project, instance))
        .collect()
}
