//! Models as values: reads and writes by the names of fields equal those of structs.

mod marks;
mod refused;

use std::collections::BTreeMap;

use bigtable_model::data::{ReadRows, RowSet};
use bigtable_model::dynamic::{AnyModel, AnyQuery, EventBatch, Value, ensure_tables, insert};
use bigtable_model::lock::Lock;
use bigtable_model::{Backend, BackendExt, CellValue, KeySegment, MemoryBackend, Model, Timestamp};
use bytes::Bytes;
use futures::TryStreamExt as _;

#[derive(Debug, Clone, Copy, PartialEq, Eq, CellValue, KeySegment)]
enum Side {
    Ask,
    Bid,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ROW", family = "MD")]
struct Row {
    #[bigtable(key, escape)]
    symbol: String,
    #[bigtable(key)]
    side: Side,
    #[bigtable(key)]
    level: u16,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
    size: Option<u8>,
    seen: Option<Side>,
    #[bigtable(text)]
    ask: Option<f64>,
    open: bool,
    id: [u8; 4],
    received: Option<Timestamp>,
    levels: Vec<f64>,
    day: jiff::civil::Date,
    uuid: uuid::Uuid,
    letter: char,
    price: rust_decimal::Decimal,
    narrow: f32,
    note: Option<Bytes>,
}

fn row(index: i64) -> Row {
    let odd = index % 2 == 1;
    Row {
        symbol: format!("A#{}", index % 3),
        side: if odd { Side::Ask } else { Side::Bid },
        level: u16::try_from(index * 700).unwrap(),
        at: at(index),
        bid: 600.5 + index as f64,
        size: odd.then_some(250),
        seen: (index % 3 == 0).then_some(Side::Ask),
        ask: odd.then_some(0.1 + index as f64),
        open: odd,
        id: [1, 2, 3, u8::try_from(index).unwrap()],
        received: odd.then(|| at(index + 1)),
        levels: vec![1.5; usize::try_from(index % 4).unwrap()],
        day: jiff::civil::date(2015, 3, 16),
        uuid: uuid::Uuid::from_u128(u128::try_from(index).unwrap() << 64),
        letter: 'é',
        price: "600.50".parse().unwrap(),
        narrow: 0.1,
        note: odd.then(|| Bytes::from_static(&[0xff, 0])),
    }
}

macro_rules! readings {
    ($($name:ident, $layout:literal, $time:meta;)*) => {$(
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = "READING", family = "R", layout = $layout, salt(shards = 4, of(meter)))]
        struct $name {
            #[bigtable(key)]
            meter: i32,
            #[$time]
            at: Timestamp,
            volts: f64,
            amps: Option<i16>,
        }

        impl From<i64> for $name {
            fn from(index: i64) -> Self {
                Self {
                    meter: i32::try_from(index).unwrap() % 3 - 1,
                    at: at(index * 700),
                    volts: index as f64,
                    amps: (index % 3 > 0).then_some(-7),
                }
            }
        }
    )*};
}

readings! {
    Rows, "row", bigtable(time, reverse, unit = "s");
    Cells, "cells", bigtable(time, bucket = "hour");
    Columns, "columns", bigtable(time, bucket = "day");
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LATEST", family = "R", layout = "latest")]
struct Latest {
    #[bigtable(key)]
    meter: u64,
    #[bigtable(time)]
    at: Timestamp,
    volts: f64,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "DAY_{at:%Y%m%d}", family = "R")]
