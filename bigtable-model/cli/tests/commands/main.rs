//! The commands, run as a user runs them: on `serve`, and on Google's emulator.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "tests"
)]

mod bad_input;
mod generated;
mod messages;
mod models;
mod own;
mod packed;
mod place;
mod rows;
mod stored;
