//! Numbers by the crate `pco`.

use pco::ChunkConfig;
use pco::data_types::Number;
use pco::standalone::{simple_compress, simple_decompress_into};

use crate::PackError;
use crate::bits::{long, read_bytes, read_varint, write_varint};

/// Below the default of 8, where building the tables takes two thirds as long as decoding a day of
/// minutes. A month of hours is as short, a year two percent longer.
const LEVEL: usize = 6;

/// The coder, the length and the bytes.
pub(crate) fn written<T: Number>(coder: u8, values: &[T]) -> Option<Vec<u8>> {
    let config = ChunkConfig::default().with_compression_level(LEVEL);
    let packed = simple_compress(values, &config).ok()?;
    let mut out = vec![coder];
    write_varint(long(packed.len()), &mut out);
    out.extend(packed);
    Some(out)
}

/// Reads this many values, after the coder.
pub(crate) fn read<T: Number + Default>(
    bytes: &mut &[u8],
    count: usize,
) -> Result<Vec<T>, PackError> {
    let len = read_varint(bytes)?;
    let packed = read_bytes(bytes, len)?;
    let mut values = vec![T::default(); count];
    let read = simple_decompress_into(packed, &mut values)
        .map_err(|_| PackError::Malformed("what pco did not write"))?;
    match read.finished && read.n_processed == count {
        true => Ok(values),
        false => Err(PackError::Malformed(
            "more or fewer values than there are events",
        )),
    }
}
