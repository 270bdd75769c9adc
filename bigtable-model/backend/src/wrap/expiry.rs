//! A margin for the clock by which expired cells are left out.
//!
//! Bigtable deletes what a garbage-collection rule names up to a week late. Until then models with
//! `gc(...)` leave such cells out of what they read and compare, by the client's clock. Where that
//! clock may be ahead of others, a margin keeps cells in sight for a while longer.

use std::sync::Arc;
use std::time::Duration;

use crate::data::ReadRows;
use crate::{Backend, ReadCounts, RowStream, Timestamp, Wrapper};

/// A backend whose [`expiry_time`](Backend::expiry_time) is behind by a margin. Clones share what
/// is inside.
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
    /// `inner`, with cells in sight for `margin` after a rule would delete them.
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

    fn read_rows_counted(&self, request: ReadRows) -> (RowStream, Option<Arc<ReadCounts>>) {
        self.inner.read_rows_counted(request)
    }
}
