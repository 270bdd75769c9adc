//! Times of the day and days on which something is open.

use std::collections::BTreeSet;

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;

use crate::Timestamp;
use crate::error::SeriesError;
use crate::key::time::bucket::time_zone;

use super::grid::refused;

/// Hours of the week in a time zone, such as those in which a market is open, without holidays.
///
/// ```
/// use bigtable_model::series::Hours;
/// use jiff::civil::{Weekday, date, time};
///
/// let open = Hours::daily(time(9, 30, 0, 0), time(16, 0, 0, 0))
///     .zone("America/New_York")
///     .on(Weekday::Monday.cycle_forward().take(5))
///     .except([date(2015, 12, 25)]);
/// assert!(open.contains("2015-03-16T13:30:00Z".parse()?)); // in summer time
/// assert!(!open.contains("2015-03-16T20:00:00Z".parse()?)); // the end is exclusive
/// assert!(!open.contains("2015-12-25T15:00:00Z".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hours {
    from: Time,
    to: Time,
    /// The days of the week; all if empty.
    days: Vec<Weekday>,
    holidays: BTreeSet<Date>,
    name: String,
    /// `None` if there is no such zone.
    zone: Option<TimeZone>,
}

impl Hours {
    /// Every day from one time to before another, which is on the next day if it is not later: from
    /// 22:00 to 06:00 is a night, which belongs to the day on which it begins.
    #[must_use]
    pub fn daily(from: Time, to: Time) -> Self {
        Self {
            from,
            to,
            days: Vec::new(),
            holidays: BTreeSet::new(),
            name: "UTC".to_owned(),
            zone: Some(TimeZone::UTC),
        }
    }

    /// The time zone, by its IANA name; UTC by default. A name that the built-in database does not
    /// know is an error of the operation.
    #[must_use]
    pub fn zone(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self.zone = time_zone(name).ok();
        self
    }

    /// Only these days of the week.
    #[must_use]
    pub fn on(mut self, days: impl IntoIterator<Item = Weekday>) -> Self {
        self.days = days.into_iter().collect();
        self
    }

    /// Not on these dates of the zone.
    #[must_use]
    pub fn except(mut self, holidays: impl IntoIterator<Item = Date>) -> Self {
        self.holidays.extend(holidays);
        self
    }

    /// Whether a time is within these hours, by the zone's clocks, even when they go back and show
    /// it twice. Times outside the years 1 to 9999 are not, nor is any time in an unknown zone.
    #[must_use]
    pub fn contains(&self, at: Timestamp) -> bool {
        let Some(local) = self.local(at) else {
            return false;
        };
        let (date, time) = (local.date(), local.time());
        let is_after = time >= self.from;
        let is_before = time < self.to;
        if self.from < self.to {
            return is_after && is_before && self.opens(date);
        }
        is_after && self.opens(date)
            || is_before && date.yesterday().is_ok_and(|date| self.opens(date))
    }

    /// Whether some of these hours lie between two times.
    pub(super) fn touch(&self, start: Timestamp, end: Timestamp) -> bool {
        if self.contains(start) {
            return true;
        }
        let (Some(first), Some(zone)) = (self.local(start), &self.zone) else {
            return false;
        };
        // The next opening: one of the days of a week, unless those are holidays.
        let mut date = Some(first.date());
        while let Some(day) = date {
            let opening = day.to_datetime(self.from).to_zoned(zone.clone());
            let Ok(opening) = opening.map(|one| Timestamp::from(one.timestamp())) else {
                return false;
            };
            if opening >= end {
                return false;
            }
            if opening >= start && self.opens(day) && self.contains(opening) {
                return true;
            }
            date = day.tomorrow().ok();
        }
        false
    }

    fn opens(&self, date: Date) -> bool {
        (self.days.is_empty() || self.days.contains(&date.weekday()))
            && !self.holidays.contains(&date)
    }

    fn local(&self, at: Timestamp) -> Option<jiff::Zoned> {
        let at = jiff::Timestamp::from_microsecond(at.as_micros()).ok()?;
        Some(at.to_zoned(self.zone.clone()?))
    }

    /// Refuses an unknown zone.
    pub(super) fn check(&self) -> Result<(), SeriesError> {
        match self.zone {
            Some(_) => Ok(()),
            None => Err(refused(
                &format!("hours in {}", self.name),
                "there is no such time zone: give its IANA name",
            )),
        }
    }
}
