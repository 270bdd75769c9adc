//! Models whose rows are packed: reads return what they would return without packing, whoever
//! writes and packs meanwhile.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    missing_docs,
    unreachable_pub,
    reason = "a test may panic, and knows its numbers"
)]

// Its macro makes the models of others too.
#[macro_use]
mod kinds;

mod backfill;
mod changed;
mod clusters;
mod gone;
mod guard;
mod jobs;
mod maps;
mod mirrored;
mod oracle;
mod turns;
mod versions;
mod world;
