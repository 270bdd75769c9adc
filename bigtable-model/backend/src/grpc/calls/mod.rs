//! The calls of the protocol, each over all its attempts.

pub(super) mod bulk;
pub(super) mod client;
pub(super) mod list;
mod remaining;
pub(super) mod rows;
