mod hash;

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use hash::GoingOn;
pub use hash::{OwnHash, SaltFunction, SaltHash};

use super::encoding::digits;
use super::refuse;
use super::{SegmentError, borrow};

/// A shard number in the row key, computed from other segments: it spreads keys that would
/// otherwise all be written in one place.
///
/// It is the [`SaltHash`] of the encoded bytes of these segments, joined by the separator in the
/// order of the key, modulo the number of shards, plus [`first`](Salt::first); in decimal, padded
/// with zeros to the width of the largest.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Salt {
    /// The number of shards: 2 to 9999.
    pub shards: u16,
    /// The number of the first shard: 0, or 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub first: u16,
    /// The hashed segments: indexes into [`KeyLayout::segments`](super::KeyLayout::segments),
    /// ascending.
    pub of: Cow<'static, [usize]>,
    /// The hash.
    pub hash: SaltHash,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(number: &u16) -> bool {
    *number == 0
}

impl Salt {
    /// The digits in the key: those of the largest shard.
    #[must_use]
    #[inline]
    pub const fn width(&self) -> u16 {
        match self.shards.saturating_sub(1).saturating_add(self.first) {
            0..=9 => 1,
            10..=99 => 2,
            100..=999 => 3,
            _ => 4,
        }
    }
}

impl Salt {
    /// The numbers of all shards.
    pub(crate) fn numbers(&self) -> Range<u16> {
        self.first..self.first.saturating_add(self.shards)
    }

    /// The shard number of a key, from the encoded bytes of the segments in [`of`](Salt::of), in
    /// key order.
    #[must_use]
    pub fn shard<'a>(&self, separator: &str, parts: impl IntoIterator<Item = &'a [u8]>) -> u16 {
        let mut hasher = SaltHasher::new(self.hash);
        for part in parts {
            hasher.add(part, separator);
        }
        self.number(hasher.shard(self.shards))
    }

    /// The shard number of the shard with this index.
    #[inline]
    pub(crate) fn number(&self, shard: u16) -> u16 {
        shard.saturating_add(self.first)
    }

    /// Appends a shard number as keys contain it.
    pub fn encode(&self, shard: u16, out: &mut Vec<u8>) {
        // No number is above the largest, which has this many digits.
        let _ = digits::push_u64(shard.into(), self.width().into(), out);
    }

    /// Decodes a shard number.
    ///
    /// # Errors
    /// For bytes that are not a shard number.
    #[inline]
    pub fn decode(&self, bytes: &[u8]) -> Result<u16, SegmentError> {
        // At most four digits.
        let number = bytes.iter().try_fold(0_u16, |number, byte| {
            let digit = byte.is_ascii_digit().then(|| byte - b'0')?;
            number.checked_mul(10)?.checked_add(digit.into())
        });
        match number {
            Some(shard)
                if self.numbers().contains(&shard) && bytes.len() == usize::from(self.width()) =>
            {
                Ok(shard)
            }
            _ => Err(self.malformed(bytes)),
        }
    }

    #[cold]
    fn malformed(&self, bytes: &[u8]) -> SegmentError {
        let numbers = match self.first {
            0 => format!("a salt below {}", self.shards),
            first => format!("a salt from {first} to {}", self.numbers().end - 1),
        };
        refuse::malformed(bytes, numbers)
    }

    /// Why the salt is invalid, and what to write instead.
    #[must_use]
    pub const fn refusal(&self) -> Option<&'static str> {
        if self.shards < 2 || self.shards > 9999 {
            return Some("a salt has 2 to 9999 shards");
        }
        if self.first > 1 {
            return Some("shards are counted from 0 or from 1");
        }
        if let SaltHash::Own(own) = &self.hash
            && !own.is_named()
        {
            return Some(
                "a hash of salts has a name of 1 to 64 letters, digits, `-`, `_` and `.`, and not that of `xxh64`",
            );
        }
        let mut rest = borrow::list(&self.of);
        if rest.is_empty() {
            return Some("a salt is made of one segment or more");
        }
        while let [one, tail @ ..] = rest {
            if let [next, ..] = tail
                && *next <= *one
            {
                return Some("a salt names each segment once, in the order of the key");
            }
            rest = tail;
        }
        None
    }
}

/// Hashes segments one after another.
///
/// The hashed bytes are mostly shorter than the state of a streaming hash, so they are collected
/// and hashed at once.
#[derive(Clone)]
pub(super) struct SaltHasher {
    hash: SaltHash,
    gathered: [u8; GATHERED],
    len: usize,
    begun: bool,
    /// Takes further bytes once the buffer is full.
    going_on: Option<GoingOn>,
}

/// The maximum number of bytes that are hashed at once.
const GATHERED: usize = 64;

impl SaltHasher {
    #[inline]
    pub(super) fn new(hash: SaltHash) -> Self {
        Self {
            hash,
            gathered: [0; GATHERED],
            len: 0,
            begun: false,
            going_on: None,
        }
    }

    /// Adds the next segment's bytes after a separator, without which bytes could move from one
    /// segment to the next without changing the hash.
    #[inline]
    pub(super) fn add(&mut self, bytes: &[u8], separator: &str) {
        if std::mem::replace(&mut self.begun, true) {
            self.gather(separator.as_bytes());
        }
        self.gather(bytes);
    }

    #[inline]
    fn gather(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        match self.gathered.get_mut(self.len..end) {
            Some(room) if self.going_on.is_none() => {
                room.copy_from_slice(bytes);
                self.len = end;
            }
            _ => self.go_on(bytes),
        }
    }

    #[cold]
    fn go_on(&mut self, bytes: &[u8]) {
        let gathered = self.gathered.get(..self.len).unwrap_or_default();
        let hash = self.going_on.get_or_insert_with(|| {
            let mut hash = GoingOn::new(self.hash);
            hash.update(gathered);
            hash
        });
        hash.update(bytes);
    }

    #[inline]
    pub(super) fn shard(&self, shards: u16) -> u16 {
        match &self.going_on {
            Some(hash) => shard(hash.digest(), shards),
            None => {
                let gathered = self.gathered.get(..self.len).unwrap_or_default();
                self.hash.shard(gathered, shards)
            }
        }
    }
}

impl SaltHash {
    /// The shard of bytes that are already contiguous.
    #[inline]
    pub(super) fn shard(self, bytes: &[u8], shards: u16) -> u16 {
        shard(self.of(bytes), shards)
    }
}

#[inline]
fn shard(hash: u64, shards: u16) -> u16 {
    let shard = hash % u64::from(shards.max(1));
    u16::try_from(shard).unwrap_or_default()
}

impl std::fmt::Debug for SaltHasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SaltHasher")
    }
}
