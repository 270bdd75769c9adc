//! Derived models: keys, cells, queries, updates.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    unreachable_pub
)]

mod columns;
mod entity;
mod generics;
mod hygiene;
mod keys;
mod laws;
mod layouts;
mod market;
mod periods;
mod projections;
mod queries;
mod readme;
mod reference;
mod salted;
mod serialized;
mod support;
mod swap;
mod updates;
mod wide;
