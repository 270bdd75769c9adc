//! What is refused by name, with its reason: mistakes, and operations that only a struct can do.

use std::error::Error as _;

use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::dynamic::{AnyModel, AnyQuery, EventBatch, ModelError, Value, insert};
use bigtable_model::lock::Lock;
use bigtable_model::model::{Described, Schema};
use bigtable_model::query::BadRows;
use bigtable_model::schema::{Layout, ModelSchema, Presence};
use bigtable_model::value::{CellCodec, ValueError};
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model};
use futures::StreamExt as _;

use super::{Latest, Row, Side, at, cells, locked, row};

fn words(error: &Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        words = format!("{words}: {error}");
        source = error.source();
    }
    words
}

#[tokio::test]
async fn mistakes_are_named() {
    let model = locked::<Row>();
    let db = MemoryBackend::new();
    db.ensure_tables::<Row>().await.unwrap();
    db.insert(&row(1)).await.unwrap();
    let batch = db.fetch(&AnyQuery::of(&model).scan()).await.unwrap();
    let values: Vec<_> = batch.get(0).unwrap().values().collect();
    let with = |field: &'static str, value: Value| {
        let changed = values.iter().filter(|(name, _)| *name != field).cloned();
        let mut batch = EventBatch::new(&model);
        let pushed = batch.push(changed.chain([(field, value)]));
        assert_eq!(batch.len(), usize::from(pushed.is_ok()));
        words(&pushed.unwrap_err())
    };
    for (field, value, expected) in [
        (
            "size",
            Value::from(300),
            "field `size` is refused: the value cannot be written as int64: the field takes 0 to 255",
        ),
        (
            "size",
            "many".into(),
            "the value cannot be written as int64: a text is not an integer of 64 bits",
        ),
        (
            "seen",
            "Both".into(),
            "the value cannot be written as utf8: the field takes only Ask, Bid",
        ),
        (
            "side",
            "Both".into(),
            "field `side` is refused: the value cannot be written as string: the field takes only Ask, Bid",
        ),
        ("level", Value::from(70_000), "field `level` is refused"),
        ("id", vec![1_u8].into(), "it takes 4 bytes, not 1"),
        ("bid", true.into(), "a boolean is not a number"),
        (
            "narrow",
            0.1.into(),
            "a floating-point number is not a number of 32 bits",
        ),
        ("ask", "much".into(), "the field does not take it"),
        ("day", "2015-02-30".into(), "field `day` is refused"),
        (
            "price",
            "1e5".into(),
            "a decimal number of at most 28 digits",
        ),
        ("uuid", "1".into(), "a text is not a UUID"),
        ("letter", "ab".into(), "one character"),
        (
            "nothing",
            1.into(),
            "it has no field `nothing`: its fields are symbol, side, level, at, bid",
        ),
    ] {
        let told = with(field, value);
        assert!(
            told.starts_with("table ROW: model Row is refused: "),
            "{told}"
        );
        assert!(told.contains(expected), "{field}: {told}");
    }
    let mut batch = EventBatch::new(&model);
    let error = batch.push(values.iter().filter(|(name, _)| *name != "bid").cloned());
    let error = words(&error.unwrap_err());
    assert!(
        error.ends_with("event 0 lacks field `bid`, which every event has"),
        "{error}"
    );

    let query = AnyQuery::of(&model).range(
        "ask",
        std::ops::Bound::Unbounded,
        std::ops::Bound::Unbounded,
    );
    let error = words(&query.plan().unwrap_err());
    assert!(
        error.ends_with("field `ask` is not selected by a range"),
        "{error}"
    );
}

#[test]
fn a_description_that_was_changed_by_hand_is_refused() {
    let good = AnyModel::of::<Row>().described().clone();
    assert!(AnyModel::of_described(good.clone()).is_ok());
    fn changed(one: &Described, change: impl FnOnce(&mut ModelSchema)) -> Schema {
        let mut schema = one.schema.to_schema();
        change(&mut schema);
        schema.into()
    }
    let refused = |change: fn(&mut Described)| {
        let mut described = good.clone();
        change(&mut described);
        words(&AnyModel::of_described(described).unwrap_err())
    };
    for (error, expected) in [
        (
            refused(|one| drop(one.columns.pop())),
            "columns than of their types",
        ),
        (
            refused(|one| drop(one.segments.pop())),
            "segments than of their types",
        ),
        (
            refused(|one| {
                one.schema = changed(one, |schema| schema.presence = Presence::Column(99))
            }),
            "marks an event is missing",
        ),
        (
            refused(|one| {
                one.schema = changed(one, |schema| schema.map_families = vec!["M".into()].into())
            }),
            "another number of families of run-time columns than of their types",
        ),
        (
            refused(|one| {
                one.maps.push(one.columns[0].clone());
                one.schema = changed(one, |schema| {
                    schema.map_families = vec!["M".into()].into();
                    schema.layout = Layout::Qualifiers;
                })
            }),
            "no room for the names of run-time columns",
        ),
    ] {
        assert!(error.contains(expected), "{error}");
    }
    let mut lock = Lock::default().with::<Row>();
    lock.models.get_mut("Row").unwrap().table = "OTHER".to_owned();
    let error = words(&AnyModel::of_lock(&lock, "Row").unwrap_err());
    assert!(
        error.ends_with("in table ROW, the stored form others"),
        "{error}"
    );
    let error = words(&AnyModel::of_lock(&lock, "Rows").unwrap_err());
    assert!(error.ends_with("its models are Row"), "{error}");
}

