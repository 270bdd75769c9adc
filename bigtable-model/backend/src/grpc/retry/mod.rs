//! Attempts of one operation, the pauses between them and its deadline.

mod backoff;
pub(super) mod operation;
