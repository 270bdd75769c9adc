//! What the tests of models share.

use std::sync::Arc;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{Mutation, ReadRows, Row, RowMutations};
use bigtable_model::{Backend, MemoryBackend, Timestamp};
use bigtable_model_tests::emulator::Emulator;
use futures::TryStreamExt;

/// The cells that mutations set: family and qualifier, value, timestamp in microseconds.
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

/// Memory, and the emulator where it is installed; project and instance keep tests apart there.
pub fn backends(project: &str, instance: &str) -> Vec<Arc<dyn Backend>> {
    let mut backends: Vec<Arc<dyn Backend>> = vec![Arc::new(MemoryBackend::new())];
    backends.extend(on_emulator(project, instance));
    backends
}

/// The emulator, where it is installed.
pub fn on_emulator(project: &str, instance: &str) -> Option<Arc<dyn Backend>> {
    let emulator = Emulator::shared()?;
    let settings = GrpcSettings::new(project, instance).emulator(emulator.address());
    Some(Arc::new(GrpcBackend::new(&settings).unwrap()))
}

/// Every row of a table.
pub async fn rows(db: &dyn Backend, table: &str) -> Vec<Row> {
    let request = ReadRows {
        table: table.to_owned(),
        ..ReadRows::default()
    };
    db.read_rows(request).try_collect().await.unwrap()
}

pub fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}