/// A codec of a program's own.
struct Letter;

impl CellCodec<Side> for Letter {
    const NAME: &'static str = "side-letter";

    fn encode(value: &Side, out: &mut Vec<u8>) -> Result<(), ValueError> {
        out.push(if *value == Side::Bid { b'B' } else { b'A' });
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Side, ValueError> {
        match bytes {
            b"B" => Ok(Side::Bid),
            b"A" => Ok(Side::Ask),
            other => Err(ValueError::malformed("`A` or `B`", other)),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "OWN", family = "O", mirror(BySide))]
struct Own {
    #[bigtable(key)]
    symbol: String,
    bid: f64,
    #[bigtable(with = Letter)]
    side: Option<Side>,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BY_SIDE", family = "O")]
struct BySide {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(with = Letter)]
    side: Option<Side>,
    bid: f64,
}

impl From<&Own> for BySide {
    fn from(own: &Own) -> Self {
        Self {
            symbol: own.symbol.clone(),
            side: own.side,
            bid: own.bid,
        }
    }
}

#[tokio::test]
async fn what_is_code_is_read_as_far_as_it_goes_and_not_written() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Own>().await.unwrap();
    db.insert(&Own {
        symbol: "A".into(),
        bid: 1.5,
        side: Some(Side::Bid),
    })
    .await
    .unwrap();
    let model = locked::<Own>();
    let found = db
        .fetch(&AnyQuery::of(&model).set("symbol", "A"))
        .await
        .unwrap();
    assert_eq!(
        found.get(0).unwrap().to_string(),
        "symbol=A bid=1.5 side=42"
    );

    // A model with a copy by `From`: refused whatever the fields, and nothing is written.
    let mut batch = EventBatch::new(&model);
    batch
        .push([("symbol", "B".into()), ("bid", 2.5.into())])
        .unwrap();
    let before = cells(&db, &["OWN", "BY_SIDE"]).await;
    for model in [&model, &AnyModel::of::<Own>()] {
        let mut batch = EventBatch::new(model);
        batch
            .push([("symbol", "B".into()), ("bid", 2.5.into())])
            .unwrap();
        let error = insert(&db, &batch).await.unwrap_err();
        assert!(matches!(
            &error,
            Error::ByName {
                source: ModelError::Writes { .. },
                ..
            }
        ));
        assert!(
            words(&error).ends_with("a copy goes to `BySide`, made by `From`"),
            "{}",
            words(&error)
        );
    }
    assert_eq!(cells(&db, &["OWN", "BY_SIDE"]).await, before);

    // An own codec: only the field is refused.
    let model = locked::<BySide>();
    let mut batch = EventBatch::new(&model);
    let error = batch.push([
        ("symbol", "B".into()),
        ("bid", 2.5.into()),
        ("side", "A".into()),
    ]);
    assert!(words(&error.unwrap_err()).contains("field `side` is refused"));
    batch
        .push([("symbol", "B".into()), ("bid", 2.5.into())])
        .unwrap();
    insert(&db, &batch).await.unwrap().into_result().unwrap();
}

#[tokio::test]
async fn values_that_are_not_of_their_type_are_bad_rows() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Latest>().await.unwrap();
    let event = |meter| Latest {
        meter,
        at: at(0),
        volts: 230.5,
    };
    db.insert_many((1..4).map(event))
        .await
        .into_result()
        .unwrap();
    let mutations = vec![Mutation::SetCell {
        family: "R".into(),
        qualifier: "volts".into(),
        timestamp_micros: 1_426_535_612_000_000,
        value: "230".into(),
    }];
    let key = event(2).key().encode().unwrap().into();
    db.mutate_row("LATEST", RowMutations { key, mutations })
        .await
        .unwrap();
    let all = AnyQuery::of(&locked::<Latest>()).scan();
    let error = db.fetch(&all).await.unwrap_err();
    assert!(
        matches!(&error, Error::BadCell { column, .. } if column == "R:volts"),
        "{error}"
    );
    // A stream returns the events before it, and goes on.
    let batches: Vec<_> = db.stream(&all).collect().await;
    let lens = batches
        .iter()
        .map(|batch| batch.as_ref().map(EventBatch::len));
    let lens: Vec<_> = lens.map(|len| len.map_err(|_| "refused")).collect();
    assert_eq!(lens, [Ok(1), Err("refused"), Ok(1)]);

    let bad = BadRows::skip();
    let found = db.fetch(&all.clone().on_bad_row(&bad)).await.unwrap();
    let meters: Vec<_> = found
        .events()
        .filter_map(|event| event.value("meter"))
        .collect();
    assert_eq!(meters, [Value::Integer(1), Value::Integer(3)]);
    assert_eq!(bad.count(), 1);
    assert!(bad.listed()[0].to_string().contains("meter=2"));
    // A count reads no values.
    assert_eq!(db.count(&all).await.unwrap(), 3);
}
