//! Derived models: keys, cells, queries, updates.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    unreachable_pub
)]

mod any_name;
mod audit;
mod by_name;
mod changes;
mod columns;
mod conditions;
mod counted;
mod dates;
mod deletes;
mod entity;
mod expired;
mod forget;
mod formats;
mod generics;
mod handlers;
mod history;
mod hygiene;
mod inserts;
mod keys;
mod kinds;
mod latest;
mod laws;
mod layouts;
mod maps;
mod market;
mod mirrors;
mod named;
mod natural;
mod page_keys;
mod partitions;
mod periods;
mod projections;
mod proto;
mod queries;
mod readme;
mod reference;
mod salted;
mod samples;
mod sensitive;
mod serialized;
mod sought;
mod stored;
mod strays;
mod structured;
mod support;
mod swap;
mod tables;
mod ties;
mod updates;
mod values;
mod versions;
mod watched;
mod wide;
mod written;
mod zones;
