//! Buckets in the row key, and the edges of buckets.

use super::units::Units;
use super::zone::{self, with_zone};
use super::{Bucket, BucketLabel, BucketSpan, pattern};
use crate::Timestamp;
use crate::key::SegmentError;
use crate::key::encoding::digits;
use crate::key::refuse;
use crate::key::time::civil::{self, Civil};
use crate::key::time::ticks::{BinaryTicks, Ticks};
use crate::key::time::units::TimeUnit;

const MINUTE: i64 = 60_000_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// The start of year 1 in microseconds: earlier times are in no bucket.
const FIRST_MICROS: i64 = -62_135_596_800_000_000;

const LIMITS: &str = "the years 1 to 9999";
const LABEL_LIMITS: &str = "the years 1970 to 9999";

impl Bucket {
    /// The start of the bucket that contains a time.
    ///
    /// # Errors
    /// For a time after 9999, and for one whose bucket begins before the year 1.
    pub fn start_of(&self, time: Timestamp) -> Result<Timestamp, SegmentError> {
        let micros = time.as_micros();
        if self.is_endless() {
            return Ok(Timestamp::UNIX_EPOCH);
        }
        if !(FIRST_MICROS..civil::END_MICROS).contains(&micros) {
            return Err(refuse::out_of_range(time, LIMITS));
        }
        let start = match &self.zone {
            None => Some(floor(self.span, micros)),
            Some(name) => with_zone(name, |zone| {
                let local = zone::to_local(zone, micros)?;
                let mut start = floor(self.span, local);
                // If clocks go back over midnight, a date comes twice; a bucket lasts until the
                // next one begins. The calendar's last bucket has no next.
                loop {
                    let next = next(self.span, start);
                    match zone::to_instant(zone, next) {
                        Some(begun) if begun <= micros => start = next,
                        _ => break,
                    }
                }
                let instant = zone::to_instant(zone, start)?;
                match instant > micros {
                    true => zone::to_instant(zone, floor(self.span, start - 1)),
                    false => Some(instant),
                }
            })?,
        };
        // An earlier bucket has no label that can be decoded.
        let start = start.filter(|start| *start >= FIRST_MICROS);
        let start = start.ok_or_else(|| refuse::out_of_range(time, LIMITS))?;
        Ok(Timestamp::from_micros(start))
    }

    /// The start of the bucket after the one that begins at `start`; `None` after the last, in the
    /// year 9999.
    #[must_use]
    pub fn next(&self, start: Timestamp) -> Option<Timestamp> {
        let micros = start.as_micros();
        if self.is_endless() || !(FIRST_MICROS - DAY..civil::END_MICROS).contains(&micros) {
            return None;
        }
        let next = match &self.zone {
            None => Some(next(self.span, micros)),
            Some(name) => with_zone(name, |zone| {
                let mut local = floor(self.span, zone::to_local(zone, micros)?);
                // A day that a zone skips has no bucket.
                loop {
                    local = next(self.span, local);
                    let instant = zone::to_instant(zone, local)?;
                    if instant > micros {
                        return Some(instant);
                    }
                }
            })
            .ok()?,
        };
        next.filter(|next| *next < civil::END_MICROS)
            .map(Timestamp::from_micros)
    }

    /// How many spans of the calendar lie between 1970 and the bucket that begins at `start`.
    pub(crate) fn index_of(&self, start: Timestamp) -> Result<i64, SegmentError> {
        Ok(index(self.span, self.local(start)?))
    }

    /// The start of the bucket with an index, or of the next one if a zone skips it; `None` outside
    /// the years 1 to 9999.
    pub(crate) fn start_at(&self, index: i64) -> Option<Timestamp> {
        let local = at_index(self.span, index)?;
        let held = (FIRST_MICROS..civil::END_MICROS).contains(&local);
        self.instant(held.then_some(local)?)
    }

    /// An event's stored time: rounded down to the grid with `truncate`.
    ///
    /// # Errors
    /// Without `truncate` for a time that is not on the grid.
    pub fn stored_time(&self, time: Timestamp) -> Result<Timestamp, SegmentError> {
        let above = time.as_micros().rem_euclid(self.grid_micros.max(1));
        match (above, self.truncate) {
            (0, _) => Ok(time),
            (_, true) => Ok(Timestamp::from_micros(
                time.as_micros().saturating_sub(above),
            )),
            (_, false) => Err(refuse::not_exact(time, self.grid_name())),
        }
    }

