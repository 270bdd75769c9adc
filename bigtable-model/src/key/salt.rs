mod hash;
mod hot;

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

pub(super) use hash::SaltHasher;
use hash::shard;
pub use hash::{OwnHash, SaltFunction, SaltHash};
pub use hot::HotSeries;
pub(super) use hot::Spread;

use super::encoding::digits;
use super::refuse;
use super::{SegmentError, borrow};

/// A shard number in the row key, computed from other segments: it spreads keys that would
/// otherwise all be written in one place.
///
/// It is the [`SaltHash`] of the encoded bytes of these segments, joined by the separator in the
/// order of the key, modulo the number of shards, plus [`first`](Salt::first); in decimal, padded
/// with zeros to the width of the largest. With [`hot`](Salt::hot) only some series are spread.
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
    /// The series whose rows are spread; `None` if those of all series are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hot: Option<HotSeries>,
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
        let Some(hot) = &self.hot else {
            for part in parts {
                hasher.add(part, separator);
            }
            return self.number(self.index(hasher.digest()));
        };
        let parts: Vec<&[u8]> = parts.into_iter().collect();
        for part in &parts {
            hasher.add(part, separator);
        }
        let part = |place: usize| {
            let at = self.of.iter().position(|of| *of == place)?;
            parts.get(at).copied()
        };
        let spread = hot.spread(self.hash, self.shards, separator, part);
        self.number(spread.map_or(0, |spread| spread.of(hasher.digest())))
    }

    /// The numbers of the shards that can hold a key of which some segments are known. `part` gives
    /// the encoded bytes of the segment at a place, if they are known.
    ///
    /// It is one shard if all hashed segments are known, those of the series if only its
    /// identifiers are and the salt has hot values, otherwise all.
    pub(crate) fn shards_with<'a>(
        &self,
        separator: &str,
        part: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Vec<u16> {
        let parts: Option<Vec<_>> = self.of.iter().map(|place| part(*place)).collect();
        if let Some(parts) = parts {
            return vec![self.shard(separator, parts)];
        }
        let hot = self.hot.as_ref();
        match hot.and_then(|hot| hot.spread(self.hash, self.shards, separator, part)) {
            Some(spread) => spread.indexes().map(|index| self.number(index)).collect(),
            None => self.numbers().collect(),
        }
    }

    /// The index of the shard of a hash.
    #[inline]
    pub(super) fn index(&self, hash: u64) -> u16 {
        shard(hash, self.shards)
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
        match &self.hot {
            Some(hot) => hot.refusal(borrow::list(&self.of), self.shards),
            None => None,
        }
    }
}
