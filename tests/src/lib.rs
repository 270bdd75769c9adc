//! Shared code of the tests.

pub mod canned;
pub mod emulator;
pub mod proxy;
pub mod quote;
