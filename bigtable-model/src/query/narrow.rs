//! What a selection says of the key, in the key's bytes.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::gather::{Gathered, HalfOpen};
use super::{MAX_COMBINATIONS, Order, SegmentSelection, Selection};
use crate::data::prefix_end;
use crate::error::QueryError;
use crate::key::{
    ByteRange, KeyError, KeyLayout, Segment, SegmentError, SegmentRole, SegmentValue,
};

/// The leading segments that have a set of values, and what is asked of the one behind them.
#[derive(Debug)]
pub(super) struct Narrowed<'a> {
    key: &'a KeyLayout,
    /// The values of each, every one once, in the order of their bytes.
    fixed: Vec<Vec<SegmentValue>>,
    tail: Tail,
}

/// What is asked of the first segment without a set of values.
#[derive(Debug, PartialEq, Eq)]
enum Tail {
    /// Nothing is asked.
    Open,
    /// Its bytes and those behind them lie between these.
    Between(Bound<Vec<u8>>, Bound<Vec<u8>>),
    /// No value can match.
    Nothing,
}

impl<'a> Narrowed<'a> {
    /// Encodes what is asked; every value and bound is encoded, so that a wrong one is refused whatever stands beside it.
    pub(super) fn new(key: &'a KeyLayout, selection: &Selection) -> Result<Self, QueryError> {
        let asked = without_open_end(&selection.segments);
        if asked.len() > key.segments.len() {
            return Err(QueryError::Key(KeyError::Count {
                values: asked.len(),
                segments: key.segments.len(),
            }));
        }
        let mut narrowed = Self {
            key,
            fixed: Vec::new(),
            tail: Tail::Open,
        };
        let mut closed_by: Option<&Segment> = None;
        for (segment, asked) in key.segments.iter().zip(asked) {
            if let Some(by) = closed_by {
                return Err(QueryError::Closed {
                    segment: segment.name.to_string(),
                    closed_by: by.name.to_string(),
                });
            }
            let narrows = narrowed.narrow(segment, asked);
            let open = narrows.map_err(|source| KeyError::Segment {
                segment: segment.name.clone(),
                source,
            })?;
            closed_by = (!open).then_some(segment);
        }
        Ok(narrowed)
    }

    /// Takes in what is asked of the next segment; whether the prefix stays open.
    fn narrow(
        &mut self,
        segment: &Segment,
        asked: &SegmentSelection,
    ) -> Result<bool, SegmentError> {
        match asked {
            SegmentSelection::Values(values) => {
                let values = self.distinct(segment, values)?;
                self.fixed.push(values);
                return Ok(true);
            }
            SegmentSelection::Range(start, end) => {
                self.tail = self.range(segment, start.as_ref(), end.as_ref())?;
            }
            SegmentSelection::Prefix(text) => self.tail = self.text_prefix(segment, text)?,
        }
        Ok(false)
    }

    /// Each value once, in the order of their bytes.
    fn distinct(
        &self,
        segment: &Segment,
        values: &[SegmentValue],
    ) -> Result<Vec<SegmentValue>, SegmentError> {
        let mut distinct = BTreeMap::new();
        for value in values {
            let mut bytes = Vec::new();
            segment.encode(value, self.key.separator_byte(), &mut bytes)?;
            distinct.entry(bytes).or_insert_with(|| value.clone());
        }
        Ok(distinct.into_values().collect())
    }

    fn range(
        &self,
        segment: &Segment,
        start: Bound<&SegmentValue>,
        end: Bound<&SegmentValue>,
    ) -> Result<Tail, SegmentError> {
        let range = segment.encode_range(start, end, &self.key.separator, self.is_next_last())?;
        Ok(range.map_or(Tail::Nothing, Tail::between))
    }

    fn text_prefix(&self, segment: &Segment, text: &str) -> Result<Tail, SegmentError> {
        let last = self.is_next_last();
        let range = segment.encode_text_prefix(text, &self.key.separator, last)?;
        Ok(Tail::between(range))
    }

    /// Whether the segment behind those with values is the last.
    fn is_next_last(&self) -> bool {
        self.fixed.len() + 1 == self.key.segments.len()
    }

    /// Whether nothing narrows the key.
    pub(super) fn is_open(&self) -> bool {
        self.fixed.is_empty() && self.tail == Tail::Open
    }

    /// Whether no row can match.
    pub(super) fn is_nothing(&self) -> bool {
        self.tail == Tail::Nothing || self.fixed.iter().any(Vec::is_empty)
    }

