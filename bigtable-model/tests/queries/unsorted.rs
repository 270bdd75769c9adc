//! Buckets whose labels do not sort by time, for a time with an open end.

use bigtable_model::copy::CopyJob;
use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::query::{BadRows, MAX_KEYS_FIRST, PageToken};
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, QueryError, Timestamp};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PRESSURE", family = "M", layout = "cells")]
struct Pressure {
    #[bigtable(key)]
    balloon: u32,
    #[bigtable(time, bucket = "week", label = "week{n}", origin = "2021-03-01")]
    at: Timestamp,
    value: u64,
}

/// The Monday of a week; the first is week 1.
fn week(week: i64) -> Timestamp {
    let origin: Timestamp = "2021-03-01T00:00:00Z".parse().unwrap();
    Timestamp::from_seconds(origin.as_seconds() + (week - 1) * 7 * 86_400)
}

fn pressure(balloon: u32, event: i64) -> Pressure {
    Pressure {
        balloon,
        at: week(1 + event / 3) + std::time::Duration::from_secs(60 * (event % 3).unsigned_abs()),
        value: event.unsigned_abs(),
    }
}

/// Three events a week of two balloons, for 112 weeks.
async fn flights() -> MemoryBackend {
    let db = MemoryBackend::new();
    db.ensure_tables::<Pressure>().await.unwrap();
    let events = (0..336).flat_map(|event| [pressure(1, event), pressure(2, event)]);
    let events: Vec<_> = events.collect();
    db.insert_many(&events).await.into_result().unwrap();
    db
}

fn values(events: &[Pressure]) -> Vec<u64> {
    events.iter().map(|event| event.value).collect()
}

async fn put(db: &MemoryBackend, key: &str) {
    let mutations = vec![Mutation::SetCell {
        family: "M".into(),
        qualifier: "value".into(),
        timestamp_micros: 0,
        value: vec![0; 8].into(),
    }];
    let key = key.to_owned().into();
    db.mutate_row("PRESSURE", RowMutations { key, mutations })
        .await
        .unwrap();
}

#[tokio::test]
async fn the_commonest_questions_are_answered_in_order() {
    let db = flights().await;
    let of_one = Pressure::query().balloon(1_u32);
    let all: Vec<u64> = (0..336).collect();
    assert_eq!(values(&db.fetch(&of_one).await.unwrap()), all);
    assert_eq!(db.count(&of_one).await.unwrap(), 336);
    assert_eq!(db.count(&of_one.events().limit(7)).await.unwrap(), 7);
    let newest: Vec<u64> = (0..336).rev().collect();
    for n in [1, 2, 5, 40, 336] {
        let found = db
            .fetch(&of_one.events().newest_first().limit(n))
            .await
            .unwrap();
        assert_eq!(values(&found), newest[..usize::try_from(n).unwrap()]);
    }
    // Ends inside buckets, on either side.
    for cut in [0, 1, 30, 100, 335] {
        let at = pressure(1, i64::try_from(cut).unwrap()).at;
        let from = of_one.clone().at(at..);
        assert_eq!(
            values(&db.fetch(&from).await.unwrap()),
            all[cut..],
            "from {cut}"
        );
        assert_eq!(db.count(&from).await.unwrap(), 336 - cut as u64);
        let before = of_one.clone().at(..at);
        assert_eq!(
            values(&db.fetch(&before).await.unwrap()),
            all[..cut],
            "before {cut}"
        );
        let last = db
            .fetch(&before.events().newest_first().limit(2))
            .await
            .unwrap();
        let two: Vec<u64> = all[..cut].iter().rev().take(2).copied().collect();
        assert_eq!(values(&last), two);
    }
    // Several series are merged.
    let both = db
        .fetch(&Pressure::query().balloon([1_u32, 2]))
        .await
        .unwrap();
    assert!(both.is_sorted_by_key(|event| (event.at, event.balloon)));
    assert_eq!(both.len(), 672);
    let each = db.latest_each(&Pressure::scan(), 2).await.unwrap();
    let each: Vec<_> = each
        .iter()
        .map(|(balloon, newest)| (*balloon, values(newest)))
        .collect();
    assert_eq!(each, [(1, vec![335, 334]), (2, vec![335, 334])]);
}

