//! Models that were changed after their rows were packed.

use bigtable_model::dynamic::AnyQuery;
use bigtable_model::packed::{self, PackJob};
use bigtable_model::{BackendExt as _, MemoryBackend, Model, Timestamp};

use crate::jobs::{found, inserted};
use crate::kinds::InColumns;
use crate::world::at;

mod later {
    use super::*;

    fn seven() -> i64 {
        7
    }

    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(
        table = "COLUMNS",
        family = "M",
        layout = "columns",
        pack(after = "2h")
    )]
    pub(super) struct Later {
        #[bigtable(key)]
        pub(super) meter: String,
        #[bigtable(time, unit = "s", bucket = "day")]
        pub(super) at: Timestamp,
        pub(super) watts: f64,
        #[bigtable(alias = "volts")]
        pub(super) tension: Option<f32>,
        #[bigtable(alias = "turns", default = seven)]
        pub(super) rounds: i64,
        pub(super) new: Option<String>,
    }
}

#[tokio::test]
async fn a_changed_model_reads_the_blocks_of_before() {
    let db = MemoryBackend::new();
    let events = inserted::<InColumns>(&db, 50).await;
    let job = PackJob::new(InColumns::SCHEMA).unwrap();
    assert_eq!(job.run(&db).await.unwrap().changed, 1);
    let read = db.fetch(&later::Later::query().meter("a")).await.unwrap();
    let expected = events.values().map(|one| later::Later {
        meter: one.meter.clone(),
        at: one.at,
        watts: one.watts,
        tension: one.volts,
        rounds: one.turns.unwrap_or(7),
        new: None,
    });
    assert_eq!(read, expected.collect::<Vec<_>>());
    // The changed model writes and packs in its own form, and columns that it does not know stay.
    let changed = later::Later {
        rounds: 8,
        new: Some("x".to_owned()),
        ..read[0].clone()
    };
    db.insert(&changed).await.unwrap();
    let job = PackJob::new(later::Later::SCHEMA).unwrap();
    assert_eq!(job.run(&db).await.unwrap().refused, 0);
    let again = db.fetch(&later::Later::query().meter("a")).await.unwrap();
    assert_eq!((&again[0], &again[1..]), (&changed, &read[1..]));
    let of_before = found::<InColumns>(&db).await;
    assert_eq!(
        of_before[1..],
        events.into_values().collect::<Vec<_>>()[1..]
    );
    assert_eq!(of_before[0].turns, None, "it has another name now");
}

/// In layout `columns` the qualifiers of a single column are offsets alone, but blocks name it.
#[tokio::test]
async fn a_column_without_a_name_in_rows_is_found_under_another() {
    macro_rules! renamed {
        ($name:ident, $field:ident) => {
            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(
                table = "RENAMED",
                family = "M",
                layout = "columns",
                pack(after = "1h")
            )]
            struct $name {
                #[bigtable(key)]
                meter: String,
                #[bigtable(time, unit = "s", bucket = "day")]
                at: Timestamp,
                $field: f64,
            }

            impl $name {
                fn at(second: i64) -> Self {
                    Self {
                        meter: "a".to_owned(),
                        at: at(second),
                        $field: 1.5,
                    }
                }
            }
        };
    }
    renamed!(Before, watts);
    renamed!(After, power);
    let db = MemoryBackend::new();
    db.ensure_tables::<Before>().await.unwrap();
    let written = packed::insert(&db, (0..5).map(Before::at)).await.unwrap();
    written.into_result().unwrap();
    let query = After::query().meter("a");
    // First blocks alone, then with an event that is in no block.
    for count in [5, 6] {
        let expected: Vec<After> = (0..count).map(After::at).collect();
        assert_eq!(db.fetch(&query).await.unwrap(), expected);
        assert_eq!(db.count(&query).await.unwrap(), expected.len() as u64);
        let batch = db.fetch(&AnyQuery::by_column(&query)).await.unwrap();
        let power: Vec<_> = batch.numbers("power").unwrap().collect();
        let wanted = expected.iter().map(|one| (one.at, Some(one.power)));
        assert_eq!(power, wanted.collect::<Vec<_>>());
        db.insert(&Before::at(5)).await.unwrap();
    }
    let deleted = db.delete_all(&query).await.into_result().unwrap();
    assert_eq!((deleted, db.count(&query).await.unwrap()), (6, 0));
}
