//! Plain values to the protocol's messages and back.
//!
//! Encoding cannot fail and checks nothing: Bigtable itself refuses what it does not accept. A
//! decoded message may lack what a value needs; that is an error with the code `INVALID_ARGUMENT`,
//! since a server finds it in a client's request.

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

/// An error for a message that lacks something or has too much.
pub(crate) fn invalid(message: impl Into<String>) -> Status {
    Status::new(Code::InvalidArgument, message)
}

/// A family's name, which must be text.
pub(crate) fn family_name(bytes: Bytes) -> Result<ByteString, Status> {
    ByteString::try_from(bytes).map_err(|_| invalid("a family's name is not UTF-8"))
}

/// Like [`family_name`], for values that hold a `String`.
fn text(bytes: &Bytes) -> Result<String, Status> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(invalid("a family's name is not UTF-8")),
    }
}
