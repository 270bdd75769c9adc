use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;

use super::array_name::ArrayName;
use super::codec::{append, utf8};
use super::{CellValue, Takes, ValueError};

impl CellValue for bool {
    const NAME: &'static str = "bool";

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
        out.push(u8::from(*self));
        Ok(())
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
        match bytes {
            [0] => Ok(false),
            [1] => Ok(true),
            other => Err(ValueError::malformed("the byte 00 or 01", other)),
        }
    }

    fn takes() -> Takes {
        Takes::All
    }
}

impl CellValue for char {
    const NAME: &'static str = "char";

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
        append(self.encode_utf8(&mut [0; 4]).as_bytes(), out)
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
        let expected = "one character in UTF-8";
        let mut chars = utf8(bytes, expected)?.chars();
        match (chars.next(), chars.next()) {
            (Some(char), None) => Ok(char),
            _ => Err(ValueError::malformed(expected, bytes)),
        }
    }

    fn samples() -> Vec<Self> {
        vec!['A']
    }

    fn takes() -> Takes {
        Takes::All
    }
}

const UTF8: &str = "text in UTF-8";

macro_rules! strings {
    ($($type:ty),*) => {$(
        impl CellValue for $type {
            const NAME: &'static str = "utf8";

            fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
                append(self.as_bytes(), out)
            }

            fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
                utf8(bytes, UTF8).map(Self::from)
            }

            fn samples() -> Vec<Self> {
                vec![Self::from("NASDAQ")]
            }

            fn takes() -> Takes {
                Takes::All
            }
        }
    )*};
}

strings!(String, Box<str>, Arc<str>);

/// Decoding shares long bytes with the response.
impl CellValue for ByteString {
    const NAME: &'static str = "utf8";

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
        append(self.as_bytes(), out)
    }

    fn shared_value(&self) -> Option<&Bytes> {
        Some(self.as_bytes())
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
        utf8(bytes, UTF8).map(Self::from)
    }

    fn decode_shared_value(bytes: &Bytes) -> Result<Self, ValueError> {
        Self::try_from(bytes.clone()).map_err(|_| ValueError::malformed(UTF8, bytes))
    }

    fn samples() -> Vec<Self> {
        vec![Self::from_static("NASDAQ")]
    }

    fn takes() -> Takes {
        Takes::All
    }
}

macro_rules! byte_strings {
    ($($type:ty, $copy:expr;)*) => {$(
        impl CellValue for $type {
            const NAME: &'static str = "bytes";

            fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
                append(self, out)
            }

            fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
                let copy: fn(&[u8]) -> Self = $copy;
                Ok(copy(bytes))
            }

            fn samples() -> Vec<Self> {
                Self::decode_value(b"NASDAQ").into_iter().collect()
            }

            fn takes() -> Takes {
                Takes::All
            }
        }
    )*};
}

byte_strings! {
    Vec<u8>, |bytes| bytes.to_vec();
    Box<[u8]>, |bytes| Box::from(bytes);
}

/// Decoding shares long bytes with the response. Encoding shares the value's own bytes.
impl CellValue for Bytes {
    const NAME: &'static str = "bytes";

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
        append(self, out)
    }

    fn shared_value(&self) -> Option<&Bytes> {
        Some(self)
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
        Ok(Self::copy_from_slice(bytes))
    }

    fn decode_shared_value(bytes: &Bytes) -> Result<Self, ValueError> {
        Ok(bytes.clone())
    }

    fn samples() -> Vec<Self> {
        vec![Self::from_static(b"NASDAQ")]
    }

    fn takes() -> Takes {
        Takes::All
    }
}

impl<const N: usize> CellValue for [u8; N] {
    const NAME: &'static str = ArrayName::<N>::AS_STR;

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
        append(self, out)
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
        Self::try_from(bytes)
            .map_err(|_| ValueError::malformed(format!("exactly {N} bytes"), bytes))
    }

    fn samples() -> Vec<Self> {
        // The lowest byte of each index.
        vec![std::array::from_fn(|index| index.to_le_bytes()[0])]
    }

    fn takes() -> Takes {
        Takes::All
    }
}

#[cfg(feature = "uuid")]
impl CellValue for uuid::Uuid {
    const NAME: &'static str = "uuid";

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
        append(self.as_bytes(), out)
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
        Self::from_slice(bytes).map_err(|_| ValueError::malformed("a UUID of 16 bytes", bytes))
    }

    fn takes() -> Takes {
        Takes::All
    }
}

#[cfg(feature = "rust_decimal")]
impl CellValue for rust_decimal::Decimal {
    const NAME: &'static str = "decimal";

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
        append(self.to_string().as_bytes(), out)
    }

    /// Refuses what `Decimal` would have to round.
    fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
        let expected = "the text of a decimal number";
        let text = utf8(bytes, expected)?;
        let mut decimal = Self::from_str_exact(text)
            .map_err(|error| ValueError::malformed(format!("{expected} ({error})"), bytes))?;
        restore_sign(&mut decimal, text);
        Ok(decimal)
    }

    fn takes() -> Takes {
        Takes::All
    }
}

/// Restores the sign of a zero that was read from text: `Decimal` writes `-0.0` and reads it as
/// `0.0`.
#[cfg(feature = "rust_decimal")]
pub(super) fn restore_sign(decimal: &mut rust_decimal::Decimal, text: &str) {
    if decimal.is_zero() && text.starts_with('-') {
        decimal.set_sign_negative(true);
    }
}
