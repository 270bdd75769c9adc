//! The calls of the protocol, each over all its attempts.

mod attempts;
pub(super) mod bulk;
pub(super) mod list;
pub(super) mod query;
mod remaining;
pub(super) mod rows;
pub(super) mod samples;
pub(super) mod update;
