//! Salts with hot series: what is locked of them, and what their changes do to stored rows.

use std::collections::BTreeMap;

use bigtable_model::dynamic::{AnyModel, AnyQuery, EventBatch, insert};
use bigtable_model::lock::{Class, Lock, Locked, Mode, check_file, compare};
use bigtable_model::{BackendExt as _, MemoryBackend, Model as _, Timestamp};
use xxhash_rust::xxh64::xxh64;

use crate::prove::{Former, change};

/// A sample of hosts of which one is in four of eight shards, and the others are in one each.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "HOT", family = "S", salt(shards = 8, of(host, at), hot(host("web1" = 4))))]
pub(crate) struct Hot {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

impl Former for Hot {
    fn events() -> Vec<Self> {
        let event = |number: i64| Self {
            host: format!("web{}", number % 3),
            at: Timestamp::from_seconds(1_426_535_612 + number),
            load: 0.25,
        };
        (0..60).map(event).collect()
    }
}

change! {
    a_hot_series_has_more_shards: StoredBytes, Error; Hot => {
        #[bigtable(table = "HOT", family = "S", salt(shards = 8, of(host, at), hot(host("web1" = 5))))]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    another_series_is_hot_too: StoredBytes, Error; Hot => {
        #[bigtable(table = "HOT", family = "S", salt(shards = 8, of(host, at), hot(host("web1" = 4, "web2" = 2))))]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

change! {
    all_series_are_hot: StoredBytes, Error; Hot => {
        #[bigtable(table = "HOT", family = "S", salt(shards = 8, of(host, at)))]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            load: f64,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
}

/// XXH64 with seed 0 of the series' name, and of it and the time modulo the value's shards.
#[test]
fn shards_of_hot_and_cold_values_are_kept() {
    let salt = Locked::of::<Hot>().salt.unwrap();
    let (of_cold, of_hot) = (xxh64(b"A", 0), xxh64(b"web1", 0));
    let of_event = xxh64(b"web1#A", 0);
    assert_eq!(salt.golden[1], format!("A -> {}", of_cold % 8));
    let hot = (of_hot % 8 + of_event % 4) % 8;
    assert_eq!(salt.golden[7], format!("web1, A -> {hot}"));
    assert_eq!(salt.hot_segment, Some(1));
    assert_eq!(salt.hot, BTreeMap::from([("web1".to_owned(), 4)]));
    // Salts without hot series are kept as before.
    let even = Locked::of::<crate::keys::Salted>().salt.unwrap();
    assert_eq!((even.golden.len(), even.hot_segment), (6, None));
    assert!(even.hot.is_empty());
}

#[test]
fn other_hot_values_are_refused_with_what_reads_both() {
    let mut lock = Lock::default().with::<Hot>();
    let locked = lock.models.get_mut("Hot").unwrap();
    let hot = &mut locked.salt.as_mut().unwrap().hot;
    hot.insert("web2".to_owned(), 2);
    let changes = compare::<Hot>(&lock).unwrap();
    assert_eq!(changes.len(), 1, "{changes:#?}");
    assert_eq!(changes[0].class, Class::StoredBytes);
    let text = changes[0].to_string();
    for words in [
        "hot by 1: web1 = 4, web2 = 2",
        "hot by 1: web1 = 4:",
        "`was(...)`",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// A program without the struct finds and writes the same rows.
#[tokio::test]
async fn a_model_of_a_lock_file_has_its_hot_series() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("hot.lock");
    check_file::<Hot>(&path, Mode::Write).unwrap();
    assert_eq!(check_file::<Hot>(&path, Mode::Strict).unwrap(), []);
    let lock = Lock::open(&path).unwrap();
    let hosts = AnyModel::of_lock(&lock, "Hot").unwrap();
    let db = MemoryBackend::new();
    db.ensure_tables::<Hot>().await.unwrap();
    let events = Hot::events();
    let (of_structs, by_names) = events.split_at(30);
    db.insert_many(of_structs).await.into_result().unwrap();
    let mut batch = EventBatch::new(&hosts);
    for event in by_names {
        let values = [
            ("host", event.host.as_str().into()),
            ("at", event.at.into()),
            ("load", event.load.into()),
        ];
        batch.push(values).unwrap();
    }
    insert(&db, &batch).await.unwrap().into_result().unwrap();
    for host in ["web0", "web1", "web2"] {
        let expected = events.iter().filter(|event| event.host == host);
        let expected: Vec<_> = expected.cloned().collect();
        assert_eq!(db.fetch(&Hot::query().host(host)).await.unwrap(), expected);
        let found = db
            .fetch(&AnyQuery::of(&hosts).set("host", host))
            .await
            .unwrap();
        assert_eq!(found.len(), expected.len(), "{host}");
    }
}
