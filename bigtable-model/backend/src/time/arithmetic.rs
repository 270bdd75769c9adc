//! Times plus and minus durations, and what lies between two times.

use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::Duration;

use super::Timestamp;

/// Nanoseconds in a microsecond.
const NANOS: u128 = 1_000;

impl Timestamp {
    /// The time this much later, rounded down to whole microseconds; `None` beyond
    /// [`Timestamp::MAX`].
    ///
    /// ```
    /// use std::time::Duration;
    /// use bigtable_backend::Timestamp;
    ///
    /// let at = Timestamp::from_seconds(60);
    /// assert_eq!(at.checked_add(Duration::from_secs(5)), Some(Timestamp::from_seconds(65)));
    /// assert_eq!(Timestamp::MAX.checked_add(Duration::from_micros(1)), None);
    /// ```
    #[must_use]
    pub fn checked_add(self, span: Duration) -> Option<Self> {
        let micros = u64::try_from(span.as_nanos() / NANOS).ok()?;
        let later = self.as_micros().checked_add_unsigned(micros)?;
        Some(Self::from_micros(later))
    }

    /// The time this much earlier, rounded down to whole microseconds; `None` before
    /// [`Timestamp::MIN`].
    #[must_use]
    pub fn checked_sub(self, span: Duration) -> Option<Self> {
        let micros = u64::try_from(span.as_nanos().div_ceil(NANOS)).ok()?;
        let earlier = self.as_micros().checked_sub_unsigned(micros)?;
        Some(Self::from_micros(earlier))
    }

    /// As [`checked_add`](Timestamp::checked_add), with [`Timestamp::MAX`] for later times.
    #[must_use]
    pub fn saturating_add(self, span: Duration) -> Self {
        self.checked_add(span).unwrap_or(Self::MAX)
    }

    /// As [`checked_sub`](Timestamp::checked_sub), with [`Timestamp::MIN`] for earlier times.
    #[must_use]
    pub fn saturating_sub(self, span: Duration) -> Self {
        self.checked_sub(span).unwrap_or(Self::MIN)
    }

    /// How long after `earlier` this time is; `None` if it is before it.
    ///
    /// ```
    /// use std::time::Duration;
    /// use bigtable_backend::Timestamp;
    ///
    /// let (open, close) = (Timestamp::from_seconds(100), Timestamp::from_seconds(160));
    /// assert_eq!(close.checked_duration_since(open), Some(Duration::from_secs(60)));
    /// assert_eq!(open.checked_duration_since(close), None);
    /// assert_eq!(open.abs_diff(close), Duration::from_secs(60));
    /// ```
    #[must_use]
    pub fn checked_duration_since(self, earlier: Self) -> Option<Duration> {
        (self >= earlier).then(|| self.abs_diff(earlier))
    }

    /// How long after `earlier` this time is; zero if it is before it.
    #[must_use]
    pub fn duration_since(self, earlier: Self) -> Duration {
        self.checked_duration_since(earlier).unwrap_or_default()
    }

    /// How far two times are apart, whichever is the earlier.
    #[must_use]
    pub const fn abs_diff(self, other: Self) -> Duration {
        Duration::from_micros(self.as_micros().abs_diff(other.as_micros()))
    }
}

/// As [`Timestamp::checked_add`].
///
/// # Panics
/// Beyond [`Timestamp::MAX`], as `SystemTime` does.
impl Add<Duration> for Timestamp {
    type Output = Self;

    #[allow(clippy::expect_used, reason = "operators of std's times panic alike")]
    fn add(self, span: Duration) -> Self {
        self.checked_add(span)
            .expect("overflow when adding a duration to a timestamp")
    }
}

/// As [`Timestamp::checked_sub`].
///
/// # Panics
/// Before [`Timestamp::MIN`], as `SystemTime` does.
impl Sub<Duration> for Timestamp {
    type Output = Self;

    #[allow(clippy::expect_used, reason = "operators of std's times panic alike")]
    fn sub(self, span: Duration) -> Self {
        self.checked_sub(span)
            .expect("overflow when subtracting a duration from a timestamp")
    }
}

/// As [`Timestamp::duration_since`]: zero if the other time is later, as it is between two of std's
/// `Instant`s.
impl Sub for Timestamp {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.duration_since(earlier)
    }
}

/// # Panics
/// Beyond [`Timestamp::MAX`].
impl AddAssign<Duration> for Timestamp {
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

/// # Panics
/// Before [`Timestamp::MIN`].
impl SubAssign<Duration> for Timestamp {
    fn sub_assign(&mut self, span: Duration) {
        *self = *self - span;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::time::{SystemTime, UNIX_EPOCH};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_finer_rounds_down() {
        let at = |micros| Timestamp::from_micros(micros);
        let nanos = Duration::from_nanos;
        assert_eq!(at(5) + nanos(999), at(5));
        assert_eq!(at(5) + nanos(1_000), at(6));
        assert_eq!(at(5) - nanos(1), at(4));
        assert_eq!(at(5) - nanos(1_000), at(4));
        assert_eq!(at(5) - nanos(1_001), at(3));
    }

    #[test]
    fn the_ends() {
        let micro = Duration::from_micros(1);
        assert_eq!(Timestamp::MAX.checked_add(micro), None);
        assert_eq!(Timestamp::MIN.checked_sub(micro), None);
        assert_eq!(Timestamp::MAX.saturating_add(micro), Timestamp::MAX);
        assert_eq!(Timestamp::MIN.saturating_sub(micro), Timestamp::MIN);
        assert_eq!(Timestamp::UNIX_EPOCH.checked_add(Duration::MAX), None);
        assert_eq!(Timestamp::UNIX_EPOCH.checked_sub(Duration::MAX), None);
        let all = Timestamp::MAX - Timestamp::MIN;
        assert_eq!(all, Duration::from_micros(u64::MAX));
        assert_eq!(Timestamp::MIN + all, Timestamp::MAX);
        assert_eq!(Timestamp::MAX - all, Timestamp::MIN);
        assert_eq!(Timestamp::MIN - Timestamp::MAX, Duration::ZERO);
    }

    #[test]
    #[should_panic(expected = "overflow when adding a duration to a timestamp")]
    fn adding_panics_at_the_end() {
        let _ = Timestamp::MAX + Duration::from_micros(1);
    }

    #[test]
    #[should_panic(expected = "overflow when subtracting a duration from a timestamp")]
    fn subtracting_panics_at_the_end() {
        let mut at = Timestamp::MIN;
        at -= Duration::from_nanos(1);
    }

    proptest! {
        /// std's clock, in nanoseconds, moved by the same duration and rounded down at the end.
        #[test]
        fn as_the_clock_of_std(micros: i64, nanos in 0_u64..1 << 62) {
            let at = Timestamp::from_micros(micros);
            let span = Duration::from_nanos(nanos);
            let clock = SystemTime::try_from(at).unwrap();
            let nanos_of = |time: SystemTime| match time.duration_since(UNIX_EPOCH) {
                Ok(after) => i128::try_from(after.as_nanos()).unwrap(),
                Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap(),
            };
            let rounded = |time| i64::try_from(nanos_of(time).div_euclid(1_000)).ok();
            let moved = [at.checked_add(span), at.checked_sub(span)].map(|at| at.map(Timestamp::as_micros));
            prop_assert_eq!(moved, [rounded(clock + span), rounded(clock - span)]);
            let later = at.saturating_add(Duration::from_micros(nanos));
            prop_assert_eq!(at + (later - at), later);
        }
    }
}
