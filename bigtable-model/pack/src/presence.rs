//! Lists of bits: which events have a column, and values that are true or false.

use crate::PackError;
use crate::bits::{BitReader, BitWriter, long, read_bytes, read_varint, write_varint};

/// All events.
const ALL: u8 = 0;
/// A bit for each.
const BITS: u8 = 1;
/// The lengths of runs, those that have it first.
const RUNS: u8 = 2;

/// The form of a list of bits, and its bytes.
pub(crate) fn written(present: &[bool]) -> (u8, Vec<u8>) {
    if present.iter().all(|one| *one) {
        return (ALL, Vec::new());
    }
    let mut bits = BitWriter::default();
    for one in present {
        bits.write(u64::from(*one), 1);
    }
    let bits = bits.finish();
    let mut runs = Vec::new();
    // The first run may be empty.
    if present.first() == Some(&false) {
        write_varint(0, &mut runs);
    }
    for run in present.chunk_by(|one, other| one == other) {
        write_varint(long(run.len()), &mut runs);
    }
    match runs.len() < bits.len() {
        true => (RUNS, runs),
        false => (BITS, bits),
    }
}

/// How many of the bits are set.
pub(crate) fn count(present: &[bool]) -> usize {
    // Bytes are added several at once, as long as their sum is one.
    let sums = present.chunks(usize::from(u8::MAX)).map(|some| {
        let sum: u8 = some.iter().map(|one| u8::from(*one)).sum();
        usize::from(sum)
    });
    sums.sum()
}

pub(crate) fn read(form: u8, bytes: &mut &[u8], count: usize) -> Result<Vec<bool>, PackError> {
    match form {
        ALL => Ok(vec![true; count]),
        BITS => {
            let mut bits = BitReader::new(read_bytes(bytes, long(count.div_ceil(8)))?);
            (0..count).map(|_| Ok(bits.read(1)? == 1)).collect()
        }
        RUNS => {
            let mut present = Vec::with_capacity(count);
            let mut has = true;
            while present.len() < count {
                let run = usize::try_from(read_varint(bytes)?).unwrap_or(usize::MAX);
                let is_first = has && present.is_empty();
                let len = present.len().saturating_add(run);
                if len > count || (run == 0 && !is_first) {
                    return Err(PackError::Malformed("runs of more events than there are"));
                }
                present.resize(len, has);
                has = !has;
            }
            Ok(present)
        }
        _ => Err(PackError::Malformed("a form of presence that is not known")),
    }
}
