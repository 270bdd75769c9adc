use bytes::Bytes;

use super::{MAX_VALUE_BYTES, Takes, ValueError, samples};

/// Encodes values of type `T` for cells, and decodes them.
///
/// A model's column uses [`Native`] unless its attribute names another: `text`, `json`, or
/// `with = ...` with your own type:
///
/// ```
/// use bigtable_model::value::{CellCodec, ValueError, decode_cell, encode_cell};
///
/// #[derive(Debug, PartialEq)]
/// enum Side {
///     Bid,
///     Ask,
/// }
///
/// /// One letter for the side: `#[bigtable(column = "SIDE", with = Letter)]`.
/// struct Letter;
///
/// impl CellCodec<Side> for Letter {
///     const NAME: &'static str = "side-letter";
///
///     fn encode(value: &Side, out: &mut Vec<u8>) -> Result<(), ValueError> {
///         out.push(match value {
///             Side::Bid => b'B',
///             Side::Ask => b'A',
///         });
///         Ok(())
///     }
///
///     fn decode(bytes: &[u8]) -> Result<Side, ValueError> {
///         match bytes {
///             b"B" => Ok(Side::Bid),
///             b"A" => Ok(Side::Ask),
///             other => Err(ValueError::malformed("`B` or `A`", other)),
///         }
///     }
/// }
///
/// let cell = encode_cell::<Letter, Side>(&Side::Ask)?;
/// assert_eq!(cell, "A");
/// assert_eq!(decode_cell::<Letter, Side>(&cell)?, Side::Ask);
///
/// let error = decode_cell::<Letter, Side>(b"C").unwrap_err();
/// assert_eq!(error.to_string(), "expected `B` or `A`, got 1 byte \"C\"");
/// # Ok::<(), ValueError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot write `{T}` into a cell",
    label = "not a codec for `{T}`",
    note = "`text` needs `Display` and `FromStr`, `json` needs serde's `Serialize` and `Deserialize`",
    note = "or write a codec: `impl CellCodec<{T}>` for a type of your own and name it by `with = ...`"
)]
pub trait CellCodec<T> {
    /// The name of the stored form. It is part of the model's schema, where a new name is a change
    /// of layout: keep it while the bytes keep their meaning.
    const NAME: &'static str;

    /// Appends the value's bytes.
    ///
    /// # Errors
    /// If a cell cannot hold the value; `out` may then hold a part of it.
    fn encode(value: &T, out: &mut Vec<u8>) -> Result<(), ValueError>;

    /// The bytes that [`encode`](CellCodec::encode) appends, if the value already has them. Long
    /// values are then not copied, and live as long as a write or a memory backend holds them.
    fn shared(value: &T) -> Option<&Bytes> {
        let _ = value;
        None
    }

    /// Decodes the value from exactly its bytes. It must not panic for any bytes.
    ///
    /// # Errors
    /// If [`encode`](CellCodec::encode) writes these bytes for no value.
    fn decode(bytes: &[u8]) -> Result<T, ValueError>;

    /// Like [`decode`](CellCodec::decode), for 4 KiB and more. The value may share `bytes`, which
    /// keeps all bytes of the same message in memory.
    ///
    /// # Errors
    /// Those of [`decode`](CellCodec::decode), which it calls by default.
    fn decode_shared(bytes: &Bytes) -> Result<T, ValueError> {
        Self::decode(bytes)
    }

    /// Sample values, whose bytes a [lock file](crate::lock) keeps, to detect a codec that changes
    /// what it writes. By default, the values that some common bytes decode to.
    fn samples() -> Vec<T> {
        samples::read_by(Self::decode)
    }

    /// Which values of the form the type takes, for programs that write it without the type. By
    /// default only code decides, and such programs write none.
    fn takes() -> Takes {
        Takes::Own
    }
}

