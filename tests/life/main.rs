//! Stored rows outlive the code: what each change of a model does to rows that are stored, as the
//! lock says, and as reading them shows.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod aliases;
mod buckets;
mod columns;
mod file;
mod keys;
mod payloads;
mod prove;
mod times;
