//! Counters, appended texts, and aggregates.

mod golden;
mod oracle;

use std::sync::Arc;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{AggregateKind, GcRule};
use bigtable_model::model::{Appends, Column, Counter, Editable};
use bigtable_model::schema::ColumnKind;
use bigtable_model::server::{Instances, Server, ServerOptions};
use bigtable_model::testing::check_laws;
use bigtable_model::testing::check_queries;
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, Projection, Timestamp};
use bigtable_model_tests::emulator::Emulator;
use bytes::Bytes;
use futures::future::try_join_all;

use crate::support::{at, rows};

/// A page without a time, so its cells have the time of the write.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key, escape)]
    path: String,
    title: String,
    #[bigtable(counter, column = "N", family = "COUNT")]
    views: i64,
    #[bigtable(counter, family = "COUNT")]
    likes: Option<i64>,
    #[bigtable(append)]
    visitors: String,
    #[bigtable(append)]
    raw: Option<Bytes>,
    #[bigtable(aggregate = "sum", family = "SUM")]
    seconds: Option<i64>,
}

/// A day of visits in a row, with a column for each visit.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "VISITS", family = "V", layout = "columns")]
struct Visits {
    #[bigtable(key)]
    site: String,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    #[bigtable(counter)]
    count: i64,
}

/// A minute of requests: the published roll-up pattern, a day in a row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "REQUESTS", family = "sum", layout = "cells")]
struct Requests {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "day", unit = "s", truncate)]
    at: Timestamp,
    #[bigtable(aggregate = "sum")]
    count: i64,
    #[bigtable(aggregate = "sum")]
    millis: i64,
    #[bigtable(aggregate = "min", family = "min")]
    fastest: Option<i64>,
    #[bigtable(aggregate = "max", family = "max")]
    slowest: Option<i64>,
}

#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = Page)]
struct Views {
    views: i64,
}

fn page_key() -> PageKey {
    PageKey {
        path: "/index".to_owned(),
    }
}

fn page() -> Page {
    Page {
        path: "/index".to_owned(),
        title: "Home".to_owned(),
        views: 3,
        likes: None,
        visitors: "ann ".to_owned(),
        raw: None,
        seconds: Some(90),
    }
}

/// Memory, our server, and the emulator if it is installed; `name` separates tests there.
async fn backends(name: &str) -> Vec<Arc<dyn Backend>> {
    let grpc = |address: &str| -> Arc<dyn Backend> {
        let settings = GrpcSettings::new("kinds", name).emulator(address);
        Arc::new(GrpcBackend::new(&settings).unwrap())
    };
    let instances = Instances::new(|_| Arc::new(MemoryBackend::new()));
    let server = Server::bind("127.0.0.1:0", instances, &ServerOptions::default()).await;
    let server = server.unwrap();
    let address = server.local_addr().to_string();
    tokio::spawn(server.serve());
    let emulator = Emulator::shared().map(|emulator| grpc(emulator.address()));
    let ours: [Arc<dyn Backend>; 2] = [Arc::new(MemoryBackend::new()), grpc(&address)];
    ours.into_iter().chain(emulator).collect()
}

/// Increments one counter, and returns its new value.
async fn increment<M: Editable, T>(
    db: &impl Backend,
    key: &M::Key,
    column: Column<M, T, Counter>,
    by: i64,
) -> Result<i64, Error> {
    let after = db.send(M::modify(key).increment(column, by)).await?;
    after.get(column).map(Option::unwrap)
}

/// Appends to one column, and returns its new value.
async fn append<M: Editable, T, K: Appends<T>>(
    db: &impl Backend,
    key: &M::Key,
    column: Column<M, T, K>,
    suffix: &K::Suffix,
) -> Result<K::Value, Error> {
    let after = db.send(M::modify(key).append(column, suffix)).await?;
    after.get(column).map(Option::unwrap)
}

