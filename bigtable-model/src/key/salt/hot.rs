//! Salts that spread the rows of some series only.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::hash::{SaltHash, SaltHasher, shard};
use crate::key::borrow;

/// The series whose rows a [`Salt`](super::Salt) spreads: those with some values of one identifier,
/// `hot(symbol("AAPL" = 16, "TSLA" = 4))`. The rows of every other series are in one shard.
///
/// The shard of a key is the hash of the series' segments, plus the hash of all of the salt's
/// segments modulo the number of shards of the series, modulo the number of all shards. So the
/// shards of a series are known without the time, and series are spread over all shards.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HotSeries {
    /// The segment that holds the values: one of [`series`](Self::series).
    pub segment: usize,
    /// The identifiers among [`Salt::of`](super::Salt::of), ascending.
    pub series: Cow<'static, [usize]>,
    /// The values as keys contain them, padded to the segment's width, in ascending order, each
    /// with the number of shards of its rows: 2 to all.
    pub values: Cow<'static, [(Cow<'static, str>, u16)]>,
}

impl HotSeries {
    /// In how many shards the rows with these bytes in the segment are.
    #[inline]
    pub(crate) fn shards_of(&self, value: &[u8]) -> u16 {
        let by_value = |(one, _): &(Cow<'static, str>, u16)| one.as_bytes().cmp(value);
        let found = self.values.binary_search_by(by_value);
        let found = found.ok().and_then(|at| self.values.get(at));
        found.map_or(1, |(_, shards)| *shards)
    }

    /// The shards of the series with these segments; all of them must be known.
    pub(super) fn spread<'a>(
        &self,
        hash: SaltHash,
        shards: u16,
        separator: &str,
        part: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Option<Spread> {
        let mut series = SaltHasher::new(hash);
        for place in self.series.iter() {
            series.add(part(*place)?, separator);
        }
        let count = self.shards_of(part(self.segment)?);
        Some(Spread::new(series.digest(), count, shards))
    }

    /// Why it is invalid in a salt of these segments, and what to write instead.
    pub(super) const fn refusal(&self, of: &[usize], shards: u16) -> Option<&'static str> {
        let series = borrow::list(&self.series);
        if !is_part_of(series, of) || !is_part_of(&[self.segment], series) {
            return Some("the hot values of a salt are those of an identifier that it hashes");
        }
        if series.len() == of.len() {
            return Some(
                "the salt hashes nothing that differs in the rows of a series, so each series is in one shard already: hash the time too, or remove `hot`",
            );
        }
        let mut rest = borrow::list(&self.values);
        if rest.is_empty() {
            return Some("`hot` names one value or more: without any no series is spread");
        }
        while let [(value, number), tail @ ..] = rest {
            if *number < 2 || *number > shards {
                return Some("the rows of a hot value are in 2 shards or more, and at most in all");
            }
            if let [(next, _), ..] = tail
                && !borrow::is_before(borrow::bytes(value), borrow::bytes(next))
            {
                return Some("hot values are in the order of their bytes, each once");
            }
            rest = tail;
        }
        None
    }
}

/// Whether ascending numbers are among others.
const fn is_part_of(part: &[usize], mut all: &[usize]) -> bool {
    let mut rest = part;
    while let [one, tail @ ..] = all {
        if let [sought, others @ ..] = rest
            && *sought == *one
        {
            rest = others;
        }
        all = tail;
    }
    rest.is_empty()
}

/// The shards of a series, by their indexes: consecutive ones, after the last the first.
#[derive(Debug, Clone, Copy)]
pub(in crate::key) struct Spread {
    first: u16,
    count: u16,
    all: u16,
}

impl Spread {
    /// Those of a series with a hash, if its rows are in `count` shards.
    pub(in crate::key) fn new(series: u64, count: u16, all: u16) -> Self {
        let first = shard(series, all);
        Self { first, count, all }
    }

    /// The index of the shard of a key by the hash of all segments.
    pub(in crate::key) fn of(self, key: u64) -> u16 {
        self.nth(shard(key, self.count))
    }

    /// The indexes of all of them.
    pub(super) fn indexes(self) -> impl Iterator<Item = u16> {
        (0..self.count).map(move |nth| self.nth(nth))
    }

    fn nth(self, nth: u16) -> u16 {
        // At most 9999 twice.
        self.first.saturating_add(nth) % self.all.max(1)
    }
}
