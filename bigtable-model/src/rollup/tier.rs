//! The lengths of windows and of levels' buckets, as pure functions.

use std::time::Duration;

use crate::Timestamp;
use crate::error::SeriesError;
use crate::key::time::bucket::BucketSpan;
use crate::model::Level;
use crate::series::{Grid, Length};

/// A span of time in microseconds: start (inclusive) and end (exclusive).
pub(super) type Span = (i64, i64);

/// A level, and its buckets.
#[derive(Debug, Clone)]
pub(super) struct Tier {
    pub(super) level: Level,
    pub(super) grid: Grid,
}

/// The requested windows.
#[derive(Debug, Clone)]
pub(super) struct Cut {
    pub(super) length: Length,
    pub(super) grid: Grid,
}

/// The levels with their buckets; fails for an unknown time zone.
pub(super) fn tiers(levels: &[Level]) -> Result<Vec<Tier>, SeriesError> {
    let tier = |level: &Level| {
        let grid = Grid::of(&level.length(), "the buckets of a roll-up")?;
        let level = level.clone();
        Ok(Tier { level, grid })
    };
    levels.iter().map(tier).collect()
}

impl Level {
    /// The length of a bucket.
    #[must_use]
    pub fn length(&self) -> Length {
        let length = match self.span() {
            BucketSpan::Every { micros } => Duration::from_micros(micros.unsigned_abs()).into(),
            span => unit(span),
        };
        match self.zone_name() {
            Some(zone) => length.zone(zone),
            None => length,
        }
    }
}

/// A unit of the calendar.
fn unit(span: BucketSpan) -> Length {
    match span {
        BucketSpan::Week => Length::weeks(1),
        BucketSpan::Month => Length::months(1),
        BucketSpan::Year => Length::years(1),
        _ => Length::days(1),
    }
}

impl Cut {
    pub(super) fn of(length: Length) -> Result<Self, SeriesError> {
        let grid = Grid::of(&length, "windows")?;
        Ok(Self { length, grid })
    }

    /// The shortest windows of which a span has at most `most`: buckets of a level, several of them
    /// joined to a usual length, or longer windows. `None` if the span has more at every length.
    pub(super) fn at_most(most: u32, levels: &[Level], span: Span) -> Option<Self> {
        let mut lengths: Vec<_> = levels
            .iter()
            .map(|one| (about(one), one.length()))
            .collect();
        lengths.extend(joined(levels));
        lengths.sort_by_key(|(micros, _)| *micros);
        let lengths = lengths.into_iter().map(|(_, length)| length);
        let longer = levels.last().map(|longest| longer(longest, span, most));
        let mut cuts = lengths.chain(longer.into_iter().flatten()).map(Self::of);
        cuts.find_map(|cut| cut.ok().filter(|cut| cut.count(span) <= i128::from(most)))
    }

    /// The number of windows that a span touches; one more if a calendar skips a day.
    pub(super) fn count(&self, (from, to): Span) -> i128 {
        let number = |micros| self.grid.cell(Timestamp::from_micros(micros));
        match (from < to).then(|| (number(from), number(to - 1))) {
            None => 0,
            Some((Ok(first), Ok(last))) => i128::from(last.index) - i128::from(first.index) + 1,
            // Outside the calendar.
            Some(_) => i128::MAX,
        }
    }

    /// Whether each bucket of a level in the span lies within one window.
    pub(super) fn holds(&self, tier: &Tier, (from, to): Span) -> bool {
        if let (Grid::Every(window), Grid::Every(bucket)) = (&self.grid, &tier.grid) {
            return window % bucket == 0;
        }
        if matches!(self.grid, Grid::Every(window) if window < LEAST_DAY) {
            return false;
        }
        let mut window = self.grid.cell(Timestamp::from_micros(from));
        while let Ok(known) = window {
            if known.end.as_micros() >= to {
                return true;
            }
            match tier.grid.cell(known.end) {
                Ok(bucket) if bucket.start == known.end => window = self.grid.next(&known),
                _ => return false,
            }
        }
        false
    }
}

