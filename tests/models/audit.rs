//! Samples of live tables, on every backend.

use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::{Audit, Backend, BackendExt, Model, Timestamp};

use crate::support::backends;

/// A day of a meter in a row, among rows of other models in the table.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "AUDITED", family = "M", layout = "cells", prefix = "METER")]
struct Reading {
    #[bigtable(key, width = 3)]
    meter: u16,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    value: u64,
}

/// Meters in tables by month.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "AUDITED_{at:%Y%m}", family = "M")]
struct Monthly {
    #[bigtable(key, width = 3)]
    meter: u16,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: u64,
}

const DAY: i64 = 1_600_041_600;

async fn put(db: &dyn Backend, table: &str, key: &str, qualifier: &'static str, millis: i64) {
    let mutations = vec![Mutation::SetCell {
        family: "M".into(),
        qualifier: qualifier.into(),
        timestamp_micros: millis * 1_000,
        value: vec![0; 8].into(),
    }];
    let key = key.to_owned().into();
    db.mutate_row(table, RowMutations { key, mutations })
        .await
        .unwrap();
}

fn told(audit: &Audit) -> Vec<&str> {
    audit.findings.iter().map(|one| one.what.as_str()).collect()
}

#[tokio::test]
async fn what_a_table_holds_is_told_by_name() {
    for db in backends("audit", "findings") {
        db.ensure_tables::<Reading>().await.unwrap();
        let readings = (0..300_u16).map(|number| Reading {
            meter: number % 30,
            at: Timestamp::from_seconds(DAY + i64::from(number)),
            value: number.into(),
        });
        let readings: Vec<_> = readings.collect();
        db.insert_many(&readings).await.into_result().unwrap();
        // Rows of other models do not matter.
        put(&*db, "AUDITED", "HOUSE#1", "value", 0).await;
        let clean = db.audit::<Reading>().await.unwrap();
        assert!(clean.is_clean(), "{clean}");
        assert_eq!((clean.rows, clean.events), (30, 300));
        assert_eq!(clean.largest.len(), 10);
        let first = &clean.largest[0];
        // Ten cells of `M`, `value` and eight bytes.
        assert_eq!((first.cells, first.bytes), (10, 10 * 14 + 18));

        put(&*db, "AUDITED", "METER#day", "value", 0).await;
        put(&*db, "AUDITED", "METER#031#20200914", "note", DAY * 1_000).await;
        put(
            &*db,
            "AUDITED",
            "METER#000#20200914",
            "value",
            DAY * 1_000 + 1,
        )
        .await;
        let audit = db.audit::<Reading>().await.unwrap();
        assert!(!audit.is_clean());
        assert_eq!((audit.rows, audit.events), (32, 300));
        let counts = audit.counts;
        assert_eq!(
            (
                counts.foreign_keys,
                counts.foreign_cells,
                counts.without_presence
            ),
            (1, 1, 1)
        );
        assert_eq!((counts.wide_rows, counts.large_cells), (0, 0));
        let told = told(&audit);
        assert!(told[0].contains("meter=0 at=2020-09-14") && told[0].contains("M:value"));
        assert!(told[0].contains("not a multiple of 1s"), "{told:?}");
        assert!(told[1].contains("meter=31 at=2020-09-14"), "{told:?}");
        assert!(told[1].ends_with("has no column M:value, and so it is no event"));
        assert!(
            told[2].contains("\"METER#day\" is not a key of the model"),
            "{told:?}"
        );
        let text = audit.to_string();
        assert!(
            text.starts_with("AUDITED: 32 rows with 300 events\n1 keys"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn large_cells_are_told() {
    let db = bigtable_model::MemoryBackend::new();
    db.ensure_tables::<Monthly>().await.unwrap();
    db.ensure_periods::<Monthly>(
        Timestamp::from_seconds(DAY)..Timestamp::from_seconds(DAY + 40 * 86_400),
    )
    .await
    .unwrap();
    let mutations = vec![Mutation::SetCell {
        family: "M".into(),
        qualifier: "value".into(),
        timestamp_micros: 0,
        value: vec![0; 11_000_000].into(),
    }];
    let key = format!("001#{DAY}").into();
    db.mutate_row("AUDITED_202009", RowMutations { key, mutations })
        .await
        .unwrap();
    let audit = db.audit::<Monthly>().await.unwrap();
    assert_eq!((audit.rows, audit.counts.large_cells), (1, 1));
    assert!(audit.tables.contains(&"AUDITED_202010".to_owned()));
    assert_eq!(audit.findings[0].table, "AUDITED_202009");
    assert!(audit.findings[0].what.starts_with("meter=1 at=2020-09-14"));
}
