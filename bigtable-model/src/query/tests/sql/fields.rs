//! Projections of events that are serialised as JSON.

use serde::{Deserialize, Serialize};

use super::values::{Sql, result};
use super::*;
use crate::query::PageToken;
use crate::{BackendExt, Model};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Side {
    Bid,
    Ask(u8),
}

#[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
#[bigtable(crate = crate, table = "TRADE", family = "MD", serialize(json, column = "blob"))]
struct Trade {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    price: f64,
    #[bigtable(column = "n")]
    number: i64,
    total: u64,
    small: Option<f32>,
    halted: bool,
    #[bigtable(column = "the venue's name")]
    venue: Option<String>,
    reported: Timestamp,
    side: Side,
    lots: Vec<u32>,
}

#[derive(Debug, PartialEq, bigtable_derive::Projection)]
#[bigtable(crate = crate, model = Trade)]
struct All {
    symbol: String,
    price: f64,
    number: i64,
    total: u64,
    small: Option<f32>,
    halted: bool,
    venue: Option<String>,
    reported: Timestamp,
    side: Side,
    lots: Vec<u32>,
}

#[derive(bigtable_derive::Projection)]
#[bigtable(crate = crate, model = Trade)]
#[allow(dead_code, reason = "only the query is asked for")]
struct At {
    at: Timestamp,
}

const WHERE: &str =
    " FROM `TRADE` WHERE _key >= @from0 AND _key < @to0 AND `MD`['blob'] IS NOT NULL ORDER BY _key";

fn query() -> TradeQuery<crate::query::Open<1>> {
    Trade::query().symbol("A")
}

#[test]
fn each_field_is_read_as_its_type() {
    let text = query()
        .select::<All>()
        .events()
        .to_sql()
        .unwrap()
        .to_string();
    let fields = [
        "CAST(JSON_VALUE(CAST(`MD`['blob'] AS STRING), '$.price') AS FLOAT64) AS `price`",
        "CAST(JSON_VALUE(CAST(`MD`['blob'] AS STRING), '$.n') AS INT64) AS `number`",
        "JSON_VALUE(CAST(`MD`['blob'] AS STRING), '$.total') AS `total`",
        "CAST(JSON_VALUE(CAST(`MD`['blob'] AS STRING), '$.small') AS FLOAT64) AS `small`",
        "CAST(JSON_VALUE(CAST(`MD`['blob'] AS STRING), '$.halted') AS BOOL) AS `halted`",
        r#"JSON_VALUE(CAST(`MD`['blob'] AS STRING), '$."the venue\'s name"') AS `venue`"#,
        "CAST(JSON_VALUE(CAST(`MD`['blob'] AS STRING), '$.reported') AS INT64) AS `reported`",
        "JSON_QUERY(CAST(`MD`['blob'] AS STRING), '$.side') AS `side`",
        "JSON_QUERY(CAST(`MD`['blob'] AS STRING), '$.lots') AS `lots`",
    ];
    assert_eq!(text, format!("SELECT _key, {}{WHERE}", fields.join(", ")));
}

#[test]
fn whole_events_and_keys_are_read_as_before() {
    let whole = query().events().to_sql().unwrap().to_string();
    assert_eq!(whole, format!("SELECT _key, `MD`['blob'] AS `blob`{WHERE}"));
    let keys = query()
        .select::<At>()
        .events()
        .to_sql()
        .unwrap()
        .to_string();
    assert_eq!(keys, format!("SELECT _key{WHERE}"));
}

#[test]
fn the_last_select_counts() {
    type Whole = crate::query::Query<Trade>;
    let fields = query().events().select::<All>();
    let keys = fields.clone().select::<At>().to_sql().unwrap().to_string();
    assert_eq!(keys, format!("SELECT _key{WHERE}"));
    let whole = fields.clone().select::<Trade>().selection();
    assert_eq!(whole, query().events().selection());
    // Also where the selection has the fields already.
    let whole = Whole::of(fields.selection()).selection();
    assert_eq!(whole.columns, None);
    assert!(whole.payload.is_empty() && whole.entries.is_empty());
}

