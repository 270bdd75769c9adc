//! How long windows and steps of a grid are.

use std::fmt;
use std::time::Duration;

use crate::bucket::BucketSpan;

/// How long a window or a step of a grid is: a duration, some calendar units or some events.
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
    /// So many microseconds, whose windows are counted from 1970; none for more than fit.
    Micros(Option<i64>),
    /// So many units of the calendar.
    Units(BucketSpan, u32),
    /// So many events.
    Events(u32),
}

impl Length {
    /// So many seconds.
    #[must_use]
    pub fn seconds(seconds: u32) -> Self {
        Duration::from_secs(seconds.into()).into()
    }

    /// So many minutes.
    #[must_use]
    pub fn minutes(minutes: u32) -> Self {
        Duration::from_secs(60 * u64::from(minutes)).into()
    }

    /// So many hours.
    #[must_use]
    pub fn hours(hours: u32) -> Self {
        Duration::from_secs(3_600 * u64::from(hours)).into()
    }

    /// So many days: of UTC, unless [`zone`](Length::zone) says otherwise.
    #[must_use]
    pub fn days(days: u32) -> Self {
        Self::units(BucketSpan::Day, days)
    }

    /// So many ISO weeks, which begin on Monday.
    #[must_use]
    pub fn weeks(weeks: u32) -> Self {
        Self::units(BucketSpan::Week, weeks)
    }

    /// So many calendar months.
    #[must_use]
    pub fn months(months: u32) -> Self {
        Self::units(BucketSpan::Month, months)
    }

    /// So many calendar years.
    #[must_use]
    pub fn years(years: u32) -> Self {
        Self::units(BucketSpan::Year, years)
    }

    /// So many events, whatever their times.
    #[must_use]
    pub fn events(events: u32) -> Self {
        Self {
            amount: Amount::Events(events),
            zone: None,
        }
    }

    /// In whose days, weeks, months or years it is: the IANA name of a time zone.
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
