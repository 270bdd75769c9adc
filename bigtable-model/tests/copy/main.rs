//! Copy jobs: killed, failing, refused, and compared with what they should have written.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "tests"
)]

mod checkpoints;
mod kills;
mod latest;
mod mortal;
mod periods;
mod tables;
mod verifying;
mod whole;