#[tokio::test]
async fn the_server_counts_from_what_is_there() {
    for db in backends("count").await {
        db.ensure_tables::<Page>().await.unwrap();
        let key = page_key();
        db.insert(&page()).await.unwrap();
        let views = increment(&db, &key, Page::FIELDS.views, 5).await.unwrap();
        assert_eq!(views, 8);
        let likes = increment(&db, &key, Page::FIELDS.likes, -2).await.unwrap();
        assert_eq!(likes, -2);
        let visitors = append(&db, &key, Page::FIELDS.visitors, "bob ").await;
        assert_eq!(visitors.unwrap(), "ann bob ");
        let raw = append(&db, &key, Page::FIELDS.raw, b"\x00\xff").await;
        assert_eq!(raw.unwrap(), Bytes::from_static(b"\x00\xff"));
        db.send(Page::update(&key).add_seconds(30)).await.unwrap();
        let expected = Page {
            views: 8,
            likes: Some(-2),
            visitors: "ann bob ".to_owned(),
            raw: Some(Bytes::from_static(b"\x00\xff")),
            seconds: Some(120),
            ..page()
        };
        assert_eq!(db.get::<Page>(&key).await.unwrap(), Some(expected));
        let selected = Page::query().path("/index").select::<Views>();
        assert_eq!(db.fetch(&selected).await.unwrap(), [Views { views: 8 }]);
    }
}

#[tokio::test]
async fn several_columns_change_at_once() {
    for db in backends("several").await {
        db.ensure_tables::<Page>().await.unwrap();
        db.insert(&page()).await.unwrap();
        let after = db
            .send(
                Page::modify(&page_key())
                    .increment(Page::FIELDS.views, 1)
                    .append(Page::FIELDS.visitors, "bob ")
                    .increment(Page::FIELDS.views, 10),
            )
            .await
            .unwrap();
        assert_eq!(after.get(Page::FIELDS.views).unwrap(), Some(14));
        let visitors = after.get(Page::FIELDS.visitors).unwrap();
        assert_eq!(visitors.as_deref(), Some("ann bob "));
        assert_eq!(after.get(Page::FIELDS.likes).unwrap(), None);
    }
}

#[tokio::test]
async fn an_insert_and_an_update_replace_what_was_counted() {
    for db in backends("replace").await {
        db.ensure_tables::<Page>().await.unwrap();
        let key = page_key();
        db.insert(&page()).await.unwrap();
        for _ in 0..3 {
            increment(&db, &key, Page::FIELDS.views, 5).await.unwrap();
            db.send(Page::update(&key).add_seconds(5)).await.unwrap();
        }
        db.insert(&page()).await.unwrap();
        assert_eq!(db.get::<Page>(&key).await.unwrap(), Some(page()));
        increment(&db, &key, Page::FIELDS.views, 5).await.unwrap();
        db.send(Page::update(&key).views(0)).await.unwrap();
        let read = db.get::<Page>(&key).await.unwrap().unwrap();
        assert_eq!(read, Page { views: 0, ..page() });
        db.delete_cell(&key, Page::FIELDS.seconds).await.unwrap();
        let read = db.get::<Page>(&key).await.unwrap().unwrap();
        assert_eq!(read.seconds, None);
    }
}

/// Counters have the server's time, which is years after the event's.
#[tokio::test]
async fn a_counter_in_columns_is_found_by_its_events_time() {
    for db in backends("columns").await {
        db.ensure_tables::<Visits>().await.unwrap();
        let key = |time: &str| VisitsKey {
            site: "a".to_owned(),
            at: at(time),
        };
        let times = [
            "2015-03-16T23:59:00Z",
            "2015-03-17T00:00:00Z",
            "2015-03-18T07:30:00Z",
        ];
        for time in times {
            for by in [1, 2] {
                increment(&db, &key(time), Visits::FIELDS.count, by)
                    .await
                    .unwrap();
            }
        }
        let rows = rows(&*db, "VISITS").await;
        assert_eq!(rows.len(), 3);
        assert!(rows.iter().all(|row| row.cells[0].time() > at(times[2])));
        let visits = |from: &str, to: &str| {
            let query = Visits::query().site("a").at(at(from)..at(to));
            let db = Arc::clone(&db);
            async move {
                let found = db.fetch(&query).await.unwrap();
                found
                    .iter()
                    .map(|one| (one.at, one.count))
                    .collect::<Vec<_>>()
            }
        };
        let all = times.map(|time| (at(time), 3));
        assert_eq!(
            visits("2015-03-16T00:00:00Z", "2015-03-19T00:00:00Z").await,
            all
        );
        assert_eq!(
            visits("2015-03-16T23:59:00Z", "2015-03-17T00:01:00Z").await,
            all[..2]
        );
        assert_eq!(
            visits("2015-03-18T07:00:00Z", "2015-03-18T08:00:00Z").await,
            all[2..]
        );
        db.delete::<Visits>(&key(times[1])).await.unwrap();
        assert_eq!(
            visits("2015-03-16T00:00:00Z", "2015-03-19T00:00:00Z")
                .await
                .len(),
            2
        );
    }
}

