//! The roll-ups of a model, as its schema lists them.

use std::borrow::Cow;
use std::mem;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::data::RowMutations;
use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan};
use crate::key::{SegmentError, borrow};

use super::Schema;
use crate::{Error, Timestamp};

/// The qualifier of the cell that marks a bucket of a roll-up dirty, in the family of the presence
/// column.
pub(crate) const MARK: &[u8] = b"~dirty";

/// The qualifier of the cell that names the tables by period from which a bucket was computed, in
/// the same family, if there are several.
pub(crate) const SOURCES: &[u8] = b"~tables";

/// The length of a roll-up's buckets, and their table.
///
/// Durations are counted from 1970, in UTC. Days, weeks, months and years follow the calendar, in a
/// time zone if [`zone`](Level::zone) names one.
///
/// ```
/// use bigtable_model::rollup::Level;
///
/// const LEVELS: &[Level] = &[
///     Level::minutes(15),
///     Level::day().zone("Europe/Berlin").in_table("METER_DAY"), // 23, 24 or 25 hours
///     Level::month().zone("Europe/Berlin").in_table("METER_MONTH"),
/// ];
/// assert_eq!(LEVELS[1].length().to_string(), "1 day in Europe/Berlin");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Level {
    span: BucketSpan,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zone: Option<Cow<'static, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<Cow<'static, str>>,
}

impl Level {
    /// Buckets of a duration, in whole microseconds.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "it is looked at first")]
    pub const fn every(length: Duration) -> Self {
        let micros = length.as_micros();
        let most = i64::MAX as u128;
        Self::of(BucketSpan::Every {
            micros: if micros < most { micros as i64 } else { 0 },
        })
    }

    /// Buckets of this many seconds.
    #[must_use]
    pub const fn seconds(seconds: u32) -> Self {
        Self::every(Duration::from_secs(seconds as u64))
    }

    /// Buckets of this many minutes.
    #[must_use]
    pub const fn minutes(minutes: u32) -> Self {
        Self::every(Duration::from_secs(minutes as u64 * 60))
    }

    /// Buckets of this many hours.
    #[must_use]
    pub const fn hours(hours: u32) -> Self {
        Self::every(Duration::from_secs(hours as u64 * 3_600))
    }

    /// Buckets of this many days of UTC, counted from 1970.
    #[must_use]
    pub const fn days(days: u32) -> Self {
        Self::every(Duration::from_secs(days as u64 * 86_400))
    }

    /// Buckets of a day of the calendar.
    #[must_use]
    pub const fn day() -> Self {
        Self::of(BucketSpan::Day)
    }

    /// Buckets of an ISO week, which begins on Monday.
    #[must_use]
    pub const fn week() -> Self {
        Self::of(BucketSpan::Week)
    }

    /// Buckets of a calendar month.
    #[must_use]
    pub const fn month() -> Self {
        Self::of(BucketSpan::Month)
    }

    /// Buckets of a calendar year.
    #[must_use]
    pub const fn year() -> Self {
        Self::of(BucketSpan::Year)
    }

    /// The time zone of its days, weeks, months or years, by its IANA name.
    #[must_use]
    pub const fn zone(mut self, name: &'static str) -> Self {
        // Constants have no destructors to run.
        mem::forget(self.zone.replace(Cow::Borrowed(name)));
        self
    }

    /// The same buckets in the table with this ID, instead of the model's own.
    #[must_use]
    pub const fn in_table(mut self, table: &'static str) -> Self {
        mem::forget(self.table.replace(Cow::Borrowed(table)));
        self
    }

    const fn of(span: BucketSpan) -> Self {
        Self {
            span,
            zone: None,
            table: None,
        }
    }

    pub(crate) const fn span(&self) -> BucketSpan {
        self.span
    }

    /// The table that the level names.
    pub(crate) const fn table(&self) -> Option<&str> {
        match &self.table {
            Some(table) => Some(borrow::text(table)),
            None => None,
        }
    }

    pub(crate) const fn zone_name(&self) -> Option<&str> {
        match &self.zone {
            Some(zone) => Some(borrow::text(zone)),
            None => None,
        }
    }

    /// The start of the bucket that contains a time.
    ///
    /// # Errors
    /// For times outside the years 1 to 9999.
    pub(crate) fn start(&self, time: Timestamp) -> Result<Timestamp, SegmentError> {
        match self.span {
            BucketSpan::Every { micros } => {
                let rest = time.as_micros().rem_euclid(micros.max(1));
                let start = time.as_micros().saturating_sub(rest);
                Ok(Timestamp::from_micros(start))
            }
            _ => self.bucket().start_of(time),
        }
    }

    /// The end of the bucket that begins at a time; for the calendar's last bucket, the latest
    /// time.
    pub(crate) fn end(&self, start: Timestamp) -> Timestamp {
        match self.span {
            BucketSpan::Every { micros } => {
                Timestamp::from_micros(start.as_micros().saturating_add(micros))
            }
            _ => self.bucket().next(start).unwrap_or(start),
        }
    }

