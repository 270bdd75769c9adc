//! The selection of each segment of the key, in the key's bytes.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::buckets::{Buckets, half_open, stored_times};
use crate::Timestamp;
use crate::error::QueryError;
use crate::key::time::bucket::Bucket;
use crate::key::{
    ByteRange, KeyError, KeyLayout, Segment, SegmentError, SegmentFormat, SegmentRole, SegmentValue,
};
use crate::query::{EventTimes, SegmentSelection, Selection};

/// How many buckets are listed if their labels do not sort.
const MAX_UNSORTED: usize = 64;

/// The selection of one segment, in the key's bytes.
#[derive(Debug)]
pub(in crate::query) enum Asked<'a> {
    /// Nothing.
    Open,
    /// One of these, each listed once: buckets in order of time, others in byte order.
    Points(Vec<Vec<u8>>),
    /// The segment's bytes, and those after them, lie between these.
    Between(ByteRange),
    /// Buckets of a range of times.
    Buckets(Buckets<'a>),
    /// A shard number, which cannot be selected.
    Salt,
    /// No bytes in the key: all times of a series are in one row.
    Endless,
}

/// The selections of all segments, including the salt.
#[derive(Debug)]
pub(in crate::query) struct Asks<'a> {
    pub(in crate::query) key: &'a KeyLayout,
    pub(in crate::query) segments: Vec<Asked<'a>>,
    /// The selected times of events, if the key holds only their bucket.
    pub(in crate::query) times: EventTimes,
    /// Whether no value can match.
    pub(in crate::query) nothing: bool,
}

impl<'a> Asks<'a> {
    /// Encodes the selections. Every value and bound is encoded, so an invalid one is always
    /// refused.
    pub(in crate::query) fn new(
        key: &'a KeyLayout,
        selection: &Selection,
    ) -> Result<Self, QueryError> {
        Self::encoded(key, &selection.segments, selection.full_scan)
    }

    /// The same for any segments, such as those of a plan.
    pub(in crate::query) fn of(
        key: &'a KeyLayout,
        segments: &[SegmentSelection],
    ) -> Result<Self, QueryError> {
        Self::encoded(key, segments, true)
    }

    /// The same for the rows of these keys, which may lack the last segments of events' keys.
    pub(in crate::query) fn of_rows(
        rows: &'a KeyLayout,
        segments: &[SegmentSelection],
    ) -> Result<Self, QueryError> {
        let most = rows.valued().count().min(segments.len());
        Self::of(rows, segments.get(..most).unwrap_or_default())
    }

    fn encoded(
        key: &'a KeyLayout,
        segments: &[SegmentSelection],
        full_scan: bool,
    ) -> Result<Self, QueryError> {
        let asked = without_open_end(segments);
        let valued = || {
            key.segments
                .iter()
                .filter(|segment| segment.role != SegmentRole::Salt)
        };
        if asked.len() > valued().count() {
            return Err(QueryError::Key(KeyError::Count {
                values: asked.len(),
                segments: valued().count(),
            }));
        }
        if !full_scan {
            check_open(valued(), asked)?;
        }
        let mut asks = Self {
            key,
            segments: Vec::with_capacity(key.segments.len()),
            times: EventTimes::All,
            nothing: false,
        };
        let mut asked = asked.iter();
        for (at, segment) in key.segments.iter().enumerate() {
            let asked = match &segment.format {
                SegmentFormat::Salt(_) => Asked::Salt,
                SegmentFormat::Bucket(bucket) => asks
                    .bucket(segment, bucket, asked.next())
                    .map_err(in_segment(segment))?,
                _ => asks
                    .plain(at, segment, asked.next())
                    .map_err(in_segment(segment))?,
            };
            asks.nothing |= matches!(&asked, Asked::Points(points) if points.is_empty());
            asks.segments.push(asked);
        }
        Ok(asks)
    }

