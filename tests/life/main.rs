//! Stored rows outlive the code: what each change of a model does to stored rows, according to the
//! lock and to actual reads.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test may panic, and knows its numbers"
)]

mod aliases;
mod buckets;
mod columns;
mod file;
mod hot;
mod keys;
mod payloads;
mod prove;
mod rollups;
mod times;