    /// The first time on the grid that is not before `time`.
    #[must_use]
    pub fn ceil(&self, time: Timestamp) -> Timestamp {
        let grid = self.grid_micros.max(1);
        match time.as_micros().rem_euclid(grid) {
            0 => time,
            above => Timestamp::from_micros(time.as_micros().saturating_add(grid - above)),
        }
    }

    /// Whether a result of [`ceil`](Self::ceil) is on the grid; the end of the range may not be.
    pub(crate) fn holds_on_grid(&self, time: Timestamp) -> bool {
        time.as_micros().rem_euclid(self.grid_micros.max(1)) == 0
    }

    /// The last time on the grid before another time on the grid.
    pub(crate) fn before(&self, time: Timestamp) -> Timestamp {
        Timestamp::from_micros(time.as_micros().saturating_sub(self.grid_micros.max(1)))
    }

    const fn grid_name(&self) -> &'static str {
        match self.grid_micros {
            1_000 => "millisecond",
            1_000_000 => "second",
            MINUTE => "minute",
            HOUR => "hour",
            DAY => "day",
            _ => "microsecond",
        }
    }

    /// The maximum length of a bucket in microseconds, in any zone; `None` for an endless bucket.
    #[must_use]
    pub const fn longest_micros(&self) -> Option<i64> {
        // When the date line was moved, clocks were set back by a whole day.
        let change = if self.zone.is_some() { DAY } else { 0 };
        Some(match self.span {
            BucketSpan::Minute => MINUTE,
            BucketSpan::Hour => HOUR,
            BucketSpan::Day => DAY + change,
            BucketSpan::Week => 7 * DAY + change,
            BucketSpan::Month => 31 * DAY + change,
            BucketSpan::Year => 366 * DAY + change,
            BucketSpan::Every { micros } => micros,
            BucketSpan::Endless => return None,
        })
    }

    /// Appends the label of the bucket that contains `time`.
    ///
    /// # Errors
    /// For a time off the grid, and for one whose bucket the label cannot express: before 1970 or
    /// before the origin, or after 9999. For a time on a day in two pieces, since a bucket could
    /// hold only one: if clocks went back over midnight, a date comes again after the next date has
    /// begun.
    pub fn encode(&self, time: Timestamp, out: &mut Vec<u8>) -> Result<(), SegmentError> {
        let time = self.stored_time(time)?;
        self.check_day(time)?;
        let start = self.start_of(time)?;
        self.encode_start(start, out)
    }

    /// Refuses a time on a local day in two pieces, if the pieces are not in one bucket.
    pub(crate) fn check_day(&self, time: Timestamp) -> Result<(), SegmentError> {
        let Some(name) = &self.zone else {
            return Ok(());
        };
        match with_zone(name, |zone| zone::split_days(zone, time.as_micros()))? {
            Some((first, last)) if floor(self.span, first) != floor(self.span, last) => {
                Err(refuse::split_day(time, name))
            }
            _ => Ok(()),
        }
    }

    /// Appends the label of the bucket that begins at `start`.
    pub(crate) fn encode_start(
        &self,
        start: Timestamp,
        out: &mut Vec<u8>,
    ) -> Result<(), SegmentError> {
        match &self.label {
            BucketLabel::Absent => Ok(()),
            BucketLabel::Calendar(format) => {
                if start < Timestamp::UNIX_EPOCH {
                    return Err(refuse::out_of_range(start, LABEL_LIMITS));
                }
                pattern::encode(format, Civil::from_micros(self.local(start)?), out)
            }
            BucketLabel::Start {
                unit,
                width,
                reverse,
            } => ticks(*unit, *width, *reverse).encode(start, out),
            BucketLabel::Units {
                micros,
                origin,
                width,
                reverse,
            } => Units::new(*micros, *origin, *width, *reverse).encode(start, out),
            BucketLabel::BinaryStart { unit, reverse } => {
                binary_ticks(*unit, *reverse).encode(start, out)
            }
            BucketLabel::Counted {
                origin,
                before,
                after,
                width,
            } => {
                let number = self.number(*origin, start)?;
                out.extend_from_slice(before.as_bytes());
                if digits::push_u64(number, (*width).into(), out).is_err() {
                    match width {
                        0 => out.extend_from_slice(number.to_string().as_bytes()),
                        width => {
                            let digits = digits::count(number.into());
                            return Err(refuse::too_wide(&number, digits, (*width).into()));
                        }
                    }
                }
                out.extend_from_slice(after.as_bytes());
                Ok(())
            }
        }
    }

    /// The start of the bucket with this label.
    ///
    /// # Errors
    /// For bytes that are not a label.
    pub fn decode(&self, bytes: &[u8]) -> Result<Timestamp, SegmentError> {
        let start = self.parse(bytes).filter(|start| {
            let mut again = Vec::with_capacity(bytes.len());
            self.start_of(*start) == Ok(*start)
                && self.encode_start(*start, &mut again).is_ok()
                && again == bytes
        });
        start.ok_or_else(|| refuse::malformed(bytes, format!("the label of a bucket, {self}")))
    }

    fn parse(&self, bytes: &[u8]) -> Option<Timestamp> {
        match &self.label {
            BucketLabel::Absent => bytes.is_empty().then_some(Timestamp::UNIX_EPOCH),
            BucketLabel::Calendar(format) => {
                let local = pattern::decode(format, Civil::of_year(1970), bytes)?;
                let year = (1969..=9999).contains(&local.year);
                self.instant(year.then(|| local.micros())?)
            }
            BucketLabel::Start {
                unit,
                width,
                reverse,
            } => ticks(*unit, *width, *reverse).decode(bytes),
            BucketLabel::Units {
                micros,
                origin,
                width,
                reverse,
            } => Units::new(*micros, *origin, *width, *reverse).decode(bytes),
            BucketLabel::BinaryStart { unit, reverse } => {
                binary_ticks(*unit, *reverse).decode(bytes)
            }
            BucketLabel::Counted {
                origin,
                before,
                after,
                ..
            } => {
                let digits = bytes
                    .strip_prefix(before.as_bytes())?
                    .strip_suffix(after.as_bytes())?;
                let number = (digits.len() < 19).then(|| digits::parse_u64(digits))??;
                self.nth(*origin, i64::try_from(number).ok()?)
            }
        }
    }

    /// The local time in the bucket's zone, as if it were UTC.
    pub(super) fn local(&self, time: Timestamp) -> Result<i64, SegmentError> {
        match &self.zone {
            None => Ok(time.as_micros()),
            Some(name) => with_zone(name, |zone| zone::to_local(zone, time.as_micros()))?
                .ok_or_else(|| refuse::out_of_range(time, LIMITS)),
        }
    }

    pub(super) fn instant(&self, local: i64) -> Option<Timestamp> {
        let micros = match &self.zone {
            None => Some(local),
            Some(name) => with_zone(name, |zone| zone::to_instant(zone, local)).ok()?,
        };
        micros.map(Timestamp::from_micros)
    }

    /// The number of the bucket that begins at `start`: 1 for the one that contains `origin`.
    fn number(&self, origin: Timestamp, start: Timestamp) -> Result<u64, SegmentError> {
        let first = index(self.span, self.local(self.start_of(origin)?)?);
        let number = index(self.span, self.local(start)?) - first + 1;
        match u64::try_from(number) {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(SegmentError::Refused(format!(
                "{start} is before the first bucket, the one of {origin}"
            ))),
        }
    }

    /// The start of the bucket with a number.
    fn nth(&self, origin: Timestamp, number: i64) -> Option<Timestamp> {
        let first = index(self.span, self.local(self.start_of(origin).ok()?).ok()?);
        self.start_at(first.checked_add(number - 1)?)
    }
}

