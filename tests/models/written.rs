//! Writes from servers and pipelines: batchers, dead letters, owned and borrowed events, columns of
//! user-defined types.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bigtable_model::backend::batcher::BatcherSettings;
use bigtable_model::mirror::MirrorOf;
use bigtable_model::{
    BackendExt, CellValue, Code, Error, KeySegment, MemoryBackend, Model, Timestamp,
};
use chrono::NaiveDate;
use futures::stream;
use jiff::civil::{Date, date};

use crate::watched::Watched;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING", family = "R")]
struct Reading {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    celsius: f64,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "DAILY_{at:%Y%m%d}", family = "R")]
struct Daily {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    celsius: f64,
}

fn reading(sensor: &str, second: i64) -> Reading {
    Reading {
        sensor: sensor.into(),
        at: Timestamp::from_seconds(second),
        celsius: 21.5,
    }
}

#[tokio::test]
async fn a_batcher_writes_events_together() {
    let db = Watched::new(MemoryBackend::new());
    db.ensure_tables::<Reading>().await.unwrap();
    let settings = BatcherSettings {
        delay: Duration::MAX,
        ..BatcherSettings::default()
    };
    let batcher = db.batcher::<Reading>(settings).unwrap();
    let readings: Vec<_> = (0..40).map(|second| reading("attic", second)).collect();
    let mut outcomes = Vec::new();
    for reading in &readings {
        outcomes.push(batcher.clone().add(reading).await.unwrap());
    }
    batcher.flush().await;
    for outcome in outcomes {
        outcome.await.unwrap();
    }
    assert_eq!(db.bulk.requests.load(Ordering::Relaxed), 1);
    assert_eq!(
        db.fetch(&Reading::query().sensor("attic")).await.unwrap(),
        readings
    );

    // Of two events of one row, the last one stays.
    let warmer = Reading {
        celsius: 30.0,
        ..reading("attic", 7)
    };
    let first = batcher.add(&reading("attic", 7)).await.unwrap();
    let last = batcher.add(&warmer).await.unwrap();
    batcher.flush().await;
    assert_eq!((first.await.unwrap(), last.await.unwrap()), ((), ()));
    assert_eq!(
        db.get::<Reading>(&warmer.key()).await.unwrap(),
        Some(warmer)
    );
}

#[tokio::test]
async fn each_event_of_a_batcher_has_its_outcome() {
    let db = MemoryBackend::new();
    let day = |day: i64| Timestamp::from_seconds(day * 86_400);
    db.ensure_periods::<Daily>(day(1)..day(3)).await.unwrap();
    let settings = BatcherSettings {
        delay: Duration::MAX,
        ..BatcherSettings::default()
    };
    let batcher = db.batcher::<Daily>(settings).unwrap();
    let daily = |sensor: &str, at| Daily {
        sensor: sensor.into(),
        at,
        celsius: 1.0,
    };

    let refused = batcher.add(&daily("a#b", day(1))).await.unwrap_err();
    assert!(matches!(refused, Error::Key { .. }), "{refused}");
    let mut outcomes = Vec::new();
    for at in [1, 2, 4, 1] {
        outcomes.push(batcher.add(&daily("attic", day(at))).await.unwrap());
    }
    batcher.close().await;
    let mut became = Vec::new();
    for outcome in outcomes {
        became.push(outcome.await);
    }
    let missing = became.remove(2).unwrap_err();
    assert!(
        matches!(&missing, Error::MissingTable { table, .. } if table == "DAILY_19700105"),
        "{missing}"
    );
    assert!(missing.to_string().contains("sensor=attic"), "{missing}");
    assert!(became.iter().all(Result::is_ok));
    let late = batcher.add(&daily("attic", day(1))).await.unwrap_err();
    assert!(
        matches!(&late, Error::Backend { source, .. } if source.code == Code::FailedPrecondition),
        "{late}"
    );
    let none = BatcherSettings {
        entries: 0,
        ..settings
    };
    assert!(db.batcher::<Daily>(none).is_err());
}

