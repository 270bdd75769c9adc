//! Weather balloons: the four published patterns.

use bigtable_model::{Model, Timestamp};
use rust_decimal::Decimal;

use super::{at, decimal, reproduces};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "BALLOON_QUALIFIERS",
    family = "measurements",
    layout = "qualifiers"
)]
struct Value {
    #[bigtable(key)]
    location: String,
    #[bigtable(key, width = 4)]
    balloon: u16,
    #[bigtable(key)]
    metric: String,
    #[bigtable(time, bucket = "week", label = "week{n}", origin = "2021-03-01")]
    at: Timestamp,
    #[bigtable(text)]
    value: u32,
}

#[tokio::test]
async fn columns_per_event() {
    let values = [("12:00", 94558), ("12:01", 94122), ("12:02", 95992)];
    let events = values.map(|(time, value)| Value {
        location: "us-west2".into(),
        balloon: 3698,
        metric: "pressure".into(),
        at: at(&format!("2021-03-05T{time}Z")),
        value,
    });
    reproduces("balloon-columns-per-event", &events).await;
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BALLOON_CELLS", family = "measurements", layout = "cells")]
struct Measurement {
    #[bigtable(key)]
    location: String,
    #[bigtable(key, width = 4)]
    balloon: u16,
    #[bigtable(time, bucket = "week", label = "week{n}", origin = "2021-03-01")]
    at: Timestamp,
    #[bigtable(text)]
    pressure: u32,
    #[bigtable(text)]
    temp: Decimal,
}

#[tokio::test]
async fn cells_per_event() {
    let values = [
        ("12:00", 94558, "9.5"),
        ("12:01", 94122, "9.4"),
        ("12:02", 95992, "9.2"),
    ];
    let events = values.map(|(time, pressure, temp)| Measurement {
        location: "asia-south2".into(),
        balloon: 3698,
        at: at(&format!("2021-03-05T{time}Z")),
        pressure,
        temp: decimal(temp),
    });
    reproduces("balloon-cells-per-event", &events).await;
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "BALLOON_SERIALIZED",
    family = "measurements",
    serialize(json, column = "measurements_blob")
)]
struct Serialized {
    #[bigtable(key)]
    location: String,
    #[bigtable(key, width = 4)]
    balloon: u16,
    #[bigtable(time, format = "%Y-%m-%d-%H%M")]
    at: Timestamp,
    pressure: u32,
    temperature: f64,
    humidity: Option<u8>,
}

#[tokio::test]
async fn serialized() {
    let events = ["12:00", "12:01", "12:02", "12:03"].map(|time| Serialized {
        location: "us-west2".into(),
        balloon: 3698,
        at: at(&format!("2021-03-05T{time}Z")),
        pressure: 94558,
        temperature: 9.6,
        humidity: Some(61),
    });
    reproduces("balloon-serialized", &events).await;
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BALLOON", family = "measurements")]
struct Balloon {
    #[bigtable(key)]
    location: String,
    #[bigtable(key, width = 4)]
    balloon: u16,
    #[bigtable(time, format = "%Y-%m-%d-%H%M")]
    at: Timestamp,
    #[bigtable(text)]
    pressure: u32,
    #[bigtable(text)]
    temperature: Decimal,
    #[bigtable(text)]
    humidity: u8,
    #[bigtable(text)]
    altitude: u32,
}

#[tokio::test]
async fn unserialized() {
    let values = [
        ("12:00", 94558, "9.6", 61, 612),
        ("12:01", 94122, "9.7", 62, 611),
        ("12:02", 95992, "9.5", 58, 602),
        ("12:03", 96025, "9.5", 66, 598),
        ("12:04", 96021, "9.6", 63, 624),
    ];
    let events = values.map(
        |(time, pressure, temperature, humidity, altitude)| Balloon {
            location: "us-west2".into(),
            balloon: 3698,
            at: at(&format!("2021-03-05T{time}Z")),
            pressure,
            temperature: decimal(temperature),
            humidity,
            altitude,
        },
    );
    reproduces("balloon-unserialized", &events).await;
}

/// The bucket before all identifiers, which is refused unless allowed.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "WEEK_FIRST",
    family = "measurements",
    layout = "cells",
    allow(time_first)
)]
struct WeekFirst {
    #[bigtable(time, bucket = "week", label = "week{n}", origin = "2021-03-01")]
    at: Timestamp,
    #[bigtable(key)]
    location: String,
    #[bigtable(key, width = 4)]
    balloon: u16,
    #[bigtable(text)]
    pressure: u32,
}

#[test]
fn the_week_first() {
    let event = WeekFirst {
        at: at("2021-03-05T12:00Z"),
        location: "asia-south2".into(),
        balloon: 3698,
        pressure: 94558,
    };
    assert_eq!(event.key().encode().unwrap(), b"week1#asia-south2#3698");
}
