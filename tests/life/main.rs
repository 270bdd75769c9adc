//! Stored rows outlive the code: what each change of a model does to rows that are stored, as the
//! lock says, and as reading them shows.

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
mod keys;
mod payloads;
mod prove;
mod rollups;
mod times;
