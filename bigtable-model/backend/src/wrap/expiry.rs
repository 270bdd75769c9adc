//! A margin for the clock by which expired cells are left out.
//!
//! Bigtable deletes cells up to a week after a garbage-collection rule allows it. Until then models
//! with `gc(...)` leave such cells out of reads and conditions, by the client's clock. If that
//! clock may be ahead of others, a margin keeps cells readable for a while longer.

use std::sync::Arc;
use std::time::Duration;

use crate::{Backend, Timestamp, Wrapper};

/// A backend whose [`expiry_time`](Backend::expiry_time) is earlier by a margin. Clones share the
/// inner backend.
///
/// ```
/// use std::time::Duration;
/// use bigtable_backend::expiry::LateExpiry;
/// use bigtable_backend::memory::{ManualClock, MemoryBackend};
/// use bigtable_backend::{Backend, Timestamp};
///
/// let clock = ManualClock::new(Timestamp::from_seconds(1_000));
/// let memory = MemoryBackend::builder().clock(clock).build();
/// let db = LateExpiry::new(memory.handle(), Duration::from_secs(60));
/// assert_eq!(db.handle().expiry_time(), Timestamp::from_seconds(940));
/// ```
#[derive(Debug, Clone)]
pub struct LateExpiry {
    inner: Arc<dyn Backend>,
    margin: Duration,
}

impl LateExpiry {
    /// `inner`, with cells readable for `margin` after a rule would delete them.
    pub fn new(inner: Arc<dyn Backend>, margin: Duration) -> Self {
        Self { inner, margin }
    }
}

impl Wrapper for LateExpiry {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    fn expiry_time(&self) -> Timestamp {
        self.inner.expiry_time().saturating_sub(self.margin)
    }
}
