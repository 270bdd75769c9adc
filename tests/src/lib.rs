//! What the tests share.

pub mod canned;
pub mod emulator;
pub mod proxy;
pub mod quote;
