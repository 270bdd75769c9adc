//! The rows of a series that was found, if a query leaves an identifier open.

use std::ops::Bound;

use super::asked::{Asked, Asks};
use super::gather::Gathered;
use super::narrow::continued;
use crate::key::{ByteRange, MAX_KEY_BYTES, Segment, SegmentRole};
use crate::query::MAX_COMBINATIONS;

/// How many buckets are listed for each series, if their labels do not sort.
const MAX_LABELS: usize = 64;

/// The selections after the last segment that is left open. The key up to there is a stem: rows of
/// one stem are adjacent, so one row shows where they begin and end, and which of them are selected.
#[derive(Debug)]
pub(in crate::query) struct Stems<'a> {
    asks: Asks<'a>,
    /// The number of segments in a stem.
    len: usize,
    /// How many rows or ranges each stem has.
    pub(in crate::query) rows: usize,
}

impl<'a> Stems<'a> {
    /// `None` if a stem would narrow nothing: it would hold a time, so that there is one for nearly
    /// every row, or nothing is selected after it that is a part of the key's bytes.
    pub(in crate::query) fn new(mut asks: Asks<'a>) -> Option<Self> {
        if asks.nothing {
            return None;
        }
        for asked in &mut asks.segments {
            if let Asked::Buckets(buckets) = asked
                && buckets.range.is_none()
            {
                *asked = buckets
                    .labels(MAX_LABELS)
                    .map_or(Asked::Open, Asked::Points);
            }
        }
        let narrow = asks.segments.iter().rposition(Asked::narrows)?;
        let before = asks.segments.get(..narrow)?;
        let is_open = |asked: &Asked<'_>| matches!(asked, Asked::Open | Asked::Salt);
        let len = before.iter().rposition(is_open)? + 1;
        let mut stem = asks.key.segments.iter().zip(&asks.segments).take(len);
        let is_series = stem.all(|(segment, asked)| match asked {
            Asked::Open => segment.role == SegmentRole::Identifier,
            Asked::Points(_) | Asked::Salt | Asked::Endless => true,
            Asked::Between(_) | Asked::Buckets(_) => false,
        });
        let sets = asks
            .segments
            .iter()
            .skip(len)
            .map_while(|asked| match asked {
                Asked::Points(points) => Some(points.len()),
                Asked::Endless => Some(1),
                _ => None,
            });
        let rows = sets.fold(1, usize::saturating_mul);
        (is_series && rows <= MAX_COMBINATIONS).then_some(Self { asks, len, rows })
    }

    /// The segments that are left open.
    pub(in crate::query) fn open(&self) -> Vec<&'a Segment> {
        let segments = self.asks.key.segments.iter().zip(&self.asks.segments);
        let open = segments
            .take(self.len)
            .filter(|(_, asked)| matches!(asked, Asked::Open));
        open.map(|(segment, _)| segment).collect()
    }

    /// The stem of a key; `None` if the key is not the model's, as far as the stem.
    pub(in crate::query) fn of<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]> {
        let layout = self.asks.key;
        let mut reader = layout.reader(key).ok()?;
        for (at, segment) in layout.segments.iter().enumerate().take(self.len) {
            if !segment.is_absent() {
                reader.segment(segment, layout.is_last(at)).ok()?;
            }
        }
        key.get(..key.len() - reader.rest().len())
    }

    /// Adds the selected rows of a stem. If its own values are not selected, it has none.
    pub(in crate::query) fn add(&self, stem: &[u8], rows: &mut Gathered) {
        let layout = self.asks.key;
        if !self.is_selected(stem) {
            return;
        }
        let mut keys = vec![stem.to_vec()];
        for (at, asked) in self.asks.segments.iter().enumerate().skip(self.len) {
            let range = match asked {
                Asked::Points(points) => {
                    let with = |key: Vec<u8>| {
                        points.iter().map(move |point| {
                            let mut key = [key.as_slice(), point].concat();
                            if !layout.is_last(at) {
                                key.extend_from_slice(layout.separator.as_bytes());
                            }
                            key
                        })
                    };
                    keys = keys.into_iter().flat_map(with).collect();
                    continue;
                }
                Asked::Endless => continue,
                Asked::Between(range) => Some(range),
                Asked::Buckets(buckets) => buckets.range.as_ref(),
                Asked::Open | Asked::Salt => None,
            };
            let keys = keys.into_iter().filter(|key| key.len() <= MAX_KEY_BYTES);
            let all: ByteRange = (Bound::Unbounded, Bound::Unbounded);
            let range = range.unwrap_or(&all);
            rows.ranges.extend(keys.map(|key| continued(key, range)));
            return;
        }
        rows.keys
            .extend(keys.into_iter().filter(|key| key.len() <= MAX_KEY_BYTES));
    }

    /// Whether the values in a stem are among those that were set before the open segment.
    fn is_selected(&self, stem: &[u8]) -> bool {
        let layout = self.asks.key;
        let Ok(mut reader) = layout.reader(stem) else {
            return true;
        };
        let mut segments = layout
            .segments
            .iter()
            .zip(&self.asks.segments)
            .take(self.len);
        segments.all(|(segment, asked)| {
            let Ok(bytes) = reader.segment(segment, false) else {
                return true;
            };
            match asked {
                Asked::Points(points) => points.iter().any(|point| point == bytes),
                _ => true,
            }
        })
    }
}
