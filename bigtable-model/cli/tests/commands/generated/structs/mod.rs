//! The files that `BLESS=1` writes.
#![allow(
    unreachable_pub,
    reason = "a user has them in a module of his own"
)]

pub(crate) mod balloon;
pub(crate) mod battery;
pub(crate) mod examples;
pub(crate) mod games;
pub(crate) mod garden;
pub(crate) mod market;
pub(crate) mod meter;
pub(crate) mod more_strangers;
pub(crate) mod server;
pub(crate) mod stock;
pub(crate) mod strangers;