#[tokio::test]
async fn pages_deletes_and_copies_go_by_the_keys_too() {
    let db = flights().await;
    for newest_first in [false, true] {
        let of_one = Pressure::query().balloon(1_u32);
        let cut = pressure(1, 100).at;
        let queries = [
            of_one.events().erase(),
            of_one.clone().at(cut..).events().erase(),
            of_one.at(..cut).events().erase(),
        ];
        let queries = queries.map(|query| match newest_first {
            true => query.newest_first(),
            false => query,
        });
        for (query, size) in queries
            .iter()
            .flat_map(|query| [3, 50, 400].map(|size| (query, size)))
        {
            let all = db.fetch(query).await.unwrap();
            let (mut found, mut token): (Vec<_>, Option<PageToken>) = (Vec::new(), None);
            loop {
                let page = db.page(query, size, token.as_ref()).await.unwrap();
                found.extend(page.events);
                token = page.next;
                if token.is_none() {
                    break;
                }
            }
            assert_eq!(found, all);
        }
    }
    let of_one = Pressure::query().balloon(1_u32);
    let job = CopyJob::new(&of_one, |event| event).into_table("COPY");
    assert_eq!(job.run(&db).await.unwrap().events, 336);
    let first = of_one.events().limit(30);
    assert_eq!(db.delete_all(&first).await.into_result().unwrap(), 30);
    assert_eq!(values(&db.fetch(&of_one).await.unwrap())[0], 30);
    assert_eq!(db.delete_all(&of_one).await.into_result().unwrap(), 306);
    assert_eq!(db.count(&Pressure::scan()).await.unwrap(), 336);
}

#[tokio::test]
async fn keys_that_are_not_the_models_come_last() {
    let db = flights().await;
    for key in ["0000000001#weak10", "0000000001#week010"] {
        put(&db, key).await;
    }
    let of_one = Pressure::query().balloon(1_u32);
    assert_eq!(
        values(
            &db.fetch(&of_one.events().newest_first().limit(336))
                .await
                .unwrap()
        )[0],
        335
    );
    assert!(matches!(
        db.fetch(&of_one).await,
        Err(Error::ForeignKey { .. })
    ));
    let bad = BadRows::skip();
    assert_eq!(
        db.fetch(&of_one.events().on_bad_row(&bad))
            .await
            .unwrap()
            .len(),
        336
    );
    assert_eq!(bad.count(), 2);
}

#[tokio::test]
async fn too_many_keys_are_refused_by_name() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Pressure>().await.unwrap();
    for key in 0..=MAX_KEYS_FIRST {
        put(&db, &format!("0000000001#week{}", key + 1)).await;
    }
    let of_one = Pressure::query().balloon(1_u32);
    let refused = db
        .fetch(&of_one.events().newest_first().limit(1))
        .await
        .unwrap_err();
    let Error::Query {
        table,
        source: QueryError::TooManyKeys { segment, most },
    } = &refused
    else {
        panic!("{refused:?}");
    };
    assert_eq!(
        (table.as_str(), segment.as_str(), *most),
        ("PRESSURE", "at", MAX_KEYS_FIRST)
    );
    // With both ends they are listed, and without an order they are read in key order.
    let some = of_one.clone().at(week(1)..week(100));
    assert!(
        db.fetch(&some.events().newest_first().limit(1))
            .await
            .unwrap()
            .is_empty()
    );
    let by_key = of_one.events().in_key_order().on_bad_row(BadRows::skip());
    assert_eq!(db.count(&by_key).await.unwrap(), 0);
}