    /// The buckets, as in keys.
    fn bucket(&self) -> Bucket {
        Bucket {
            span: self.span,
            zone: self.zone.clone(),
            label: BucketLabel::Absent,
            grid_micros: 1,
            truncate: false,
        }
    }
}

/// A model that holds roll-ups of another model's events, as the derive lists it in
/// [`ModelSchema::rollups`](super::ModelSchema::rollups).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RolledUp {
    pub(crate) schema: Cow<'static, Schema>,
    /// The shortest buckets first.
    pub(crate) levels: Cow<'static, [Level]>,
    /// Whether the server adds to its buckets.
    pub(crate) is_added: bool,
    /// The function that computes the additions.
    #[serde(skip)]
    pub(crate) adds: Option<AddsOf>,
}

/// Computes what the server adds to the buckets of a roll-up for the events of some rows.
#[derive(Clone, Copy)]
pub(crate) struct AddsOf(pub(crate) fn(&[RowMutations]) -> Result<Vec<EventAdds>, Error>);

/// What the server adds for one event.
#[derive(Debug)]
pub(crate) struct EventAdds {
    /// The index of the event's row among the written rows.
    pub(crate) place: usize,
    /// The event's time.
    pub(crate) time: Timestamp,
    /// What distinguishes it among events of its row and time: its value in layout `qualifiers`,
    /// its key if qualifiers have tie-breakers, nothing else.
    pub(crate) name: Bytes,
    /// The additions to the bucket of each level, the shortest first.
    pub(crate) buckets: Vec<RowMutations>,
}

/// Roll-ups are compared by their descriptions.
impl PartialEq for AddsOf {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for AddsOf {}

impl std::hash::Hash for AddsOf {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl std::fmt::Debug for AddsOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AddsOf")
    }
}

impl RolledUp {
    /// The schema of the model that holds the roll-ups.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        match &self.schema {
            Cow::Borrowed(schema) => schema,
            Cow::Owned(schema) => schema,
        }
    }

    /// Its tables, the one with the shortest buckets first.
    #[must_use]
    pub const fn levels(&self) -> &[Level] {
        borrow::list(&self.levels)
    }

    /// Whether the server adds to its buckets as events are written. If not, they are marked, and a
    /// job computes them.
    #[must_use]
    pub const fn is_added(&self) -> bool {
        self.is_added
    }

    /// The ID of a level's table.
    pub(crate) fn table<'a>(&'a self, level: &'a Level) -> &'a str {
        let own = || self.schema.table.fixed().unwrap_or_default();
        level.table().unwrap_or_else(own)
    }
}

/// Checks the levels of a roll-up while its model is compiled.
///
/// # Panics
/// If they are not valid for a roll-up.
pub(crate) const fn check_levels(levels: &[Level]) {
    assert!(
        !levels.is_empty(),
        "a roll-up needs a level: write `const LEVELS: &'static [Level] = &[Level::minutes(1)]`"
    );
    let mut at = 0;
    while let Some((level, rest)) = from(levels, at).split_first() {
        check_level(level);
        assert!(
            level.table.is_some() == (at > 0),
            "the first level uses the model's own table, each other level names its own with `in_table`"
        );
        if let Some(next) = rest.first() {
            assert!(
                is_longer(next.span, level.span),
                "levels are listed from the shortest to the longest: durations, each a multiple of the one before it, then parts of the calendar, before which a day is a multiple of the duration"
            );
        }
        at += 1;
    }
}

const fn check_level(level: &Level) {
    let is_duration = match level.span {
        BucketSpan::Every { micros } => {
            assert!(micros > 0, "the buckets of a level need a length above 0");
            true
        }
        _ => false,
    };
    assert!(
        !is_duration || level.zone.is_none(),
        "days, weeks, months and years have a time zone: write `Level::day().zone(...)`, or leave out `zone`"
    );
}

/// Whether a span may follow a shorter one in the list of levels.
const fn is_longer(span: BucketSpan, shorter: BucketSpan) -> bool {
    const DAY: i64 = 86_400_000_000;
    match (shorter, span) {
        (BucketSpan::Every { micros: one }, BucketSpan::Every { micros }) => {
            micros > one && micros % one == 0
        }
        (BucketSpan::Every { micros }, BucketSpan::Day) => micros < DAY && DAY % micros == 0,
        (BucketSpan::Every { micros }, _) => micros <= DAY && DAY % micros == 0,
        (_, BucketSpan::Every { .. }) => false,
        (one, other) => rank(other) > rank(one),
    }
}

/// The order of the calendar's units.
const fn rank(span: BucketSpan) -> u8 {
    match span {
        BucketSpan::Week => 1,
        BucketSpan::Month => 2,
        BucketSpan::Year => 3,
        _ => 0,
    }
}

/// The rest of a slice, from an index.
const fn from(levels: &[Level], at: usize) -> &[Level] {
    match levels.split_at_checked(at) {
        Some((_, rest)) => rest,
        None => &[],
    }
}