/// The exact or approximate length of a bucket of a level.
fn about(level: &Level) -> i64 {
    const DAY: i64 = 86_400_000_000;
    match level.span() {
        BucketSpan::Every { micros } => micros,
        BucketSpan::Week => 7 * DAY,
        BucketSpan::Month => 30 * DAY,
        BucketSpan::Year => 365 * DAY,
        _ => DAY,
    }
}

/// Parts of a second, of a minute, of an hour and of a day, in milliseconds.
const USUAL: [u32; 30] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000,
    60_000, 120_000, 300_000, 600_000, 900_000, 1_200_000, 1_800_000, 3_600_000, 7_200_000,
    10_800_000, 14_400_000, 21_600_000, 28_800_000, 43_200_000,
];

/// The usual lengths between levels that are whole numbers of a level's buckets, in microseconds.
fn joined(levels: &[Level]) -> impl Iterator<Item = (i64, Length)> {
    let longest = levels.last().map_or(0, about);
    let usual = USUAL.into_iter().map(|millis| i64::from(millis) * 1_000);
    let between = usual.filter(move |micros| {
        let mut levels = levels.iter().map(Level::span);
        *micros < longest
            && levels.any(|span| match span {
                BucketSpan::Every { micros: bucket } => *micros > bucket && micros % bucket == 0,
                _ => false,
            })
    });
    between.map(|micros| (micros, Duration::from_micros(micros.unsigned_abs()).into()))
}

/// The shortest part of a calendar.
const LEAST_DAY: i64 = 3_600_000_000;

/// Lengths longer than a level's buckets, each a multiple of them.
fn longer(level: &Level, (from, to): Span, most: u32) -> Vec<Length> {
    let zoned = |span| match level.zone_name() {
        Some(zone) => unit(span).zone(zone),
        None => unit(span),
    };
    let longest = match level.span() {
        BucketSpan::Every { micros } => micros,
        BucketSpan::Day => return LONGER.map(zoned).to_vec(),
        BucketSpan::Month => return vec![zoned(BucketSpan::Year)],
        _ => return Vec::new(),
    };
    let span = i128::from(to) - i128::from(from);
    let buckets = span / (i128::from(longest) * i128::from(most.max(1)));
    let Ok(least) = i64::try_from(buckets) else {
        return Vec::new();
    };
    let least = least.max(1);
    let near = (0..64).filter_map(|more| least.checked_add(more));
    let far = (1..63).filter_map(|times| least.checked_mul(1 << times));
    let lengths = near.chain(far);
    let micros = lengths.filter_map(|buckets| longest.checked_mul(buckets));
    let length = |micros: i64| Duration::from_micros(micros.unsigned_abs()).into();
    micros.map(length).collect()
}

