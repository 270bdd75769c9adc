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
            text.starts_with(
                "AUDITED: all 32 rows with 300 events\nkeys of no event of the model: 1,"
            ),
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

/// A value of a structure, which may be nonsense.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TAGGED", family = "M")]
struct Tagged {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    #[bigtable(json)]
    tags: Vec<String>,
}

fn tagged(symbol: impl Into<String>, second: i64, tag: String) -> Tagged {
    Tagged {
        symbol: symbol.into(),
        at: Timestamp::from_seconds(DAY + second),
        tags: vec![tag],
    }
}

async fn put_value(db: &dyn Backend, table: &'static str, key: String, value: Vec<u8>) {
    let second: i64 = key.split_once('#').unwrap().1.parse().unwrap();
    let mutations = vec![Mutation::SetCell {
        family: "M".into(),
        qualifier: "tags".into(),
        timestamp_micros: second * 1_000_000,
        value: value.into(),
    }];
    let row = RowMutations {
        key: key.into(),
        mutations,
    };
    db.mutate_row(table, row).await.unwrap();
}

#[tokio::test]
async fn values_that_no_query_reads_are_told() {
    for db in backends("audit", "nonsense") {
        db.ensure_tables::<Tagged>().await.unwrap();
        let rows: Vec<_> = (0..50).map(|n| tagged("A", n, "x".into())).collect();
        db.insert_many(&rows).await.into_result().unwrap();
        assert!(db.audit::<Tagged>().await.unwrap().is_clean());
        put_value(
            &*db,
            "TAGGED",
            format!("A#{}", DAY + 7),
            b"{nonsense".to_vec(),
        )
        .await;
        let error = db.fetch(&Tagged::query().symbol("A")).await.unwrap_err();
        let audit = db.audit::<Tagged>().await.unwrap();
        assert_eq!(
            (audit.rows, audit.events, audit.counts.unreadable_events),
            (50, 50, 1)
        );
        assert!(!audit.is_clean() && audit.is_whole);
        let told = &audit.findings[0].what;
        assert!(
            told.contains("tags") && told.contains("symbol=A"),
            "{told}, beside {error}"
        );
    }
}

#[tokio::test]
async fn a_large_cell_after_many_rows_is_told() {
    let db = bigtable_model::MemoryBackend::new();
    db.ensure_tables::<Tagged>().await.unwrap();
    let rows = (0..20_000).map(|n| tagged(format!("S{:02}", n % 20), n, "x".into()));
    db.insert_many(&rows.collect::<Vec<_>>())
        .await
        .into_result()
        .unwrap();
    let text = format!("[\"{}\"]", "x".repeat(50_000_000));
    put_value(&db, "TAGGED", format!("S99#{DAY}"), text.into_bytes()).await;
    let audit = db.audit::<Tagged>().await.unwrap();
    assert_eq!((audit.rows, audit.counts.large_cells), (20_001, 1));
    assert!(audit.largest[0].row.starts_with("symbol=S99"));
    assert_eq!(audit.may_be_missed(), 0.0);
}

#[tokio::test]
async fn a_series_with_most_rows_is_told() {
    let db = bigtable_model::MemoryBackend::new();
    db.ensure_tables::<Tagged>().await.unwrap();
    let symbol = |n: i64| {
        if n % 10 > 0 {
            "LARGE".to_owned()
        } else {
            format!("S{}", n / 10 % 50)
        }
    };
    let rows = (0..20_000).map(|n| tagged(symbol(n), n, "x".into()));
    db.insert_many(&rows.collect::<Vec<_>>())
        .await
        .into_result()
        .unwrap();
    let audit = db.audit::<Tagged>().await.unwrap();
    assert_eq!(audit.counts.uneven_tables, 1);
    assert_eq!(audit.series[0].series, "symbol=LARGE");
    assert!((0.88..0.94).contains(&audit.series[0].share), "{audit}");
    assert!(
        audit.findings[0].what.starts_with("symbol=LARGE has 9"),
        "{audit}"
    );
    assert!(audit.findings[0].key.is_empty());
}

/// A table of 100 MB: one series has nine tenths of it, and a few rows are nonsense.
async fn large_table() -> bigtable_model::MemoryBackend {
    let db = bigtable_model::MemoryBackend::new();
    let schema = bigtable_model::data::TableSchema {
        table: "TAGGED".to_owned(),
        families: [("M".to_owned(), Default::default())].into(),
        ..Default::default()
    };
    // Split like a table that has grown.
    let splits = (1..10).map(|part| format!("S50#{}", DAY + part * 450).into());
    db.tables().create(schema, splits.collect()).await.unwrap();
    let text = "x".repeat(20_000);
    let large = (0..4_500).map(|n| tagged("S50", n, text.clone()));
    let small = (0..500).map(|n| tagged(format!("S{:02}", n % 100), 10_000 + n, text.clone()));
    let rows: Vec<_> = large.chain(small).collect();
    db.insert_many(&rows).await.into_result().unwrap();
    for second in (0..4_500).step_by(50) {
        put_value(
            &db,
            "TAGGED",
            format!("S50#{}", DAY + second),
            b"{".to_vec(),
        )
        .await;
    }
    db
}

#[tokio::test]
async fn a_large_table_is_sampled_everywhere() {
    let db = large_table().await;
    let audit = db.audit::<Tagged>().await.unwrap();
    assert!(
        !audit.is_whole && (500..=1_000).contains(&audit.rows),
        "{audit}"
    );
    // One of fifty rows.
    assert!((3..60).contains(&audit.counts.unreadable_events), "{audit}");
    assert_eq!(audit.series[0].series, "symbol=S50");
    assert!((0.75..0.99).contains(&audit.series[0].share), "{audit}");
    assert!(audit.series.len() > 5, "{audit}");
    assert!((0.001..0.05).contains(&audit.may_be_missed()));
    assert!(
        audit.to_string().contains("TAGGED: a sample of "),
        "{audit}"
    );

    let few = db.audit::<Tagged>().rows(50).await.unwrap();
    assert!(few.rows <= 50 && few.may_be_missed() > audit.may_be_missed());

    let mut reported = Vec::new();
    let full = db
        .audit::<Tagged>()
        .full()
        .on_progress(|so_far| reported.push(so_far.rows));
    let full = full.await.unwrap();
    assert!(full.is_whole);
    assert_eq!(
        (full.rows, full.events, full.counts.unreadable_events),
        (5_000, 5_000, 90)
    );
    assert_eq!(reported, [1_000, 2_000, 3_000, 4_000, 5_000, 5_000]);
}
