//! The test proxy, driven as the public conformance tests drive it: a server that answers as told
//! stands for Bigtable, and what it saw is compared with what the proxy returned.

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