/// The emulator supports sums too; its minima and maxima are the last input.
#[tokio::test]
async fn aggregates_take_what_many_writers_add() {
    for (index, db) in backends("aggregates").await.into_iter().enumerate() {
        db.ensure_tables::<Requests>().await.unwrap();
        let key = RequestsKey {
            host: "web1".to_owned(),
            at: at("2024-02-03T04:05:06.7Z"),
        };
        for millis in [30, 7, 12] {
            let update = Requests::update(&key).add_count(1).add_millis(millis);
            let update = update.add_fastest(millis).add_slowest(millis);
            db.send(update).await.unwrap();
        }
        let query = Requests::query().host("web1");
        let query = query.at(at("2024-02-03T04:05:00Z")..at("2024-02-03T04:06:00Z"));
        let (fastest, slowest) = match index {
            0 | 1 => (Some(7), Some(30)),
            _ => (Some(12), Some(12)),
        };
        let expected = Requests {
            host: "web1".to_owned(),
            at: at("2024-02-03T04:05:06Z"),
            count: 3,
            millis: 49,
            fastest,
            slowest,
        };
        assert_eq!(db.fetch(&query).await.unwrap(), [expected]);
        let anew = Requests {
            host: "web1".to_owned(),
            at: at("2024-02-03T04:05:06Z"),
            count: 1,
            millis: 49,
            fastest: None,
            slowest: Some(4),
        };
        db.insert(&anew).await.unwrap();
        assert_eq!(db.fetch(&query).await.unwrap(), [anew]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn increments_of_many_tasks_are_all_counted() {
    const TASKS: i64 = 8;
    const TIMES: i64 = 50;
    for db in backends("tasks").await {
        db.ensure_tables::<Page>().await.unwrap();
        let tasks = (0..TASKS).map(|task| {
            let db = Arc::clone(&db);
            let key = page_key();
            tokio::spawn(async move {
                let mut seen = Vec::new();
                for _ in 0..TIMES {
                    seen.push(increment(&db, &key, Page::FIELDS.views, 1).await?);
                    db.send(Page::update(&key).add_seconds(task)).await?;
                }
                Ok::<_, Error>(seen)
            })
        });
        let mut seen = Vec::new();
        for task in try_join_all(tasks).await.unwrap() {
            seen.extend(task.unwrap());
        }
        // Each saw a different number.
        seen.sort_unstable();
        assert_eq!(seen, (1..=TASKS * TIMES).collect::<Vec<_>>());
        db.send(
            Page::update(&page_key())
                .title("Home".to_owned())
                .visitors(String::new()),
        )
        .await
        .unwrap();
        let read = db.get::<Page>(&page_key()).await.unwrap().unwrap();
        assert_eq!(read.views, TASKS * TIMES);
        assert_eq!(read.seconds, Some((0..TASKS).sum::<i64>() * TIMES));
    }
}

/// Garbage collection may delete older values, so only the newest is read.
#[tokio::test]
async fn columns_of_every_kind_have_a_history() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Page>().await.unwrap();
    db.insert(&page()).await.unwrap();
    let key = page_key();
    increment(&db, &key, Page::FIELDS.views, 5).await.unwrap();
    let visitors = append(&db, &key, Page::FIELDS.visitors, "bob ").await;
    visitors.unwrap();
    db.send(Page::update(&key).add_seconds(30)).await.unwrap();

    let views = db.history(&key, Page::FIELDS.views).newest(1).await;
    assert_eq!(views.unwrap()[0].value, 8);
    let likes = db.history(&key, Page::FIELDS.likes).await;
    assert_eq!(likes.unwrap(), []);
    let visitors = db.history(&key, Page::FIELDS.visitors).newest(1).await;
    assert_eq!(visitors.unwrap()[0].value, "ann bob ");
    let seconds = db.history(&key, Page::FIELDS.seconds).await.unwrap();
    assert_eq!(seconds[0].value, Some(120));

    db.ensure_tables::<Visits>().await.unwrap();
    let key = |minute| VisitsKey {
        site: "a".to_owned(),
        at: Timestamp::from_seconds(60 * minute),
    };
    for minute in [1, 2] {
        let key = key(minute);
        let visits = increment(&db, &key, Visits::FIELDS.count, minute);
        visits.await.unwrap();
    }
    let count = db.history(&key(2), Visits::FIELDS.count).await.unwrap();
    assert_eq!(count[0].value, 2);
    // A counter's version has the time of its increment.
    assert!(count[0].time > at("2020-01-01T00:00:00Z"));
}

#[tokio::test]
async fn a_refusal_names_table_key_and_column() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Page>().await.unwrap();
    let nothing = db.send(Page::modify(&page_key())).await.unwrap_err();
    assert!(matches!(nothing, Error::EmptyUpdate { .. }), "{nothing:?}");
    let broken = append(&db, &page_key(), Page::FIELDS.raw, b"abc").await;
    assert_eq!(broken.unwrap(), "abc");
    db.tables()
        .drop_rows("PAGE", bigtable_model::data::RowDeletion::All)
        .await
        .unwrap();
    let spoilt = bigtable_model::data::RowMutations {
        key: "/index".into(),
        mutations: ["N", "visitors"]
            .map(|qualifier| bigtable_model::data::Mutation::SetCell {
                family: if qualifier == "N" { "COUNT" } else { "P" }.into(),
                qualifier: qualifier.into(),
                timestamp_micros: 0,
                value: Bytes::from_static(b"\xff"),
            })
            .to_vec(),
    };
    db.mutate_row("PAGE", spoilt).await.unwrap();
    let refused = increment(&db, &page_key(), Page::FIELDS.views, 1).await;
    let refused = refused.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "table PAGE: ReadModifyWriteRow failed at path=/index"
    );
    assert!(!refused.is_retryable());
    let refused = append(&db, &page_key(), Page::FIELDS.visitors, "a").await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        "table PAGE: column P:visitors of path=/index is refused"
    );
}

