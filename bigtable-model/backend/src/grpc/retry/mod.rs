//! Attempts of one operation, the pauses between them and its deadline.

pub(super) mod backoff;
pub(super) mod deadline;
pub(super) mod operation;
pub(super) mod window;
