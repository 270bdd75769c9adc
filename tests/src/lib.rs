//! What the tests share.

pub mod emulator;
