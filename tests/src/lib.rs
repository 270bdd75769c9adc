//! Shared code of the tests.

pub mod aging;
pub mod canned;
pub mod emulator;
pub mod proxy;
pub mod quote;
pub mod runs;
