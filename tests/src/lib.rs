//! What the tests share.

pub mod quote_key;
