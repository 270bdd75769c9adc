//! Eight bytes of text at a time, as lanes of one word: segments are short, and calls that copy or
//! scan a few bytes cost more than the bytes.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Up to eight bytes as the low lanes of a word; the others are zero.
#[inline]
pub(in crate::key) fn load(bytes: &[u8]) -> u64 {
    // Two halves, which overlap if the number is not a power of two.
    if let Some(all) = bytes.first_chunk() {
        u64::from_le_bytes(*all)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let last = u64::from(u32::from_le_bytes(*last)) << (8 * (bytes.len() - 4));
        u64::from(u32::from_le_bytes(*first)) | last
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let last = u64::from(u16::from_le_bytes(*last)) << (8 * (bytes.len() - 2));
        u64::from(u16::from_le_bytes(*first)) | last
    } else {
        bytes.first().copied().map_or(0, u64::from)
    }
}

/// The word with `fill` in the lanes from `len` on.
#[inline]
pub(in crate::key) fn filled(word: u64, len: usize, fill: u8) -> u64 {
    match u32::try_from(8 * len) {
        Ok(bits @ 0..64) => word | (ONES * u64::from(fill)) << bits,
        _ => word,
    }
}

/// How many of the first `len` lanes remain without trailing lanes equal to `fill`.
#[inline]
pub(in crate::key) fn len_without(word: u64, len: usize, fill: u8) -> usize {
    // Lanes beyond `len` are treated as filled.
    let differing = filled(word & low_lanes(len), len, fill) ^ (ONES * u64::from(fill));
    8 - differing.leading_zeros() as usize / 8
}

#[inline]
fn low_lanes(len: usize) -> u64 {
    match len {
        0..8 => (1 << (8 * len)) - 1,
        _ => u64::MAX,
    }
}

/// Whether a lane is below `limit`, which is at most 128.
#[inline]
pub(in crate::key) fn any_lane_below(word: u64, limit: u8) -> bool {
    word.wrapping_sub(ONES * u64::from(limit)) & !word & HIGHS != 0
}

/// Whether a byte is below `limit`.
#[inline]
pub(in crate::key) fn any_below(bytes: &[u8], limit: u8) -> bool {
    if limit > 128 {
        return bytes.iter().any(|byte| *byte < limit);
    }
    bytes
        .chunks(8)
        .any(|chunk| any_lane_below(filled(load(chunk), chunk.len(), 0xff), limit))
}
