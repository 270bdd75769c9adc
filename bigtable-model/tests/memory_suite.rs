//! The conformance suite over the backend in memory.
#![cfg(feature = "testing")]

use std::sync::Arc;

use bigtable_model::testing::backend_suite;
use bigtable_model::{Backend, MemoryBackend};

#[tokio::test]
async fn service_profile() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let report = backend_suite(|| db.clone(), &[]).await;
    report.assert_passed();
    assert_eq!(db.list_tables().await, Ok(Vec::new()));
}
