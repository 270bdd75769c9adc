//! What the tests share.

pub mod emulator;
pub mod quote;
