//! Random places in a table.

use std::ops::Bound;

use bytes::Bytes;

use crate::data::{RowKeySample, RowRange};

/// The parts of a table between the keys that the server sampled, with their bytes.
#[derive(Debug)]
pub(super) struct Strata {
    range: RowRange,
    /// The first key of each part except the first.
    edges: Vec<Bytes>,
    /// The bytes of each part: one more than there are edges.
    bytes: Vec<u64>,
}

impl Strata {
    /// The parts of a table within a range.
    pub(super) fn of(samples: &[RowKeySample], range: &RowRange) -> Self {
        let (mut edges, mut bytes) = (Vec::new(), vec![0]);
        let mut before = 0;
        for sample in samples {
            let offset = u64::try_from(sample.offset_bytes).unwrap_or(0).max(before);
            let (part, key) = (offset - before, &sample.key);
            before = offset;
            let is_before = match range.bounds().0 {
                Bound::Included(start) | Bound::Excluded(start) => **key <= *start,
                Bound::Unbounded => false,
            };
            // The empty key is the table's end.
            if is_before && !key.is_empty() {
                continue;
            }
            if let Some(last) = bytes.last_mut() {
                *last += part;
            }
            if key.is_empty() || !range.contains(key) {
                break;
            }
            edges.push(key.clone());
            bytes.push(0);
        }
        Self {
            range: range.clone(),
            edges,
            bytes,
        }
    }

    pub(super) fn range(&self) -> &RowRange {
        &self.range
    }

    /// The keys between the parts.
    pub(super) fn edges(&self) -> impl Iterator<Item = &Bytes> {
        self.edges.iter()
    }

    /// About how many bytes the range has.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.iter().sum()
    }

    /// Draws a part at random and returns its edges: the more bytes a part has, the likelier it is,
    /// and all are equally likely if no sizes are known. The range's own edges are its first and
    /// last key.
    pub(super) fn draw<'a>(
        &'a self,
        random: &mut fastrand::Rng,
        first: &'a Bytes,
        last: Option<&'a Bytes>,
    ) -> (&'a [u8], Option<&'a [u8]>) {
        let all = self.bytes();
        let mut rest = random.u64(0..all.max(1));
        let by_bytes = self.bytes.iter().position(|bytes| {
            let is_here = rest < *bytes;
            rest = rest.saturating_sub(*bytes);
            is_here
        });
        let part = by_bytes.unwrap_or_else(|| random.usize(0..self.bytes.len()));
        let low = part
            .checked_sub(1)
            .and_then(|before| self.edges.get(before));
        let high = self.edges.get(part).or(last);
        (low.unwrap_or(first), high.map(|high| &**high))
    }
}

/// The bytes that keys have at each position, from the smallest to the largest seen.
#[derive(Debug, Default)]
pub(super) struct Alphabet {
    seen: Vec<(u8, u8)>,
}

/// Fewer bytes than these distinguish keys.
const MOST_BYTES: usize = 64;

impl Alphabet {
    pub(super) fn learn(&mut self, key: &[u8]) {
        for (at, byte) in key.iter().take(MOST_BYTES).enumerate() {
            match self.seen.get_mut(at) {
                Some((least, most)) => {
                    *least = (*least).min(*byte);
                    *most = (*most).max(*byte);
                }
                None => self.seen.push((*byte, *byte)),
            }
        }
    }

    /// A random key between two others, of bytes that were seen.
    pub(super) fn random(
        &self,
        random: &mut fastrand::Rng,
        low: &[u8],
        high: Option<&[u8]>,
    ) -> Vec<u8> {
        let mut key = Vec::new();
        // While the key is a prefix of an edge, that edge's next byte bounds the key's.
        let (mut at_low, mut at_high) = (true, high.is_some());
        for (at, (least, most)) in self.seen.iter().enumerate() {
            let of_low = low.get(at).filter(|_| at_low);
            let of_high = high.and_then(|high| high.get(at)).filter(|_| at_high);
            if at_high && of_high.is_none() {
                break;
            }
            let from = of_low.copied().unwrap_or(*least);
            let to = of_high.copied().unwrap_or(*most).max(from);
            let byte = random.u8(from..=to);
            at_low &= of_low == Some(&byte);
            at_high &= of_high == Some(&byte);
            key.push(byte);
        }
        key
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test")]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn sample(key: &'static str, offset_bytes: i64) -> RowKeySample {
        RowKeySample {
            key: key.into(),
            offset_bytes,
        }
    }

    #[test]
    fn parts_within_a_range_have_their_bytes() {
        let samples = [
            sample("A#5", 10),
            sample("B#2", 30),
            sample("B#5", 60),
            sample("C", 100),
            sample("", 900),
        ];
        let all = Strata::of(&samples, &RowRange::all());
        assert_eq!(
            (all.bytes.clone(), all.edges.len()),
            (vec![10, 20, 30, 40, 800], 4)
        );
        let of_b = Strata::of(&samples, &RowRange::prefix("B#"));
        assert_eq!(of_b.edges, ["B#2", "B#5"]);
        assert_eq!(of_b.bytes, [20, 30, 40]);
        let none = Strata::of(&[], &RowRange::all());
        assert_eq!((none.bytes(), none.bytes.len()), (0, 1));
    }

    #[test]
    fn parts_are_drawn_by_their_bytes() {
        let strata = Strata::of(
            &[sample("B", 1), sample("C", 99), sample("", 100)],
            &RowRange::all(),
        );
        let (mut random, first, last) = (fastrand::Rng::with_seed(7), "A".into(), "D".into());
        let draws = (0..1_000).map(|_| strata.draw(&mut random, &first, Some(&last)));
        let middle = draws
            .filter(|draw| *draw == (&b"B"[..], Some(&b"C"[..])))
            .count();
        assert!((950..1_000).contains(&middle), "{middle}");
    }

    #[test]
    fn random_keys_reach_all_of_a_table() {
        // A hundred series of a hundred rows each.
        let keys: BTreeSet<String> = (0..10_000)
            .map(|row| format!("s{:03}#14264{:05}", row / 100, row % 100 * 600))
            .collect();
        let mut alphabet = Alphabet::default();
        let (first, last) = (keys.first().unwrap(), keys.last().unwrap());
        alphabet.learn(first.as_bytes());
        alphabet.learn(last.as_bytes());
        let mut random = fastrand::Rng::with_seed(1);
        let (mut series, mut rows) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..1_000 {
            let key = alphabet.random(&mut random, first.as_bytes(), Some(last.as_bytes()));
            assert!(*first.as_bytes() <= *key && *key <= *last.as_bytes());
            let key = String::from_utf8(key).unwrap();
            let found = keys.range(key..).next().unwrap();
            alphabet.learn(found.as_bytes());
            series.insert(found[..4].to_owned());
            rows.insert(found.clone());
        }
        assert!(
            series.len() > 90 && rows.len() > 500,
            "{} {}",
            series.len(),
            rows.len()
        );
    }
}
