//! The roll-ups of a model, as its description lists them.

use std::time::Duration;

use crate::Timestamp;

use super::ModelSchema;

/// The qualifier of the cell that marks a bucket of a roll-up dirty. It stands beside the presence
/// column, in its family.
pub(crate) const MARK: &[u8] = b"~dirty";

/// How long the buckets of a roll-up are, and which table holds them.
///
/// Buckets are counted from 1970, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level {
    micros: i64,
    table: Option<&'static str>,
}

impl Level {
    /// Buckets of so many seconds.
    #[must_use]
    pub const fn seconds(seconds: u32) -> Self {
        Self {
            micros: seconds as i64 * 1_000_000,
            table: None,
        }
    }

    /// Buckets of so many minutes.
    #[must_use]
    pub const fn minutes(minutes: u32) -> Self {
        Self {
            micros: minutes as i64 * 60_000_000,
            table: None,
        }
    }

    /// Buckets of so many hours.
    #[must_use]
    pub const fn hours(hours: u32) -> Self {
        Self {
            micros: hours as i64 * 3_600_000_000,
            table: None,
        }
    }

    /// Buckets of so many days of UTC.
    #[must_use]
    pub const fn days(days: u32) -> Self {
        Self {
            micros: days as i64 * 86_400_000_000,
            table: None,
        }
    }

    /// The same buckets in a table of this ID, in place of the model's own.
    #[must_use]
    pub const fn in_table(self, table: &'static str) -> Self {
        Self {
            table: Some(table),
            ..self
        }
    }

    /// How long a bucket is.
    #[must_use]
    pub const fn length(&self) -> Duration {
        Duration::from_micros(self.micros.unsigned_abs())
    }

    pub(crate) const fn micros(&self) -> i64 {
        self.micros
    }

    /// When the bucket that holds a time begins.
    pub(crate) fn start(&self, time: Timestamp) -> Timestamp {
        let micros = time.as_micros();
        Timestamp::from_micros(micros.saturating_sub(micros.rem_euclid(self.micros)))
    }

    /// When the first bucket begins that does not begin before a time.
    pub(crate) fn next_start(&self, time: Timestamp) -> Timestamp {
        let start = self.start(time);
        match start == time {
            true => start,
            false => Timestamp::from_micros(start.as_micros().saturating_add(self.micros)),
        }
    }
}

/// A model that holds roll-ups of another one's events, as the derive lists it in
/// [`ModelSchema::rollups`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RolledUp {
    pub(crate) schema: &'static ModelSchema,
    /// The shortest buckets first.
    pub(crate) levels: &'static [Level],
}

impl RolledUp {
    /// The description of the model that holds the roll-ups.
    #[must_use]
    pub const fn schema(&self) -> &'static ModelSchema {
        self.schema
    }

    /// Its tables, the one of the shortest buckets first.
    #[must_use]
    pub const fn levels(&self) -> &'static [Level] {
        self.levels
    }

    /// The ID of a level's table.
    pub(crate) fn table(&self, level: &Level) -> &'static str {
        let own = || self.schema.table.fixed().unwrap_or_default();
        level.table.unwrap_or_else(own)
    }
}

/// Checks the levels of a roll-up while its model is compiled.
///
/// # Panics
/// When they are not what a roll-up takes.
pub(crate) const fn check_levels(levels: &[Level]) {
    assert!(
        !levels.is_empty(),
        "a roll-up has a level: write `const LEVELS: &'static [Level] = &[Level::minutes(1)]`"
    );
    let mut at = 0;
    while let Some((level, rest)) = from(levels, at).split_first() {
        assert!(level.micros > 0, "the buckets of a level have a length");
        assert!(
            level.table.is_some() == (at > 0),
            "the first level is in the model's own table, each of the others in one that it names with `in_table`"
        );
        if let Some(next) = rest.first() {
            assert!(
                next.micros > level.micros && next.micros % level.micros == 0,
                "levels are listed from the shortest to the longest, each a multiple of the one before it"
            );
        }
        at += 1;
    }
}

/// What follows the first items of a slice.
const fn from(levels: &[Level], at: usize) -> &[Level] {
    match levels.split_at_checked(at) {
        Some((_, rest)) => rest,
        None => &[],
    }
}
