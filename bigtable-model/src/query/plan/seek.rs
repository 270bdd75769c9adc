//! The rows of a series that a seek found, if a query leaves an identifier open.

use super::asked::{Asked, Asks};
use super::gather::Gathered;
use super::narrow::continued;
use crate::key::{MAX_KEY_BYTES, Segment, SegmentRole};
use crate::query::MAX_COMBINATIONS;

/// The selections after the last open segment. The key up to there is a stem: rows of one stem are
/// adjacent, so one row shows where they begin and end, and which of them are selected.
#[derive(Debug)]
pub(in crate::query) struct Stems<'a> {
    asks: Asks<'a>,
    /// The number of segments in a stem.
    len: usize,
    /// How many rows or ranges each stem has.
    pub(in crate::query) rows: usize,
}

impl<'a> Stems<'a> {
    /// `None` if stems would narrow nothing: a stem would contain a time, so that nearly every row
    /// has its own, or no segment with bytes in the key is selected after it.
    pub(in crate::query) fn new(mut asks: Asks<'a>) -> Option<Self> {
        if asks.nothing {
            return None;
        }
        asks.list_unsorted();
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

    /// The open segments.
    pub(in crate::query) fn open(&self) -> Vec<&'a Segment> {
        let segments = self.asks.key.segments.iter().zip(&self.asks.segments);
        let open = segments
            .take(self.len)
            .filter(|(_, asked)| matches!(asked, Asked::Open));
        open.map(|(segment, _)| segment).collect()
    }

    /// The stem of a key, and whether its own values are selected; `None` if the key up to the
    /// stem's end is not the model's.
    pub(in crate::query) fn of<'k>(&self, key: &'k [u8]) -> Option<(&'k [u8], bool)> {
        let layout = self.asks.key;
        let mut reader = layout.reader(key).ok()?;
        let mut is_selected = true;
        let segments = layout.segments.iter().zip(&self.asks.segments);
        for (at, (segment, asked)) in segments.enumerate().take(self.len) {
            let bytes = reader.segment(segment, layout.is_last(at)).ok()?;
            if let Asked::Points(points) = asked {
                is_selected &= points.iter().any(|point| point == bytes);
            }
        }
        let stem = key.get(..key.len() - reader.rest().len())?;
        Some((stem, is_selected))
    }

    /// Adds the selected rows of a stem.
    pub(in crate::query) fn add(&self, stem: &[u8], rows: &mut Gathered) {
        let layout = self.asks.key;
        let mut keys = vec![stem.to_vec()];
        let mut after = self.asks.segments.iter().enumerate().skip(self.len);
        let tail = after.find(|(at, asked)| match asked {
            Asked::Points(points) => {
                let separator = if layout.is_last(*at) {
                    ""
                } else {
                    &layout.separator
                };
                let continued = |key: &Vec<u8>| {
                    let with =
                        |point: &Vec<u8>| [key, point.as_slice(), separator.as_bytes()].concat();
                    points.iter().map(with).collect::<Vec<_>>()
                };
                keys = keys.iter().flat_map(continued).collect();
                false
            }
            asked => !matches!(asked, Asked::Endless),
        });
        keys.retain(|key| key.len() <= MAX_KEY_BYTES);
        match tail {
            Some((_, asked)) => {
                let ranges = keys.into_iter().map(|key| continued(key, asked.range()));
                rows.ranges.extend(ranges);
            }
            None => rows.keys.extend(keys),
        }
    }
}
