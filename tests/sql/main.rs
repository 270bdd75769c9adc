//! SQL queries on a scripted server: each requirement on a client has a test.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod answers;
mod bundles;
mod closing;
mod deadlines;
mod errors;
mod made;
mod messages;
mod observed;
mod query;
mod random;
mod refresh;
mod retries;
mod row_keys;
mod stream;
mod typed;
mod values;
mod wrappers;

#[path = "../backend/scripted.rs"]
#[allow(dead_code, reason = "other calls have their tests elsewhere")]
mod scripted;
