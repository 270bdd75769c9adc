//! Operations on series, each compared with a brute-force computation over the same events in
//! 10,000 random cases.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an oracle counts in small numbers"
)]

mod backends;
mod cuts;
mod events;
mod fills;
mod joins;
mod many;
mod memory;
mod moving;
mod ranges;
mod refused;
mod rollups;
mod states;
mod windows;
