use std::any::type_name;
use std::fmt::{Display, Write};
use std::str::FromStr;

use bytes::Bytes;

use super::codec::{check_length, utf8};
use super::{CellCodec, ValueError};

/// Values as text (`#[bigtable(column = "BID", text)]`): what `Display` writes and `FromStr` reads.
///
/// ```
/// use bigtable_model::value::{Text, ValueError, decode_cell, encode_cell};
/// let cell = encode_cell::<Text, f64>(&600.55)?;
/// assert_eq!(cell, "600.55");
/// assert_eq!(decode_cell::<Text, f64>(&cell)?, 600.55);
/// # Ok::<(), ValueError>(())
/// ```
///
/// A type whose `FromStr` does not read back what `Display` writes loses what its text loses.
#[derive(Debug, Clone, Copy)]
pub struct Text;

#[diagnostic::do_not_recommend] // The message of `CellCodec` says more than the bound that is not met.
impl<T> CellCodec<T> for Text
where
    T: Display + FromStr<Err: Display>,
{
    const NAME: &'static str = "text";

    fn encode(value: &T, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let before = out.len();
        write!(Appending(out), "{value}")
            .map_err(|_| ValueError::refused("text", "its Display failed"))?;
        check_length(out.len() - before)
    }

    fn decode(bytes: &Bytes) -> Result<T, ValueError> {
        utf8(bytes, "text in UTF-8")?.parse().map_err(|error| {
            let expected = format!("the text of {} ({error})", type_name::<T>());
            ValueError::malformed(expected, bytes)
        })
    }
}

/// Formats straight into the bytes of a cell.
struct Appending<'a>(&'a mut Vec<u8>);

impl Write for Appending<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
