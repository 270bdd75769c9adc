//! Backends against servers that are not ours.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod cbt;
mod emulator_data;
mod emulator_tables;
mod fixture;
