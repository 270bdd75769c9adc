use super::{CellValue, Takes, ValueError};

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
