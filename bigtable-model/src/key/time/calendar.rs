//! Times written by a calendar format.

use std::fmt;

use super::civil::{self, Civil};
use crate::Timestamp;
use crate::key::encoding::digits;
use crate::key::refuse;
use crate::key::{CalendarField, CalendarFormat, CalendarItem, SegmentError, borrow};

const LIMITS: &str = "the years 1970 to 9999";
const SECOND: i64 = 1_000_000;

/// The local time in microseconds as if it were UTC, so many seconds ahead of it.
pub(in crate::key) fn local(time: Timestamp, offset_seconds: i32) -> i64 {
    let ahead = i64::from(offset_seconds) * SECOND;
    time.as_micros().saturating_add(ahead)
}

/// The instant of a local time.
fn instant(local: i64, offset_seconds: i32) -> Timestamp {
    let ahead = i64::from(offset_seconds) * SECOND;
    Timestamp::from_micros(local.saturating_sub(ahead))
}

/// So many seconds ahead of UTC, as in `zone = "-07:00"`.
pub(in crate::key) struct FromUtc(pub(in crate::key) i32);

impl fmt::Display for FromUtc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        let seconds = self.0.unsigned_abs();
        write!(f, "{sign}{:02}:{:02}", seconds / 3_600, seconds / 60 % 60)?;
        match seconds % 60 {
            0 => Ok(()),
            rest => write!(f, ":{rest:02}"),
        }
    }
}

impl CalendarField {
    /// Its number of digits.
    #[must_use]
    pub const fn digits(self) -> usize {
        match self {
            Self::Year | Self::IsoYear => 4,
            Self::DayOfYear | Self::Millisecond => 3,
            Self::Microsecond => 6,
            Self::Month | Self::Day | Self::Hour | Self::Minute | Self::Second | Self::IsoWeek => 2,
        }
    }

    /// Its name in the singular.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Day | Self::DayOfYear => "day",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
            Self::Millisecond => "millisecond",
            Self::Microsecond => "microsecond",
            Self::IsoYear => "year of the ISO week",
            Self::IsoWeek => "ISO week",
        }
    }

    /// Its directive in `strftime`.
    #[must_use]
    pub const fn directive(self) -> &'static str {
        match self {
            Self::Year => "%Y",
            Self::Month => "%m",
            Self::Day => "%d",
            Self::DayOfYear => "%j",
            Self::Hour => "%H",
            Self::Minute => "%M",
            Self::Second => "%S",
            Self::Millisecond => "%3f",
            Self::Microsecond => "%6f",
            Self::IsoYear => "%G",
            Self::IsoWeek => "%V",
        }
    }

    /// Whether the field may follow `before`; `None` is the start of the format.
    const fn follows(self, before: Option<Self>) -> bool {
        matches!(
            (before, self),
            (None, Self::Year)
                | (Some(Self::Year), Self::Month | Self::DayOfYear)
                | (Some(Self::Month), Self::Day)
                | (Some(Self::Day | Self::DayOfYear), Self::Hour)
                | (Some(Self::Hour), Self::Minute)
                | (Some(Self::Minute), Self::Second)
                | (Some(Self::Second), Self::Millisecond | Self::Microsecond)
        )
    }
}

