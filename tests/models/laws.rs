//! The laws, checked like a user would: one line for each model.

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::testing::check_laws;
use bigtable_model::testing::check_queries;
use bigtable_model::{KeySegment, Model, Timestamp};
use bigtable_model_tests::emulator::Emulator;

use crate::formats::{Log, Shift};
use crate::keys::All;
use crate::market::{Quote, Trade};

#[derive(Debug, Clone, PartialEq, KeySegment)]
enum Venue {
    Nasdaq,
    Nyse,
}

/// A salt in front, an identifier after the bucket, zoned times that are rounded down.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "ORDERS",
    family = "O",
    prefix = "O",
    layout = "cells",
    salt(shards = 7, of(venue, at))
)]
struct Order {
    #[bigtable(key)]
    venue: Venue,
    #[bigtable(time, bucket = "day", zone = "Europe/Berlin", unit = "s", truncate)]
    at: Timestamp,
    #[bigtable(key)]
    number: i32,
    price: f64,
    note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LEVEL", family = "L", layout = "columns", marker = "EVENT")]
struct Level {
    #[bigtable(key, escape)]
    place: String,
    #[bigtable(time, bucket = "15m", unit = "ms", reverse)]
    at: Timestamp,
    high: Option<f64>,
    low: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "STATE", family = "S", layout = "qualifiers")]
struct State {
    #[bigtable(key)]
    device: [u8; 4],
    #[bigtable(time, bucket = "month", label = "{n}", origin = "2024-01-01")]
    at: Timestamp,
    #[bigtable(text)]
    state: u8,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TICK", family = "T")]
struct Tick {
    #[bigtable(time, unit = "ms", salt(shards = 12, of(at)))]
    at: Timestamp,
    value: f64,
}

/// Hot series are spread, of which an identifier after the bucket names a part.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "DEAL",
    family = "D",
    layout = "cells",
    salt(shards = 9, of(symbol, at, number), hot(symbol("AAPL" = 9, "TSLA" = 3)))
)]
struct Deal {
    #[bigtable(key, width = 6)]
    symbol: String,
    #[bigtable(time, bucket = "day", unit = "s", truncate)]
    at: Timestamp,
    #[bigtable(key)]
    number: i32,
    price: f64,
}

/// A row for each event of a series, which is hot or not.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "TAPE",
    family = "T",
    salt(shards = 7, first = 1, of(symbol, at), hot(symbol("BRK.B" = 2, "SPY" = 5)))
)]
struct Tape {
    #[bigtable(key, escape)]
    symbol: String,
    #[bigtable(time, unit = "ms", reverse)]
    at: Timestamp,
    price: f64,
}

/// A table for each week, in the zone of the buckets, with a salt in the key.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "LOAD-{at:%G-W%V}.week",
    family = "L",
    layout = "cells",
    salt(shards = 3, of(host, at))
)]
struct Load {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "day", zone = "Europe/Berlin")]
    at: Timestamp,
    load: f64,
}

/// A table for each hour, with a row for each event; an identifier follows the time.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "CALL_{at:%Y%m%d%H}", family = "C", allow(time_first))]
struct Call {
    #[bigtable(time, unit = "s", truncate)]
    at: Timestamp,
    #[bigtable(key, width = 4)]
    number: u16,
    seconds: u32,
}

/// Events are kept for a month; the law's are older.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ALERT", family = "A", layout = "cells", gc(max_age = "30d"))]
struct Alert {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    level: u32,
}

/// The newest two events of a bucket are kept.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "LAST",
    family = "L",
    layout = "cells",
    gc(max_versions = 2),
    allow(dropped_events)
)]
struct Last {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    level: u32,
}

#[test]
fn laws_hold() {
    check_laws::<Alert>();
    check_laws::<Last>();
    check_laws::<Load>();
    check_laws::<Call>();
    check_laws::<Log>();
    check_laws::<Shift>();

    check_laws::<Quote>();
    check_laws::<Trade>();
    check_laws::<All>();
    check_laws::<Order>();
    check_laws::<Deal>();
    check_laws::<Tape>();
    check_laws::<Level>();
    check_laws::<State>();
    check_laws::<Tick>();
}

/// The law of queries on Google's emulator, with fewer queries.
#[tokio::test]
async fn queries_hold_on_the_emulator() {
    let Some(emulator) = Emulator::shared() else {
        return;
    };
    let settings = GrpcSettings::new("laws", "queries").emulator(emulator.address());
    let db = GrpcBackend::new(&settings).unwrap();
    check_queries::<Trade>(&db, 2).await;
    check_queries::<Order>(&db, 2).await;
    check_queries::<Level>(&db, 2).await;
    check_queries::<State>(&db, 2).await;
    check_queries::<Tick>(&db, 2).await;
    check_queries::<Load>(&db, 2).await;
    check_queries::<Call>(&db, 1).await;
}