pub(super) fn ticks(unit: TimeUnit, width: u16, reverse: bool) -> Ticks {
    Ticks {
        unit,
        width,
        reverse,
        truncate: false,
    }
}

fn binary_ticks(unit: TimeUnit, reverse: bool) -> BinaryTicks {
    BinaryTicks {
        unit,
        reverse,
        truncate: false,
    }
}

/// The start of the span that contains a local time.
pub(super) fn floor(span: BucketSpan, local: i64) -> i64 {
    let whole = |length: i64| local - local.rem_euclid(length);
    match span {
        BucketSpan::Minute => whole(MINUTE),
        BucketSpan::Hour => whole(HOUR),
        BucketSpan::Day => whole(DAY),
        // 1970-01-01 was a Thursday, three days after Monday.
        BucketSpan::Week => local - (local + 3 * DAY).rem_euclid(7 * DAY),
        BucketSpan::Month => {
            let civil = Civil::from_micros(local);
            Civil {
                month: civil.month,
                ..Civil::of_year(civil.year)
            }
            .micros()
        }
        BucketSpan::Year => Civil::of_year(Civil::from_micros(local).year).micros(),
        BucketSpan::Every { micros } => whole(micros.max(1)),
        BucketSpan::Endless => 0,
    }
}

/// The start of the span after the one that begins at `start`.
pub(super) fn next(span: BucketSpan, start: i64) -> i64 {
    match span {
        BucketSpan::Minute => start + MINUTE,
        BucketSpan::Hour => start + HOUR,
        BucketSpan::Day => start + DAY,
        BucketSpan::Week => start + 7 * DAY,
        BucketSpan::Month => floor(span, start + 31 * DAY),
        BucketSpan::Year => Civil::of_year(Civil::from_micros(start).year + 1).micros(),
        BucketSpan::Every { micros } => start.saturating_add(micros.max(1)),
        BucketSpan::Endless => i64::MAX,
    }
}