impl CalendarFormat {
    /// Why the text of these items would not sort or could not be decoded, and what to write
    /// instead.
    #[must_use]
    pub const fn refusal(items: &[CalendarItem]) -> Option<&'static str> {
        let mut before = None;
        let mut rest = items;
        while let [item, tail @ ..] = rest {
            if let CalendarItem::Unpadded(_) = item {
                return Some(
                    "text without leading zeros does not sort: write the field in its full width, as in `%d`",
                );
            }
            if let CalendarItem::Field(field) = item {
                if !field.follows(before) {
                    return Some(
                        "a format has its fields from the year down without a gap, as in `%Y%m%d%H%M%S%3f` or `%Y%j`",
                    );
                }
                before = Some(*field);
            }
            rest = tail;
        }
        if before.is_none() {
            return Some("a format begins with the year: write `%Y` first");
        }
        None
    }

    /// The length of every time in bytes.
    #[must_use]
    pub const fn byte_len(&self) -> usize {
        let mut total = 0;
        let mut rest = self.items();
        while let [item, tail @ ..] = rest {
            total += match item {
                CalendarItem::Field(field) | CalendarItem::Unpadded(field) => field.digits(),
                CalendarItem::Literal(text) => borrow::bytes(text).len(),
            };
            rest = tail;
        }
        total
    }

    /// Whether every field has leading zeros, so text sorts like times.
    #[must_use]
    pub const fn is_padded(&self) -> bool {
        let mut rest = self.items();
        while let [item, tail @ ..] = rest {
            if let CalendarItem::Unpadded(_) = item {
                return false;
            }
            rest = tail;
        }
        true
    }

    /// The last field; times are multiples of it.
    #[must_use]
    pub const fn finest(&self) -> Option<CalendarField> {
        let mut finest = None;
        let mut rest = self.items();
        while let [item, tail @ ..] = rest {
            if let CalendarItem::Field(field) = item {
                finest = Some(*field);
            }
            rest = tail;
        }
        finest
    }

    pub(crate) const fn items(&self) -> &[CalendarItem] {
        borrow::list(&self.items)
    }

    /// The fields of a time, rounded down to the last one.
    fn fields(&self, time: Timestamp, offset_seconds: i32) -> Result<Civil, SegmentError> {
        let civil = civil(time, offset_seconds)?;
        Ok(self.finest().map_or(civil, |finest| civil.floor(finest)))
    }

    /// The time rounded down to the last field of a clock that is so many seconds ahead of UTC.
    pub(in crate::key) fn floor(
        &self,
        time: Timestamp,
        offset_seconds: i32,
    ) -> Result<Timestamp, SegmentError> {
        let fields = self.fields(time, offset_seconds)?;
        Ok(instant(fields.micros(), offset_seconds))
    }

    /// The first time of the format's grid that is not before `time`; `None` beyond the year 9999.
    pub(in crate::key) fn ceil(&self, time: Timestamp, offset_seconds: i32) -> Option<Timestamp> {
        let floor = self.fields(time, offset_seconds).ok()?;
        let ceil = match self.finest() {
            Some(finest) if floor.micros() < local(time, offset_seconds) => {
                floor.next_micros(finest)
            }
            _ => floor.micros(),
        };
        (ceil < civil::END_MICROS).then(|| instant(ceil, offset_seconds))
    }

    pub(in crate::key) fn encode(
        &self,
        time: Timestamp,
        (offset_seconds, truncate): (i32, bool),
        out: &mut Vec<u8>,
    ) -> Result<(), SegmentError> {
        let fields = self.fields(time, offset_seconds)?;
        if fields.micros() != local(time, offset_seconds) && !truncate {
            let unit = self.finest().map_or("year", CalendarField::name);
            return Err(refuse::not_exact(time, unit));
        }
        self.write(fields, out)
            .ok_or_else(|| refuse::out_of_range(time, LIMITS))
    }

    /// Appends the fields of a local time; `None` if a field has too many digits.
    #[inline]
    pub(crate) fn write(&self, civil: Civil, out: &mut Vec<u8>) -> Option<()> {
        for item in self.items() {
            match item {
                CalendarItem::Literal(text) => out.extend_from_slice(text.as_bytes()),
                CalendarItem::Unpadded(field) => {
                    out.extend_from_slice(civil.field(*field).to_string().as_bytes());
                }
                CalendarItem::Field(field) => {
                    let value = u64::try_from(civil.field(*field)).unwrap_or_default();
                    digits::push_u64(value, field.digits(), out).ok()?;
                }
            }
        }
        Some(())
    }

    pub(in crate::key) fn decode(
        &self,
        bytes: &[u8],
        offset_seconds: i32,
    ) -> Result<Timestamp, SegmentError> {
        match self.parse(bytes) {
            Some(civil) => Ok(instant(civil.micros(), offset_seconds)),
            None => Err(refuse::malformed(
                bytes,
                format!("a time from 1970 to 9999 in the format {self}"),
            )),
        }
    }

    fn parse(&self, bytes: &[u8]) -> Option<Civil> {
        let mut civil = Civil::of_year(0);
        self.read(bytes, |field, value| set(&mut civil, field, value))?;
        (civil.year > 0).then_some(civil)
    }

    /// Passes each field of a text to `set`; `None` for text of another format, or that `set`
    /// refuses.
    #[inline]
    pub(crate) fn read(
        &self,
        bytes: &[u8],
        mut set: impl FnMut(CalendarField, i64) -> Option<()>,
    ) -> Option<()> {
        let mut rest = bytes;
        for item in self.items() {
            let (field, len) = match item {
                CalendarItem::Literal(text) => {
                    rest = rest.strip_prefix(text.as_bytes())?;
                    continue;
                }
                CalendarItem::Field(field) => (*field, field.digits()),
                CalendarItem::Unpadded(field) => (*field, unpadded(rest, field.digits())?),
            };
            let (text, tail) = rest.split_at_checked(len)?;
            set(field, i64::try_from(digits::parse_u64(text)?).ok()?)?;
            rest = tail;
        }
        rest.is_empty().then_some(())
    }
}

