use std::any::{Any, type_name};
use std::fmt::{self, Debug, Write as _};

use bytes::Bytes;
use prost::Message;

use super::codec::check_length;
use super::{CellCodec, ValueError};

/// Values as protobuf messages (`#[bigtable(with = Prost)]`). Fields of type `Bytes` share the
/// bytes that were read if the cell has 4 KiB or more.
///
/// The sign of a zero is never lost: prost leaves out a plain field that is -0.0 as if it were 0.0,
/// so a message with one is refused (declare the field `optional` to write it). An `f64` or `f32`
/// that is the whole value is written with its sign. Such a field is detected by the message's
/// `Debug`. A message nested more deeply than the 100 levels that prost reads is refused too.
#[derive(Debug, Clone, Copy)]
pub struct Prost;

#[diagnostic::do_not_recommend] // The message of `CellCodec` says more than the bound that is not met.
impl<T: Message + Default + Debug + 'static> CellCodec<T> for Prost {
    const NAME: &'static str = "prost";

    fn encode(value: &T, out: &mut Vec<u8>) -> Result<(), ValueError> {
        check_length(encoded_len(value))?;
        append(value, out).map_err(|reason| ValueError::refused("prost", reason))
    }

    fn decode(bytes: &[u8]) -> Result<T, ValueError> {
        T::decode(bytes).map_err(|error| malformed::<T>(bytes, &error))
    }

    fn decode_shared(bytes: &Bytes) -> Result<T, ValueError> {
        T::decode(bytes.clone()).map_err(|error| malformed::<T>(bytes, &error))
    }
}

#[cold]
fn malformed<T>(bytes: &[u8], error: &prost::DecodeError) -> ValueError {
    let expected = format!("the message {} ({error})", type_name::<T>());
    ValueError::malformed(expected, bytes)
}

/// A message of fewer bytes is never nested too deeply for prost, since a level takes two bytes.
const SURELY_SHALLOW: usize = 200;

/// How many bytes [`append`] appends.
pub(super) fn encoded_len<T: Message + 'static>(value: &T) -> usize {
    negative_zero(value).map_or_else(|| value.encoded_len(), <[u8]>::len)
}

/// Appends a message that is read back unchanged.
///
/// # Errors
/// Why it would not be.
pub(super) fn append<T: Message + Default + Debug + 'static>(
    value: &T,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    if let Some(zero) = negative_zero(value) {
        out.extend_from_slice(zero);
        return Ok(());
    }
    let start = out.len();
    value.encode(out).map_err(|error| error.to_string())?;
    match is_scalar(value) {
        true => Ok(()),
        false => reads_back(value, out.get(start..).unwrap_or_default()),
    }
}

/// The wrapper message of a negative zero, which prost leaves empty: field 1 with its bits.
fn negative_zero<T: 'static>(value: &T) -> Option<&'static [u8]> {
    let value: &dyn Any = value;
    let is_double = |value: &f64| value.to_bits() == (-0.0_f64).to_bits();
    let is_float = |value: &f32| value.to_bits() == (-0.0_f32).to_bits();
    if value.downcast_ref().is_some_and(is_double) {
        return Some(b"\x09\0\0\0\0\0\0\0\x80");
    }
    let is_float = value.downcast_ref().is_some_and(is_float);
    is_float.then_some(b"\x0d\0\0\0\x80")
}

/// Whether prost has a wrapper for the type, which loses nothing else.
fn is_scalar<T: 'static>(value: &T) -> bool {
    let value: &dyn Any = value;
    value.is::<f64>()
        || value.is::<f32>()
        || value.is::<u64>()
        || value.is::<u32>()
        || value.is::<i64>()
        || value.is::<i32>()
        || value.is::<bool>()
        || value.is::<String>()
        || value.is::<Vec<u8>>()
        || value.is::<Bytes>()
}

/// Checks that a message is read back from its bytes. Only its `Debug` shows a negative zero and
/// what the bytes lack.
fn reads_back<T: Message + Default + Debug>(value: &T, bytes: &[u8]) -> Result<(), String> {
    let zeros = negative_zeros(value);
    if zeros == 0 && bytes.len() < SURELY_SHALLOW {
        return Ok(());
    }
    let back = T::decode(bytes).map_err(|error| format!("it could not be read ({error})"))?;
    match negative_zeros(&back) < zeros {
        true => Err(
            "a field is -0.0, which is left out and read as 0.0: declare the field `optional`"
                .to_owned(),
        ),
        false => Ok(()),
    }
}

/// How many negative zeros a message seems to hold.
fn negative_zeros(value: &impl Debug) -> usize {
    let mut zeros = Zeros::default();
    // Counting does not fail.
    let _ = write!(zeros, "{value:?}");
    zeros.found
}

/// Counts `-0.0` in text that arrives in pieces.
#[derive(Default)]
struct Zeros {
    found: usize,
    /// How much of `-0.0` is at the end of the text so far.
    matched: usize,
}

impl fmt::Write for Zeros {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const ZERO: &[u8] = b"-0.0";
        for byte in text.bytes() {
            self.matched = match ZERO.get(self.matched) {
                Some(expected) if *expected == byte => self.matched + 1,
                _ => usize::from(byte == b'-'),
            };
            if self.matched == ZERO.len() {
                self.found += 1;
                self.matched = 0;
            }
        }
        Ok(())
    }
}
