//! The part of the key that the selections fix, and the resulting rows.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::asked::{Asked, Asks};
use super::gather::Gathered;
use crate::data::{RowRange, prefix_end};
use crate::error::QueryError;
use crate::key::{ByteRange, KeyError, MAX_KEY_BYTES, Salt, Segment, SegmentRole};
use crate::query::{MAX_COMBINATIONS, Order, Selection};

/// The selections, and the number of leading segments that are set to values; a range may follow
/// them.
#[derive(Debug)]
pub(in crate::query) struct Narrowed<'a> {
    pub(in crate::query) asks: Asks<'a>,
    pub(in crate::query) fixed: usize,
    shard: Shard<'a>,
}

/// Why buckets have to be listed.
pub(in crate::query) const NARROWED_AFTER: &str = "since the query narrows segments after them";

/// Names a scan in order of time: the indexes of the identifiers' values, and the shard. In other
/// orders there is one scan.
pub(in crate::query) type Series = Vec<usize>;

/// The shards to be read.
#[derive(Debug, Clone, Copy)]
enum Shard<'a> {
    /// The fixed part has no salt.
    None,
    /// The salt hashes only fixed values.
    Known(&'a Salt),
    /// The salt hashes an open segment.
    Every(&'a Salt),
}

impl<'a> Narrowed<'a> {
    pub(in crate::query) fn new(
        mut asks: Asks<'a>,
        selection: &Selection,
    ) -> Result<Self, QueryError> {
        let time = asks.key.time_segment().map(|(at, _)| at);
        let by_time = |at| selection.order == Order::Time && time.is_some_and(|time| at < time);
        let mut fixed = 0;
        while let Some(asked) = asks.segments.get(fixed) {
            match asked {
                Asked::Points(_) | Asked::Endless => {}
                Asked::Salt if asks.narrow_after(fixed) || by_time(fixed) => {}
                Asked::Buckets(_) => match list_buckets(&asks, fixed, selection)? {
                    Some(labels) => {
                        asks.nothing |= labels.is_empty();
                        if let Some(asked) = asks.segments.get_mut(fixed) {
                            *asked = Asked::Points(labels);
                        }
                    }
                    None => break,
                },
                Asked::Open | Asked::Between(_) | Asked::Salt => break,
            }
            fixed += 1;
        }
        check_open_bucket(&asks, fixed, selection)?;
        let salt = asks.key.salt().filter(|(at, _)| *at < fixed);
        let shard = match salt {
            None => Shard::None,
            Some((_, salt)) if is_known(&asks, salt) => Shard::Known(salt),
            Some((at, salt)) => {
                let after = asks.segments.get(fixed).is_some_and(Asked::narrows);
                if fixed == at + 1 && !after && !by_time(at) {
                    // All shards without further segments are the whole table.
                    fixed = at;
                    Shard::None
                } else {
                    Shard::Every(salt)
                }
            }
        };
        Ok(Self { asks, fixed, shard })
    }

    /// Whether nothing narrows the key: reading all shards reads all rows, too.
    pub(in crate::query) fn is_open(&self) -> bool {
        let fixed = self.asks.segments.iter().take(self.fixed);
        let narrowed = fixed
            .into_iter()
            .any(|asked| !matches!(asked, Asked::Endless | Asked::Salt));
        !narrowed && self.tail().is_none()
    }

    /// The number of shards, if all are read because the right one is unknown.
    pub(in crate::query) fn every_shard(&self) -> Option<u16> {
        match self.shard {
            Shard::Every(salt) => Some(salt.shards),
            Shard::None | Shard::Known(_) => None,
        }
    }

    /// The first identifier without a set of values.
    pub(in crate::query) fn open_identifier(&self) -> Option<&'a Segment> {
        let mut segments = self.asks.key.segments.iter().zip(&self.asks.segments);
        let open = segments.find(|(segment, asked)| {
            segment.role == SegmentRole::Identifier && !matches!(asked, Asked::Points(_))
        });
        open.map(|(segment, _)| segment)
    }

    /// The segments to compare with each row, since the ranges do not cover their selections.
    pub(in crate::query) fn compared(&self) -> Vec<&'a Segment> {
        let segments = self.asks.key.segments.iter().zip(&self.asks.segments);
        segments
            .enumerate()
            .filter(|(at, (_, asked))| *at > self.fixed && asked.narrows())
            .map(|(_, (segment, _))| segment)
            .collect()
    }

    /// The buckets whose labels do not sort, if all of them are read.
    pub(in crate::query) fn unsorted(&self) -> Option<&'a Segment> {
        let (at, segment) = self.asks.key.time_segment()?;
        match self.asks.segments.get(at) {
            Some(Asked::Buckets(buckets)) if buckets.range.is_none() => Some(segment),
            _ => None,
        }
    }

    /// An identifier after the fixed part; if there is one, rows of several series are read
    /// together.
    pub(in crate::query) fn split_series(&self) -> Option<&'a Segment> {
        let mut after = self.asks.key.segments.iter().skip(self.fixed);
        after.find(|segment| segment.role == SegmentRole::Identifier)
    }

    /// How many series the identifiers' values name.
    pub(in crate::query) fn series(&self) -> usize {
        let segments = self.asks.key.segments.iter().enumerate();
        segments
            .filter(|(_, segment)| segment.role == SegmentRole::Identifier)
            .filter_map(|(at, _)| self.asks.points_of(at))
            .fold(1, |series, points| series.saturating_mul(points.len()))
    }

    /// The rows of each scan: a single scan, or in order of time one for each series and shard.
    pub(in crate::query) fn scans(
        &self,
        order: Order,
    ) -> Result<BTreeMap<Series, Gathered>, QueryError> {
        if self.asks.nothing {
            return Ok(BTreeMap::new());
        }
        let sizes: Vec<usize> = self.dimensions().map(|(_, size)| size).collect();
        let combinations = sizes.iter().copied().fold(1_usize, usize::saturating_mul);
        if combinations > MAX_COMBINATIONS {
            return Err(QueryError::TooManyCombinations { combinations });
        }
        let mut scans: BTreeMap<Series, Gathered> = BTreeMap::new();
        let mut chosen = Some(vec![0; sizes.len()]);
        while let Some(indexes) = chosen {
            let choice = self.choice(&indexes);
            let scan = match order {
                Order::Key | Order::Any => Vec::new(),
                Order::Time => self.series_of(&choice),
            };
            self.add(&choice, scans.entry(scan).or_default())?;
            chosen = next(indexes, &sizes);
        }
        Ok(scans)
    }

    /// The indexes of the segments whose values are combined, and how many each has. A salt counts
    /// with its shards, if all are read.
    fn dimensions(&self) -> impl Iterator<Item = (usize, usize)> {
        let of: &[usize] = match &self.shard {
            Shard::Known(salt) => &salt.of,
            _ => &[],
        };
        let segments = self.asks.segments.iter().enumerate();
        segments.filter_map(move |(at, asked)| match (asked, self.shard) {
            (Asked::Points(points), _) if at < self.fixed || of.contains(&at) => {
                Some((at, points.len()))
            }
            (Asked::Salt, Shard::Every(salt)) if at < self.fixed => {
                Some((at, usize::from(salt.shards)))
            }
            _ => None,
        })
    }

    fn choice(&self, indexes: &[usize]) -> Choice<'_> {
        let mut choice = Choice {
            indexes: vec![None; self.asks.segments.len()],
            values: vec![&[]; self.asks.segments.len()],
            shard: None,
        };
        for ((at, _), index) in self.dimensions().zip(indexes) {
            if let Some(chosen) = choice.indexes.get_mut(at) {
                *chosen = Some(*index);
            }
            let value = self
                .asks
                .points_of(at)
                .and_then(|points| points.get(*index));
            if let (Some(value), Some(chosen)) = (value, choice.values.get_mut(at)) {
                *chosen = value;
            } else {
                let salt = self.asks.key.salt();
                let shard = u16::try_from(*index).ok();
                choice.shard = shard.zip(salt).map(|(shard, (_, salt))| salt.number(shard));
            }
        }
        if let Shard::Known(salt) = self.shard {
            let parts = salt
                .of
                .iter()
                .filter_map(|at| choice.values.get(*at).copied());
            choice.shard = Some(salt.shard(&self.asks.key.separator, parts));
        }
        choice
    }

    /// The series of a choice, and its shard.
    fn series_of(&self, choice: &Choice<'_>) -> Series {
        let segments = self.asks.key.segments.iter().zip(&choice.indexes);
        segments
            .take(self.fixed)
            .filter(|(segment, _)| segment.role == SegmentRole::Identifier)
            .filter_map(|(_, index)| *index)
            .chain(choice.shard.map(usize::from))
            .collect()
    }

    /// Adds the rows of one choice of values. Values that each fit their segment may together make
    /// a key that Bigtable refuses: such a choice has no rows.
    fn add(&self, choice: &Choice<'_>, rows: &mut Gathered) -> Result<(), QueryError> {
        let key = self.asks.key;
        let mut shard = Vec::new();
        let mut parts: Vec<&[u8]> = choice.values.iter().copied().take(self.fixed).collect();
        if let (Some(number), Some((at, salt))) = (choice.shard, key.salt()) {
            salt.encode(number, &mut shard);
            if let Some(part) = parts.get_mut(at) {
                *part = &shard;
            }
        }
        let mut bytes = Vec::new();
        match key.join(&parts, &mut bytes) {
            Err(KeyError::Empty | KeyError::TooLong { .. }) => return Ok(()),
            joined => joined?,
        }
        if bytes.len() > MAX_KEY_BYTES {
            return Ok(());
        }
        if self.fixed == key.segments.len() {
            rows.keys.push(bytes);
        } else {
            rows.ranges.push(continued(bytes, self.tail()));
        }
        Ok(())
    }

    /// The selected range of the first segment that is not fixed; `None` for all of it.
    fn tail(&self) -> Option<&ByteRange> {
        self.asks.segments.get(self.fixed)?.range()
    }
}