    /// The selection of an identifier, or of an event's time in the key.
    fn plain(
        &mut self,
        at: usize,
        segment: &Segment,
        asked: Option<&SegmentSelection>,
    ) -> Result<Asked<'a>, SegmentError> {
        let last = self.key.is_last(at);
        let separator = &self.key.separator;
        let range = match asked {
            None => return Ok(Asked::Open),
            Some(SegmentSelection::Values(values)) => {
                return self.points(segment, values).map(Asked::Points);
            }
            Some(SegmentSelection::Range(start, end)) => {
                segment.encode_range(start.as_ref(), end.as_ref(), separator, last)?
            }
            Some(SegmentSelection::Prefix(text)) => {
                Some(segment.encode_text_prefix(text, separator, last)?)
            }
        };
        Ok(match range {
            // A range that contains every value selects nothing in particular.
            Some((Bound::Unbounded, Bound::Unbounded)) => Asked::Open,
            Some(range) => Asked::Between(range),
            None => {
                self.nothing = true;
                Asked::Open
            }
        })
    }

    /// Each value once, in byte order.
    fn points(
        &self,
        segment: &Segment,
        values: &[SegmentValue],
    ) -> Result<Vec<Vec<u8>>, SegmentError> {
        let mut points = Vec::with_capacity(values.len());
        for value in values {
            let mut bytes = Vec::new();
            segment.encode(value, self.key.separator_byte(), &mut bytes)?;
            points.push(bytes);
        }
        points.sort_unstable();
        points.dedup();
        Ok(points)
    }

    /// The selection of a time that the key holds by its bucket; the events' times go into `times`.
    fn bucket(
        &mut self,
        segment: &Segment,
        bucket: &'a Bucket,
        asked: Option<&SegmentSelection>,
    ) -> Result<Asked<'a>, SegmentError> {
        let separator = self.key.separator_byte();
        match asked {
            None => {}
            Some(SegmentSelection::Values(values)) => {
                let points = bucket_points(segment, bucket, separator, values)?;
                self.times = EventTimes::In(stored_times(bucket, values.iter().filter_map(time))?);
                if bucket.is_endless() {
                    self.nothing |= values.is_empty();
                } else {
                    return Ok(Asked::Points(points));
                }
            }
            Some(SegmentSelection::Range(start, end)) => match half_open(start, end) {
                Ok((None, None)) => {}
                Ok((start, end)) => {
                    let start = start.map(|start| bucket.ceil(start));
                    let end = end.map(|end| bucket.ceil(end));
                    self.times = EventTimes::Between(start, end);
                    self.nothing |=
                        matches!((start, end), (Some(start), Some(end)) if end <= start);
                    if !bucket.is_endless() {
                        return self.buckets(segment, bucket, start, end);
                    }
                    // The range may lie outside all times, so no key is compared with it.
                    self.nothing |= start.is_some_and(|start| !bucket.holds_on_grid(start))
                        || end.is_some_and(|end| end <= bucket.ceil(Timestamp::MIN));
                }
                Err(other) => {
                    segment.encode(other, separator, &mut Vec::new())?;
                }
            },
            Some(SegmentSelection::Prefix(text)) => {
                segment.encode_text_prefix(text, &self.key.separator, true)?;
            }
        }
        Ok(match bucket.is_endless() {
            true => Asked::Endless,
            false => Asked::Open,
        })
    }

    fn buckets(
        &mut self,
        segment: &Segment,
        bucket: &'a Bucket,
        start: Option<Timestamp>,
        end: Option<Timestamp>,
    ) -> Result<Asked<'a>, SegmentError> {
        let range = if bucket.sorts() {
            // Times are on the grid: a bucket that begins after the last grid time before the end
            // holds none.
            let last = end.map(|end| bucket.before(end));
            let bounds = (start.map(SegmentValue::Time), last.map(SegmentValue::Time));
            let from = bounds.0.as_ref().map_or(Bound::Unbounded, Bound::Included);
            let to = bounds.1.as_ref().map_or(Bound::Unbounded, Bound::Included);
            let last = self.key.is_last(self.segments.len());
            let range = segment.encode_range(from, to, &self.key.separator, last)?;
            self.nothing |= range.is_none();
            range
        } else {
            None
        };
        Ok(Asked::Buckets(Buckets {
            bucket,
            start,
            end,
            range,
        }))
    }

    /// Lists the buckets whose labels do not sort, if there are few: as a range they would narrow
    /// nothing.
    pub(in crate::query) fn list_unsorted(&mut self) {
        for asked in &mut self.segments {
            if let Asked::Buckets(buckets) = asked
                && buckets.range.is_none()
                && let Some(labels) = buckets.labels(MAX_UNSORTED)
            {
                *asked = Asked::Points(labels);
            }
        }
    }

    /// Whether a segment after this index is selected.
    pub(in crate::query) fn narrow_after(&self, at: usize) -> bool {
        self.segments.iter().skip(at + 1).any(Asked::narrows)
    }

    /// The values of a segment that is set to values.
    pub(in crate::query) fn points_of(&self, at: usize) -> Option<&[Vec<u8>]> {
        match self.segments.get(at) {
            Some(Asked::Points(points)) => Some(points),
            _ => None,
        }
    }
}

