//! Columns' values by the library's codecs.

use bytes::Bytes;

use super::event::Cell;
use super::model::Codec;
use crate::Timestamp;
use crate::value::{Native, Text, ValueError, decode_cell, encode_cell};

/// Values as the library encodes them.
pub(super) trait Encoded: Sized {
    /// The bytes of a cell.
    fn encode(self, cell: &Cell) -> Result<Bytes, ValueError>;

    /// The value in a cell.
    fn decode(self, bytes: &[u8]) -> Result<Cell, ValueError>;
}

impl Encoded for Codec {
    fn encode(self, cell: &Cell) -> Result<Bytes, ValueError> {
        match (self, cell) {
            (Self::Signed, Cell::Signed(number)) => encode_cell::<Native, _>(number),
            (Self::Unsigned, Cell::Unsigned(number)) => encode_cell::<Native, _>(number),
            (Self::Float | Self::Finite, Cell::Float(number)) => encode_cell::<Native, _>(number),
            (Self::Text, Cell::Text(text)) => encode_cell::<Native, _>(text),
            (Self::Bytes, Cell::Bytes(bytes)) => encode_cell::<Native, _>(bytes),
            (Self::Bool, Cell::Bool(is)) => encode_cell::<Native, _>(is),
            (Self::Char, Cell::Char(one)) => encode_cell::<Native, _>(one),
            (Self::Micros, Cell::Micros(micros)) => {
                encode_cell::<Native, _>(&Timestamp::from_micros(*micros))
            }
            (Self::SignedText, Cell::Signed(number)) => encode_cell::<Text, _>(number),
            (Self::FloatText, Cell::Float(number)) => encode_cell::<Text, _>(number),
            #[cfg(feature = "json")]
            (Self::Json, Cell::Pair(number, text)) => {
                encode_cell::<crate::value::Json, _>(&(*number, text.clone()))
            }
            #[cfg(feature = "postcard")]
            (Self::Postcard, Cell::Pair(number, text)) => {
                encode_cell::<crate::value::Postcard, _>(&(*number, text.clone()))
            }
            other => panic!("{other:?}"),
        }
    }

    fn decode(self, bytes: &[u8]) -> Result<Cell, ValueError> {
        Ok(match self {
            Self::Signed => Cell::Signed(decode_cell::<Native, _>(bytes)?),
            Self::Unsigned => Cell::Unsigned(decode_cell::<Native, _>(bytes)?),
            Self::Float | Self::Finite => Cell::Float(decode_cell::<Native, _>(bytes)?),
            Self::Text => Cell::Text(decode_cell::<Native, _>(bytes)?),
            Self::Bytes => Cell::Bytes(decode_cell::<Native, _>(bytes)?),
            Self::Bool => Cell::Bool(decode_cell::<Native, _>(bytes)?),
            Self::Char => Cell::Char(decode_cell::<Native, _>(bytes)?),
            Self::Micros => Cell::Micros(decode_cell::<Native, Timestamp>(bytes)?.as_micros()),
            Self::SignedText => Cell::Signed(decode_cell::<Text, _>(bytes)?),
            Self::FloatText => Cell::Float(decode_cell::<Text, _>(bytes)?),
            #[cfg(feature = "json")]
            Self::Json => {
                let (number, text) = decode_cell::<crate::value::Json, _>(bytes)?;
                Cell::Pair(number, text)
            }
            #[cfg(feature = "postcard")]
            Self::Postcard => {
                let (number, text) = decode_cell::<crate::value::Postcard, _>(bytes)?;
                Cell::Pair(number, text)
            }
            other => panic!("{other:?}"),
        })
    }
}
