//! Writes by name mark the buckets of roll-ups, as the struct does.

use std::time::Duration;

use bigtable_model::dynamic::{EventBatch, ensure_tables, insert};
use bigtable_model::rollup::{Rollup, RollupJob};
use bigtable_model::{Backend as _, BackendExt, Error, MemoryBackend, Model, Timestamp};

use super::{at, cells, locked};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "WATTS", family = "R", layout = "cells", rollup(Hour))]
struct Watts {
    #[bigtable(key)]
    meter: u64,
    #[bigtable(time, bucket = "day", unit = "ms")]
    at: Timestamp,
    watts: i64,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "WATTS_HOUR", family = "S")]
#[rollup(of = Watts, every = "1h", longer(every = "day", zone = "Asia/Kolkata", table = "WATTS_DAY"))]
struct Hour {
    #[bigtable(key)]
    meter: u64,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[rollup(sum)]
    watts: i64,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "HITS", family = "R", append_only, rollup(Sum))]
struct Hits {
    #[bigtable(key)]
    url: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    bytes: i64,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "HITS_HOUR", family = "S")]
#[rollup(of = Hits, every = "1h", added)]
struct Sum {
    #[bigtable(key)]
    url: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[bigtable(aggregate = "sum")]
    #[rollup(sum)]
    bytes: i64,
}

fn watts(index: i64) -> Watts {
    Watts {
        meter: u64::try_from(index % 2).unwrap(),
        at: at(index * 1_700),
        watts: index * 3 - 20,
    }
}

#[tokio::test]
async fn buckets_are_marked_by_a_lock_files_model() {
    let (typed, named) = (MemoryBackend::new(), MemoryBackend::new());
    let model = locked::<Watts>();
    let ids = ensure_tables(&named, &model, Timestamp::MIN..Timestamp::MAX);
    assert_eq!(ids.await.unwrap(), ["WATTS", "WATTS_HOUR", "WATTS_DAY"]);
    typed.ensure_tables::<Watts>().await.unwrap();
    let mut batch = EventBatch::new(&model);
    for index in 0..60 {
        let event = watts(index);
        typed.insert(&event).await.unwrap();
        let values = [
            ("meter", i64::try_from(event.meter).unwrap().into()),
            ("at", event.at.into()),
            ("watts", event.watts.into()),
        ];
        batch.push(values).unwrap();
    }
    let written = insert(&named, &batch).await.unwrap();
    assert_eq!(written.into_result().unwrap(), 60);
    for db in [&typed, &named] {
        let job = RollupJob::<Hour>::new().settle(Duration::ZERO);
        let report = job.run(db).await.unwrap();
        assert_eq!(
            (report.failed, report.computed > 0),
            (0, true),
            "{report:?}"
        );
    }
    let tables = ["WATTS", "WATTS_HOUR", "WATTS_DAY"];
    assert_eq!(cells(&named, &tables).await, cells(&typed, &tables).await);
    let hours: Vec<Hour> = named.fetch(&Hour::scan()).await.unwrap();
    let sum: i64 = hours.iter().map(|hour| hour.watts).sum();
    assert_eq!(sum, (0..60).map(|index| watts(index).watts).sum::<i64>());
    assert!(hours.len() > 20);

    // Without the table of a mark nothing is written.
    named.tables().delete("WATTS_DAY").await.unwrap();
    let mut late = EventBatch::new(&model);
    late.push([
        ("meter", 9.into()),
        ("at", at(0).into()),
        ("watts", 1.into()),
    ])
    .unwrap();
    let failed = insert(&named, &late).await.unwrap().into_result();
    assert!(failed.is_err());
    assert_eq!(named.count(&Watts::query().meter(9)).await.unwrap(), 0);
}

#[tokio::test]
async fn what_only_code_can_add_is_refused() {
    let model = locked::<Hits>();
    let mut batch = EventBatch::new(&model);
    let values = [
        ("url", "/".into()),
        ("at", at(0).into()),
        ("bytes", 5.into()),
    ];
    batch.push(values).unwrap();
    let error = insert(&MemoryBackend::new(), &batch).await.unwrap_err();
    let Error::ByName { source, .. } = error else {
        panic!("{error:?}");
    };
    let text = source.to_string();
    assert!(
        text.ends_with("what is added to `Sum` is computed by its struct"),
        "{text}"
    );
}
