//! The beginning of a bucket in each type of times, also where the server adds.

use std::time::SystemTime;

use bigtable_model::key::{KeyError, SegmentError};
use bigtable_model::rollup::{self, Rollup};
use bigtable_model::{BackendExt as _, Error, MemoryBackend, Model, Timestamp};

use super::{hours, run};

/// A source with times of type `$time`, and its hours: those of a job, and those that the server
/// adds to.
macro_rules! of_times {
    ($module:ident, $time:ty) => {
        mod $module {
            use super::*;

            #[derive(Debug, Model)]
            #[bigtable(table = "READING", family = "R", append_only, rollup(Highest, Added))]
            pub(super) struct Reading {
                #[bigtable(key)]
                pub(super) sensor: String,
                #[bigtable(time, unit = "s", width = 12)]
                pub(super) at: Timestamp,
                pub(super) value: i64,
            }

            #[derive(Debug, PartialEq, Model, Rollup)]
            #[bigtable(table = "HIGHEST", family = "R")]
            #[rollup(of = Reading, every = "1h")]
            pub(super) struct Highest {
                #[bigtable(key)]
                pub(super) sensor: String,
                #[bigtable(time, unit = "s", width = 12)]
                pub(super) start: $time,
                #[rollup(max(value))]
                pub(super) value: i64,
            }

            #[derive(Debug, PartialEq, Model, Rollup)]
            #[bigtable(table = "ADDED", family = "R")]
            #[rollup(of = Reading, every = "1h", added)]
            pub(super) struct Added {
                #[bigtable(key)]
                pub(super) sensor: String,
                #[bigtable(time, unit = "s", width = 12)]
                pub(super) start: $time,
                #[bigtable(aggregate = "sum")]
                #[rollup(sum(value))]
                pub(super) value: i64,
            }

            #[tokio::test]
            async fn the_beginnings_are_those_of_the_hours() {
                let db = MemoryBackend::new();
                db.ensure_tables::<Reading>().await.unwrap();
                for (second, value) in [(10, 1), (3_599, 5), (3_600, 7), (9_000, 2)] {
                    let at = Timestamp::from_seconds(second);
                    let sensor = "attic".to_owned();
                    db.insert(&Reading { sensor, at, value }).await.unwrap();
                }
                assert_eq!(run::<Highest>(&db).await.computed, 3);
                let asked = Reading::query()
                    .sensor("attic")
                    .at(Timestamp::from_seconds(0)..Timestamp::from_seconds(10_800));
                let windows = asked.events().resolution::<Highest>(rollup::every(hours()));
                let found = db.fetch(&windows).await.unwrap();
                let found: Vec<_> = found.iter().map(|one| (one.start, one.value)).collect();
                let at = |second| <$time>::try_from(Timestamp::from_seconds(second)).unwrap();
                assert_eq!(found, [(at(0), 5), (at(3_600), 7), (at(7_200), 2)]);

                let windows = asked.events().resolution::<Added>(rollup::every(hours()));
                let added = db.fetch(&windows).await.unwrap();
                let added: Vec<_> = added.iter().map(|one| (one.start, one.value)).collect();
                assert_eq!(added, [(at(0), 6), (at(3_600), 7), (at(7_200), 2)]);

                let stored = db.fetch(&Highest::query().sensor("attic")).await.unwrap();
                assert_eq!(stored.len(), 3);
            }
        }
    };
}

of_times!(of_the_library, Timestamp);
of_times!(of_std, SystemTime);
of_times!(of_jiff, jiff::Timestamp);
of_times!(of_chrono, chrono::DateTime<chrono::Utc>);
of_times!(of_chrono_offset, chrono::DateTime<chrono::FixedOffset>);
of_times!(of_chrono_local, chrono::DateTime<chrono::Local>);
of_times!(of_time, ::time::OffsetDateTime);

/// A beginning that the type cannot hold is refused where the bucket would be written: nothing goes
/// to another bucket's row.
#[tokio::test]
async fn a_beginning_beyond_the_type_is_refused() {
    use of_time::{Added, Highest, Reading};

    let db = MemoryBackend::new();
    db.ensure_tables::<Reading>().await.unwrap();
    // 8,000 years after the last that `OffsetDateTime` holds.
    let at = Timestamp::from_seconds(568_971_820_800);
    let sensor = "attic".to_owned();
    let late = Reading {
        sensor,
        at,
        value: 1,
    };
    let Err(Error::Key { table, key, source }) = db.insert(&late).await else {
        panic!("it is written");
    };
    assert_eq!(table, "ADDED");
    assert_eq!(
        key,
        format!("start={}", Timestamp::from_seconds(568_971_820_800))
    );
    let KeyError::Segment { segment, source } = source else {
        panic!("{source}");
    };
    assert_eq!(segment, "start");
    assert!(matches!(&source, SegmentError::Refused(_)), "{source}");
    assert_eq!(db.count(&Reading::scan()).await.unwrap(), 0);
    assert_eq!(db.count(&Highest::scan()).await.unwrap(), 0);
    assert_eq!(db.count(&Added::scan()).await.unwrap(), 0);
}
