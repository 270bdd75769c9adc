//! When a batcher sends, and how much it holds.

use std::time::Duration;

use crate::InvalidSetting;
use crate::status::setting::at_least_one;

/// When a [`Batcher`](super::Batcher) sends, and how much it holds before callers wait. No number may be 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatcherSettings {
    /// Entries in a full request: 100.
    pub entries: usize,
    /// Bytes in a full request: 20 MiB. A larger entry is sent alone.
    pub bytes: usize,
    /// How long an entry waits for others: 1 s. With [`Duration::ZERO`] it does not wait, with
    /// [`Duration::MAX`] until a request is full or [`Batcher::flush`](super::Batcher::flush) is called.
    pub delay: Duration,
    /// Entries that are taken and not done yet: 20,000. Beyond that, [`Batcher::add`](super::Batcher::add) waits.
    pub outstanding_entries: usize,
    /// The same in bytes of memory: 100 MiB. A larger entry is taken if there is no other.
    pub outstanding_bytes: usize,
}

impl BatcherSettings {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`InvalidSetting`] for a number that is 0.
    pub fn check(&self) -> Result<(), InvalidSetting> {
        at_least_one("BatcherSettings::entries", self.entries)?;
        at_least_one("BatcherSettings::bytes", self.bytes)?;
        let outstanding = self.outstanding_entries;
        at_least_one("BatcherSettings::outstanding_entries", outstanding)?;
        at_least_one("BatcherSettings::outstanding_bytes", self.outstanding_bytes)
    }
}

impl Default for BatcherSettings {
    fn default() -> Self {
        Self {
            entries: 100,
            bytes: 20 << 20,
            delay: Duration::from_secs(1),
            outstanding_entries: 20_000,
            outstanding_bytes: 100 << 20,
        }
    }
}