impl Asked<'_> {
    /// The range of its bytes and those after them, if it has one with an end.
    pub(in crate::query) fn range(&self) -> Option<&ByteRange> {
        let range = match self {
            Self::Between(range) => range,
            Self::Buckets(buckets) => buckets.range.as_ref()?,
            _ => return None,
        };
        (*range != (Bound::Unbounded, Bound::Unbounded)).then_some(range)
    }

    /// Whether it excludes some keys.
    pub(in crate::query) fn narrows(&self) -> bool {
        matches!(self, Self::Points(_) | Self::Between(_) | Self::Buckets(_))
    }
}

/// The labels of the buckets that hold these times, in order of time.
fn bucket_points(
    segment: &Segment,
    bucket: &Bucket,
    separator: u8,
    values: &[SegmentValue],
) -> Result<Vec<Vec<u8>>, SegmentError> {
    let mut points = BTreeMap::new();
    for value in values {
        let mut bytes = Vec::new();
        segment.encode(value, separator, &mut bytes)?;
        if let Some(time) = time(value) {
            let start = bucket.start_of(bucket.stored_time(time)?)?;
            points.entry(start).or_insert(bytes);
        }
    }
    Ok(points.into_values().collect())
}

fn time(value: &SegmentValue) -> Option<Timestamp> {
    match value {
        SegmentValue::Time(time) => Some(*time),
        _ => None,
    }
}

fn in_segment(segment: &Segment) -> impl Fn(SegmentError) -> QueryError + '_ {
    |source| {
        QueryError::Key(KeyError::Segment {
            segment: segment.name.clone(),
            source,
        })
    }
}

/// No segment can be selected after a range or a prefix, except after a range of buckets, which can
/// be listed.
fn check_open<'a>(
    segments: impl Iterator<Item = &'a Segment>,
    asked: &[SegmentSelection],
) -> Result<(), QueryError> {
    let mut closed_by: Option<&Segment> = None;
    for (segment, asked) in segments.zip(asked) {
        if let Some(by) = closed_by {
            return Err(QueryError::Closed {
                segment: segment.name.to_string(),
                closed_by: by.name.to_string(),
            });
        }
        let open = matches!(asked, SegmentSelection::Values(_));
        closed_by = (!open && segment.role != SegmentRole::Bucket).then_some(segment);
    }
    Ok(())
}

/// The selections without trailing ones that select everything.
pub(in crate::query) fn without_open_end(asked: &[SegmentSelection]) -> &[SegmentSelection] {
    let narrowing = asked
        .iter()
        .rposition(|asked| *asked != SegmentSelection::ALL);
    asked
        .get(..narrowing.map_or(0, |last| last + 1))
        .unwrap_or(asked)
}
