//! Numbers as bits and bytes.

use crate::PackError;

/// Bits in the order in which they are written, the first the highest of its byte.
#[derive(Debug, Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    /// The last bits, which fill no byte yet.
    held: u64,
    bits: u32,
}

impl BitWriter {
    /// Writes the lowest `bits` of a number, at most 56.
    pub(crate) fn write(&mut self, value: u64, bits: u32) {
        debug_assert!(bits <= 56);
        self.held = (self.held << bits) | (value & low(bits));
        self.bits += bits;
        while self.bits >= 8 {
            self.bits -= 8;
            self.bytes.push(low_byte(self.held >> self.bits));
        }
    }

    /// Writes all of a number.
    pub(crate) fn write_whole(&mut self, value: u64) {
        self.write(value >> 32, 32);
        self.write(value, 32);
    }

    /// The bytes; the last one is filled with zeros.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        if self.bits > 0 {
            let rest = 8 - self.bits;
            self.write(0, rest);
        }
        self.bytes
    }
}

fn low(bits: u32) -> u64 {
    (1_u64 << bits) - 1
}

/// Reads what [`BitWriter`] wrote.
#[derive(Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    held: u64,
    bits: u32,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            held: 0,
            bits: 0,
        }
    }

    fn fill(&mut self) {
        while self.bits <= 56
            && let Some((first, rest)) = self.bytes.split_first()
        {
            self.held |= u64::from(*first) << (56 - self.bits);
            self.bits += 8;
            self.bytes = rest;
        }
    }

    /// Reads this many bits, at most 56.
    pub(crate) fn read(&mut self, bits: u32) -> Result<u64, PackError> {
        if bits == 0 {
            return Ok(0);
        }
        if self.bits < bits {
            self.fill();
        }
        if self.bits < bits {
            return Err(PackError::Short);
        }
        let value = self.held >> (64 - bits);
        self.held <<= bits;
        self.bits -= bits;
        Ok(value)
    }

    pub(crate) fn read_whole(&mut self) -> Result<u64, PackError> {
        Ok((self.read(32)? << 32) | self.read(32)?)
    }

    /// Reads ones up to the zero after them; `most` of them need no zero.
    pub(crate) fn read_ones(&mut self, most: u32) -> Result<u32, PackError> {
        let mut ones = 0;
        while ones < most {
            if self.bits == 0 {
                self.fill();
            }
            if self.bits == 0 {
                return Err(PackError::Short);
            }
            let run = self.held.leading_ones().min(self.bits).min(most - ones);
            ones += run;
            // A shift by all 64 bits leaves 0.
            self.held = self.held.checked_shl(run).unwrap_or(0);
            self.bits -= run;
            if ones < most && self.bits > 0 {
                self.held <<= 1;
                self.bits -= 1;
                return Ok(ones);
            }
        }
        Ok(ones)
    }
}

/// A number in as many bytes as it needs, seven bits in each, the lowest first.
pub(crate) fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(low_byte(value) | 0x80);
        value >>= 7;
    }
    out.push(low_byte(value));
}

pub(crate) fn read_varint(bytes: &mut &[u8]) -> Result<u64, PackError> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = read_byte(bytes)?;
        let part = u64::from(byte & 0x7f);
        if shift == 63 && part > 1 {
            return Err(PackError::Malformed("a number of more than 64 bits"));
        }
        value |= part << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(PackError::Malformed("a number of more than 64 bits"))
}

pub(crate) fn read_byte(bytes: &mut &[u8]) -> Result<u8, PackError> {
    let (first, rest) = bytes.split_first().ok_or(PackError::Short)?;
    *bytes = rest;
    Ok(*first)
}

/// The next bytes, this many.
pub(crate) fn read_bytes<'a>(bytes: &mut &'a [u8], len: u64) -> Result<&'a [u8], PackError> {
    let len = usize::try_from(len).map_err(|_| PackError::Short)?;
    let (head, rest) = bytes.split_at_checked(len).ok_or(PackError::Short)?;
    *bytes = rest;
    Ok(head)
}

/// The lowest eight bits.
pub(crate) fn low_byte(value: u64) -> u8 {
    let [lowest, ..] = value.to_le_bytes();
    lowest
}

/// A length in memory as a number.
pub(crate) fn long(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// Small numbers of either sign as small numbers without a sign.
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}
