//! Random values of a model's segments, from few enough that events share series, buckets and
//! edges.

use std::time::Duration;

use crate::Timestamp;
use crate::key::time::bucket::{Bucket, BucketLabel};
use crate::key::{Segment, SegmentFormat, SegmentKind, SegmentValue};
use crate::model::{ColumnKind, Schema};

/// The number of values of each identifier.
const POOL: usize = 3;
const DAY: i64 = 86_400_000_000;
const DATES: Duration = Duration::from_secs(86_400);
/// 2024-03-29T00:00:00Z; within days, clocks change in Europe, and a month and a quarter begin.
const FROM: i64 = 1_711_670_400_000_000;

/// Random values for a schema; the same seed gives the same values.
pub(super) struct Random {
    pub(super) schema: Schema,
    rng: fastrand::Rng,
    /// The possible values of each segment that has a value; empty for times.
    pools: Vec<Vec<SegmentValue>>,
}

impl Random {
    pub(super) fn new(schema: &Schema, seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let separator = schema.key.separator_byte();
        let hot = schema.key.salt().and_then(|(_, salt)| salt.hot.as_ref());
        let pools = schema.key.valued().map(|(place, segment)| {
            let (kind, format) = (segment.kind, &segment.format);
            let values = (0..POOL).map(|_| kind.random(format, separator, &mut rng));
            let mut values: Vec<_> = values.collect();
            // Random values are not hot.
            if let Some(hot) = hot.filter(|hot| hot.segment == place)
                && let Some((hot, _)) = hot.values.get(rng.usize(..hot.values.len().max(1)))
                && let Ok(hot) = segment.decode(hot.as_bytes(), separator)
                && let Some(first) = values.first_mut()
            {
                *first = hot;
            }
            values
        });
        Self {
            schema: schema.clone(),
            pools: pools.collect(),
            rng,
        }
    }

    /// A random number below `end`, which is above 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.rng.usize(..end.max(1))
    }

    /// Returns true with this probability in per cent.
    pub(super) fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    /// A few bytes, at least one.
    fn bytes(&mut self) -> Vec<u8> {
        let len = self.rng.usize(1..4);
        bytes(&mut self.rng, len)
    }

    /// A value of a column of this kind: 8 bytes if it is a counter or the like.
    pub(super) fn column(&mut self, kind: ColumnKind) -> Vec<u8> {
        match kind {
            ColumnKind::Counter | ColumnKind::Aggregate(_) | ColumnKind::Version => {
                self.rng.i64(..).to_be_bytes().to_vec()
            }
            ColumnKind::Plain | ColumnKind::Append => self.bytes(),
        }
    }

    /// Values for every segment.
    pub(super) fn values(&mut self) -> Vec<SegmentValue> {
        let schema = self.schema.clone();
        let segments = schema.key.valued().enumerate();
        let values = segments.map(|(at, (_, segment))| self.value(at, segment));
        values.collect()
    }

    /// A value of the segment at an index among those with values.
    pub(super) fn value(&mut self, at: usize, segment: &Segment) -> SegmentValue {
        match segment.kind {
            SegmentKind::Time => return SegmentValue::Time(self.time(segment)),
            SegmentKind::Date => return SegmentValue::Time(self.time(segment).floor_to(DATES)),
            _ => {}
        }
        let chosen = self.below(POOL);
        let pool = self.pools.get(at).and_then(|pool| pool.get(chosen));
        pool.cloned().unwrap_or(SegmentValue::Bool(false))
    }

    /// A time that the segment holds, often at an edge of a bucket.
    fn time(&mut self, segment: &Segment) -> Timestamp {
        let micros = FROM + self.rng.i64(0..4) * DAY / 3 + self.rng.i64(0..3) * 900_000_000;
        let near = match self.rng.u8(..4) {
            0 => 0,
            1 => -1,
            2 => self.rng.i64(0..DAY),
            _ => self.rng.i64(0..60_000_000),
        };
        let time = Timestamp::from_micros(micros + near);
        let time = match &segment.format {
            SegmentFormat::Bucket(bucket) => self.at_edge(bucket, time),
            SegmentFormat::Ticks { unit, width, .. } => narrowed(time, unit.micros(), *width),
            _ => time,
        };
        segment.stored_time(time)
    }

    fn at_edge(&mut self, bucket: &Bucket, time: Timestamp) -> Timestamp {
        let time = match &bucket.label {
            // Counted labels start at an origin, which may be later.
            BucketLabel::Counted { origin, .. } if *origin > time => *origin,
            _ => time,
        };
        let grid = bucket.grid_micros;
        let near = [0, 0, -grid, grid].get(self.below(6)).copied();
        match (bucket.next(bucket.start_of(time).unwrap_or(time)), near) {
            (Some(edge), Some(near)) => Timestamp::from_micros(edge.as_micros() + near),
            _ => time,
        }
    }
}

/// A time that fits in this many digits.
fn narrowed(time: Timestamp, unit: i64, width: u16) -> Timestamp {
    match 10_i64.checked_pow(width.into()) {
        Some(end) => Timestamp::from_micros(time.as_micros() / unit % end * unit),
        None => time,
    }
}

fn bytes(rng: &mut fastrand::Rng, len: usize) -> Vec<u8> {
    (0..len).map(|_| rng.u8(..)).collect()
}
