//! The README's claims about one struct with different attributes.

use bigtable_model::model::insert_mutations;
use bigtable_model::{Model, Timestamp};

macro_rules! quote {
    ($module:ident, [$($layout:tt)*], [$($time:tt)*]) => {
        mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "QUOTE", family = "MD", $($layout)*)]
            struct Quote {
                #[bigtable(key, width = 6)]
                exchange: String,
                #[bigtable(key)]
                symbol: String,
                #[bigtable(time, unit = "ms", $($time)*)]
                at: Timestamp,
                bid: f64,
                bid_size: Option<u32>,
            }

            /// The row's key, and the first qualifier and value.
            pub fn written() -> (String, String, Vec<u8>) {
                let quote = Quote {
                    exchange: "NASDAQ".into(),
                    symbol: "ZXZZT".into(),
                    at: Timestamp::from_millis(1_426_535_612_156),
                    bid: 600.55,
                    bid_size: Some(500),
                };
                let row = insert_mutations(&quote, Timestamp::UNIX_EPOCH).unwrap();
                let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                match &row.mutations[0] {
                    bigtable_model::data::Mutation::SetCell { qualifier, value, .. } => {
                        (text(&row.key), text(qualifier), value.to_vec())
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    };
}

quote!(cells, [layout = "cells"], [bucket = "day"]);
quote!(columns, [layout = "columns"], [bucket = "day"]);
quote!(json, [serialize(json)], []);
quote!(salted, [salt(shards = 64, of(symbol))], []);

#[test]
fn keys_and_qualifiers_are_those_of_the_readme() {
    let (key, qualifier, _) = cells::written();
    assert_eq!((&*key, &*qualifier), ("NASDAQ#ZXZZT#20150316", "bid"));
    let (key, qualifier, _) = columns::written();
    assert_eq!(
        (&*key, &*qualifier),
        ("NASDAQ#ZXZZT#20150316", "bid:71612156")
    );
    let (key, _, value) = json::written();
    assert_eq!(key, "NASDAQ#ZXZZT#1426535612156");
    assert_eq!(value, br#"{"bid":600.55,"bid_size":500}"#);
    assert_eq!(salted::written().0, "09#NASDAQ#ZXZZT#1426535612156");
}
