//! Checks the tables and keys of roll-ups while their models are compiled.

use std::borrow::Cow;

use crate::key::identifiers::are_same;
use crate::key::time::bucket::BucketSpan;
use crate::key::{CalendarField, KeyLayout, SegmentFormat, SegmentRole};
use crate::model::{Level, RolledUp, TableName};

const DAY: i64 = 86_400_000_000;
const MINUTE: i64 = 60_000_000;
const SECOND: i64 = 1_000_000;

/// The roll-ups of a model, checked to have a separate table for every level. `own` is the model's
/// table, or for tables by period the texts before and after the period.
///
/// # Panics
/// If two tables coincide, which stops the build.
#[doc(hidden)]
#[must_use]
pub const fn in_own_tables(
    own: (&str, Option<&str>),
    rollups: &'static [RolledUp],
) -> &'static [RolledUp] {
    let mut rest = rollups;
    while let Some((rollup, later)) = rest.split_first() {
        let mut levels = rollup.levels();
        while let Some((level, longer)) = levels.split_first() {
            let table = table(rollup, level);
            assert!(
                !is_of(own, table),
                "a roll-up is in the table of its events, where deleting an event may delete a bucket: give the roll-up a table of its own"
            );
            assert!(
                !is_among(table, rollup, longer),
                "two levels of a roll-up are in one table, where buckets of both have the same keys: give each a table of its own"
            );
            let mut others = later;
            while let Some((other, more)) = others.split_first() {
                assert!(
                    !is_among(table, other, other.levels()),
                    "two roll-ups are in one table, where each replaces the buckets of the other: give each a table of its own"
                );
                others = more;
            }
            levels = longer;
        }
        rest = later;
    }
    rollups
}

/// The ID of a level's table.
const fn table<'a>(rollup: &'a RolledUp, level: &'a Level) -> &'a str {
    match (level.table(), &rollup.schema().of_struct().table) {
        (Some(table), _) => table,
        (None, TableName::Fixed(Cow::Borrowed(table))) => table,
        _ => "",
    }
}

const fn is_among(table: &str, rollup: &RolledUp, levels: &[Level]) -> bool {
    let mut rest = levels;
    while let Some((level, others)) = rest.split_first() {
        if are_same(table.as_bytes(), self::table(rollup, level).as_bytes()) {
            return true;
        }
        rest = others;
    }
    false
}

/// Whether a table is the events' table, or its ID could be one of the tables by period.
const fn is_of((own, after): (&str, Option<&str>), table: &str) -> bool {
    let (own, table) = (own.as_bytes(), table.as_bytes());
    let Some(after) = after else {
        return are_same(own, table);
    };
    let after = after.as_bytes();
    let Some((before, rest)) = table.split_at_checked(own.len()) else {
        return false;
    };
    if rest.len() <= after.len() || !are_same(before, own) {
        return false;
    }
    let Some((label, end)) = rest.split_at_checked(rest.len() - after.len()) else {
        return false;
    };
    are_same(end, after) && is_label(label)
}

/// Whether a text may be the label of a period: digits and separators.
const fn is_label(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some((byte, others)) = rest.split_first() {
        if !matches!(byte, b'0'..=b'9' | b'-' | b'_' | b'.' | b'W') {
            return false;
        }
        rest = others;
    }
    true
}

/// The unit of the times of a key.
enum Multiples {
    Micros(i64),
    Months,
    Years,
    /// Days, or hours, that no bucket is known to begin with.
    OfClock,
}

/// Stops the build unless the key can hold the starts of all buckets exactly.
pub(super) const fn check_starts(levels: &[Level], key: &KeyLayout) {
    let mut rest = key.declared();
    while let Some((segment, others)) = rest.split_first() {
        if matches!(segment.role, SegmentRole::Time)
            && let Some((multiples, truncates)) = multiples(&segment.format)
        {
            let mut levels = levels;
            while let Some((level, longer)) = levels.split_first() {
                assert!(
                    holds(&multiples, truncates, level),
                    "the roll-up's key cannot hold when its buckets begin: give its time a unit or a format that these are multiples of, as in `unit = \"s\"`; with a time zone at least down to minutes"
                );
                levels = longer;
            }
        }
        rest = others;
    }
}

/// The unit of a format's times, and whether other times are rounded down.
const fn multiples(format: &SegmentFormat) -> Option<(Multiples, bool)> {
    Some(match format {
        SegmentFormat::Ticks { unit, truncate, .. }
        | SegmentFormat::BinaryTicks { unit, truncate, .. }
        | SegmentFormat::CodedTicks { unit, truncate } => {
            (Multiples::Micros(unit.micros()), *truncate)
        }
        SegmentFormat::Calendar {
            format,
            truncate,
            offset_seconds,
        } => {
            let Some(finest) = format.finest() else {
                return None;
            };
            (at_offset(of_field(finest), *offset_seconds), *truncate)
        }
        _ => return None,
    })
}

/// What is counted on a clock ahead of UTC is counted in UTC too, if the clock is so many whole
/// units ahead.
const fn at_offset(multiples: Multiples, offset_seconds: i32) -> Multiples {
    match multiples {
        multiples if offset_seconds == 0 => multiples,
        Multiples::Micros(micros) if offset_seconds as i64 * SECOND % micros == 0 => multiples,
        _ => Multiples::OfClock,
    }
}

const fn of_field(finest: CalendarField) -> Multiples {
    Multiples::Micros(match finest {
        CalendarField::Year | CalendarField::IsoYear => return Multiples::Years,
        CalendarField::Month => return Multiples::Months,
        CalendarField::Day | CalendarField::DayOfYear | CalendarField::IsoWeek => DAY,
        CalendarField::Hour => 60 * MINUTE,
        CalendarField::Minute => MINUTE,
        CalendarField::Second => SECOND,
        CalendarField::Millisecond => 1_000,
        CalendarField::Microsecond => 1,
    })
}

/// Whether all buckets of a level begin at multiples of the unit.
const fn holds(multiples: &Multiples, truncates: bool, level: &Level) -> bool {
    let micros = match multiples {
        Multiples::Micros(micros) => *micros,
        Multiples::Months => {
            return is_utc(level) && matches!(level.span(), BucketSpan::Month | BucketSpan::Year);
        }
        Multiples::OfClock => return false,
        Multiples::Years => return is_utc(level) && matches!(level.span(), BucketSpan::Year),
    };
    match level.span() {
        BucketSpan::Every { micros: length } => length % micros == 0,
        _ if is_utc(level) => DAY % micros == 0,
        // Before 1972 some clocks differed from UTC by parts of a minute: keys refuse such times,
        // unless they round them down.
        _ if truncates => SECOND % micros == 0,
        _ => MINUTE % micros == 0,
    }
}

const fn is_utc(level: &Level) -> bool {
    match level.zone_name() {
        Some(zone) => are_same(zone.as_bytes(), b"UTC"),
        None => true,
    }
}
