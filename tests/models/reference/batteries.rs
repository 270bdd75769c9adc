//! Batteries of phones: a key that sends all writes to one node, and two solutions.

use bigtable_model::{Model, Timestamp};

use super::{at, reproduces, reproduces_masked};

const STATES: [(&str, &str, u8); 5] = [
    ("001", "Corrie", 98),
    ("002", "Jo", 54),
    ("003", "Corrie", 96),
    ("004", "Sam", 43),
    ("005", "Sam", 38),
];

fn time(millis: &str) -> Timestamp {
    at(&format!("2015-03-01T12:45:01.{millis}Z"))
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "BATTERY",
    family = "METRIC",
    prefix = "BATTERY",
    allow(time_first)
)]
struct Hotspot {
    #[bigtable(time, format = "%Y%m%d%H%M%S%3f")]
    at: Timestamp,
    #[bigtable(column = "USER")]
    user: String,
    #[bigtable(column = "PERCENTAGE", text)]
    percentage: u8,
}

#[tokio::test]
async fn hotspot() {
    let events = STATES.map(|(millis, user, percentage)| Hotspot {
        at: time(millis),
        user: user.into(),
        percentage,
    });
    reproduces("battery-hotspot", &events).await;
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BATTERY_PROMOTED", family = "METRIC", prefix = "BATTERY")]
struct Promoted {
    #[bigtable(key)]
    user: String,
    #[bigtable(time, format = "%Y%m%d%H%M%S%3f")]
    at: Timestamp,
    #[bigtable(column = "PERCENTAGE", text)]
    percentage: u8,
}

#[tokio::test]
async fn promoted() {
    let events = STATES.map(|(millis, user, percentage)| Promoted {
        user: user.into(),
        at: time(millis),
        percentage,
    });
    reproduces("battery-promoted", &events).await;
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "BATTERY_SALTED",
    family = "METRIC",
    prefix = "BATTERY",
    salt(shards = 3, of(at))
)]
struct Salted {
    #[bigtable(time, format = "%Y%m%d%H%M%S%3f")]
    at: Timestamp,
    #[bigtable(column = "USER")]
    user: String,
    #[bigtable(column = "PERCENTAGE", text)]
    percentage: u8,
}

/// Replaces the salt's digit with a placeholder.
fn mask(key: String) -> String {
    let (prefix, rest) = key.split_once('#').unwrap();
    let (salt, time) = rest.split_once('#').unwrap();
    assert!(salt.len() == 1 && salt.bytes().all(|byte| byte.is_ascii_digit()));
    format!("{prefix}#?#{time}")
}

#[tokio::test]
async fn salted() {
    let events = STATES.map(|(millis, user, percentage)| Salted {
        at: time(millis),
        user: user.into(),
        percentage,
    });
    reproduces_masked("battery-salted", &events, mask).await;
}
