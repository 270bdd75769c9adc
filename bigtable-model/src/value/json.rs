use std::any::type_name;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::codec::check_length;
use super::lossless::append_json;
use super::{CellCodec, ValueError};

/// Values as JSON (`#[bigtable(column = "TAGS", json)]`), without spaces, with serde.
///
/// ```
/// use bigtable_model::value::{Json, ValueError, decode_cell, encode_cell};
/// let tags = vec!["roof".to_owned(), "north".to_owned()];
/// let cell = encode_cell::<Json, _>(&tags)?;
/// assert_eq!(cell, r#"["roof","north"]"#);
/// assert_eq!(decode_cell::<Json, Vec<String>>(&cell)?, tags);
/// # Ok::<(), ValueError>(())
/// ```
///
/// Values that would not be read back are refused, at any depth: NaN and infinite numbers, which
/// JSON lacks; a `Some` of a value that is `null` in JSON, such as `Some(None)`, which would be
/// read as `None`; values nested more than 127 levels deep. Floats are read back bit for bit.
#[derive(Debug, Clone, Copy)]
pub struct Json;

#[diagnostic::do_not_recommend] // The message of `CellCodec` says more than the bound that is not met.
impl<T: Serialize + DeserializeOwned> CellCodec<T> for Json {
    const NAME: &'static str = "json";

    fn encode(value: &T, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let before = out.len();
        append_json(value, false, out).map_err(|error| ValueError::refused("JSON", error))?;
        check_length(out.len() - before)
    }

    fn decode(bytes: &[u8]) -> Result<T, ValueError> {
        serde_json::from_slice(bytes).map_err(|error| {
            let expected = format!("the JSON of {} ({error})", type_name::<T>());
            ValueError::malformed(expected, bytes)
        })
    }
}
