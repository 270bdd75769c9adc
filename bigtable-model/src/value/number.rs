use super::{CellValue, Takes, ValueError};

/// A cell's integer: 8 bytes, signed, big-endian.
pub(super) fn read_int64(bytes: &[u8], expected: &'static str) -> Result<i64, ValueError> {
    <[u8; 8]>::try_from(bytes)
        .map(i64::from_be_bytes)
        .map_err(|_| ValueError::malformed(expected, bytes))
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl CellValue for $type {
            const NAME: &'static str = "int64";

            fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
                let number = i64::try_from(*self).map_err(|_| {
                    let limits = "a cell's signed 64-bit integer, whose largest is 9223372036854775807";
                    ValueError::out_of_range(self, limits)
                })?;
                out.extend_from_slice(&number.to_be_bytes());
                Ok(())
            }

            fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
                let number = read_int64(bytes, "a big-endian integer of 8 bytes")?;
                Self::try_from(number).map_err(|_| {
                    let limits = concat!("the range of ", stringify!($type));
                    ValueError::out_of_range(number, limits)
                })
            }

            fn takes() -> Takes {
                Takes::Integers {
                    least: i64::try_from(Self::MIN).unwrap_or(i64::MIN),
                    most: i64::try_from(Self::MAX).unwrap_or(i64::MAX),
                }
            }
        }
    )*};
}

integers!(u8, u16, u32, u64, i8, i16, i32, i64);

macro_rules! floats {
    ($($type:ty, $name:literal, $expected:literal;)*) => {$(
        impl CellValue for $type {
            const NAME: &'static str = $name;

            fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
                out.extend_from_slice(&self.to_be_bytes());
                Ok(())
            }

            fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
                bytes
                    .try_into()
                    .map(Self::from_be_bytes)
                    .map_err(|_| ValueError::malformed($expected, bytes))
            }

            fn samples() -> Vec<Self> {
                vec![600.5]
            }

            fn takes() -> Takes {
                Takes::All
            }
        }
    )*};
}

floats! {
    f32, "float32", "a big-endian IEEE 754 number of 4 bytes";
    f64, "float64", "a big-endian IEEE 754 number of 8 bytes";
}

macro_rules! lists {
    ($($type:ident, $name:literal, $expected:literal;)*) => {$(
        /// The numbers' forms, one after another.
        impl CellValue for Vec<$type> {
            const NAME: &'static str = $name;

            fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
                out.reserve(self.len() * size_of::<$type>());
                self.iter().for_each(|number| out.extend_from_slice(&number.to_be_bytes()));
                Ok(())
            }

            fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
                let (numbers, rest) = bytes.as_chunks();
                match rest {
                    [] => Ok(numbers.iter().copied().map($type::from_be_bytes).collect()),
                    _ => Err(ValueError::malformed($expected, bytes)),
                }
            }

            fn takes() -> Takes {
                Takes::All
            }
        }
    )*};
}

lists! {
    f32, "float32[]", "big-endian IEEE 754 numbers of 4 bytes each";
    f64, "float64[]", "big-endian IEEE 754 numbers of 8 bytes each";
    i64, "int64[]", "big-endian integers of 8 bytes each";
}
