//! Drives the test proxy like the public conformance tests do: a scripted server plays Bigtable,
//! and its requests are compared with the proxy's results.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod bulk;
mod clients;
mod concurrency;
mod deadlines;
mod driver;
mod headers;
mod mock;
mod operations;
mod reads;
mod resume;
mod retries;
mod sql;
mod writes;
