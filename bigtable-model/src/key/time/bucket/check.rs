//! Checks that labels distinguish buckets, and that offsets distinguish times.

use super::{Bucket, BucketLabel, BucketSpan, Offset};
use crate::key::{CalendarField, CalendarFormat, CalendarItem, borrow};

/// Which fields a format has, from coarse to fine.
#[derive(Clone, Copy)]
struct Has {
    year: bool,
    month: bool,
    week: bool,
    day: bool,
    hour: bool,
    minute: bool,
    second: bool,
    milli: bool,
    micro: bool,
    /// A field of the ISO calendar, whose years and weeks begin on Mondays.
    iso: bool,
    /// A year, month or day of the civil calendar.
    civil: bool,
}

const fn fields(format: &CalendarFormat) -> Has {
    let mut has = Has {
        year: false,
        month: false,
        week: false,
        day: false,
        hour: false,
        minute: false,
        second: false,
        milli: false,
        micro: false,
        iso: false,
        civil: false,
    };
    let (mut iso_year, mut iso_week, mut day_of_month, mut day_of_year) =
        (false, false, false, false);
    let mut rest = format.items();
    while let [item, tail @ ..] = rest {
        if let CalendarItem::Field(field) | CalendarItem::Unpadded(field) = item {
            match field {
                CalendarField::Year => has.year = true,
                CalendarField::Month => has.month = true,
                CalendarField::Day => day_of_month = true,
                CalendarField::DayOfYear => day_of_year = true,
                CalendarField::IsoYear => iso_year = true,
                CalendarField::IsoWeek => iso_week = true,
                CalendarField::Hour => has.hour = true,
                CalendarField::Minute => has.minute = true,
                CalendarField::Second => has.second = true,
                CalendarField::Millisecond => has.milli = true,
                CalendarField::Microsecond => has.micro = true,
            }
        }
        rest = tail;
    }
    has.week = iso_year && iso_week;
    has.iso = iso_year || iso_week;
    has.civil = has.year || has.month || day_of_month || day_of_year;
    has.day = day_of_year && has.year || day_of_month && (has.month || !has.year);
    has
}

/// Why a format with years or weeks of both calendars is refused.
const TWO_CALENDARS: &str = "an ISO year or week begins within a month or year, and text of both does not sort: write `%G-W%V`, or `%Y%m%d`";

impl CalendarFormat {
    /// Whether fields are ordered from coarse to fine, so that padded text sorts. Fields of two
    /// calendars begin at different times, so neither is coarser.
    pub(crate) const fn is_from_coarse_to_fine(&self) -> bool {
        let has = fields(self);
        if has.iso && has.civil {
            return false;
        }
        let mut before = 0;
        let mut rest = self.items();
        while let [item, tail @ ..] = rest {
            if let CalendarItem::Field(field) | CalendarItem::Unpadded(field) = item {
                let rank = match field {
                    CalendarField::Year | CalendarField::IsoYear => 1,
                    CalendarField::Month => 2,
                    CalendarField::IsoWeek => 3,
                    CalendarField::Day | CalendarField::DayOfYear => 4,
                    CalendarField::Hour => 5,
                    CalendarField::Minute => 6,
                    CalendarField::Second => 7,
                    CalendarField::Millisecond | CalendarField::Microsecond => 8,
                };
                if rank <= before {
                    return false;
                }
                before = rank;
            }
            rest = tail;
        }
        true
    }

    /// Whether text can be decoded, since no digit follows a field without leading zeros.
    const fn reads_back(&self) -> bool {
        let mut rest = self.items();
        while let [item, tail @ ..] = rest {
            if let (CalendarItem::Unpadded(_), [after, ..]) = (item, tail) {
                match after {
                    CalendarItem::Literal(text) => {
                        if let [b'0'..=b'9', ..] = borrow::bytes(text) {
                            return false;
                        }
                    }
                    _ => return false,
                }
            }
            rest = tail;
        }
        true
    }
}

impl BucketSpan {
    /// Whether each such span lies within one of the other spans, in the same time zone.
    pub(crate) fn lies_in(self, other: Self) -> bool {
        const DAY: i64 = 86_400_000_000;
        if self == other || other == Self::Endless {
            return true;
        }
        let Some(micros) = self.even_micros() else {
            return self == Self::Month && other == Self::Year;
        };
        match other.even_micros() {
            Some(longer) => longer % micros == 0,
            // Weeks begin on Mondays, months and years on any day.
            None => DAY % micros == 0,
        }
    }

    /// The length in microseconds of spans that are all equally long and are counted from 1970.
    const fn even_micros(self) -> Option<i64> {
        match self {
            Self::Minute => Some(60_000_000),
            Self::Hour => Some(3_600_000_000),
            Self::Day => Some(86_400_000_000),
            Self::Every { micros } if micros > 0 => Some(micros),
            _ => None,
        }
    }
}

