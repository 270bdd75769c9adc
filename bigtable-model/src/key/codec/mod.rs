//! Whole keys from values to bytes and back, by generated code and by a layout.

pub(super) mod describe;
mod dynamic;
pub(crate) mod label;
mod layout;
pub(super) mod range;
pub(super) mod reader;
pub(super) mod salted;
mod text;
mod time;
pub(super) mod writer;
