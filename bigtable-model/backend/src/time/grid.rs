//! Times rounded to whole units.

use std::time::Duration;

use super::Timestamp;

/// What a [`Timestamp`] can be rounded to: whole multiples of a [`Duration`] since 1970, and in
/// `bigtable-model` the units and buckets of models.
///
/// A multiple beyond what a [`Timestamp`] holds becomes [`Timestamp::MIN`] or [`Timestamp::MAX`].
pub trait TimeGrid {
    /// The last time on the grid that is not after `time`.
    fn floor(&self, time: Timestamp) -> Timestamp;

    /// The first time on the grid that is not before `time`.
    fn ceil(&self, time: Timestamp) -> Timestamp;
}

/// Multiples since 1970, in whole microseconds: a shorter duration, or a part of one, does not
/// count.
impl TimeGrid for Duration {
    fn floor(&self, time: Timestamp) -> Timestamp {
        saturated(i128::from(time.as_micros()) - above(time, *self))
    }

    fn ceil(&self, time: Timestamp) -> Timestamp {
        match above(time, *self) {
            0 => time,
            above => saturated(i128::from(time.as_micros()) + step(*self) - above),
        }
    }
}

/// Microseconds, at least one. `Duration` holds fewer than `i128` does.
fn step(grid: Duration) -> i128 {
    i128::try_from(grid.as_micros()).map_or(i128::MAX, |step| step.max(1))
}

fn above(time: Timestamp, grid: Duration) -> i128 {
    i128::from(time.as_micros()).rem_euclid(step(grid))
}

fn saturated(micros: i128) -> Timestamp {
    let end = if micros < 0 { i64::MIN } else { i64::MAX };
    Timestamp::from_micros(i64::try_from(micros).unwrap_or(end))
}

impl Timestamp {
    /// The last time on a grid that is not after this one.
    ///
    /// ```
    /// use std::time::Duration;
    /// use bigtable_backend::Timestamp;
    ///
    /// let at: Timestamp = "2015-03-16T19:53:32.156Z".parse()?;
    /// let quarter = Duration::from_secs(15 * 60);
    /// assert_eq!(at.floor_to(quarter).to_string(), "2015-03-16T19:45:00Z");
    /// assert_eq!(at.ceil_to(quarter).to_string(), "2015-03-16T20:00:00Z");
    /// # Ok::<(), bigtable_backend::ParseTimestampError>(())
    /// ```
    #[must_use]
    pub fn floor_to(self, grid: impl TimeGrid) -> Self {
        grid.floor(self)
    }

    /// The first time on a grid that is not before this one.
    #[must_use]
    pub fn ceil_to(self, grid: impl TimeGrid) -> Self {
        grid.ceil(self)
    }

    /// The client's clock, rounded down to a unit: what a model that counts its times in that unit
    /// stores without `truncate`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use bigtable_backend::Timestamp;
    ///
    /// let now = Timestamp::now_in(Duration::from_millis(1));
    /// assert_eq!(now.as_micros() % 1_000, 0);
    /// ```
    #[must_use]
    pub fn now_in(unit: impl TimeGrid) -> Self {
        Self::now().floor_to(unit)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_ends_saturate() {
        let second = Duration::from_secs(1);
        assert_eq!(Timestamp::MIN.floor_to(second), Timestamp::MIN);
        assert_eq!(Timestamp::MAX.ceil_to(second), Timestamp::MAX);
        assert_eq!(Timestamp::MAX.floor_to(second).as_micros() % 1_000_000, 0);
        assert_eq!(Timestamp::MIN.ceil_to(second).as_micros() % 1_000_000, 0);
        let one = Timestamp::from_micros(1);
        assert_eq!(one.floor_to(Duration::MAX), Timestamp::UNIX_EPOCH);
        assert_eq!(one.ceil_to(Duration::MAX), Timestamp::MAX);
    }

    #[test]
    fn no_step_is_below_a_microsecond() {
        for grid in [Duration::ZERO, Duration::from_nanos(999)] {
            let at = Timestamp::from_micros(-7);
            assert_eq!((at.floor_to(grid), at.ceil_to(grid)), (at, at));
        }
    }

    proptest! {
        #[test]
        fn multiples_next_to_a_time(micros in -1_i64 << 50..1 << 50, step in 1_u32..4_000_000_000) {
            let grid = Duration::from_micros(step.into());
            let at = Timestamp::from_micros(micros);
            let (floor, ceil) = (at.floor_to(grid), at.ceil_to(grid));
            prop_assert!(floor <= at && at <= ceil);
            prop_assert!(at - floor < grid && ceil - at < grid);
            prop_assert_eq!(floor.as_micros() % i64::from(step), 0);
            prop_assert_eq!(ceil.as_micros() % i64::from(step), 0);
        }
    }
}
