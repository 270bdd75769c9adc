//! The output of the derives for reference structs, as files to review. `BLESS=1 cargo test -p
//! bigtable-derive` writes them anew.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod names;

use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::DeriveInput;

use crate::errors::Errors;
use crate::syntax::StandsIn;
use crate::{check, emit, syntax};

fn assert_snapshot(name: &str, tokens: TokenStream) {
    let file = syn::parse2(tokens).unwrap_or_else(|error| panic!("{name} is no Rust: {error}"));
    let code = prettyplease::unparse(&file);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/snapshots/{name}.rs"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &code).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        code == expected,
        "{} is not what the derive writes: review it after `BLESS=1 cargo test -p bigtable-derive`",
        path.display()
    );
}

fn expand(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let raw = syntax::model(input, &mut errors).unwrap();
    let model = check::model(raw, &mut errors).unwrap();
    assert!(errors.is_empty());
    errors.report_beside(Some(emit::model(&model, true)))
}

/// Identifiers, literals, punctuation characters and both ends of groups.
fn number_of(tokens: TokenStream) -> usize {
    let each = |token| match token {
        TokenTree::Group(group) => 2 + number_of(group.stream()),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => 1,
    };
    tokens.into_iter().map(each).sum()
}

/// What the compiler has to read, resolve and check for each model.
#[test]
fn a_model_of_five_fields_takes_few_tokens() {
    let tokens = number_of(expand(&five_fields()));
    assert!(tokens <= 5_000, "{tokens} tokens");
}

#[test]
fn quote() {
    assert_snapshot("quote", expand(&five_fields()));
}

fn five_fields() -> DeriveInput {
    syn::parse_quote! {
        /// A quote.
        #[bigtable(table = "QUOTE", family = "MD")]
        pub struct Quote {
            #[bigtable(key, width = 6)]
            exchange: String,
            /// The ticker symbol.
            #[bigtable(key, escape, column = "SYMBOL", text)]
            symbol: String,
            #[bigtable(time, unit = "ms")]
            at: Timestamp,
            #[bigtable(column = "BID", text)]
            bid: Decimal,
            #[bigtable(column = "BIDSIZE")]
            bid_size: Option<u32>,
        }
    }
}

#[test]
fn metric() {
    let input = syn::parse_quote! {
        #[bigtable(table = "METRIC", family = "METRIC", prefix = "HOST", marker = "SAMPLE", cell_time = "write", crate = my::model)]
        struct Metric<V: CellValue> {
            #[bigtable(key)]
            host: Host,
            #[bigtable(time, format = "%Y%m%d-%H%M", truncate)]
            at: Timestamp,
            #[bigtable(default = zero, family = "OTHER")]
            load: f64,
            #[bigtable(columns)]
            rest: BTreeMap<String, V>,
            #[bigtable(skip)]
            note: String,
        }
    };
    assert_snapshot("metric", expand(&input));
}

#[test]
fn tick() {
    let input = syn::parse_quote! {
        /// A tick.
        #[bigtable(table = "TICK", family = "MD", layout = "columns", salt(shards = 64, of(symbol, at)), expect(every = "100ms", size = 40))]
        pub struct Tick {
            #[bigtable(time, bucket = "hour", label = "{start}", unit = "ms", truncate, reverse)]
            at: Timestamp,
            #[bigtable(key, column = "SYMBOL", text)]
            symbol: String,
            #[bigtable(column = "PRICE", text)]
            price: Decimal,
            #[bigtable(column = "SIZE")]
            size: Option<u32>,
        }
    };
    assert_snapshot("tick", expand(&input));
}

#[test]
fn balloon() {
    let input = syn::parse_quote! {
        #[bigtable(table = "BALLOON", family = "measurements", layout = "cells", serialize(json, column = "measurements_blob"))]
        struct Balloon {
            #[bigtable(key)]
            location: String,
            #[bigtable(time, bucket = "week", label = "week{n}", origin = "2021-03-01")]
            at: Timestamp,
            pressure: u32,
            #[bigtable(column = "temp", default)]
            temperature: Option<f64>,
        }
    };
    assert_snapshot("balloon", expand(&input));
}

