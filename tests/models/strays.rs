//! Rows and cells that are not events, and labels that do not sort, on every backend.

use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::query::BadRows;
use bigtable_model::{Backend, BackendExt, Error, Model, Timestamp};

use crate::support::backends;

/// A week of a balloon in a row, with times in whole seconds.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "STRAYS",
    family = "M",
    layout = "cells",
    salt(shards = 10, first = 1, of(balloon))
)]
struct Pressure {
    #[bigtable(key)]
    balloon: u16,
    #[bigtable(
        time,
        bucket = "week",
        unit = "s",
        label = "week{n}",
        origin = "2021-03-01"
    )]
    at: Timestamp,
    value: u64,
    note: Option<String>,
}

/// A day of minutes in a row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "MINUTES", family = "M", layout = "columns")]
struct Minute {
    #[bigtable(key)]
    balloon: u16,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    value: u64,
    note: Option<String>,
}

fn hour(hour: i64) -> Timestamp {
    // The first of March 2021.
    Timestamp::from_seconds(1_614_556_800 + hour * 3_600)
}

async fn put(
    db: &dyn Backend,
    table: &str,
    key: Vec<u8>,
    qualifier: &'static str,
    time: Timestamp,
) {
    let cell = Mutation::SetCell {
        family: "M".into(),
        qualifier: qualifier.into(),
        timestamp_micros: time.as_micros(),
        value: vec![0; 8].into(),
    };
    let mutations = vec![cell];
    let key = key.into();
    db.mutate_row(table, RowMutations { key, mutations })
        .await
        .unwrap();
}

fn pressure(at: i64) -> Pressure {
    Pressure {
        balloon: 7,
        at: hour(at),
        value: at.unsigned_abs(),
        note: None,
    }
}

#[tokio::test]
async fn cells_at_times_between_are_told_by_each_backend() {
    for db in backends("strays", "cells") {
        db.ensure_tables::<Pressure>().await.unwrap();
        let events: Vec<_> = (0..40).map(|week| pressure(week * 168)).collect();
        db.insert_many(&events).await.into_result().unwrap();
        let of_one = Pressure::query().balloon(7_u16);
        let found = db.fetch(&of_one).await.unwrap();
        assert_eq!(found, events);
        assert_eq!(db.count(&of_one).await.unwrap(), 40);
        let newest = db
            .fetch(&of_one.events().newest_first().limit(3))
            .await
            .unwrap();
        assert_eq!(
            newest,
            [&events[39], &events[38], &events[37]].map(Clone::clone)
        );
        let late = db
            .fetch(&of_one.clone().at(hour(12 * 168)..))
            .await
            .unwrap();
        assert_eq!(late, events[12..]);

        let between = Timestamp::from_millis(hour(168).as_millis() + 1);
        put(
            &*db,
            "STRAYS",
            events[1].key().encode().unwrap(),
            "value",
            between,
        )
        .await;
        put(
            &*db,
            "STRAYS",
            events[2].key().encode().unwrap(),
            "other",
            between,
        )
        .await;
        let error = db.fetch(&of_one).await.unwrap_err();
        assert!(matches!(&error, Error::ForeignCell { column, .. } if column == "M:value"));
        assert!(matches!(
            db.count(&of_one).await,
            Err(Error::ForeignCell { .. })
        ));
        let bad = BadRows::skip();
        assert_eq!(
            db.fetch(&of_one.events().on_bad_row(&bad)).await.unwrap(),
            events
        );
        assert_eq!(
            db.count(&of_one.events().on_bad_row(&bad)).await.unwrap(),
            40
        );
        assert_eq!(bad.count(), 2);
        assert!(
            bad.listed()[0]
                .to_string()
                .contains("balloon=7 at=2021-03-08")
        );
        // The earlier ones in this order are returned.
        assert_eq!(
            db.fetch(&of_one.events().newest_first().limit(38))
                .await
                .unwrap()
                .len(),
            38
        );
    }
}

/// Each of the events of a row has its key, and none is counted if that is not the model's.
#[tokio::test]
async fn a_key_with_more_after_its_time_has_no_events() {
    for db in backends("strays", "keys") {
        db.ensure_tables::<Pressure>().await.unwrap();
        let events: Vec<_> = (0..3).map(pressure).collect();
        db.insert_many(&events).await.into_result().unwrap();
        let key = [&events[0].key().encode().unwrap(), &b"#more"[..]].concat();
        for at in 0..5 {
            put(&*db, "STRAYS", key.clone(), "value", hour(at)).await;
        }
        let of_one = Pressure::query().balloon(7_u16);
        for query in [of_one.events(), of_one.events().newest_first()] {
            let error = db.count(&query).await.unwrap_err();
            assert!(matches!(error, Error::ForeignKey { .. }), "{error:?}");
            let bad = BadRows::skip();
            let query = query.on_bad_row(&bad);
            assert_eq!(db.count(&query).await.unwrap(), 3);
            assert_eq!(db.fetch(&query).await.unwrap().len(), 3);
            assert!(bad.count() > 0);
        }
    }
}

#[tokio::test]
async fn qualifiers_without_an_offset_are_told_by_each_backend() {
    for db in backends("strays", "columns") {
        db.ensure_tables::<Minute>().await.unwrap();
        let minute = Minute {
            balloon: 7,
            at: hour(1),
            value: 1,
            note: None,
        };
        db.insert(&minute).await.unwrap();
        let key = minute.key().encode().unwrap();
        put(&*db, "MINUTES", key.clone(), "value:61", hour(1)).await;
        put(&*db, "MINUTES", key, "other:61", hour(1)).await;
        let of_one = Minute::query().balloon(7_u16);
        let error = db.fetch(&of_one).await.unwrap_err();
        assert!(matches!(&error, Error::ForeignCell { column, .. } if column == "M:value:61"));
        assert!(matches!(
            db.count(&of_one).await,
            Err(Error::ForeignCell { .. })
        ));
        let bad = BadRows::skip();
        assert_eq!(
            db.fetch(&of_one.events().on_bad_row(&bad)).await.unwrap(),
            [minute]
        );
        assert_eq!(
            db.count(&of_one.events().on_bad_row(&bad)).await.unwrap(),
            1
        );
        assert_eq!(bad.count(), 2);
    }
}

/// The shards' numbers begin with 1, and the tenth has two digits.
#[tokio::test]
async fn shards_from_one() {
    for db in backends("strays", "shards") {
        db.ensure_tables::<Pressure>().await.unwrap();
        let balloons = 0..100_u16;
        let events: Vec<_> = balloons
            .map(|balloon| Pressure {
                balloon,
                ..pressure(0)
            })
            .collect();
        db.insert_many(&events).await.into_result().unwrap();
        let mut shards: Vec<_> = events
            .iter()
            .map(|event| event.key().encode().unwrap()[..2].to_vec())
            .collect();
        shards.sort();
        shards.dedup();
        let numbers: Vec<_> = (1..=10)
            .map(|shard| format!("{shard:02}").into_bytes())
            .collect();
        assert_eq!(shards, numbers);
        assert_eq!(db.count(&Pressure::scan()).await.unwrap(), 100);
        let many: Vec<_> = (0..100_u16).collect();
        let found = db
            .fetch(&Pressure::query().balloon(&many[..]))
            .await
            .unwrap();
        assert_eq!(found, events);
    }
}
