//! What the tests share.

pub mod emulator;
pub mod proxy;
pub mod quote;
