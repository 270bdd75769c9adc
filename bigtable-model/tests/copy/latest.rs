//! Targets in layout `latest`, whose rows hold the newest event of a series.

use std::collections::BTreeMap;
use std::sync::Arc;

use bigtable_model::copy::{CopyError, CopyJob, MemoryCheckpoint, Mismatch};
use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use proptest::prelude::*;

use super::kills::{Case, case, in_runtime};
use super::tables::{DAY, Flat, Reading, at, database, meters};

/// The newest reading of a meter, with its number as a column of the row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METER", family = "M", layout = "latest", gc(max_versions = 1))]
struct Newest {
    #[bigtable(key, width = 4, column = "ID", text)]
    meter: u32,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: i64,
    odd: Option<bool>,
}

/// The newest reading of ten meters, which are not adjacent in the source.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "DIGIT", family = "M", layout = "latest", marker = "EVENT")]
struct NewestOfDigit {
    #[bigtable(key)]
    digit: u32,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    #[bigtable(columns)]
    values: BTreeMap<String, i64>,
}

impl From<Reading> for Newest {
    fn from(reading: Reading) -> Self {
        Self::from(Flat::from(reading))
    }
}

impl From<Flat> for Newest {
    fn from(flat: Flat) -> Self {
        let Flat {
            meter,
            at,
            value,
            odd,
        } = flat;
        Self {
            meter,
            at,
            value,
            odd,
        }
    }
}

fn job() -> CopyJob<Reading, Newest> {
    CopyJob::new(&Reading::scan(), Newest::from)
}

/// The newest reading of each meter.
fn newest(readings: impl Iterator<Item = Newest>) -> Vec<Newest> {
    let mut newest: BTreeMap<u32, Newest> = BTreeMap::new();
    for one in readings {
        let known = newest.entry(one.meter).or_insert_with(|| one.clone());
        if known.at <= one.at {
            *known = one;
        }
    }
    newest.into_values().collect()
}

#[tokio::test]
async fn the_newest_of_each_series_is_what_the_target_holds() {
    let db = meters().await;
    let job = job().checkpoint(MemoryCheckpoint::new());
    let report = job.run(&db).await.unwrap();
    assert_eq!(
        (report.rows, report.events, report.verified),
        (30, 60, true)
    );
    let copied = db.fetch(&Newest::scan()).await.unwrap();
    let readings = super::tables::readings(10).into_iter();
    assert_eq!(copied, newest(readings.map(Newest::from)));
    // Garbage collection deletes the older events.
    db.run_gc(Timestamp::from_seconds(DAY + 10 * 86_400));
    assert!(job.run(&db).await.unwrap().verified);
}

/// The result of running a finished job again after this change to a row.
async fn after(key: &'static str, mutations: Vec<Mutation>) -> Option<Box<Mismatch>> {
    let db = meters().await;
    let job = job().checkpoint(MemoryCheckpoint::new());
    job.run(&db).await.unwrap();
    let row = RowMutations {
        key: key.into(),
        mutations,
    };
    db.mutate_row("METER", row).await.unwrap();
    told(&db, &job).await
}

async fn told(db: &Arc<MemoryBackend>, job: &CopyJob<Reading, Newest>) -> Option<Box<Mismatch>> {
    match job.run(db).await {
        Ok(report) => {
            assert!(report.verified);
            None
        }
        Err(CopyError::Mismatch(mismatch)) => Some(mismatch),
        Err(error) => panic!("{error}"),
    }
}

fn set(qualifier: &'static str, time: Timestamp, value: &'static [u8]) -> Mutation {
    Mutation::SetCell {
        family: "M".into(),
        qualifier: qualifier.into(),
        timestamp_micros: time.as_micros(),
        value: value.into(),
    }
}

fn delete(qualifier: &'static str, from: Timestamp, to: i64) -> Mutation {
    Mutation::DeleteFromColumn {
        family: "M".into(),
        qualifier: qualifier.into(),
        start_micros: from.as_micros(),
        end_micros: to,
    }
}

/// The time of every meter's newest reading.
fn last() -> Timestamp {
    at(1, 95)
}

#[tokio::test]
async fn a_missing_newest_event_is_found() {
    // Now an older event of the meter is the newest.
    let told = after("0003", vec![delete("value", last(), 0)])
        .await
        .unwrap();
    assert_eq!((told.copied.events, told.found.events), (10, 10));
    assert_ne!(told.copied.checksum, told.found.checksum);
    let [difference] = told.differences.as_slice() else {
        panic!("{told}");
    };
    assert_eq!(
        (difference.first.as_str(), difference.last.as_str()),
        ("meter=3", "meter=3")
    );

    let told = after("0007", vec![Mutation::DeleteFromRow]).await.unwrap();
    assert_eq!(told.found.events, 9);
    assert!(
        told.to_string()
            .contains("from meter=7 to meter=7 1 were written, 0 are there"),
        "{told}"
    );
}

