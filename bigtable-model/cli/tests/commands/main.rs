//! The commands, run as a user runs them: on `serve`, and on Google's emulator.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod bad_input;
mod generated;
mod models;
mod own;
mod place;
mod rows;
mod stored;