struct ByDay {
    #[bigtable(key)]
    meter: u64,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    volts: f64,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LOCAL_{at:%Y%m%d}", family = "R")]
struct ByLocalDay {
    #[bigtable(key)]
    meter: u64,
    #[bigtable(time, format = "%Y%m%dT%H%M%S", zone = "+05:30")]
    at: Timestamp,
    volts: f64,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METRIC", family = "C")]
struct Metrics {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    up: bool,
    #[bigtable(columns, family = "M")]
    metrics: BTreeMap<String, f64>,
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_426_535_612 + second)
}

async fn cells(db: &MemoryBackend, tables: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for table in tables {
        let request = ReadRows {
            table: (*table).to_owned(),
            rows: RowSet::all(),
            filter: None,
            rows_limit: 0,
            reversed: false,
        };
        let rows: Vec<_> = db.read_rows(request).rows().try_collect().await.unwrap();
        found.extend(rows.iter().map(|row| format!("{table} {row:?}")));
    }
    found
}

/// A lock file's model, read from the file's text.
pub fn locked<M: Model>() -> AnyModel {
    let folder = std::env::temp_dir().join(format!(
        "by-name-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    let path = folder.with_extension("lock");
    let _ = std::fs::remove_file(&path);
    bigtable_model::lock::check_file::<M>(&path, bigtable_model::lock::Mode::Write).unwrap();
    let lock = Lock::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    AnyModel::of_lock(&lock, &M::SCHEMA.model).unwrap()
}

/// What a struct wrote is read by the lock file's model, and written again to the same cells.
async fn goes_round<M: Model + Clone + PartialEq + std::fmt::Debug>(
    events: Vec<M>,
    tables: &[&str],
) {
    let (typed, copied) = (MemoryBackend::new(), MemoryBackend::new());
    let model = locked::<M>();
    assert_eq!(model.described(), AnyModel::of::<M>().described());
    let times = at(0)..at(1_000_000);
    for db in [&typed, &copied] {
        ensure_tables(db, &model, times.clone()).await.unwrap();
    }
    let written = typed.insert_many(events).await;
    written.into_result().unwrap();
    let found = typed.fetch(&AnyQuery::of(&model).scan()).await.unwrap();
    assert!(!found.is_empty());
    assert_eq!(
        typed.count(&AnyQuery::of(&model).scan()).await.unwrap(),
        found.len() as u64
    );
    let mut again = EventBatch::new(&model);
    for event in found.events() {
        again.push(event.values()).unwrap();
    }
    insert(&copied, &again)
        .await
        .unwrap()
        .into_result()
        .unwrap();
    assert_eq!(cells(&copied, tables).await, cells(&typed, tables).await);
    // A value's text is accepted in its place.
    let mut texts = EventBatch::new(&model);
    for event in found.events() {
        let values = event.values().map(|(name, value)| match value {
            Value::Integers(_) | Value::Floats(_) | Value::Bytes(_) => (name, value),
            value => (name, value.to_string().into()),
        });
        texts.push(values).unwrap();
    }
    insert(&copied, &texts)
        .await
        .unwrap()
        .into_result()
        .unwrap();
    assert_eq!(cells(&copied, tables).await, cells(&typed, tables).await);
}

#[tokio::test]
async fn events_go_round_by_name() {
    goes_round((0..40).map(row).collect(), &["ROW"]).await;
    goes_round::<Rows>((0..40).map(Into::into).collect(), &["READING"]).await;
    goes_round::<Cells>((0..40).map(Into::into).collect(), &["READING"]).await;
    goes_round::<Columns>((0..40).map(Into::into).collect(), &["READING"]).await;
    let latest = |meter| Latest {
        meter,
        at: at(5),
        volts: 1.5,
    };
    goes_round((0..5).map(latest).collect(), &["LATEST"]).await;
    let day = |day: i64| ByDay {
        meter: 1,
        at: at(86_400 * day),
        volts: 2.5,
    };
    goes_round(
        (0..3).map(day).collect(),
        &["DAY_20150316", "DAY_20150317", "DAY_20150318"],
    )
    .await;
    let local = |day: i64| ByLocalDay {
        meter: 1,
        at: at(86_400 * day),
        volts: 2.5,
    };
    goes_round(
        (0..3).map(local).collect(),
        &["LOCAL_20150317", "LOCAL_20150318", "LOCAL_20150319"],
    )
    .await;
}

#[tokio::test]
async fn queries_by_name_find_what_typed_ones_find() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Cells>().await.unwrap();
    let events: Vec<Cells> = (0..90).map(Into::into).collect();
    db.insert_many(events).await.into_result().unwrap();
    let model = locked::<Cells>();
    let volts = |batch: &EventBatch| -> Vec<f64> {
        let column = batch.column("volts").unwrap();
        match column.values() {
            bigtable_model::dynamic::Values::Float(values) => values.clone(),
            other => panic!("{other:?}"),
        }
    };
    let of = |events: Vec<Cells>| events.into_iter().map(|one| one.volts).collect::<Vec<_>>();

    let (from, to) = (at(7_000), at(30_000));
    let asked = Cells::query().meter(1).at(from..to);
    let named = AnyQuery::of(&model).set("meter", 1).between("at", from, to);
    assert_eq!(named.plan().unwrap(), asked.events().plan().unwrap());
    assert_eq!(
        volts(&db.fetch(&named).await.unwrap()),
        of(db.fetch(&asked).await.unwrap())
    );

    let asked = Cells::query()
        .meter([-1, 0])
        .events()
        .newest_first()
        .limit(7);
    let named = AnyQuery::of(&model)
        .among("meter", ["-1", "0"])
        .newest_first()
        .limit(7);
    assert_eq!(
        volts(&db.fetch(&named).await.unwrap()),
        of(db.fetch(&asked).await.unwrap())
    );

    let few = Cells::query()
        .meter(0)
        .events()
        .matching(Cells::FIELDS.amps.equals(-7));
    let named = AnyQuery::of(&model)
        .set("meter", 0)
        .set("amps", -7)
        .columns(["amps"]);
    let batches: Vec<EventBatch> = db.stream(&named).try_collect().await.unwrap();
    let found: usize = batches.iter().map(EventBatch::len).sum();
    assert_eq!(found as u64, db.count(&few).await.unwrap());
    assert!(batches[0].get(0).unwrap().value("volts").is_none());
    assert_eq!(
        batches[0].get(0).unwrap().value("amps"),
        Some(Value::Integer(-7))
    );
}

/// Ranges of columns of each native form, below and above 0, against plain values.
#[tokio::test]
async fn ranges_of_columns_are_those_of_their_values() {
    use std::ops::Bound::{Excluded, Included, Unbounded};

    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "FORMS", family = "F")]
    struct Forms {
        #[bigtable(key)]
        number: i8,
        double: f64,
        single: f32,
        whole: i16,
        positive: u64,
        seen: Timestamp,
        name: String,
        is_odd: Option<bool>,
    }

