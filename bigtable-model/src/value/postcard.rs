use std::any::type_name;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::codec::check_length;
use super::payload::{append_postcard, take_postcard};
use super::{CellCodec, ValueError};

/// Values as postcard (`#[bigtable(with = Postcard)]`), with serde.
///
/// Fields are read by position, so a value is refused if `skip_serializing_if` leaves one out.
/// Enums and structs that serde recognises by their contents (`untagged`, `flatten`, `tag = "..."`)
/// cannot be read at all: do not store them in this form.
///
/// A value nested more than 127 levels deep, where a `Some` is a level too, is refused, written or
/// read; so is one with over 65,536 more elements in its lists than bytes, such as a long
/// `Vec<()>`.
#[derive(Debug, Clone, Copy)]
pub struct Postcard;

#[diagnostic::do_not_recommend] // The message of `CellCodec` says more than the bound that is not met.
impl<T: Serialize + DeserializeOwned> CellCodec<T> for Postcard {
    const NAME: &'static str = "postcard";

    fn encode(value: &T, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let before = out.len();
        append_postcard(value, out).map_err(|error| ValueError::refused("postcard", error))?;
        check_length(out.len() - before)
    }

    fn decode(bytes: &[u8]) -> Result<T, ValueError> {
        let expected = |reason: &dyn std::fmt::Display| {
            let expected = format!("the postcard of {} ({reason})", type_name::<T>());
            ValueError::malformed(expected, bytes)
        };
        match take_postcard(bytes) {
            Ok((value, [])) => Ok(value),
            Ok(_) => Err(expected(&"bytes follow it")),
            Err(error) => Err(expected(&error)),
        }
    }
}
