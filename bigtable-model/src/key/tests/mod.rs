#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may panic"
)]

mod golden;
mod hot;
mod layouts;
mod order;
mod ranges;
mod refused;
mod salted;
pub(crate) mod strategies;
mod structured;
mod typed;
