//! What loads cost, checked against counts made by hand.

use std::time::Duration;

use bigtable_model::backend::MemoryBackend;
use bigtable_model::{Backend, Model, Timestamp};

use crate::{Load, LoadError, Pace, Prices, Rate, Recorder, Sizes, Writes, compare};

#[derive(Debug, Clone, Model)]
#[bigtable(table = "SENSOR", family = "M")]
struct Row {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s", width = 10)]
    at: Timestamp,
    #[bigtable(column = "C")]
    celsius: f64,
}

fn time(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(1_426_464_000 + seconds)
}

fn name(series: u64) -> String {
    format!("s{series:03}")
}

/// Ten sensors, each once a minute, for two days.
fn rows() -> Load {
    let events = (0..10).flat_map(|sensor| (0..2 * 1_440).map(move |minute| (sensor, minute)));
    let events = events.map(|(sensor, minute)| Row {
        sensor: name(sensor),
        at: time(minute * 60),
        celsius: 1.0,
    });
    Load::over(time(0)..time(2 * 86_400))
        .writes(Writes::sample(events))
        .asks("a day", Rate::per_day(50.0), |asked| {
            let sensor = name(asked.series / 2_880);
            Row::query().sensor(sensor).at(time(0)..time(86_400))
        })
}

macro_rules! in_cells {
    ($name:ident, $model:ident, $($attributes:tt)*) => {
        #[derive(Debug, Clone, Model)]
        #[bigtable(family = "M", layout = "cells", $($attributes)*)]
        struct $model {
            #[bigtable(key)]
            sensor: String,
            #[bigtable(time, unit = "s", bucket = "day")]
            at: Timestamp,
            #[bigtable(column = "C")]
            celsius: f64,
        }

        fn $name() -> Load {
            let event = |series, at: Timestamp| $model {
                sensor: name(series),
                at,
                celsius: 1.0,
            };
            let rate = Rate::every(Duration::from_secs(60)).times(10);
            let truncated = move |series, at: Timestamp| {
                event(series, Timestamp::from_seconds(at.as_seconds()))
            };
            Load::over(time(0)..time(2 * 86_400))
                .writes(Writes::of(Sizes::equal(10), rate, truncated))
                .asks("a day", Rate::per_day(50.0), |asked| {
                    $model::query()
                        .sensor(name(asked.series))
                        .at(time(0)..time(86_400))
                })
        }
    };
}

in_cells!(cells, Cells, table = "CELLS");
in_cells!(packed, Packed, table = "PACKED", pack(after = "1h"));

#[tokio::test]
async fn what_is_stored_and_read_is_counted() {
    let prices = rows().prices().await.unwrap();
    let table = &prices.tables[0];
    // A row: its key `s001#1426464000`, its qualifier, eight bytes of the value and eight of the
    // timestamp.
    let each = 15 + 1 + 8 + 8;
    assert_eq!((table.rows, table.cells), (28_800, 28_800));
    assert_eq!(table.bytes, 28_800 * each);
    assert!((table.bytes_a_day - 14_400.0 * 32.0).abs() < 1e-6);
    assert!((table.writes_a_second - 10.0 / 60.0).abs() < 1e-9);
    assert_eq!(table.largest.cells, 1);
    let day = prices.question("a day").unwrap();
    assert_eq!(day.cost.events, 1_440 * day.asked);
    assert_eq!(day.read().rows, 1_440 * day.asked);
    assert_eq!(day.read().bytes, 1_440 * each * day.asked);
    assert_eq!(day.read_for_wanted(), 1.0);
    assert_eq!(prices.nodes, 1);
    let text = prices.to_string();
    assert!(
        text.contains("28,800") && text.contains("14,000 rows/s"),
        "{text}"
    );
}

#[tokio::test]
async fn models_are_compared() {
    let both = compare([("row", rows()), ("cells", cells())])
        .await
        .unwrap();
    println!("{both}");
    let cells = both.prices("cells").unwrap();
    assert_eq!((cells.tables[0].rows, cells.tables[0].cells), (20, 28_800));
    assert_eq!(cells.tables[0].largest.cells, 1_440);
    assert!(cells.tables[0].largest.row.starts_with("sensor=s00"));
    let day = cells.question("a day").unwrap();
    assert_eq!(
        (day.read().rows, day.cost.events),
        (day.asked, 1_440 * day.asked)
    );
    assert!(both.to_string().contains("a day: cells read"));
}