/// The parts of a calendar above a day.
const LONGER: [BucketSpan; 3] = [BucketSpan::Week, BucketSpan::Month, BucketSpan::Year];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const LEVELS: &[Level] = &[Level::seconds(10), Level::seconds(60), Level::seconds(600)];

    fn window(levels: &[Level], from: i64, to: i64, most: u32) -> Option<String> {
        let span = (from * 1_000_000, to * 1_000_000);
        let cut = Cut::at_most(most, levels, span)?;
        assert!(cut.count(span) <= i128::from(most));
        Some(cut.length.to_string())
    }

    #[test]
    fn windows_are_as_short_as_levels_let_them_be() {
        let window = |from, to, most| window(LEVELS, from, to, most);
        let seconds = |seconds: u32| Some(format!("{seconds} seconds"));
        assert_eq!(window(0, 600, 60), seconds(10));
        assert_eq!(window(0, 600, 59), seconds(20));
        assert_eq!(window(5, 605, 60), seconds(20)); // it touches 61 of 10 s
        assert_eq!(window(0, 600, 29), seconds(30)); // 15 s is no multiple of 10 s
        assert_eq!(window(0, 600, 19), seconds(60));
        assert_eq!(window(0, 600, 5), seconds(120));
        assert_eq!(window(0, 60_000, 100), seconds(600));
        assert_eq!(window(0, 60_000, 99), seconds(1_200));
        assert_eq!(window(0, 60_000, 1), seconds(60_000));
        assert_eq!(window(-5, 5, 1), None); // 1970 is the edge of any two windows
        assert_eq!(window(-5, 5, 2), seconds(10));
        assert_eq!(window(0, 60, 0), None);
    }

    /// Nine hours on a screen, with levels of a minute and an hour.
    #[test]
    fn levels_join_to_usual_lengths() {
        let levels = [Level::minutes(1), Level::hours(1)];
        let of = |most| window(&levels, 0, 9 * 3_600, most).unwrap();
        assert_eq!(of(540), "60 seconds");
        assert_eq!(of(500), "120 seconds"); // 270 windows
        assert_eq!(of(200), "300 seconds");
        assert_eq!(of(100), "600 seconds");
        assert_eq!(of(20), "1800 seconds");
        assert_eq!(of(9), "3600 seconds");
        assert_eq!(of(8), "7200 seconds");
    }

    #[test]
    fn windows_of_a_calendar_grow_by_its_units() {
        const DAY: i64 = 86_400;
        let levels = [Level::hours(1), Level::day().zone("Europe/Berlin")];
        // 2024 in Berlin.
        let (from, to) = (1_704_063_600, 1_735_686_000);
        let berlin = |length: &str| Some(format!("{length} in Europe/Berlin"));
        let window = |most| window(&levels, from, to, most);
        assert_eq!(window(8_784).unwrap(), "3600 seconds");
        assert_eq!(window(8_783).unwrap(), "7200 seconds");
        assert_eq!(window(733).unwrap(), "43200 seconds");
        assert_eq!(window(731), berlin("1 day"));
        assert_eq!(window(366), berlin("1 day"));
        assert_eq!(window(365), berlin("1 week"));
        assert_eq!(window(53), berlin("1 week"));
        assert_eq!(window(52), berlin("1 month"));
        assert_eq!(window(11), berlin("1 year"));
        assert_eq!(window(0), None);
        let weeks = [Level::week()];
        assert_eq!(self::window(&weeks, 0, 700 * DAY, 100), None); // years do not hold whole weeks
        let months = [Level::month()];
        assert_eq!(
            self::window(&months, 0, 700 * DAY, 2),
            Some("1 year".to_owned())
        );
    }

    #[test]
    fn a_level_answers_where_no_bucket_crosses_a_window() {
        const DAY: i64 = 86_400_000_000;
        let tier = |level| tiers(&[level]).unwrap().remove(0);
        let holds = |length: Length, level: Level, days: i64| {
            Cut::of(length)
                .unwrap()
                .holds(&tier(level), (1, days * DAY))
        };
        let hour = Level::hours(1);
        assert!(holds(
            Length::days(1).zone("Europe/Berlin"),
            hour.clone(),
            700
        ));
        assert!(!holds(Length::days(1).zone("Asia/Kolkata"), hour, 700));
        let quarter = Level::minutes(15);
        // Clocks there were 5 hours and 30 minutes ahead, which is not a multiple of 20 minutes.
        let kathmandu = Length::days(1).zone("Asia/Kathmandu");
        assert!(holds(kathmandu.clone(), Level::minutes(10), 700));
        assert!(!holds(kathmandu, Level::minutes(20), 700));
        assert!(holds(Length::months(1).zone("Asia/Kolkata"), quarter, 700));
        assert!(holds(Length::months(1), Level::day(), 700));
        assert!(holds(Length::days(1), Level::days(1), 700));
        assert!(holds(Length::hours(24), Level::day(), 700));
        assert!(!holds(Length::months(1), Level::week(), 700));
        assert!(holds(Length::months(1), Level::week(), 20)); // no week ends in it with a month
        assert!(!holds(
            Length::days(1),
            Level::day().zone("Europe/Berlin"),
            700
        ));
        assert!(!holds(Length::hours(2), Level::day(), 700));
    }
}