    let db = MemoryBackend::new();
    db.ensure_tables::<Forms>().await.unwrap();
    let all: Vec<Forms> = (-9..=9_i8)
        .map(|number| Forms {
            number,
            double: f64::from(number) / 2.0,
            single: f32::from(number),
            whole: i16::from(number),
            positive: u64::from(number.unsigned_abs()),
            seen: Timestamp::from_seconds(i64::from(number)),
            name: format!("{number:+}"),
            is_odd: (number > 0).then_some(number % 2 == 1),
        })
        .collect();
    db.insert_many(&all).await.into_result().unwrap();
    let model = locked::<Forms>();
    let found = async |field: &str, from, to| {
        let query = AnyQuery::of(&model).scan().range(field, from, to);
        let batch = db.fetch(&query).await.unwrap();
        let numbers = (0..batch.len()).map(|at| batch.get(at).unwrap().value("number").unwrap());
        numbers.collect::<Vec<_>>()
    };
    let wanted = |holds: &dyn Fn(&Forms) -> bool| {
        let numbers = all.iter().filter(|one| holds(one));
        numbers
            .map(|one| Value::from(i64::from(one.number)))
            .collect::<Vec<_>>()
    };
    for end in [-20_i64, -3, -1, 0, 2, 9, 20] {
        let number = end as f64;
        let from = found("double", Included(number.into()), Unbounded).await;
        assert_eq!(from, wanted(&|one| one.double >= number), "{end}");
        let below = found("single", Unbounded, Excluded(number.into())).await;
        assert_eq!(
            below,
            wanted(&|one| f64::from(one.single) < number),
            "{end}"
        );
        let above = found("whole", Excluded(end.into()), Included(5.into())).await;
        assert_eq!(
            above,
            wanted(&|one| i64::from(one.whole) > end && one.whole <= 5),
            "{end}"
        );
        let seen = Timestamp::from_seconds(end);
        let since = found("seen", Included(seen.into()), Unbounded).await;
        assert_eq!(since, wanted(&|one| one.seen >= seen), "{end}");
    }
    let few = found("positive", Included(3.into()), Excluded(6.into())).await;
    assert_eq!(few, wanted(&|one| (3..6).contains(&one.positive)));
    let names = found("name", Included("+3".into()), Excluded("-2".into())).await;
    assert_eq!(names, wanted(&|one| ("+3".."-2").contains(&&*one.name)));
    let odd = found("is_odd", Included(true.into()), Unbounded).await;
    assert_eq!(odd, wanted(&|one| one.is_odd == Some(true)));
}

