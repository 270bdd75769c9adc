//! How many channels there are to a server, and how long each one is used.

mod resize;

use std::time::Duration;

use super::checks::{lasting, within};
use crate::InvalidSetting;

pub use resize::Resize;

/// So many connections to one address are all that a machine has ports for.
const MOST_CHANNELS: usize = 65_535;

/// How many channels there are, and how long each one is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// How many at first: 10 to Bigtable, 1 to an emulator; from 1 to 65,535. Each call takes the
    /// one with the fewest calls under way.
    pub channels: usize,
    /// How their number follows the calls; to an emulator it stays as it is.
    pub resize: Option<Resize>,
    /// A channel is replaced before it has this age: 50 min; more than no time. Calls under way
    /// stay on it until they end. The service closes connections after an hour.
    pub max_age: Duration,
    /// Whether a channel that replaces another one is warmed by `PingAndWarm` first: true, but not
    /// to an emulator.
    pub primed: bool,
    /// Pings while calls are under way: to Bigtable 30 s and 10 s, none to an emulator, which
    /// closes connections that ping.
    pub keepalive: Option<Keepalive>,
}

/// HTTP/2 pings that find dead connections. Both times are more than none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keepalive {
    /// How long nothing must have come before a ping is sent.
    pub interval: Duration,
    /// How long the answer may take before the connection is given up.
    pub timeout: Duration,
}

impl PoolSettings {
    /// For Bigtable itself.
    #[must_use]
    pub fn service() -> Self {
        Self {
            channels: 10,
            resize: Some(Resize::default()),
            max_age: Duration::from_secs(50 * 60),
            primed: true,
            keepalive: Some(Keepalive {
                interval: Duration::from_secs(30),
                timeout: Duration::from_secs(10),
            }),
        }
    }

    /// For an emulator or another server on plaintext.
    #[must_use]
    pub fn plaintext() -> Self {
        Self {
            channels: 1,
            resize: None,
            primed: false,
            keepalive: None,
            ..Self::service()
        }
    }
}

impl PoolSettings {
    pub(crate) fn check(&self) -> Result<(), InvalidSetting> {
        within("PoolSettings::channels", self.channels, MOST_CHANNELS)?;
        lasting("PoolSettings::max_age", self.max_age)?;
        if let Some(keepalive) = self.keepalive {
            lasting("Keepalive::interval", keepalive.interval)?;
            lasting("Keepalive::timeout", keepalive.timeout)?;
        }
        self.resize.map_or(Ok(()), |resize| resize.check())
    }
}

impl Default for PoolSettings {
    fn default() -> Self {
        Self::service()
    }
}
