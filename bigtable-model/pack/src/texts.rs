//! Texts and other bytes.

use std::collections::HashMap;

use bytes::Bytes;

use crate::PackError;
use crate::bits::{long, read_byte, read_bytes, read_varint, write_varint};
use crate::integers;

/// Each different value once, and the places of all.
const DICTIONARY: u8 = 0;
/// The lengths, and all bytes.
const PLAIN: u8 = 1;
/// The same, with the bytes by LZ4.
const LZ4: u8 = 2;

/// LZ4 expands one byte to at most this many: more was not written by this crate.
const MOST_FOR_ONE: u64 = 255;

pub(crate) fn write(values: &[Bytes], out: &mut Vec<u8>) {
    let values: Vec<&[u8]> = values.iter().map(|value| &**value).collect();
    let mut best = plain(&values);
    if let Some(candidate) = dictionary(&values)
        && candidate.len() < best.len()
    {
        best = candidate;
    }
    out.extend(best);
}

/// A length as one of the integers that are written.
fn number(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

fn plain(values: &[&[u8]]) -> Vec<u8> {
    let lengths = values.iter().map(|value| number(value.len()));
    let lengths: Vec<i64> = lengths.collect();
    let bytes = values.concat();
    let packed = lz4_flex::block::compress(&bytes);
    let (coder, packed) = match packed.len() < bytes.len() {
        true => (LZ4, packed),
        false => (PLAIN, bytes),
    };
    let mut out = vec![coder];
    integers::write(&lengths, &mut out);
    if coder == LZ4 {
        write_varint(long(packed.len()), &mut out);
    }
    out.extend(packed);
    out
}

fn dictionary(values: &[&[u8]]) -> Option<Vec<u8>> {
    let mut places: HashMap<&[u8], i64> = HashMap::new();
    let mut known: Vec<&[u8]> = Vec::new();
    let mut indices = Vec::with_capacity(values.len());
    for value in values {
        let next = number(known.len());
        let place = *places.entry(value).or_insert_with(|| {
            known.push(value);
            next
        });
        indices.push(place);
    }
    if known.len() * 2 > values.len() && known.len() > 1 {
        return None;
    }
    let mut out = vec![DICTIONARY];
    write_varint(long(known.len()), &mut out);
    out.extend(plain(&known));
    integers::write(&indices, &mut out);
    Some(out)
}

pub(crate) fn read(bytes: &mut &[u8], count: usize) -> Result<Vec<Bytes>, PackError> {
    match read_byte(bytes)? {
        DICTIONARY => {
            let known = usize::try_from(read_varint(bytes)?).unwrap_or(usize::MAX);
            if known > count {
                return Err(PackError::Malformed(
                    "a dictionary of more values than there are",
                ));
            }
            let coder = read_byte(bytes)?;
            let known = read_plain(coder, bytes, known)?;
            let indices = integers::read(bytes, count)?;
            let values = indices.into_iter().map(|index| {
                let value = usize::try_from(index)
                    .ok()
                    .and_then(|index| known.get(index));
                value
                    .cloned()
                    .ok_or(PackError::Malformed("a place outside its dictionary"))
            });
            values.collect()
        }
        coder => read_plain(coder, bytes, count),
    }
}

fn read_plain(coder: u8, bytes: &mut &[u8], count: usize) -> Result<Vec<Bytes>, PackError> {
    let lengths = integers::read(bytes, count)?;
    let mut total = 0_u64;
    for length in &lengths {
        let length =
            u64::try_from(*length).map_err(|_| PackError::Malformed("a length below 0"))?;
        total = total.saturating_add(length);
    }
    let all: Bytes = match coder {
        PLAIN => Bytes::copy_from_slice(read_bytes(bytes, total)?),
        LZ4 => {
            let len = read_varint(bytes)?;
            let packed = read_bytes(bytes, len)?;
            if total > len.saturating_mul(MOST_FOR_ONE) {
                return Err(PackError::Malformed("more bytes than LZ4 can have packed"));
            }
            let total = usize::try_from(total).map_err(|_| PackError::Short)?;
            let unpacked = lz4_flex::block::decompress(packed, total)
                .map_err(|_| PackError::Malformed("what LZ4 did not write"))?;
            unpacked.into()
        }
        _ => return Err(PackError::Malformed("a coder of texts that is not known")),
    };
    if long(all.len()) != total {
        return Err(PackError::Short);
    }
    let mut from = 0_usize;
    let values = lengths.into_iter().map(|length| {
        // The lengths were added up before.
        let to = from.saturating_add(usize::try_from(length).unwrap_or_default());
        let value = all.slice(from..to);
        from = to;
        value
    });
    Ok(values.collect())
}