#[test]
fn the_schema_tells_kinds_and_families() {
    let kinds = |schema: &bigtable_model::schema::ModelSchema| {
        schema
            .columns
            .iter()
            .map(|one| one.kind)
            .collect::<Vec<_>>()
    };
    let sum = ColumnKind::Aggregate(AggregateKind::Sum);
    assert_eq!(
        kinds(Page::SCHEMA),
        [
            ColumnKind::Plain,
            ColumnKind::Counter,
            ColumnKind::Counter,
            ColumnKind::Append,
            ColumnKind::Append,
            sum
        ]
    );
    let family = |name| Page::SCHEMA.family_schema(name);
    // The title's earlier values must be kept.
    assert_eq!(family("P").gc_rule, None);
    assert_eq!(family("COUNT").gc_rule, Some(GcRule::MaxVersions(1)));
    assert_eq!(family("SUM").gc_rule, None);
    assert_eq!(family("SUM").aggregate, Some(AggregateKind::Sum));
    assert_eq!(family("P").aggregate, None);
    let visits = Visits::SCHEMA.family_schema("V");
    assert_eq!(visits.gc_rule, Some(GcRule::MaxVersions(1)));
    let least = Requests::SCHEMA.family_schema("min");
    assert_eq!(least.aggregate, Some(AggregateKind::Min));
}

#[test]
fn laws_hold() {
    check_laws::<Page>();
    check_laws::<Visits>();
    check_laws::<Requests>();
}

#[tokio::test]
async fn queries_hold_on_servers() {
    for db in backends("laws").await {
        check_queries::<Visits>(&*db, 2).await;
        check_queries::<Requests>(&*db, 2).await;
    }
}