/// The number of digits, at most `most`, of a number without leading zeros at the start of a text.
fn unpadded(text: &[u8], most: usize) -> Option<usize> {
    let digits = text.iter().take(most);
    match digits.take_while(|byte| byte.is_ascii_digit()).count() {
        2.. if text.first() == Some(&b'0') => None,
        len => Some(len),
    }
}

fn civil(time: Timestamp, offset_seconds: i32) -> Result<Civil, SegmentError> {
    match local(time, offset_seconds) {
        local @ 0..civil::END_MICROS => Ok(Civil::from_micros(local)),
        ..0 if offset_seconds == 0 => Err(refuse::before_epoch(time)),
        _ if offset_seconds == 0 => Err(refuse::out_of_range(time, LIMITS)),
        _ => Err(beyond_years(time, offset_seconds)),
    }
}

#[cold]
#[inline(never)]
fn beyond_years(time: Timestamp, offset_seconds: i32) -> SegmentError {
    SegmentError::TimeOutOfRange {
        time,
        limits: format!("{LIMITS} in {}", FromUtc(offset_seconds)).into(),
    }
}

/// Sets a field of a time whose coarser fields are set; `None` if the calendar has no such value.
fn set(civil: &mut Civil, field: CalendarField, value: i64) -> Option<()> {
    let (range, unit) = match field {
        CalendarField::Year => (1970..=9999, 0),
        CalendarField::Month => (1..=12, 0),
        CalendarField::Day => (1..=civil::days_in_month(civil.year, civil.month), 0),
        CalendarField::DayOfYear => (1..=civil::days_in_year(civil.year), 0),
        CalendarField::Hour => (0..=23, 3_600_000_000),
        CalendarField::Minute => (0..=59, 60_000_000),
        CalendarField::Second => (0..=59, 1_000_000),
        CalendarField::Millisecond => (0..=999, 1_000),
        CalendarField::Microsecond => (0..=999_999, 1),
        // Only labels have these fields; formats of keys refuse them.
        CalendarField::IsoYear | CalendarField::IsoWeek => return None,
    };
    if !range.contains(&value) {
        return None;
    }
    match field {
        CalendarField::Year => civil.year = value,
        CalendarField::Month => civil.month = value,
        CalendarField::Day => civil.day = value,
        CalendarField::DayOfYear => {
            let mut rest = value;
            civil.month = 1;
            while rest > civil::days_in_month(civil.year, civil.month) {
                rest -= civil::days_in_month(civil.year, civil.month);
                civil.month += 1;
            }
            civil.day = rest;
        }
        _ => civil.time += value * unit,
    }
    Some(())
}
