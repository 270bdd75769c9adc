use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::Timestamp;

/// The source of a memory backend's server time: the system, or a [`ManualClock`].
#[derive(Debug, Clone, Default)]
pub struct Clock(Source);

#[derive(Debug, Clone, Default)]
enum Source {
    #[default]
    System,
    Manual(ManualClock),
}

impl Clock {
    /// The system's clock.
    #[must_use]
    pub fn system() -> Self {
        Self::default()
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Source::System => Timestamp::now(),
            Source::Manual(clock) => clock.now(),
        }
    }

    /// The current time as the service stamps it on cells: microseconds, rounded down to the
    /// millisecond.
    pub(super) fn cell_time(&self) -> i64 {
        let micros = self.now().as_micros();
        micros.saturating_sub(micros.rem_euclid(1_000))
    }
}

impl From<ManualClock> for Clock {
    fn from(clock: ManualClock) -> Self {
        Self(Source::Manual(clock))
    }
}

/// A clock that stands still until it is set or advanced. Clones show the same time.
///
/// ```
/// use std::time::Duration;
/// use bigtable_backend::Timestamp;
/// use bigtable_backend::memory::{ManualClock, MemoryBackend};
///
/// let clock = ManualClock::new(Timestamp::from_seconds(1_000));
/// let db = MemoryBackend::builder().clock(clock.clone()).build();
/// clock.advance(Duration::from_secs(60));
/// assert_eq!(db.clock().now(), Timestamp::from_seconds(1_060));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// A clock that shows `now`.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(now.as_micros())))
    }

    /// The time it shows.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }

    /// Sets the time, which may be earlier than before.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.as_micros(), Ordering::SeqCst);
    }

    /// Moves the time forward; it stops at [`Timestamp::MAX`].
    pub fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
        let moved = |now: i64| Some(now.saturating_add(by));
        // The closure always returns a value, so the update cannot fail.
        let _ = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, moved);
    }
}
