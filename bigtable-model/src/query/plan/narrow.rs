//! The part of the key that the selections fix, and the resulting rows.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::asked::{Asked, Asks};
use super::gather::Gathered;
use crate::data::{RowRange, prefix_end};
use crate::error::QueryError;
use crate::key::{ByteRange, HotSeries, KeyError, MAX_KEY_BYTES, Salt, Segment, SegmentRole};
use crate::query::{MAX_COMBINATIONS, Order, ReadsMore, Selection};

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
    /// It hashes a segment that is left open, but the series and so its shards are known.
    OfSeries(&'a Salt, &'a HotSeries),
    /// It hashes a segment that is left open.
    Every(&'a Salt),
}

impl<'a> Shard<'a> {
    /// The shards of a salt as far as its segments have values.
    fn of(asks: &Asks<'_>, salt: &'a Salt) -> Self {
        match &salt.hot {
            _ if are_known(asks, &salt.of) => Self::Known(salt),
            Some(hot) if are_known(asks, &hot.series) => Self::OfSeries(salt, hot),
            _ => Self::Every(salt),
        }
    }

    fn salt(self) -> Option<&'a Salt> {
        match self {
            Self::None => None,
            Self::Known(salt) | Self::OfSeries(salt, _) | Self::Every(salt) => Some(salt),
        }
    }

    /// The segments whose values decide which shards are read.
    fn decided_by(self) -> &'a [usize] {
        match self {
            Self::None | Self::Every(_) => &[],
            Self::Known(salt) => &salt.of,
            Self::OfSeries(_, hot) => &hot.series,
        }
    }
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
            Some((at, salt)) => match Shard::of(&asks, salt) {
                Shard::Every(_)
                    if fixed == at + 1
                        && !asks.segments.get(fixed).is_some_and(Asked::narrows)
                        && !by_time(at) =>
                {
                    // All shards and nothing else are the whole table.
                    fixed = at;
                    Shard::None
                }
                shard => shard,
            },
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

    /// How many shards are read because the right one is not known.
    pub(in crate::query) fn every_shard(&self) -> Option<ReadsMore> {
        match self.shard {
            Shard::None | Shard::Known(_) => None,
            Shard::OfSeries(_, hot) => {
                let shards = shards_of_values(&self.asks, hot).max()?;
                (shards > 1).then_some(ReadsMore::HotShards { shards })
            }
            Shard::Every(salt) => Some(ReadsMore::EveryShard {
                shards: salt.shards,
            }),
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
        let combinations = self.combinations();
        if combinations > MAX_COMBINATIONS {
            return Err(QueryError::TooManyCombinations { combinations });
        }
        let mut scans: BTreeMap<Series, Gathered> = BTreeMap::new();
        let mut chosen = Some(vec![0; sizes.len()]);
        while let Some(indexes) = chosen {
            let mut choice = self.choice(&indexes);
            for shard in self.shards_of(&choice) {
                choice.shard = shard;
                let scan = match order {
                    Order::Key | Order::Any => Vec::new(),
                    Order::Time => self.series_of(&choice),
                };
                self.add(&choice, scans.entry(scan).or_default())?;
            }
            chosen = next(indexes, &sizes);
        }
        Ok(scans)
    }

    /// How many keys or ranges are read: combinations of values, each in some shards.
    fn combinations(&self) -> usize {
        let sizes = self.dimensions().map(|(at, size)| match self.shard {
            Shard::OfSeries(_, hot) if hot.segment == at => {
                shards_of_values(&self.asks, hot).map(usize::from).sum()
            }
            _ => size,
        });
        let shards = match self.shard {
            Shard::Every(salt) => usize::from(salt.shards),
            _ => 1,
        };
        sizes.fold(shards, usize::saturating_mul)
    }

    /// The indexes of the segments whose values are combined, and how many each has.
    fn dimensions(&self) -> impl Iterator<Item = (usize, usize)> {
        let of = self.shard.decided_by();
        let segments = self.asks.segments.iter().enumerate();
        segments.filter_map(move |(at, asked)| match asked {
            Asked::Points(points) if at < self.fixed || of.contains(&at) => {
                Some((at, points.len()))
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
            let points = self.asks.points_of(at);
            let value = points.and_then(|points| points.get(*index));
            if let (Some(value), Some(chosen)) = (value, choice.values.get_mut(at)) {
                *chosen = value;
            }
        }
        choice
    }

    /// The shards that are read for a choice of values; without a salt it is read once.
    fn shards_of(&self, choice: &Choice<'_>) -> Vec<Option<u16>> {
        let Some(salt) = self.shard.salt() else {
            return vec![None];
        };
        let of = self.shard.decided_by();
        let known = |at: usize| of.contains(&at).then(|| choice.values.get(at).copied())?;
        let shards = salt.shards_with(&self.asks.key.separator, known);
        shards.into_iter().map(Some).collect()
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

/// Whether some segments have values.
fn are_known(asks: &Asks<'_>, segments: &[usize]) -> bool {
    let mut asked = segments.iter().map(|at| asks.segments.get(*at));
    asked.all(|asked| matches!(asked, Some(Asked::Points(_) | Asked::Endless)))
}

/// In how many shards the rows of each selected value are.
fn shards_of_values(asks: &Asks<'_>, hot: &HotSeries) -> impl Iterator<Item = u16> {
    let values = asks.points_of(hot.segment).unwrap_or_default().iter();
    values.map(|value| hot.shards_of(value))
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

/// Up to how many buckets are better listed than read as a range: one, or as many as there are
/// shards of a series if the salt hashes the bucket and known values.
fn useful(asks: &Asks<'_>, at: usize) -> usize {
    let salt = asks.key.salt().filter(|(place, _)| *place < at);
    let salted = salt.filter(|(_, salt)| {
        let known = |of: &usize| *of == at || asks.points_of(*of).is_some();
        salt.of.contains(&at) && salt.of.iter().all(known)
    });
    let shards = salted.map(|(_, salt)| match &salt.hot {
        Some(hot) => shards_of_values(asks, hot).max().unwrap_or(1),
        None => salt.shards,
    });
    shards.map_or(1, usize::from)
}

fn join(prefix: &[u8], bytes: &[u8], rest: &[u8]) -> Vec<u8> {
    [prefix, bytes, rest].concat()
}
