use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A shard's number in the row key, made from other segments, so that keys which would all be written at one place are spread over
/// several.
///
/// It is [`SaltHash`] of the encoded bytes of these segments, joined by the separator in the order of the key, modulo the
/// number of shards; in decimal, zeros in front, as wide as the largest.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Salt {
    /// How many shards there are: 2 to 9999.
    pub shards: u16,
    /// What is hashed: indexes into [`KeyLayout::segments`](super::KeyLayout::segments), ascending.
    pub of: Cow<'static, [usize]>,
    /// The hash.
    pub hash: SaltHash,
}

/// The hash of a [`Salt`]. A name stands for one function for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SaltHash {
    /// XXH64 with seed 0.
    Xxh64,
}

impl Salt {
    /// The digits in the key: those of the largest shard.
    #[must_use]
    #[inline]
    pub const fn width(&self) -> u16 {
        match self.shards.saturating_sub(1) {
            0..=9 => 1,
            10..=99 => 2,
            100..=999 => 3,
            _ => 4,
        }
    }
}