#[tokio::test]
async fn run_time_columns_go_round_by_name() {
    let (typed, named) = (MemoryBackend::new(), MemoryBackend::new());
    let model = locked::<Metrics>();
    let metrics = |mem| BTreeMap::from([("cpu".to_owned(), 0.5), ("mem".to_owned(), mem)]);
    let event = Metrics {
        host: "a".into(),
        at: at(0),
        up: true,
        metrics: metrics(0.25),
    };
    for db in [&typed, &named] {
        db.ensure_tables::<Metrics>().await.unwrap();
        // A column that the event lacks when it is written again.
        let mut before = event.clone();
        before.metrics.insert("disk".to_owned(), 1.0);
        db.insert(&before).await.unwrap();
    }
    typed.insert(&event).await.unwrap();
    let fields = [
        ("host", "a".into()),
        ("at", at(0).into()),
        ("up", true.into()),
    ];
    let entries = [("M:cpu", Value::from(0.5)), ("M:mem", "0.25".into())];
    let entries = entries.map(|(name, value)| (Bytes::from_static(name.as_bytes()), value));
    let mut batch = EventBatch::new(&model);
    batch.push_with(fields.clone(), entries.clone()).unwrap();
    insert(&named, &batch).await.unwrap().into_result().unwrap();
    let [of_named, of_typed] = [cells(&named, &["METRIC"]), cells(&typed, &["METRIC"])];
    assert_eq!(of_named.await, of_typed.await);

    let asked = AnyQuery::of(&model).set("host", "a");
    let found = named.fetch(&asked).await.unwrap();
    let event = found.get(0).unwrap();
    assert_eq!(
        event.to_string(),
        "host=a at=2015-03-16T19:53:32Z up=true M:cpu=0.5 M:mem=0.25"
    );
    let mut again = EventBatch::new(&model);
    let entries_found = event.entries().iter().cloned();
    again.push_with(event.values(), entries_found).unwrap();
    assert_eq!(again.get(0).unwrap().to_string(), event.to_string());

    // A value of another kind, a model without such columns, and a declared name.
    let name = Bytes::from_static(b"M:cpu");
    for (model, name, value, expected) in [
        (
            &model,
            name.clone(),
            Value::from(true),
            "field `M:cpu` is refused: the value cannot be written as float64: a boolean is not a number",
        ),
        (
            &locked::<Latest>(),
            name,
            Value::from(1.5),
            "it has no field `M:cpu`: its fields are meter, at, volts",
        ),
    ] {
        let mut batch = EventBatch::new(model);
        let fields = match model.schema().columns.len() {
            1 if !model.schema().map_families.is_empty() => fields.to_vec(),
            _ => vec![
                ("meter", 1.into()),
                ("at", at(0).into()),
                ("volts", 1.5.into()),
            ],
        };
        let error = batch.push_with(fields, [(name, value)]).unwrap_err();
        let source = std::error::Error::source(&error).unwrap();
        let mut text = source.to_string();
        if let Some(reason) = source.source() {
            text = format!("{text}: {reason}");
        }
        assert_eq!(text, expected);
        assert!(batch.is_empty());
    }
}
