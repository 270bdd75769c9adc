//! Lengths of windows and of grid steps.

use std::fmt;
use std::time::Duration;

use crate::key::time::bucket::BucketSpan;

/// The length of a window or of a grid step: a duration, calendar units or a number of events.
///
/// ```
/// use std::time::Duration;
/// use bigtable_model::series::Length;
///
/// assert_eq!(Length::minutes(15), Duration::from_secs(900).into());
/// let day = Length::days(1).zone("America/New_York"); // 23, 24 or 25 hours
/// assert_eq!(day.to_string(), "1 day in America/New_York");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Length {
    pub(super) amount: Amount,
    pub(super) zone: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Amount {
    /// Microseconds; windows are counted from 1970. `None` on overflow.
    Micros(Option<i64>),
    /// Calendar units.
    Units(BucketSpan, u32),
    /// A number of events.
    Events(u32),
}

impl Length {
    /// A number of seconds.
    #[must_use]
    pub fn seconds(seconds: u32) -> Self {
        Duration::from_secs(seconds.into()).into()
    }

    /// A number of minutes.
    #[must_use]
    pub fn minutes(minutes: u32) -> Self {
        Duration::from_secs(60 * u64::from(minutes)).into()
    }

    /// A number of hours.
    #[must_use]
    pub fn hours(hours: u32) -> Self {
        Duration::from_secs(3_600 * u64::from(hours)).into()
    }

    /// A number of days: in UTC, unless [`zone`](Length::zone) sets another zone.
    #[must_use]
    pub fn days(days: u32) -> Self {
        Self::units(BucketSpan::Day, days)
    }

    /// A number of ISO weeks, which begin on Monday.
    #[must_use]
    pub fn weeks(weeks: u32) -> Self {
        Self::units(BucketSpan::Week, weeks)
    }

    /// A number of calendar months.
    #[must_use]
    pub fn months(months: u32) -> Self {
        Self::units(BucketSpan::Month, months)
    }

    /// A number of calendar years.
    #[must_use]
    pub fn years(years: u32) -> Self {
        Self::units(BucketSpan::Year, years)
    }

    /// A number of events at any times.
    #[must_use]
    pub fn events(events: u32) -> Self {
        Self {
            amount: Amount::Events(events),
            zone: None,
        }
    }

    /// The time zone of days, weeks, months or years, by its IANA name.
    #[must_use]
    pub fn zone(mut self, name: impl Into<String>) -> Self {
        self.zone = Some(name.into());
        self
    }

    const fn units(span: BucketSpan, units: u32) -> Self {
        Self {
            amount: Amount::Units(span, units),
            zone: None,
        }
    }
}

/// Whole microseconds, rounded down.
impl From<Duration> for Length {
    fn from(duration: Duration) -> Self {
        Self {
            amount: Amount::Micros(i64::try_from(duration.as_micros()).ok()),
            zone: None,
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let some = |f: &mut fmt::Formatter<'_>, number: i64, unit: &str| {
            let plural = if number == 1 { "" } else { "s" };
            write!(f, "{number} {unit}{plural}")
        };
        match self.amount {
            Amount::Micros(Some(micros)) if micros % 1_000_000 == 0 => {
                some(f, micros / 1_000_000, "second")?;
            }
            Amount::Micros(Some(micros)) => some(f, micros, "microsecond")?,
            Amount::Micros(None) => f.write_str("a duration of more than 292,000 years")?,
            Amount::Units(span, units) => some(f, units.into(), name(span))?,
            Amount::Events(events) => some(f, events.into(), "event")?,
        }
        match &self.zone {
            Some(zone) => write!(f, " in {zone}"),
            None => Ok(()),
        }
    }
}

const fn name(span: BucketSpan) -> &'static str {
    match span {
        BucketSpan::Week => "week",
        BucketSpan::Month => "month",
        BucketSpan::Year => "year",
        _ => "day",
    }
}