/// The native form of a type, for columns without a codec. The [module](super) lists the forms.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in a cell",
    label = "no native form",
    note = "integers up to 64 bits, floats, `bool`, `char`, strings, bytes, times, dates, `Uuid` and `Decimal` have one; 128-bit integers, `usize` and `isize` have none",
    note = "for a type of your own: `#[derive(CellValue)]` on a newtype or an enum without fields",
    note = "add `text` to store what `Display` writes and `FromStr` reads, `json` to store it by serde, or `with = Codec` with your own `CellCodec<{Self}>`"
)]
pub trait CellValue: Sized {
    /// The name of the native form, like [`CellCodec::NAME`].
    const NAME: &'static str;

    /// Appends the native form.
    ///
    /// # Errors
    /// If a cell cannot hold the value; `out` may then hold a part of it.
    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError>;

    /// The native form, if the value already has it, like [`CellCodec::shared`].
    fn shared_value(&self) -> Option<&Bytes> {
        None
    }

    /// Decodes the value from exactly its native form.
    ///
    /// # Errors
    /// If the bytes are not the native form of any value.
    fn decode_value(bytes: &[u8]) -> Result<Self, ValueError>;

    /// Decodes long bytes, which the value may share, like [`CellCodec::decode_shared`].
    ///
    /// # Errors
    /// Those of [`decode_value`](CellValue::decode_value).
    fn decode_shared_value(bytes: &Bytes) -> Result<Self, ValueError> {
        Self::decode_value(bytes)
    }

    /// Sample values, like [`CellCodec::samples`].
    fn samples() -> Vec<Self> {
        samples::read_by(Self::decode_value)
    }

    /// Which values the type takes, like [`CellCodec::takes`].
    fn takes() -> Takes {
        Takes::Own
    }
}

/// The default codec of columns: the type's own [`CellValue`].
#[derive(Debug, Clone, Copy)]
pub struct Native;

impl<T: CellValue> CellCodec<T> for Native {
    const NAME: &'static str = T::NAME;

    fn encode(value: &T, out: &mut Vec<u8>) -> Result<(), ValueError> {
        value.encode_value(out)
    }

    fn shared(value: &T) -> Option<&Bytes> {
        value.shared_value()
    }

    fn decode(bytes: &[u8]) -> Result<T, ValueError> {
        T::decode_value(bytes)
    }

    fn decode_shared(bytes: &Bytes) -> Result<T, ValueError> {
        T::decode_shared_value(bytes)
    }

    fn samples() -> Vec<T> {
        T::samples()
    }

    fn takes() -> Takes {
        T::takes()
    }
}

/// Encodes a cell's value with codec `C`.
///
/// # Errors
/// Errors of the codec, and [`ValueError::TooLong`] with any codec.
pub fn encode_cell<C: CellCodec<T>, T>(value: &T) -> Result<Bytes, ValueError> {
    let mut out = Vec::new();
    C::encode(value, &mut out)?;
    check_length(out.len())?;
    Ok(out.into())
}

/// Decodes a cell's value with codec `C`.
///
/// # Errors
/// The codec's.
pub fn decode_cell<C: CellCodec<T>, T>(bytes: &[u8]) -> Result<T, ValueError> {
    C::decode(bytes)
}

/// Appends bytes unchanged, unless they are too many for a cell.
pub(super) fn append(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), ValueError> {
    check_length(bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

pub(super) fn check_length(bytes: usize) -> Result<(), ValueError> {
    if bytes > MAX_VALUE_BYTES {
        return Err(ValueError::TooLong { bytes });
    }
    Ok(())
}

/// The bytes as UTF-8.
pub(super) fn utf8<'a>(bytes: &'a [u8], expected: &'static str) -> Result<&'a str, ValueError> {
    std::str::from_utf8(bytes).map_err(|_| ValueError::malformed(expected, bytes))
}

/// Replaces `json` without the feature of that name: it supports no type, and its name appears in
/// the compiler's message.
#[cfg(not(feature = "json"))]
#[derive(Debug)]
pub struct JsonFeatureIsOff;