#[tokio::test]
async fn other_values_of_the_newest_event_are_found() {
    let changes = [
        ("another value", set("value", last(), &[0; 8])),
        ("a column that is absent", set("odd", last(), &[1])),
        (
            "another number of the meter",
            set("ID", Timestamp::UNIX_EPOCH, b"8"),
        ),
        (
            "no number of the meter",
            delete("ID", Timestamp::UNIX_EPOCH, 0),
        ),
    ];
    for (change, mutation) in changes {
        let told = after("0001", vec![mutation]).await;
        let told = told.unwrap_or_else(|| panic!("{change}"));
        assert_eq!(told.found.events, 10, "{change}");
        assert_eq!(told.differences.len(), 1, "{change}");
    }
}

#[tokio::test]
async fn events_that_are_not_the_job_s_are_found() {
    let told = after("0003", vec![set("value", at(2, 0), &[0; 8])])
        .await
        .unwrap();
    assert_eq!((told.copied.events, told.found.events), (9, 10));
    let told = after("0044", vec![set("value", at(0, 0), &[0; 8])])
        .await
        .unwrap();
    assert_eq!((told.copied.events, told.found.events), (10, 11));
    assert_eq!(told.stray.as_deref(), Some("meter=44"));
    let told = after("total#", vec![set("value", at(0, 0), &[0; 8])])
        .await
        .unwrap();
    assert_eq!(told.stray.as_deref(), Some("\"total#\""));
}

/// Cells of older events, which garbage collection may delete, and cells of no event.
#[tokio::test]
async fn what_no_query_gives_does_not_count() {
    for mutation in [
        delete("value", Timestamp::UNIX_EPOCH, last().as_micros()),
        set("odd", at(0, 0), &[1]),
        set("odd", at(2, 0), &[1]),
        set("note", at(2, 0), b"of no model"),
    ] {
        assert!(after("0003", vec![mutation]).await.is_none());
    }
}

/// Two events at one time become one: a conversion must keep them apart.
#[tokio::test]
async fn events_that_become_one_are_found() {
    let db = meters().await;
    let one_time = |reading: Reading| Newest {
        at: at(0, 0),
        ..Newest::from(reading)
    };
    let one_meter = |reading: Reading| Newest {
        meter: 1,
        ..Newest::from(reading)
    };
    let scan = Reading::scan();
    for job in [
        CopyJob::new(&scan, one_time),
        CopyJob::new(&scan, one_meter),
    ] {
        let told = told(&db, &job.into_table("ONE")).await.unwrap();
        assert!(told.copied.events > told.found.events, "{told}");
        db.tables().delete("ONE").await.unwrap();
    }
}

#[tokio::test]
async fn nothing_is_in_a_target_of_nothing() {
    let db = meters().await;
    let nothing = Reading::query().meter(7_u32).at(at(0, 0)..at(0, 0));
    let report = CopyJob::new(&nothing, Newest::from).run(&db).await.unwrap();
    assert_eq!((report.events, report.verified), (0, true));
}

fn in_map(flat: Flat) -> NewestOfDigit {
    let Flat {
        meter, at, value, ..
    } = flat;
    NewestOfDigit {
        digit: meter % 3,
        // Each meter has different minutes.
        at: Timestamp::from_seconds(at.as_seconds() + i64::from(meter)),
        values: [(format!("v{}", value % 4), value)].into(),
    }
}

async fn killed(case: &Case) -> Result<(), TestCaseError> {
    let readings = case.readings();
    let db = database(&readings, case.splits()).await;
    let (report, _) = case.copy(&db, job()).await;
    prop_assert!(report.verified);
    let copied = db.fetch(&Newest::scan()).await.unwrap();
    prop_assert_eq!(copied, newest(readings.into_iter().map(Newest::from)));
    Ok(())
}

/// Source rows that become one target row are in many parts.
async fn killed_apart(case: &Case) -> Result<(), TestCaseError> {
    let flat: Vec<Flat> = case.readings().into_iter().map(Flat::from).collect();
    let db = database(&flat, case.splits()).await;
    let job = CopyJob::new(&Flat::scan(), in_map);
    let (report, _) = case.copy(&db, job).await;
    prop_assert!(report.verified);
    let stored = db.fetch(&Flat::scan()).await.unwrap();
    let mut wanted: BTreeMap<u32, NewestOfDigit> = BTreeMap::new();
    for one in stored.into_iter().map(in_map) {
        let known = wanted.entry(one.digit).or_insert_with(|| one.clone());
        if known.at <= one.at {
            *known = one;
        }
    }
    let copied = db.fetch(&NewestOfDigit::scan()).await.unwrap();
    prop_assert_eq!(copied, wanted.into_values().collect::<Vec<_>>());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_killed_copy_holds_the_newest_in_the_end(case in case()) {
        in_runtime(killed(&case))?;
    }

    #[test]
    fn a_killed_copy_of_mixed_series_holds_the_newest_in_the_end(case in case()) {
        in_runtime(killed_apart(&case))?;
    }
}