#[test]
fn page() {
    let input = syn::parse_quote! {
        #[bigtable(table = "PAGE", family = "P")]
        struct Page {
            #[bigtable(key)]
            path: String,
            /// How often it was seen.
            #[bigtable(counter, column = "N", default)]
            views: i64,
            #[bigtable(append)]
            visitors: Option<String>,
            /// How long.
            #[bigtable(aggregate = "sum", family = "SUM")]
            seconds: i64,
        }
    };
    assert_snapshot("page", expand(&input));
}

#[test]
fn rollup() {
    let mut errors = Errors::default();
    let input = syn::parse_quote! {
        #[bigtable(table = "BAR", family = "T")]
        #[rollup(of = Trade, every = "1m", longer(every = "day", zone = "America/New_York", table = "BAR_DAY"))]
        struct Bar {
            #[bigtable(key)]
            symbol: String,
            #[bigtable(time, unit = "s")]
            start: Timestamp,
            #[rollup(count)]
            trades: u64,
            #[rollup(sum(by = turnover))]
            turnover: f64,
            #[rollup(max)]
            price: f64,
            #[rollup(with(my::Widest, spread))]
            widest: Option<f64>,
            #[bigtable(skip)]
            note: String,
        }
    };
    let code = syntax::rollup(&input, &mut errors)
        .and_then(|raw| check::rollup(raw, &mut errors))
        .map(|rollup| emit::rollup(&rollup, true));
    assert!(errors.is_empty());
    assert_snapshot("rollup", errors.report_beside(code));
}

#[test]
fn projection_and_segments() {
    let mut errors = Errors::default();
    let input = syn::parse_quote! {
        #[bigtable(model = Quote)]
        struct Bids { at: Timestamp, bid: Decimal }
    };
    let projection = syntax::projection(&input, &mut errors)
        .and_then(|raw| check::projection(raw, &mut errors))
        .map(|projection| emit::projection(&projection));
    let segment = |input: &DeriveInput, errors: &mut Errors| {
        syntax::segment(input, StandsIn::Key, errors)
            .map(|raw| check::segment(raw, StandsIn::Key, errors))
            .map(|segment| emit::segment(&segment))
    };
    let venue = syn::parse_quote! {
        enum Venue { Nasdaq, #[bigtable(name = "NYSE-ARCA")] Arca }
    };
    let symbol = syn::parse_quote! { struct Symbol(String); };
    let code = [
        projection,
        segment(&venue, &mut errors),
        segment(&symbol, &mut errors),
    ];
    assert!(errors.is_empty());
    let code = errors.report_beside(Some(code.into_iter().flatten().collect()));
    assert_snapshot("projection_and_segments", code);
}

#[test]
fn values_of_cells() {
    let mut errors = Errors::default();
    let value = |input: &DeriveInput, errors: &mut Errors| {
        syntax::segment(input, StandsIn::Cell, errors)
            .map(|raw| check::segment(raw, StandsIn::Cell, errors))
            .map(|value| emit::cell_value(&value))
    };
    let side = syn::parse_quote! {
        enum Side { Bid, #[bigtable(name = "Offer")] Ask }
    };
    let cents = syn::parse_quote! { struct Cents { inner: i64 } };
    let code = [value(&side, &mut errors), value(&cents, &mut errors)];
    assert!(errors.is_empty());
    let code = errors.report_beside(Some(code.into_iter().flatten().collect()));
    assert_snapshot("values_of_cells", code);
}

/// The server metrics of *time series*: 72 bytes of names for 26 of values, in rows that are
/// events.
#[test]
fn names_longer_than_values_are_told() {
    let model = |size: u16| {
        let input: DeriveInput = syn::parse_quote! {
            #[bigtable(table = "METRIC", family = "METRIC", expect(every = "5s", size = #size))]
            struct Metric {
                #[bigtable(key)]
                host: String,
                #[bigtable(time, unit = "ms")]
                at: Timestamp,
                #[bigtable(column = "CPU/CPU1_USR", text)]
                user: Decimal,
                #[bigtable(column = "CPU/CPU1_NICE", text)]
                nice: Decimal,
                #[bigtable(column = "IO/BLK_READ", text)]
                read: u64,
                #[bigtable(column = "MIO/BLK_WRTN", text)]
                written: u64,
            }
        };
        expand(&input).to_string()
    };
    let docs = model(26);
    assert!(
        docs.contains("A series has up to 17,280 rows a day as declared: 69,120 cells, 0.5 MB.")
    );
    assert!(docs.contains("Each event has 72 bytes of names for 26 of values"));
    assert!(!model(100).contains("bytes of names"));
}
