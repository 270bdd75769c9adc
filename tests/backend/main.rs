//! Backends on Google's emulator, on our own server, and on servers that misbehave on demand.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod batching;
mod batching_entries;
mod breaking;
mod cbt;
mod connections;
mod eagerness;
mod emulator_data;
mod emulator_tables;
mod figures;
mod fixture;
mod http2;
mod malformed;
mod mutated;
mod read_stats;
mod refused;
mod resets;
mod restarts;
mod scan_memory;
mod schema;
mod scripted;
mod scripted_bulk;
mod scripted_calls;
mod scripted_channels;
mod scripted_flow;
mod scripted_lists;
mod scripted_reads;
mod scripted_retries;
mod scripted_views;
mod server;
mod settings;
mod spans;
mod suite;
mod timeouts;
mod turns;
mod unasked;
mod unconnected;
mod unheeded;