#[tokio::test]
async fn packing_is_priced() {
    let both = compare([("cells", cells()), ("packed", packed())]);
    let both = both.await.unwrap();
    let (cells, packed) = (
        both.prices("cells").unwrap(),
        both.prices("packed").unwrap(),
    );
    assert_eq!(cells.packing, []);
    // The second day has not settled at its end. Each row has a guard.
    let saved = &packed.packing[0];
    assert_eq!((saved.rows, saved.cells), (10, (14_410, 20)));
    assert!(saved.bytes.1 * 100 < saved.bytes.0, "{saved:?}");
    assert_eq!(packed.tables[0].cells, 20 + 14_410);
    let day = |prices: &Prices| prices.question("a day").unwrap().clone();
    let (cells, of_block) = (day(cells), day(packed));
    assert_eq!(of_block.cost.events, 1_440 * of_block.asked);
    assert!(of_block.each(of_block.read().bytes) * 50.0 < cells.each(cells.read().bytes));
    let text = packed.to_string();
    let expected = "packing makes 20 cells of 14,410 in 10 rows of Packed, ";
    assert!(text.contains(expected), "{text}");
}

#[tokio::test]
async fn a_load_is_run() {
    let load = cells();
    let db = MemoryBackend::new();
    let report = load
        .run(db.handle(), Pace::times(864_000.0).events_a_call(1))
        .await
        .unwrap();
    println!("{report}");
    let [write, day] = &report.operations[..] else {
        panic!()
    };
    assert_eq!((write.events, day.calls), (28_800, 100));
    assert!(write.errors.is_empty() && day.errors.is_empty());
    assert!(write.p50 <= write.p99 && day.p50 <= day.max);
    assert_eq!(report.heat.len(), 1);
    assert_eq!(report.heat[0].writes().rows().round(), 28_800.0);
}

#[tokio::test]
async fn mistakes_are_named() {
    let empty = Load::over(time(5)..time(5));
    let error = empty.prices().await.unwrap_err();
    assert!(matches!(error, LoadError::NoTime { .. }), "{error}");
    let error = rows_at(time(86_400 * 2)).prices().await.unwrap_err();
    assert!(error.to_string().contains("outside"), "{error}");
    let nothing = Load::over(time(0)..time(1));
    let asked = nothing.asks("x", Rate::per_day(1.0), |_| Row::query().sensor("a"));
    let error = asked.prices().await.unwrap_err();
    assert!(error.to_string().contains("before `writes`"), "{error}");
    let event = |series, at: Timestamp| Cells {
        sensor: name(series),
        at,
        celsius: 1.0,
    };
    let negative = Writes::of(Sizes::equal(1), Rate::per_second(-1.0), event);
    let error = Load::over(time(0)..time(1))
        .writes(negative)
        .heat()
        .unwrap_err();
    assert!(error.to_string().contains("writes of Cells"), "{error}");
    let unsaid = Load::over(time(0)..time(1)).writes(Writes::expected(Sizes::equal(1), event));
    let error = unsaid.heat().unwrap_err();
    assert!(error.to_string().contains("Cells does not say"), "{error}");
}

fn rows_at(at: Timestamp) -> Load {
    let row = Row {
        sensor: "a".into(),
        at,
        celsius: 1.0,
    };
    Load::over(time(0)..time(86_400)).writes(Writes::sample([row]))
}

#[tokio::test]
async fn errors_of_calls_are_counted() {
    // A key cannot hold this sensor.
    let event = |_, at: Timestamp| Cells {
        sensor: "a#b".into(),
        at: Timestamp::from_seconds(at.as_seconds()),
        celsius: 1.0,
    };
    let load = Load::over(time(0)..time(86_400)).writes(Writes::of(
        Sizes::equal(1),
        Rate::per_day(10.0),
        event,
    ));
    let report = load
        .run(MemoryBackend::new().handle(), Pace::fastest())
        .await
        .unwrap();
    assert_eq!(report.operations[0].events, 0);
    assert_eq!(report.operations[0].errors.values().sum::<u64>(), 10);
    let error = load.prices().await.unwrap_err();
    assert!(
        error.to_string().contains("writing events of Cells"),
        "{error}"
    );
}

#[tokio::test]
async fn a_recorder_holds_a_bounded_sample() {
    use bigtable_model::BackendExt as _;
    let recorder = Recorder::new();
    let db = recorder.watch(MemoryBackend::new().handle());
    db.ensure_tables::<Row>().await.unwrap();
    for part in 0..40 {
        recorder.at(time(part * 10_000));
        let rows = (0..10_000).map(|second| Row {
            sensor: name(u64::try_from(second % 100).unwrap()),
            at: time(part * 10_000 + second),
            celsius: 1.0,
        });
        let rows: Vec<Row> = rows.collect();
        db.insert_many(&rows).await.into_result().unwrap();
    }
    let map = &recorder.maps(&[Row::SCHEMA])[0];
    let rows = map.writes().rows();
    assert!((380_000.0..420_000.0).contains(&rows), "{rows}");
    assert!(map.writes().hottest_share() < 0.05);
    assert!(map.hot_spots().is_empty());
    assert_eq!(map.times().start, time(0));
    assert!(map.ranges().next().unwrap().starts_with("sensor=s000 at="));
    assert_eq!(map.nodes_needed(time(5)), 1);
}