impl Bucket {
    /// Why rows of two buckets could not be distinguished or decoded, and what to write instead.
    #[must_use]
    pub const fn refusal(&self) -> Option<&'static str> {
        if let BucketSpan::Every { micros } = self.span
            && micros <= 0
        {
            return Some("a bucket lasts longer than nothing");
        }
        let short = matches!(
            self.span,
            BucketSpan::Minute | BucketSpan::Hour | BucketSpan::Every { .. } | BucketSpan::Endless
        );
        if short && self.zone.is_some() {
            return Some(
                "only days, weeks, months and years have a time zone: others are the same everywhere, remove `zone`",
            );
        }
        match (&self.label, self.is_endless()) {
            (BucketLabel::Absent, true) => None,
            (BucketLabel::Absent, false) => Some("a bucket has a label"),
            (_, true) => Some("a bucket without an end has no label"),
            (BucketLabel::Calendar(format), _) => self.refuse_format(format),
            (BucketLabel::Start { unit, .. } | BucketLabel::BinaryStart { unit, .. }, _) => {
                match self.span {
                    BucketSpan::Every { micros } if micros % unit.micros() != 0 => Some(
                        "the beginnings of these buckets are not whole units: write a finer `unit`",
                    ),
                    _ => None,
                }
            }
            (BucketLabel::Units { .. }, _) => self.refuse_units(),
            (BucketLabel::Counted { .. }, _) => None,
        }
    }

    /// Every bucket has to begin a whole number of the label's durations after its origin. The
    /// derive checks this with a zone's offsets; in other layouts a bucket that begins elsewhere is
    /// refused when it is encoded.
    const fn refuse_units(&self) -> Option<&'static str> {
        const DAY: i64 = 86_400_000_000;
        let BucketLabel::Units {
            micros,
            origin,
            width,
            ..
        } = &self.label
        else {
            return None;
        };
        if *micros <= 0 || *width == 0 || *width > 19 {
            return Some("a label counts a duration, in 1 to 19 digits");
        }
        let even = match self.span.even_micros() {
            Some(even) => even,
            None => DAY,
        };
        if even % *micros != 0 || origin.as_micros() % *micros != 0 {
            return Some(
                "the beginnings of these buckets are not whole numbers of the label's duration: count a shorter one",
            );
        }
        None
    }

    const fn refuse_format(&self, format: &CalendarFormat) -> Option<&'static str> {
        if !format.reads_back() {
            return Some(
                "no digit may follow a field without leading zeros: put text between them",
            );
        }
        let has = fields(format);
        if has.iso && has.civil {
            return Some(TWO_CALENDARS);
        }
        let day = has.day && has.year;
        let told = match self.span {
            BucketSpan::Year => has.year,
            BucketSpan::Month => has.year && has.month,
            BucketSpan::Week => has.week || day,
            BucketSpan::Day => day,
            BucketSpan::Hour => day && has.hour,
            BucketSpan::Minute => day && has.hour && has.minute,
            BucketSpan::Every { micros } => tells_every(has, day, micros),
            BucketSpan::Endless => false,
        };
        if told {
            None
        } else {
            Some("two buckets would have the same label: add the fields that tell them apart")
        }
    }
}

const fn tells_every(has: Has, day: bool, micros: i64) -> bool {
    let hour = day && has.hour;
    let minute = hour && has.minute;
    let second = minute && has.second;
    day && micros % 86_400_000_000 == 0
        || hour && micros % 3_600_000_000 == 0
        || minute && micros % 60_000_000 == 0
        || second && micros % 1_000_000 == 0
        || second && has.milli && micros % 1_000 == 0
        || second && has.micro
}

impl Offset {
    /// Why two times in a bucket could have the same offset, and what to write instead.
    #[must_use]
    pub const fn refusal(&self, bucket: &Bucket) -> Option<&'static str> {
        let format = match self {
            Self::Ticks { width, .. } if *width == 0 || *width > 19 => {
                return Some("an offset has 1 to 19 digits");
            }
            Self::Ticks { unit, .. } if bucket.grid_micros % unit.micros() != 0 => {
                return Some("times are finer than the offset's unit");
            }
            Self::Ticks { .. } => return None,
            Self::Calendar(format) => format,
        };
        if !format.reads_back() {
            return Some(
                "no digit may follow a field without leading zeros: put text between them",
            );
        }
        let has = fields(format);
        if has.iso {
            return Some("an ISO year or week is no part of a day, month or year: remove it");
        }
        let finest = match bucket.grid_micros {
            grid if grid % 86_400_000_000 == 0 => 0,
            grid if grid % 3_600_000_000 == 0 => 1,
            grid if grid % 60_000_000 == 0 => 2,
            grid if grid % 1_000_000 == 0 => 3,
            _ => 4,
        };
        let below_day = (finest < 1 || has.hour)
            && (finest < 2 || has.minute)
            && (finest < 3 || has.second)
            && (finest < 4 || has.micro || has.milli && bucket.grid_micros % 1_000 == 0);
        let below_hour = (finest < 2 || has.minute)
            && (finest < 3 || has.second)
            && (finest < 4 || has.micro || has.milli && bucket.grid_micros % 1_000 == 0);
        let below_minute = (finest < 3 || has.second)
            && (finest < 4 || has.micro || has.milli && bucket.grid_micros % 1_000 == 0);
        let told = match bucket.span {
            BucketSpan::Year => has.month && has.day && below_day,
            BucketSpan::Month => has.day && below_day,
            BucketSpan::Day => below_day,
            BucketSpan::Hour => below_hour,
            BucketSpan::Minute => below_minute,
            BucketSpan::Every { micros } => micros > 0 && 86_400_000_000 % micros == 0 && below_day,
            BucketSpan::Week | BucketSpan::Endless => false,
        };
        if told {
            None
        } else {
            Some(
                "two times in a bucket could have this offset: it needs the fields from below the bucket down to what times are whole multiples of; weeks have none, remove `offset` to count units",
            )
        }
    }
}
