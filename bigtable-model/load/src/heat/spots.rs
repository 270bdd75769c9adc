//! What is hot, and which attribute cures it.

use std::collections::HashMap;
use std::fmt;

use bigtable_model::Timestamp;

use super::keys::Identifiers;
use super::map::{Heat, HeatMap, Hottest};
use super::sample::{Kind, Sampled};
use crate::num::{brief, count, float, median, share};

/// A tablet with this share of the load is hot: of ten nodes, one serves nothing else.
const HOT: f64 = 0.1;
/// How many times the smallest share that the map can show a hot tablet must have.
const HOT_OF_MERGED: f64 = 3.0;
/// A moment with this share is hot, if it comes with each period.
const HOT_MOMENT: f64 = 0.5;
/// Up to this many values of identifiers are few.
const FEW: usize = 8;

/// A place that gets too large a share of the load, from [`HeatMap::hot_spots`]. Its `Display` says
/// what to do about it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HotSpot {
    /// The table's ID.
    pub table: String,
    /// Whether rows are written there, or read.
    pub is_written: bool,
    /// What is hot.
    pub kind: HotSpotKind,
    /// The share of the table's writes, or reads, that go there at a time: at most times, or at
    /// the time of [`HotSpotKind::NewPeriod`].
    pub share: f64,
    /// The same in rows a second.
    pub a_second: f64,
}

/// What is hot.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HotSpotKind {
    /// One row, by its key in decoded form.
    Key(String),
    /// A few neighbours at a time, from a key to a key.
    Range {
        /// Its first key.
        first: String,
        /// Its last.
        last: String,
    },
    /// The newest rows: nothing but the time, or the bucket, says where rows go.
    TimeFirst {
        /// The field of the time.
        time: String,
    },
    /// The newest rows of a few series: the identifiers before the time have few values.
    FewValues {
        /// The identifiers.
        fields: Vec<String>,
        /// How many values they have.
        values: usize,
    },
    /// The newest rows of one series, whose identifiers have these values.
    Series(String),
    /// The newest rows of each shard: the salt has few.
    FewShards {
        /// How many.
        shards: u64,
    },
    /// The first rows of each period, such as a week: keys begin with it, and there are no rows yet
    /// where the table could be split.
    NewPeriod {
        /// The field of the time.
        time: String,
        /// When it was hottest.
        at: Timestamp,
    },
}

impl HeatMap {
    /// What is hot, first among the writes. Fewer than 1,000 written rows, or reads, are not
    /// judged.
    #[must_use]
    pub fn hot_spots(&self) -> Vec<HotSpot> {
        let both = [self.writes(), self.reads()].into_iter();
        both.filter_map(Heat::hot_spot).collect()
    }
}

impl Heat<'_> {
    /// What is hot, if there is enough to say.
    pub(crate) fn hot_spot(self) -> Option<HotSpot> {
        if !self.is_judged() {
            return None;
        }
        let settled = self.settled();
        let usual = median(settled.iter().map(|step| step.share).collect());
        let merged = float(count(self.judged().0.ranges()));
        let (kind, share) = match usual >= HOT.max(HOT_OF_MERGED / merged) {
            true => {
                let hot: Vec<&Hottest> = settled
                    .iter()
                    .filter(|one| one.share >= usual / 2.0)
                    .collect();
                (self.kind_of(&hot)?, usual)
            }
            false => self.new_period(&settled)?,
        };
        Some(HotSpot {
            table: self.map.table.clone(),
            is_written: self.kind == Kind::Write,
            kind,
            share,
            a_second: share * self.a_second(),
        })
    }

    /// What is hot in tablets that are each the hottest at a time.
    fn kind_of(self, hot: &[&Hottest]) -> Option<HotSpotKind> {
        let rows: Vec<&Sampled> = hot.iter().flat_map(|step| self.within(step)).collect();
        let all: f64 = rows.iter().map(|row| row.rows).sum();
        let (key, of_key) = most(rows.iter().map(|row| (&*row.key, row.rows)))?;
        if share(of_key, all) >= 0.5 {
            return Some(HotSpotKind::Key(self.map.describe(key)));
        }
        let layout = self.map.layout.as_ref();
        let identifiers = layout.map(Identifiers::of).filter(|of| of.has_time);
        let stays = || self.staying(&rows, all);
        let Some((layout, identifiers)) = layout.zip(identifiers) else {
            return Some(stays().unwrap_or_else(|| range(self.map, &rows)));
        };
        if let Some(range) = stays() {
            return Some(range);
        }
        let series = |row: &&Sampled| {
            let values = identifiers.values(&row.key)?;
            Some((values.to_string(), row.rows))
        };
        let hottest = most(rows.iter().filter_map(series));
        let one = hottest.filter(|(_, rows)| share(*rows, all) >= 0.5);
        if let Some((_, salt)) = layout.salt() {
            let is_one = one.filter(|_| identifiers.before > 0);
            return Some(match is_one {
                Some((series, _)) => HotSpotKind::Series(series),
                None => HotSpotKind::FewShards {
                    shards: u64::from(salt.shards),
                },
            });
        }
        if identifiers.before == 0 {
            return Some(HotSpotKind::TimeFirst { time: self.time() });
        }
        let of_kind = self.map.sample.iter().filter(|row| row.kind == self.kind);
        let all_series: HashMap<String, f64> = of_kind.filter_map(|row| series(&row)).collect();
        Some(match one {
            _ if all_series.len() <= FEW => HotSpotKind::FewValues {
                fields: identifiers.names(),
                values: all_series.len(),
            },
            Some((series, _)) => HotSpotKind::Series(series),
            None => range(self.map, &rows),
        })
    }

    /// Neighbours, if half of the hot rows are in the same one of 32 parts of the table all the
    /// time: the newest rows would move through the whole table.
    fn staying(self, rows: &[&Sampled], all: f64) -> Option<HotSpotKind> {
        const PARTS: usize = 32;
        let ranges = self.map.ranges.len();
        let part = |row: &&Sampled| self.map.ranges.find(&row.key) * PARTS / ranges.max(1);
        let (hottest, of_part) = most(rows.iter().map(|row| (part(row), row.rows)))?;
        let stays = ranges >= PARTS && share(of_part, all) >= 0.5;
        stays.then(|| {
            let of_part = rows.iter().copied().filter(|row| part(row) == hottest);
            range(self.map, &of_part.collect::<Vec<_>>())
        })
    }

    /// The moment at which a new period begins, if keys begin with it.
    fn new_period(self, settled: &[Hottest]) -> Option<(HotSpotKind, f64)> {
        let layout = self.map.layout.as_ref()?;
        let is_first = Identifiers::of(layout).before == 0 && layout.salt().is_none();
        layout.bucket().filter(|_| is_first)?;
        let steps = settled.iter();
        let peak = steps.max_by(|one, other| one.share.total_cmp(&other.share))?;
        let kind = HotSpotKind::NewPeriod {
            time: self.time(),
            at: self.map.span.at(peak.time.start),
        };
        (peak.share >= HOT_MOMENT).then_some((kind, peak.share))
    }

    fn time(self) -> String {
        let time = self
            .map
            .layout
            .as_ref()
            .and_then(|layout| layout.time_segment());
        time.map_or_else(String::new, |(_, segment)| segment.name.to_string())
    }
}

