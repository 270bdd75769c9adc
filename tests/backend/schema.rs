//! Tables from models, and their differences after changes by Google's command-line client.

use std::sync::Arc;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::TableSchema;
use bigtable_model::schema::{
    ApplyOptions, Difference, Safety, SchemaError, TableDiff, WantedTable,
};
use bigtable_model::server::{Instances, Server, ServerOptions};
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, Timestamp};
use bigtable_model_tests::emulator::Emulator;

use crate::cbt::cbt_on;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "METRIC",
    family = "CPU",
    salt(shards = 3, of(host)),
    gc(any(max_versions = 1, max_age = "30d")),
    gc(family = "MEM", max_age = "7d")
)]
struct Sample {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    user: f64,
    #[bigtable(family = "MEM")]
    free: Option<u64>,
    #[bigtable(family = "DISK")]
    read: Option<u64>,
}

fn sample() -> Sample {
    Sample {
        host: "a".to_owned(),
        at: Timestamp::from_millis(1),
        user: 0.5,
        free: None,
        read: None,
    }
}

/// An instance, used by us and by `cbt`.
struct Place {
    address: String,
    instance: &'static str,
    db: Arc<dyn Backend>,
}

impl Place {
    fn new(address: String, instance: &'static str) -> Self {
        let settings = GrpcSettings::new("p", instance).emulator(&address);
        Self {
            db: Arc::new(GrpcBackend::new(&settings).unwrap()),
            address,
            instance,
        }
    }

    fn emulator(instance: &'static str) -> Option<Self> {
        let emulator = Emulator::shared()?;
        Some(Self::new(emulator.address().to_owned(), instance))
    }

    async fn server(instance: &'static str) -> Self {
        let instances = Instances::new(|_| Arc::new(MemoryBackend::new()));
        let options = ServerOptions::default();
        let server = Server::bind("127.0.0.1:0", instances, &options);
        let server = server.await.unwrap();
        let address = server.local_addr().to_string();
        tokio::spawn(server.serve());
        Self::new(address, instance)
    }

    /// The output of `cbt`; `None` if it is not installed.
    fn cbt(&self, command: &str) -> Option<String> {
        let arguments: Vec<_> = command.split(' ').collect();
        cbt_on(&self.address, self.instance, &arguments)
    }

    async fn diff(&self) -> TableDiff {
        self.db.table_diff::<Sample>().await.unwrap()
    }

    async fn apply(&self, options: ApplyOptions) -> Result<(), Error> {
        self.db.apply(&self.diff().await, &options).await
    }
}

/// Families, and the safety of each change.
fn named(diff: &TableDiff) -> Vec<(&str, Safety)> {
    let differences = diff.differences.iter();
    let named = differences.map(|one| (one.family().unwrap_or("the table"), one.safety()));
    named.collect()
}

/// A family dropped, rules changed, a family added: each is reported, the safe ones are corrected.
async fn safe_changes(place: &Place) -> Option<()> {
    place.db.ensure_tables::<Sample>().await.unwrap();
    place.db.ensure_tables::<Sample>().await.unwrap();
    assert_eq!(place.diff().await.differences, []);
    let printed = place.cbt("ls METRIC")?;
    for line in ["CPU", "MEM", "age() > 7d", "DISK", "never"] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    for command in [
        "deletefamily METRIC CPU",
        "setgcpolicy METRIC MEM maxage=1d",
        "setgcpolicy METRIC DISK maxversions=5 or maxage=90d",
        "createfamily METRIC EXTRA",
    ] {
        place.cbt(command)?;
    }
    let diff = place.diff().await;
    assert_eq!(
        diff.to_string(),
        r#"table METRIC is not as the model wants it:
  family "CPU" is missing; wanted: deletes cells beyond the newest version or older than 30d (safe)
  family "DISK" deletes cells beyond the newest 5 versions or older than 90d; wanted: keeps every cell (safe)
  family "MEM" deletes cells older than 1d; wanted: older than 7d (safe)
  family "EXTRA" keeps every cell; the model does not have it (left alone)"#
    );
    place.apply(ApplyOptions::new()).await.unwrap();
    assert!(place.diff().await.agrees());
    assert_eq!(named(&place.diff().await), [("EXTRA", Safety::LeftAlone)]);
    Some(())
}

