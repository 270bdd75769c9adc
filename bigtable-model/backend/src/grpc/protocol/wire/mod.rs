//! The messages of Bigtable's protocol that this crate uses, for the client and for a server alike.
//!
//! Written by hand after the published `google.bigtable.v2` and `google.bigtable.admin.v2`
//! definitions: field numbers are theirs, and so are most names. Every `bytes` field is a
//! [`Bytes`](bytes::Bytes), and so is a `string` that holds a family's name: on the wire both are
//! the same, and a family's name is compared far more often than it is read. The conversions ensure
//! that sent names are UTF-8; received names are checked when they become text.
//!
//! Unknown fields are skipped when received, as protobuf requires. A server refuses those that
//! would change the meaning of a request; `preflight` lists them.

#![allow(
    missing_docs,
    reason = "fields are those of the published protocol, which says what they mean"
)]

mod admin;
mod api;
mod common;
mod data;
mod row_key;
mod sql;
mod types;

// These files declare only messages and the numbers in them.
pub use admin::*;
pub use api::*;
pub use common::*;
pub use data::*;
pub use row_key::*;
pub use sql::*;
pub use types::*;

#[cfg(test)]
mod tests;