fn range(map: &HeatMap, rows: &[&Sampled]) -> HotSpotKind {
    let keys = rows.iter().map(|row| &row.key);
    let describe = |key: Option<&Box<[u8]>>| key.map_or_else(String::new, |key| map.describe(key));
    HotSpotKind::Range {
        first: describe(keys.clone().min()),
        last: describe(keys.max()),
    }
}

/// The name with most rows, and how many it has.
fn most<N: std::hash::Hash + Eq + Ord>(rows: impl Iterator<Item = (N, f64)>) -> Option<(N, f64)> {
    let mut sums: HashMap<N, f64> = HashMap::new();
    for (name, rows) in rows {
        *sums.entry(name).or_default() += rows;
    }
    let sums = sums.into_iter();
    sums.max_by(|one, other| one.1.total_cmp(&other.1).then_with(|| other.0.cmp(&one.0)))
}

impl fmt::Display for HotSpot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = brief(self.share * 100.0);
        let done = if self.is_written { "writes" } else { "reads" };
        let rate = brief(self.a_second);
        write!(
            f,
            "{}: {percent} % of all {done}, {rate} rows/s, ",
            self.table
        )?;
        match self.kind {
            HotSpotKind::NewPeriod { at, .. } => {
                write!(f, "go to one place at {at}: {}", self.kind)
            }
            _ => write!(f, "go to one place at a time: {}", self.kind),
        }
    }
}

impl fmt::Display for HotSpotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => write!(
                f,
                "the row {key}. No node can share one row: give it a shorter `bucket`, or cut it by \
                 one more `#[bigtable(key)]` field"
            ),
            Self::Range { first, last } => write!(
                f,
                "a few neighbours at a time, from {first} to {last}. If a program goes through the \
                 rows in the order of their keys, let it take another; a \
                 `salt(shards = 64, of(...))` of the identifiers moves neighbours apart"
            ),
            Self::TimeFirst { time } => write!(
                f,
                "the newest rows, since keys begin with `{time}`. Move a `#[bigtable(key)]` field \
                 before it, or begin the key with `salt(shards = 64, of({time}))`. A reversed time \
                 only moves that place to the beginning"
            ),
            Self::FewValues { fields, values } => write!(
                f,
                "the newest rows of {values} series, since `{}` has few values. Put a \
                 `#[bigtable(key)]` field with more values before the time, or add \
                 `salt(shards = 64, of(...))`",
                fields.join("`, `")
            ),
            Self::Series(series) => write!(
                f,
                "the newest rows of the series {series}. A `salt(shards = 64, of(...))` of its \
                 identifiers and the time spreads its rows, and with `hot(...)` in it no others; its \
                 queries then scan each of its shards"
            ),
            Self::FewShards { shards } => write!(
                f,
                "the newest rows of each shard. There are {shards}: `salt(shards = 64, ...)` has more"
            ),
            Self::NewPeriod { time, .. } => write!(
                f,
                "a new period of `{time}` begins, and keys begin with it. Move a `#[bigtable(key)]` \
                 field before it"
            ),
        }
    }
}