#[tokio::test]
async fn what_is_not_written_is_given_back() {
    let db = MemoryBackend::new();
    let day = |day: i64| Timestamp::from_seconds(day * 86_400);
    db.ensure_periods::<Daily>(day(0)..day(2)).await.unwrap();
    let events: Vec<_> = (0..3_000)
        .map(|number| Daily {
            sensor: if number % 1_000 == 17 {
                "a#b".into()
            } else {
                number.to_string()
            },
            at: day(number % 3),
            celsius: 1.0,
        })
        .collect();
    let expected = events
        .iter()
        .filter(|one| one.sensor == "a#b" || one.at == day(2))
        .count();
    let mut dead = Vec::new();
    let mut last = None;
    let counts = db
        .insert_stream(stream::iter(events.clone()))
        .on_progress(|progress| last = Some(progress))
        .give_back(|letter| dead.push(letter))
        .await;
    assert_eq!(last, Some(counts));
    assert_eq!(counts.failed, u64::try_from(expected).unwrap());
    assert_eq!(counts.written + counts.failed, 3_000);
    assert_eq!(dead.len(), expected);
    dead.sort_by_key(|letter| letter.index);
    for letter in &dead {
        assert_eq!(letter.event, events[letter.index]);
        match letter.event.sensor.as_str() {
            "a#b" => assert!(
                matches!(letter.error, Error::Key { .. }),
                "{}",
                letter.error
            ),
            sensor => {
                assert!(
                    matches!(letter.error, Error::MissingTable { .. }),
                    "{}",
                    letter.error
                );
                assert!(
                    letter
                        .error
                        .to_string()
                        .contains(&format!("sensor={sensor} ")),
                    "{}",
                    letter.error
                );
            }
        }
    }
    // They can be written again once their table exists.
    db.ensure_periods::<Daily>(day(2)..day(3)).await.unwrap();
    let again = dead
        .into_iter()
        .map(|letter| letter.event)
        .filter(|event| event.sensor != "a#b");
    let counts = db
        .insert_many(again)
        .give_back(|letter| panic!("{}", letter.error))
        .await;
    assert_eq!(counts.written, u64::try_from(expected - 3).unwrap());
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "GAME", family = "G", mirror(ByDay))]
struct Game {
    #[bigtable(key)]
    player: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    points: u32,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BY_DAY", family = "G")]
struct ByDay {
    #[bigtable(key)]
    day: u32,
    #[bigtable(key, width = 4)]
    player: String,
    points: u32,
}

impl MirrorOf<Game> for ByDay {
    fn mirror_of(event: &Game) -> Option<Self> {
        let day = u32::try_from(event.at.as_seconds() / 86_400).unwrap();
        Some(Self {
            day,
            player: event.player.clone(),
            points: event.points,
        })
    }

    fn source_key(&self) -> Option<GameKey> {
        None
    }
}

#[tokio::test]
async fn an_event_without_its_copy_is_given_back() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Game>().await.unwrap();
    let games: Vec<_> = ["ann", "bernard", "cleo"]
        .map(|player| Game {
            player: player.into(),
            at: Timestamp::from_seconds(90_000),
            points: 3,
        })
        .into();
    let mut dead = Vec::new();
    let counts = db
        .insert_many(games.clone())
        .give_back(|letter| dead.push(letter))
        .await;
    assert_eq!((counts.written, counts.failed), (2, 1));
    assert_eq!((dead[0].index, &dead[0].event), (1, &games[1]));
    assert_eq!(db.count(&ByDay::query().day(1_u32)).await.unwrap(), 2);
}

#[tokio::test]
async fn events_are_inserted_owned_and_borrowed() {
    let db: Arc<dyn bigtable_model::Backend> = Arc::new(MemoryBackend::new());
    db.ensure_tables::<Reading>().await.unwrap();
    let readings: Vec<_> = (0..3).map(|second| reading("attic", second)).collect();
    let written = [
        db.insert_many(&readings).await.written(),
        db.insert_many(readings.iter().rev()).await.written(),
        db.insert_many(readings.iter().filter(|one| one.celsius > 0.0))
            .await
            .written(),
        db.insert_many([&readings[0], &readings[1]]).await.written(),
        db.insert_many(readings.clone()).await.written(),
        db.insert_many((0..5).map(|second| reading("attic", second)))
            .await
            .written(),
    ];
    assert_eq!(written, [3, 3, 3, 2, 3, 5]);
    assert_eq!(
        db.count(&Reading::query().sensor("attic")).await.unwrap(),
        5
    );
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, KeySegment, CellValue)]
enum Side {
    Bid,
    #[bigtable(name = "Offer")]
    Ask,
}

#[derive(Debug, Clone, PartialEq, CellValue)]
struct Cents(i64);

#[derive(Debug, Clone, PartialEq, CellValue)]
struct Tagged<T: CellValue> {
    inner: T,
}

/// Columns of every kind with a derive or a built-in form.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ORDER", family = "O")]
struct Order {
    #[bigtable(key)]
    side: Side,
    #[bigtable(key)]
    number: u32,
    other: Side,
    limit: Option<Cents>,
    levels: Vec<f64>,
    sizes: Option<Vec<i64>>,
    due: Date,
    settled: Option<NaiveDate>,
    tag: Tagged<String>,
}

#[tokio::test]
async fn columns_of_own_types_come_back() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Order>().await.unwrap();
    let full = Order {
        side: Side::Ask,
        number: 7,
        other: Side::Ask,
        limit: Some(Cents(258)),
        levels: vec![1.5, -0.0, f64::INFINITY],
        sizes: Some(vec![-1, 2]),
        due: date(2024, 2, 29),
        settled: NaiveDate::from_ymd_opt(2024, 3, 1),
        tag: Tagged { inner: "x".into() },
    };
    let sparse = Order {
        number: 8,
        other: Side::Bid,
        limit: None,
        levels: vec![],
        sizes: Some(vec![]),
        settled: None,
        ..full.clone()
    };
    assert_eq!(full.key().encode().unwrap(), b"Offer#0000000007");
    db.insert_many([&full, &sparse])
        .await
        .into_result()
        .unwrap();
    assert_eq!(
        db.fetch(&Order::query().side(Side::Ask)).await.unwrap(),
        [full.clone(), sparse]
    );
    let offers = Order::FIELDS.other.equals(Side::Ask);
    let found = db
        .fetch(&Order::query().side(Side::Ask).events().matching(offers))
        .await
        .unwrap();
    assert_eq!(found, [full]);
}
