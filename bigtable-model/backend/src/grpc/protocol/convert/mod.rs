//! Plain values to the protocol's messages and back.
//!
//! Towards the wire nothing can fail and nothing is judged: what Bigtable refuses is for Bigtable
//! to refuse. From the wire a message may lack what a value needs; that is an error with the code
//! `INVALID_ARGUMENT`, since a server meets it in what a client sent.

mod filter;
mod mutation;
mod once;
mod row;
mod row_key;
mod row_set;
mod table;

#[cfg(test)]
mod tests;

use bytes::Bytes;
use bytestring::ByteString;

use crate::{Code, Status};

/// What a message lacks or holds too much of.
pub(crate) fn invalid(message: impl Into<String>) -> Status {
    Status::new(Code::InvalidArgument, message)
}

/// A family's name, which must be text.
pub(crate) fn family_name(bytes: Bytes) -> Result<ByteString, Status> {
    ByteString::try_from(bytes).map_err(|_| invalid("a family's name is not UTF-8"))
}

/// As [`family_name`], for values that hold a `String`.
fn text(bytes: &Bytes) -> Result<String, Status> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(invalid("a family's name is not UTF-8")),
    }
}