    /// The first identifier without a set of values.
    pub(super) fn open_identifier(&self) -> Option<&'a Segment> {
        let mut open = self.key.segments.iter().skip(self.fixed.len());
        open.find(|segment| segment.role == SegmentRole::Identifier)
    }

    /// How many series the identifiers' values name.
    pub(super) fn series(&self) -> usize {
        if self.is_nothing() {
            return 0;
        }
        let segments = self.key.segments.iter().zip(&self.fixed);
        segments
            .filter(|(segment, _)| segment.role == SegmentRole::Identifier)
            .fold(1, |series, (_, values)| series.saturating_mul(values.len()))
    }

    /// The rows of each scan: one scan in order of the key, one for each series in order of time.
    pub(super) fn scans(&self, order: Order) -> Result<Vec<Gathered>, QueryError> {
        let mut scans: BTreeMap<Vec<usize>, Gathered> = BTreeMap::new();
        if self.is_nothing() {
            return Ok(Vec::new());
        }
        let sizes = self.fixed.iter().map(Vec::len);
        let combinations = sizes.fold(1_usize, usize::saturating_mul);
        if combinations > MAX_COMBINATIONS {
            return Err(QueryError::TooManyCombinations { combinations });
        }
        let mut chosen = Some(vec![0; self.fixed.len()]);
        while let Some(indexes) = chosen {
            let scan = match order {
                Order::Key | Order::Any => Vec::new(),
                Order::Time => self.series_of(&indexes),
            };
            self.add(&indexes, scans.entry(scan).or_default())?;
            chosen = self.next(indexes);
        }
        Ok(scans.into_values().collect())
    }

    /// The choice after this one; the last segment's value changes first.
    fn next(&self, mut indexes: Vec<usize>) -> Option<Vec<usize>> {
        for (index, values) in indexes.iter_mut().zip(&self.fixed).rev() {
            *index += 1;
            if *index < values.len() {
                return Some(indexes);
            }
            *index = 0;
        }
        None
    }

    /// The part of a choice that names the series.
    fn series_of(&self, indexes: &[usize]) -> Vec<usize> {
        let segments = self.key.segments.iter().zip(indexes);
        segments
            .filter(|(segment, _)| segment.role == SegmentRole::Identifier)
            .map(|(_, index)| *index)
            .collect()
    }

    /// Adds the rows of one choice of values.
    fn add(&self, indexes: &[usize], rows: &mut Gathered) -> Result<(), QueryError> {
        let values: Vec<SegmentValue> = self
            .fixed
            .iter()
            .zip(indexes)
            .filter_map(|(values, index)| values.get(*index).cloned())
            .collect();
        let mut bytes = Vec::new();
        if values.len() == self.key.segments.len() {
            self.key.encode(&values, &mut bytes)?;
            rows.keys.push(bytes);
            return Ok(());
        }
        self.key.encode_prefix(&values, &mut bytes)?;
        if let Some(range) = self.tail.behind(bytes) {
            rows.ranges.push(range);
        }
        Ok(())
    }
}

impl Tail {
    /// A range that takes in every value asks for nothing.
    fn between(range: ByteRange) -> Self {
        match range {
            (Bound::Unbounded, Bound::Unbounded) => Self::Open,
            (start, end) => Self::Between(start, end),
        }
    }

    /// The keys that begin with `prefix` and go on as the tail asks.
    fn behind(&self, prefix: Vec<u8>) -> Option<HalfOpen> {
        let (start, end) = match self {
            Self::Nothing => return None,
            Self::Open => (&Bound::Unbounded, &Bound::Unbounded),
            Self::Between(start, end) => (start, end),
        };
        let end = match end {
            Bound::Unbounded => prefix_end(&prefix),
            Bound::Excluded(end) => Some(join(&prefix, end, &[])),
            Bound::Included(end) => Some(join(&prefix, end, &[0])),
        };
        let start = match start {
            Bound::Unbounded => prefix,
            Bound::Included(start) => join(&prefix, start, &[]),
            Bound::Excluded(start) => join(&prefix, start, &[0]),
        };
        Some(HalfOpen { start, end })
    }
}

fn join(prefix: &[u8], bytes: &[u8], rest: &[u8]) -> Vec<u8> {
    [prefix, bytes, rest].concat()
}

/// Without the entries at the end that ask for nothing.
fn without_open_end(asked: &[SegmentSelection]) -> &[SegmentSelection] {
    let narrowing = asked
        .iter()
        .rposition(|asked| *asked != SegmentSelection::Range(Bound::Unbounded, Bound::Unbounded));
    asked
        .get(..narrowing.map_or(0, |last| last + 1))
        .unwrap_or(asked)
}
