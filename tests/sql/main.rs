//! Queries in SQL, on a server that plays what a test tells it: each line of what a client must do
//! has a test.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod answers;
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
