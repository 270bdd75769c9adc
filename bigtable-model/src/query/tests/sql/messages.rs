//! Projections of events that are serialised as messages, or without names.

use super::*;
use crate::Model;

#[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
#[bigtable(crate = crate, table = "TRADE", family = "MD", serialize(proto, column = "blob"))]
struct Trade {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    price: f64,
    #[bigtable(column = "n")]
    number: i64,
    lots: i32,
    r#type: f32,
    halted: bool,
    venue: String,
    raw: Vec<u8>,
    total: u64,
    count: u32,
    note: Option<String>,
    sizes: Vec<i64>,
    reported: Timestamp,
}

#[derive(Debug, PartialEq, bigtable_derive::Projection)]
#[bigtable(crate = crate, model = Trade)]
struct Plain {
    price: f64,
    number: i64,
    lots: i32,
    r#type: f32,
    halted: bool,
    venue: String,
    raw: Vec<u8>,
}

const WHERE: &str = " FROM `TRADE` WHERE _key >= @from0 AND _key < @to0 AND \
                     `MD`['blob'] IS NOT NULL ORDER BY _key";

#[test]
fn plain_fields_are_read_through_the_bundle() {
    let query = Trade::query().symbol("A");
    let text = query.select::<Plain>().events().to_sql().unwrap();
    let field =
        |stored, own| format!("CAST(`MD`['blob'] AS `trade`.`Trade`).`{stored}` AS `{own}`");
    let fields = [
        field("price", "price"),
        field("n", "number"),
        field("lots", "lots"),
        field("type", "type"),
        field("halted", "halted"),
        field("venue", "venue"),
        field("raw", "raw"),
    ];
    let expected = format!("SELECT _key, {}{WHERE}", fields.join(", "));
    assert_eq!(text.to_string(), expected);
    let whole = Trade::query().symbol("A").events().to_sql().unwrap();
    let expected = format!("SELECT _key, `MD`['blob'] AS `blob`{WHERE}");
    assert_eq!(whole.to_string(), expected);
}

/// What SQL makes of these is not documented.
macro_rules! refused {
    ($($field:ident: $type:ty, $form:literal;)*) => {$({
        #[derive(Debug, bigtable_derive::Projection)]
        #[bigtable(crate = crate, model = Trade)]
        #[allow(dead_code, reason = "it is not read")]
        struct One {
            $field: $type,
        }
        let query = Trade::query().symbol("A").select::<One>();
        let Err(Error::Sql { source, .. }) = query.events().to_sql() else {
            panic!("it is refused");
        };
        let error = source.to_string();
        let words = format!("field `{}` is `{}` in the message", stringify!($field), $form);
        assert!(error.contains(&words), "{error}");
    })*};
}

#[test]
fn other_fields_are_refused_by_name() {
    refused! {
        total: u64, "uint64";
        count: u32, "uint32";
        note: Option<String>, "optional string";
        sizes: Vec<i64>, "repeated int64";
        reported: Timestamp, "google.protobuf.Timestamp";
    }
}

/// An unpacked cell is a message as well.
#[test]
fn cells_are_read_through_the_bundle() {
    #[derive(Debug, bigtable_derive::Model)]
    #[bigtable(crate = crate, table = "TICK", family = "MD", serialize(proto))]
    #[bigtable(layout = "cells")]
    struct Tick {
        #[bigtable(key)]
        symbol: String,
        #[bigtable(time, bucket = "hour")]
        at: Timestamp,
        price: f64,
    }

    #[derive(Debug, bigtable_derive::Projection)]
    #[bigtable(crate = crate, model = Tick)]
    #[allow(dead_code, reason = "it is not read")]
    struct Price {
        price: f64,
    }

    let query = Tick::query().symbol("A").select::<Price>();
    let text = query.events().to_sql().unwrap().to_string();
    let begin = "SELECT _key, _timestamp, CAST(c0 AS `tick`.`Tick`).`price` AS `price` \
                 FROM UNPACK((SELECT _key, `MD`['event'] AS c0 FROM `TICK`";
    assert!(text.starts_with(begin), "{text}");
}

/// A format without names returns the event as it is.
#[cfg(feature = "postcard")]
#[test]
fn fields_without_names_are_not_read() {
    #[derive(Debug, serde::Serialize, serde::Deserialize, bigtable_derive::Model)]
    #[bigtable(crate = crate, table = "TRADE", family = "MD", serialize(postcard, column = "blob"))]
    struct Small {
        #[bigtable(key)]
        symbol: String,
        #[bigtable(time, unit = "ms")]
        at: Timestamp,
        price: f64,
        size: u32,
    }

    #[derive(Debug, bigtable_derive::Projection)]
    #[bigtable(crate = crate, model = Small)]
    #[allow(dead_code, reason = "it is not read")]
    struct Price {
        price: f64,
    }

    let query = Small::query().symbol("A").select::<Price>();
    let text = query.events().to_sql().unwrap().to_string();
    assert_eq!(text, format!("SELECT _key, `MD`['blob'] AS `blob`{WHERE}"));
}
