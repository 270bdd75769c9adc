//! What `generate` proposes.
#![allow(dead_code, unused_imports, reason = "as a user has them")]

pub(crate) mod logins {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{at:rev 019ms}` in table LOGINS.
///
/// It reads 30 of 30 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LOGINS", family = "e", cell_time = "write")]
pub struct Logins {
    /// 6 values.
    #[bigtable(key)]
    pub part_1: String,
    /// Sure: 30 values, all times from 1990 to 2050, counted from the end.
    #[bigtable(time, unit = "ms", width = 19, reverse)]
    pub at: Timestamp,
    /// Sure: text.
    pub ip: String,
    /// Sure: `true` and `false`.
    #[bigtable(text)]
    pub ok: bool,
}
}

pub(crate) mod devices {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{part_2}#{at:%Y%m%dT%H%M%S}` in table DEVICES.
///
/// It reads 36 of 36 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "DEVICES", family = "d", cell_time = "write")]
pub struct Devices {
    /// 6 values.
    #[bigtable(key)]
    pub part_1: String,
    /// 6 values.
    #[bigtable(key)]
    pub part_2: String,
    /// Sure: 6 values, all dates from 1990 to 2050.
    #[bigtable(time, format = "%Y%m%dT%H%M%S")]
    pub at: Timestamp,
    /// Sure: text.
    pub state: String,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub volts: f64,
}
}

pub(crate) mod orders {
use bigtable_model::Model;

/// Keys `{id:uuid}` in table ORDERS.
///
/// It reads 20 of 20 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ORDERS", family = "o")]
pub struct Orders {
    /// Sure: 20 values.
    #[bigtable(key)]
    pub id: uuid::Uuid,
    /// Sure: text, in 5 of 20 rows.
    pub coupon: Option<String>,
    /// Sure: text.
    pub currency: String,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub total_cents: i64,
}
}

pub(crate) mod payloads {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1:<7}|{at:010s}` in table PAYLOADS.
///
/// It reads 24 of 24 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PAYLOADS", family = "p", separator = "|", cell_time = "write")]
pub struct Payloads {
    /// A guess: 3 values of one width, with characters that sort before the separator `|`, so that another width is not read.
    #[bigtable(key, width = 7)]
    pub part_1: String,
    /// Sure: 24 values, all times from 1990 to 2050.
    #[bigtable(time, unit = "s")]
    pub at: Timestamp,
    /// Sure: text.
    pub flag: String,
    /// Sure: text.
    pub payload: String,
}
}

pub(crate) mod app {
use bigtable_model::{Model, Timestamp};

/// Keys `user#{part_1:04}` in table APP.
///
/// It reads 8 of 8 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "APP", family = "a", prefix = "user")]
pub struct AppUser {
    /// Sure: 8 values, all digits of one width with leading zeros.
    #[bigtable(key, width = 4)]
    pub part_1: u32,
    /// Sure: text.
    pub mail: String,
    /// Sure: text.
    pub name: String,
}

/// Keys `order#{part_1:04}#{at:010s}` in table APP.
///
/// It reads 24 of 24 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "APP", family = "a", prefix = "order", cell_time = "write")]
pub struct AppOrder {
    /// Sure: 8 values, all digits of one width with leading zeros.
    #[bigtable(key, width = 4)]
    pub part_1: u32,
    /// Likely: 3 values, all times from 1990 to 2050.
    #[bigtable(time, unit = "s")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub total: f64,
}

/// Keys `{part_1}` in table APP.
///
/// It reads 1 of 1 sampled row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "APP", family = "a")]
pub struct AppOther2 {
    /// One value.
    #[bigtable(key)]
    pub part_1: String,
    /// Sure: JSON.
    #[bigtable(json)]
    pub json: serde_json::Value,
}
}

pub(crate) mod binary {
use bigtable_model::Model;

/// Keys `{part_1:bytes}` in table BINARY.
///
/// It reads 24 of 24 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BINARY", family = "b")]
pub struct Binary {
    /// 24 values that are no text.
    #[bigtable(key)]
    pub part_1: Vec<u8>,
    /// Likely: 8 bytes, big-endian, near 0.
    pub count: i64,
    /// Likely: 8 bytes, as a number neither huge nor tiny.
    pub level: f64,
}
}
