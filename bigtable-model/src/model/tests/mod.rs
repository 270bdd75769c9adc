#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failing test panics"
)]

mod events;
mod found;
mod golden;
mod meters;
mod strategies;
mod tables;