/// How many spans lie between 1970 and the one that contains a local time.
fn index(span: BucketSpan, local: i64) -> i64 {
    match span {
        BucketSpan::Minute => local.div_euclid(MINUTE),
        BucketSpan::Hour => local.div_euclid(HOUR),
        BucketSpan::Day => local.div_euclid(DAY),
        BucketSpan::Week => (local + 3 * DAY).div_euclid(7 * DAY),
        BucketSpan::Month => {
            let civil = Civil::from_micros(local);
            (civil.year - 1970) * 12 + civil.month - 1
        }
        BucketSpan::Year => Civil::from_micros(local).year - 1970,
        BucketSpan::Every { micros } => local.div_euclid(micros.max(1)),
        BucketSpan::Endless => 0,
    }
}

/// The local start of the span with an index.
fn at_index(span: BucketSpan, index: i64) -> Option<i64> {
    match span {
        BucketSpan::Minute => index.checked_mul(MINUTE),
        BucketSpan::Hour => index.checked_mul(HOUR),
        BucketSpan::Day => index.checked_mul(DAY),
        BucketSpan::Week => index.checked_mul(7 * DAY)?.checked_sub(3 * DAY),
        BucketSpan::Month => {
            let year = 1970 + index.div_euclid(12);
            (1..=9999).contains(&year).then(|| {
                Civil {
                    month: index.rem_euclid(12) + 1,
                    ..Civil::of_year(year)
                }
                .micros()
            })
        }
        BucketSpan::Year => {
            let year = index.checked_add(1970)?;
            (1..=9999)
                .contains(&year)
                .then(|| Civil::of_year(year).micros())
        }
        BucketSpan::Every { micros } => index.checked_mul(micros),
        BucketSpan::Endless => Some(0),
    }
}

/// The position of a time among the buckets that have labels.
pub(crate) enum Edge {
    Before,
    /// In the bucket with this label.
    At(Vec<u8>),
    After,
}

impl Bucket {
    /// From this time, labels fail only because they end.
    fn first_held(&self) -> Timestamp {
        match &self.label {
            BucketLabel::Counted { origin, .. } => *origin,
            label => {
                let first = match label {
                    BucketLabel::Units { origin, .. } => origin.as_micros(),
                    _ => 0,
                };
                let longest = self.longest_micros().unwrap_or_default();
                Timestamp::from_micros(first.saturating_add(longest))
            }
        }
    }

    /// The label of the bucket that contains a time, which need not be on the grid.
    pub(crate) fn edge(&self, time: Timestamp) -> Edge {
        let micros = time.as_micros().clamp(FIRST_MICROS, civil::END_MICROS - 1);
        let clamped = Timestamp::from_micros(micros);
        let mut label = Vec::new();
        let encoded = self
            .start_of(clamped)
            .and_then(|start| self.encode_start(start, &mut label));
        match encoded {
            Ok(()) if clamped == time || micros < time.as_micros() => Edge::At(label),
            Ok(()) => Edge::Before,
            // Labels begin in 1970 or at the first that is counted, and end if their width is
            // fixed.
            Err(SegmentError::TooWide { .. }) => Edge::After,
            Err(_) if clamped >= self.first_held() => Edge::After,
            Err(_) => Edge::Before,
        }
    }
}