/// The keys that begin with `prefix` and continue within a range; `None` for all of them.
pub(in crate::query) fn continued(prefix: Vec<u8>, range: Option<&ByteRange>) -> RowRange {
    let (start, end) = match range {
        Some((start, end)) => (start.as_ref(), end.as_ref()),
        None => (Bound::Unbounded, Bound::Unbounded),
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
    RowRange::half_open(start, end.unwrap_or_default())
}

/// One value of each segment that has several, and the shard.
#[derive(Debug)]
struct Choice<'a> {
    indexes: Vec<Option<usize>>,
    values: Vec<&'a [u8]>,
    shard: Option<u16>,
}

/// The next choice; the last segment's value changes first.
fn next(mut indexes: Vec<usize>, sizes: &[usize]) -> Option<Vec<usize>> {
    for (index, size) in indexes.iter_mut().zip(sizes).rev() {
        *index += 1;
        if *index < *size {
            return Some(indexes);
        }
        *index = 0;
    }
    None
}

/// Whether all segments that a salt hashes have values.
fn is_known(asks: &Asks<'_>, salt: &Salt) -> bool {
    let mut of = salt.of.iter().map(|at| asks.segments.get(*at));
    of.all(|asked| matches!(asked, Some(Asked::Points(_) | Asked::Endless)))
}

