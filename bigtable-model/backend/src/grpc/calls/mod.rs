//! The calls of the protocol, each over all its attempts.

mod attempts;
pub(super) mod bulk;
pub(super) mod client;
pub(super) mod list;
pub(super) mod query;
mod remaining;
pub(super) mod rows;
pub(super) mod update;
