//! Maps of columns named at run time: several of them, in rows of one event and of a bucket's.

/// What a host measures, in rows of a day of one layout.
macro_rules! of_day {
    ($layout:literal, $table:literal $(, offset = $offset:literal)?) => {
        const TABLE: &str = $table;

        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = $table, family = "M", layout = $layout)]
        struct OfDay {
            #[bigtable(key)]
            host: String,
            #[bigtable(time, bucket = "day", unit = "s" $(, offset = $offset)?)]
            at: Timestamp,
            up: bool,
            #[bigtable(columns, family = "cpu", text)]
            cpu: BTreeMap<String, f64>,
            #[bigtable(columns, family = "disk")]
            disk: BTreeMap<String, i64>,
            /// A declared column in the family of a map.
            #[bigtable(family = "disk")]
            spare: Option<i64>,
        }
    };
}

mod cells;
mod columns;
mod readable;

use std::collections::BTreeMap;

use bigtable_model::dynamic::{EventBatch, Value, insert};
use bigtable_model::lock::{Lock, Locked, compare};
use bigtable_model::model::insert_mutations;
use bigtable_model::testing::check_laws;
use bigtable_model::{BackendExt, MemoryBackend, Model, Projection, Timestamp};
use bytes::Bytes;

use crate::by_name::locked;
use crate::support::{cells as written, deleted, rows};

/// What a host measures: a family for each category.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "HOST_METRIC", family = "M")]
struct OfRow {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    up: bool,
    #[bigtable(columns, family = "cpu", text)]
    cpu: BTreeMap<String, f64>,
    #[bigtable(columns, family = "disk")]
    disk: BTreeMap<String, i64>,
    /// A declared column in the family of a map.
    #[bigtable(family = "disk")]
    spare: Option<i64>,
}

#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = OfRow)]
struct UserOfRow {
    #[bigtable(of = cpu)]
    user: Option<f64>,
}

fn map<V: Copy>(entries: &[(&str, V)]) -> BTreeMap<String, V> {
    let entries = entries
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value));
    entries.collect()
}

fn of_row(second: i64, cpu: &[(&str, f64)], disk: &[(&str, i64)]) -> OfRow {
    OfRow {
        host: "a".into(),
        at: Timestamp::from_seconds(second),
        up: true,
        cpu: map(cpu),
        disk: map(disk),
        spare: None,
    }
}

#[test]
fn each_map_has_its_family() {
    let event = of_row(1, &[("user", 0.5)], &[("IO/READ", 7)]);
    let row = insert_mutations(&event, Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(deleted(&row), ["cpu:*", "disk:*", "disk:spare"]);
    let cell = |column: &str, value: &str| (column.to_owned(), value.to_owned(), 1_000_000);
    let expected = [
        cell("M:up", "\\x01"),
        cell("cpu:user", "0.5"),
        cell("disk:IO/READ", "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07"),
    ];
    assert_eq!(written(&row), expected);
}

#[test]
fn laws_hold_with_maps() {
    check_laws::<OfRow>();
}

#[tokio::test]
async fn a_projection_reads_an_entry() {
    let db = MemoryBackend::new();
    db.ensure_tables::<OfRow>().await.unwrap();
    let rows = [
        of_row(1, &[("user", 0.5), ("sys", 0.25)], &[]),
        of_row(2, &[("sys", 0.5)], &[]),
    ];
    db.insert_many(&rows).await.into_result().unwrap();
    let of_row = OfRow::query().host("a").events().select::<UserOfRow>();
    let users: Vec<_> = db.fetch(&of_row).await.unwrap();
    assert_eq!(
        users,
        [UserOfRow { user: Some(0.5) }, UserOfRow { user: None }]
    );
}

#[tokio::test]
async fn maps_go_round_by_name() {
    let (typed, named) = (MemoryBackend::new(), MemoryBackend::new());
    let event = of_row(1, &[("user", 0.5)], &[("IO/READ", 7)]);
    for db in [&typed, &named] {
        db.ensure_tables::<OfRow>().await.unwrap();
    }
    typed.insert(&event).await.unwrap();
    let model = locked::<OfRow>();
    let fields = [
        ("host", "a".into()),
        ("at", event.at.into()),
        ("up", true.into()),
    ];
    let entry = |name: &'static str, value: Value| (Bytes::from_static(name.as_bytes()), value);
    let entries = [
        entry("cpu:user", 0.5.into()),
        entry("disk:IO/READ", 7.into()),
    ];
    let mut batch = EventBatch::new(&model);
    batch.push_with(fields, entries).unwrap();
    insert(&named, &batch).await.unwrap().into_result().unwrap();
    assert_eq!(
        rows(&named, "HOST_METRIC").await,
        rows(&typed, "HOST_METRIC").await
    );
}

#[test]
fn a_map_that_is_another_is_a_change_of_stored_bytes() {
    mod before {
        use super::*;

        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = "HOST_METRIC", family = "M")]
        pub struct OfRow {
            #[bigtable(key)]
            host: String,
            #[bigtable(time, unit = "s")]
            at: Timestamp,
            up: bool,
            #[bigtable(columns, family = "cpu")]
            cpu: BTreeMap<String, f64>,
            #[bigtable(family = "disk")]
            spare: Option<i64>,
        }
    }
    let was = Lock {
        format: 1,
        models: BTreeMap::from([("OfRow".to_owned(), Locked::of::<before::OfRow>())]),
    };
    let changes = compare::<OfRow>(&was).unwrap();
    let texts: Vec<_> = changes.iter().map(ToString::to_string).collect();
    let of_maps: Vec<_> = texts
        .iter()
        .filter(|text| text.contains("map of"))
        .collect();
    assert_eq!(of_maps.len(), 2, "{texts:?}");
    assert!(of_maps[0].contains("map of cpu"), "{texts:?}");
    assert!(of_maps[1].contains("map of disk"), "{texts:?}");
}