/// The buckets as a list, if a range of their labels does not suffice; `None` if it does.
fn list_buckets(
    asks: &Asks<'_>,
    at: usize,
    selection: &Selection,
) -> Result<Option<Vec<Vec<u8>>>, QueryError> {
    let (Some(Asked::Buckets(buckets)), Some(segment)) =
        (asks.segments.get(at), asks.key.segments.get(at))
    else {
        return Ok(None);
    };
    let sorts = buckets.bucket.sorts();
    let after = asks.narrow_after(at);
    let open_time = |reason| {
        Err(QueryError::OpenTime {
            segment: segment.name.to_string(),
            reason,
        })
    };
    if !buckets.are_bounded() {
        return match after && !selection.full_scan {
            true => open_time(NARROWED_AFTER),
            false => Ok(None),
        };
    }
    if sorts && !after {
        // A list of buckets is as exact as their range, and better if it needs fewer reads.
        return Ok(buckets.labels(useful(asks, at)));
    }
    match buckets.labels(MAX_COMBINATIONS) {
        None if sorts && selection.full_scan && selection.order != Order::Time => Ok(None),
        None => Err(QueryError::TooManyCombinations {
            combinations: MAX_COMBINATIONS + 1,
        }),
        labels => Ok(labels),
    }
}

/// After buckets that are not selected, or whose range is open, later segments can be selected only
/// in a scan of the whole table.
fn check_open_bucket(asks: &Asks<'_>, at: usize, selection: &Selection) -> Result<(), QueryError> {
    let segment = asks.key.segments.get(at);
    match (segment, asks.segments.get(at)) {
        (Some(segment), Some(Asked::Open))
            if segment.role == SegmentRole::Bucket
                && !selection.full_scan
                && asks.narrow_after(at) =>
        {
            Err(QueryError::OpenTime {
                segment: segment.name.to_string(),
                reason: NARROWED_AFTER,
            })
        }
        _ => Ok(()),
    }
}

/// The maximum number of buckets that are better listed than read as a range: one, or the number of
/// shards if the salt hashes the bucket and known values.
fn useful(asks: &Asks<'_>, at: usize) -> usize {
    let salt = asks.key.salt().filter(|(place, _)| *place < at);
    let salted = salt.filter(|(_, salt)| {
        let known = |of: &usize| *of == at || asks.points_of(*of).is_some();
        salt.of.contains(&at) && salt.of.iter().all(known)
    });
    salted.map_or(1, |(_, salt)| usize::from(salt.shards))
}

fn join(prefix: &[u8], bytes: &[u8], rest: &[u8]) -> Vec<u8> {
    [prefix, bytes, rest].concat()
}
