//! Arbitrary bytes are handled as requests: answered or refused, without a panic.
//!
//! `cargo +nightly fuzz run requests --fuzz-dir tests/fuzz`
//!
//! An input is a sequence of calls: a byte for the method, two for the length of the message, the
//! message. `cargo test -p bigtable-model-tests --test differential -- --ignored write_corpus`
//! writes an initial corpus.
#![no_main]

use std::sync::{Arc, LazyLock};

use bigtable_model::data::{FamilySchema, TableSchema};
use bigtable_model::server::RawServer;
use bigtable_model::{Backend, MemoryBackend};
use libfuzzer_sys::fuzz_target;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().build().expect("a runtime")
});

fuzz_target!(|calls: &[u8]| {
    RUNTIME.block_on(async {
        let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
        let families = ["f", "g"].map(|name| (name.to_owned(), FamilySchema::default()));
        let schema = TableSchema {
            table: "t".to_owned(),
            families: families.into(),
            ..TableSchema::default()
        };
        db.tables().create(schema, Vec::new()).await.expect("a valid table");
        RawServer::new(db).call_all(calls).await;
    });
});
