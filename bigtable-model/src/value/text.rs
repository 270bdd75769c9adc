use std::any::{Any, TypeId, type_name};
use std::fmt::{Display, Write};
use std::str::FromStr;

use bytestring::ByteString;

use super::codec::{check_length, utf8};
use super::{CellCodec, CellValue as _, Takes, ValueError};

/// Values as text (`#[bigtable(column = "BID", text)]`), written by `Display` and read by
/// `FromStr`.
///
/// ```
/// use bigtable_model::value::{Text, ValueError, decode_cell, encode_cell};
/// let cell = encode_cell::<Text, f64>(&600.55)?;
/// assert_eq!(cell, "600.55");
/// assert_eq!(decode_cell::<Text, f64>(&cell)?, 600.55);
/// # Ok::<(), ValueError>(())
/// ```
///
/// Floats are read back bit for bit. A NaN is `NaN`, or `-NaN` with its sign bit set; a NaN with
/// other bits is refused.
///
/// A type loses what its `Display` does not write or its `FromStr` does not read.
#[derive(Debug, Clone, Copy)]
pub struct Text;

#[diagnostic::do_not_recommend] // The message of `CellCodec` says more than the bound that is not met.
impl<T> CellCodec<T> for Text
where
    T: Display + FromStr<Err: Display> + 'static,
{
    const NAME: &'static str = "text";

    fn encode(value: &T, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let before = out.len();
        out.extend_from_slice(sign_of_nan(value)?.as_bytes());
        write!(Appending(out), "{value}")
            .map_err(|_| ValueError::refused("text", "its Display failed"))?;
        check_length(out.len() - before)
    }

    fn decode(bytes: &[u8]) -> Result<T, ValueError> {
        let text = utf8(bytes, "text in UTF-8")?;
        let parsed = text.parse().map_err(|error| {
            let expected = format!("the text of {} ({error})", type_name::<T>());
            ValueError::malformed(expected, bytes)
        });
        parsed.map(|value| signed(value, text))
    }

    fn takes() -> Takes {
        text_of(TypeId::of::<T>())
    }
}

/// The texts of a type, if they are known here.
fn text_of(id: TypeId) -> Takes {
    macro_rules! known {
        ($($type:ty => $takes:expr,)*) => {$(
            if id == TypeId::of::<$type>() {
                return $takes;
            }
        )*};
    }
    known! {
        String => Takes::All,
        ByteString => Takes::All,
        Box<str> => Takes::All,
        bool => Takes::names(&["true", "false"]),
        f64 => Takes::Floats,
        f32 => Takes::Floats,
        u8 => u8::takes(),
        u16 => u16::takes(),
        u32 => u32::takes(),
        u64 => u64::takes(),
        i8 => i8::takes(),
        i16 => i16::takes(),
        i32 => i32::takes(),
        i64 => i64::takes(),
    }
    Takes::Own
}

/// The sign of a NaN, which `Display` does not write.
fn sign_of_nan<T: 'static>(value: &T) -> Result<&'static str, ValueError> {
    let value: &dyn Any = value;
    let nan = match (value.downcast_ref::<f64>(), value.downcast_ref::<f32>()) {
        (Some(nan), _) if nan.is_nan() => (
            nan.is_sign_negative(),
            nan.abs().to_bits() == f64::NAN.to_bits(),
        ),
        (_, Some(nan)) if nan.is_nan() => (
            nan.is_sign_negative(),
            nan.abs().to_bits() == f32::NAN.to_bits(),
        ),
        _ => return Ok(""),
    };
    match nan {
        (true, true) => Ok("-"),
        (false, true) => Ok(""),
        (_, false) => Err(ValueError::refused(
            "text",
            "`NaN` does not tell its bits, which are not those of the constant `NAN`",
        )),
    }
}

/// Restores the sign of a decimal zero, which its `FromStr` drops.
#[cfg(feature = "rust_decimal")]
fn signed<T: 'static>(mut value: T, text: &str) -> T {
    let any: &mut dyn Any = &mut value;
    if let Some(decimal) = any.downcast_mut::<rust_decimal::Decimal>() {
        super::native::restore_sign(decimal, text);
    }
    value
}

#[cfg(not(feature = "rust_decimal"))]
fn signed<T>(value: T, _: &str) -> T {
    value
}

/// Formats directly into the bytes of a cell.
struct Appending<'a>(&'a mut Vec<u8>);

impl Write for Appending<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