/// Rules that keep too much: nothing is changed before it is allowed, and equivalent rules are not
/// differences.
async fn unsafe_changes(place: &Place) -> Option<()> {
    place.cbt("setgcpolicy METRIC MEM never")?;
    place.cbt("setgcpolicy METRIC CPU maxage=30d and maxversions=1")?;
    place.cbt("deletefamily METRIC DISK")?;
    let expected = [
        ("CPU", Safety::Unsafe),
        ("DISK", Safety::Safe),
        ("MEM", Safety::Unsafe),
        ("EXTRA", Safety::LeftAlone),
    ];
    assert_eq!(named(&place.diff().await), expected);
    let refused = place.apply(ApplyOptions::new()).await.unwrap_err();
    assert!(
        matches!(&refused, Error::Schema(SchemaError::Unsafe { differences, .. }) if differences.len() == 2),
        "{refused}"
    );
    assert_eq!(named(&place.diff().await), expected, "nothing half done");
    let options = ApplyOptions::new().allow_unsafe(true).drop_family("EXTRA");
    place.apply(options).await.unwrap();
    assert_eq!(place.diff().await.differences, []);
    place.cbt("setgcpolicy METRIC CPU maxage=720h or maxversions=1")?;
    assert_eq!(place.diff().await.differences, []);
    Some(())
}

/// A missing table, and one that `cbt` created.
async fn whole_tables(place: &Place) -> Option<()> {
    place.cbt("deletetable METRIC")?;
    let diff = place.diff().await;
    let wanted = WantedTable::of(Sample::SCHEMA);
    assert_eq!(diff.differences, [Difference::MissingTable(wanted)]);
    place.apply(ApplyOptions::new()).await.unwrap();
    assert_eq!(place.diff().await.differences, []);
    place.cbt("deletetable METRIC")?;
    place.cbt("createtable METRIC families=DISK,MEM:maxage=7d,CPU:maxversions=1||maxage=30d")?;
    assert_eq!(place.diff().await.differences, []);
    Some(())
}

async fn all(place: &Place) {
    // The rest needs cbt.
    if safe_changes(place).await.is_some() && unsafe_changes(place).await.is_some() {
        whole_tables(place).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cbt_changed_is_named_on_the_emulator() {
    if let Some(place) = Place::emulator("schema") {
        all(&place).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cbt_changed_is_named_on_our_server() {
    all(&Place::server("schema").await).await;
}

/// The error of a missing table says how to create it, whatever the call and the server's words.
async fn missing_table(place: &Place) {
    let sample = sample();
    let (db, key) = (&place.db, sample.key());
    let missing = [
        db.insert(&sample).await.unwrap_err(),
        db.get::<Sample>(&key).await.unwrap_err(),
        db.delete::<Sample>(&key).await.unwrap_err(),
        db.fetch(&Sample::query().host("a")).await.unwrap_err(),
        db.count(&Sample::query().host("a")).await.unwrap_err(),
    ];
    for error in missing {
        assert!(matches!(error, Error::Backend { .. }), "{error:?}");
        for words in ["table METRIC: ", "the table is missing", "`ensure_tables`"] {
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}

#[tokio::test]
async fn a_missing_table_is_told_with_the_call_that_creates_it() {
    missing_table(&Place::server("missing").await).await;
    if let Some(place) = Place::emulator("missing-schemas") {
        missing_table(&place).await;
    }
    let db = MemoryBackend::new();
    let without_families = TableSchema {
        table: "METRIC".to_owned(),
        ..TableSchema::default()
    };
    db.tables()
        .create(without_families, Vec::new())
        .await
        .unwrap();
    let error = db.insert(&sample()).await.unwrap_err().to_string();
    for words in ["lacks a column family", "`ensure_tables`"] {
        assert!(error.contains(words), "{error}");
    }
}

/// Services that start at once all ensure their tables.
async fn ensured_by_many(place: &Place) {
    let ensuring = (0..8).map(|_| {
        let db = Arc::clone(&place.db);
        tokio::spawn(async move { db.ensure_tables::<Sample>().await })
    });
    for ensured in ensuring.collect::<Vec<_>>() {
        ensured.await.unwrap().unwrap();
    }
    assert_eq!(place.diff().await.differences, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_may_be_ensured_by_many_at_once() {
    ensured_by_many(&Place::server("many").await).await;
    if let Some(place) = Place::emulator("many-schemas") {
        ensured_by_many(&place).await;
    }
}
