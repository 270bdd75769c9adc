//! The conformance suite on the memory backend.
#![cfg(feature = "testing")]

use std::sync::Arc;

use bigtable_model::backend::Wrapper;
use bigtable_model::backend::memory::Profile;
use bigtable_model::backend::table_names::NamedTables;
use bigtable_model::testing::{Deviation, EMULATOR_DEVIATIONS, backend_suite};
use bigtable_model::{Backend, MemoryBackend};

#[tokio::test]
async fn service_profile() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let report = backend_suite(|| db.clone(), &[]).await;
    report.assert_passed();
    assert_eq!(
        db.tables().list().await,
        Ok(Vec::new()),
        "cases clean up after themselves"
    );
}

#[tokio::test]
async fn emulator_profile() {
    let db = MemoryBackend::builder().profile(Profile::Emulator).build();
    let db: Arc<dyn Backend> = Arc::new(db);
    let report = backend_suite(|| db.clone(), EMULATOR_DEVIATIONS).await;
    report.assert_passed();
}

/// Renamed tables keep the contract, and the suite deletes them all.
#[tokio::test]
async fn other_table_names() {
    let instance = MemoryBackend::new();
    let db = NamedTables::new(instance.handle(), |name: &str| format!("t7_{name}"));
    let db: Arc<dyn Backend> = Arc::new(db);
    // `-a` is not a valid table name, `t7_-a` is.
    let deviations = [Deviation::always(
        "admin::a_table_name_is_checked",
        "the instance checks the name that it gets",
    )
    .showing("\"-a\"")];
    let report = backend_suite(|| db.clone(), &deviations).await;
    report.assert_passed();
    assert_eq!(instance.tables().list().await, Ok(Vec::new()));
}

/// Forwards to the inner backend.
#[derive(Debug, Clone)]
struct Same(Arc<dyn Backend>);

impl Wrapper for Same {
    fn inner(&self) -> &dyn Backend {
        &*self.0
    }
}

#[tokio::test]
async fn a_wrapper_that_differs_in_nothing() {
    let db: Arc<dyn Backend> = Arc::new(Same(MemoryBackend::new().handle()));
    let report = backend_suite(|| db.clone(), &[]).await;
    report.assert_passed();
    assert!(format!("{:?}", db.handle()).starts_with("Same("));
}