#[test]
fn a_name_that_no_path_holds_is_refused() {
    let mut selection = query().select::<All>().events().selection();
    selection.payload[0].name = "a\"b".into();
    let words = refused(Trade::SCHEMA, &selection);
    assert!(
        words.starts_with("field `price` is \"a\\\"b\" in"),
        "{words}"
    );
}

/// A selection of another model's fields returns the event as it is.
#[test]
fn only_json_is_read_by_field() {
    for codec in ["postcard", "proto"] {
        let mut columns = Trade::SCHEMA.columns.to_vec();
        columns[0].codec = codec.into();
        let schema = ModelSchema {
            columns: columns.into(),
            ..Trade::SCHEMA.as_ref().clone()
        };
        let text = text_of(&schema, &query().select::<All>().events().selection());
        assert_eq!(text, format!("SELECT _key, `MD`['blob'] AS `blob`{WHERE}"));
    }
}

/// The fields change neither what is read nor where pages continue.
#[test]
fn the_fields_are_for_sql_alone() {
    let with = query().select::<All>().events().selection();
    assert_eq!(with.payload.len(), 9);
    let without = Selection {
        payload: Vec::new(),
        ..with.clone()
    };
    let plan = |selection| plan(Trade::SCHEMA, selection).unwrap();
    assert_eq!(plan(&with), plan(&without));
    assert_eq!(PageToken::query(&with), PageToken::query(&without));
    let text = |selection| serde_json::to_string(selection).unwrap();
    assert!(!text(&without).contains("payload"));
    assert_eq!(
        serde_json::from_str::<Selection>(&text(&with)).unwrap(),
        with
    );
}

fn trades() -> impl Strategy<Value = Trade> {
    let side = prop_oneof![Just(Side::Bid), any::<u8>().prop_map(Side::Ask)];
    let numbers = (
        any::<f64>(),
        any::<i64>(),
        any::<u64>(),
        any::<Option<f32>>(),
    );
    let others = (any::<bool>(), any::<Option<String>>(), any::<i64>());
    let lots = prop::collection::vec(any::<u32>(), 0..3);
    (numbers, others, side, lots).prop_filter_map("JSON has no such number", |drawn| {
        let ((price, number, total, small), (halted, venue, reported), side, lots) = drawn;
        let finite = price.is_finite() && small.is_none_or(f32::is_finite);
        finite.then(|| Trade {
            symbol: "A".into(),
            at: Timestamp::from_millis(1),
            price,
            number,
            total,
            small,
            halted,
            venue,
            reported: Timestamp::from_micros(reported),
            side,
            lots,
        })
    })
}

/// The number of 64 bits in the JSON of one of 32.
fn as_json(small: f32) -> f64 {
    serde_json::to_string(&small).unwrap().parse().unwrap()
}

proptest! {
    /// A reader of SQL finds what the model reads.
    #[test]
    fn fields_keep_their_values(trade in trades()) {
        let db = MemoryBackend::new();
        let asked = query().select::<All>().events();
        let rows = block_on(async {
            db.ensure_tables::<Trade>().await.unwrap();
            db.insert(&trade).await.unwrap();
            let all = ReadRows { table: "TRADE".into(), ..ReadRows::default() };
            db.read_rows(all).rows().try_collect::<Vec<Row>>().await.unwrap()
        });
        let found = result(&asked.to_sql().unwrap(), &rows[0]);
        let text = |value: Option<&str>| value.map_or(Sql::Null, |text| Sql::Text(text.into()));
        let json = |value: serde_json::Value| Sql::Text(value.to_string());
        let expected = vec![
            Sql::Float(trade.price),
            Sql::Integer(trade.number),
            text(Some(&trade.total.to_string())),
            trade.small.map_or(Sql::Null, |small| Sql::Float(as_json(small))),
            Sql::Bool(trade.halted),
            text(trade.venue.as_deref()),
            Sql::Integer(trade.reported.as_micros()),
            json(serde_json::to_value(trade.side).unwrap()),
            json(serde_json::to_value(&trade.lots).unwrap()),
        ];
        prop_assert_eq!(found, expected);
        // A number of 32 bits is the same after it was one of 64.
        let single = trade.small.map(|small| as_json(small) as f32);
        prop_assert_eq!(single, trade.small);
    }
}
