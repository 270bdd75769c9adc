//! How many channels there are to a server, and how long each is used.

mod resize;

use std::time::Duration;

use super::checks::{lasting, within};
use crate::InvalidSetting;

use resize::MOST_CHANNELS;
pub use resize::Resize;

/// How many channels there are, and how long each one is used.
///
/// A call takes the channel with the fewest calls. A channel that cannot connect is avoided as long
/// as another one works: now and then one call tries it, and is moved to another if it was not sent
/// within a quarter of a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// How many at first: 10 to Bigtable, 1 to an emulator; from 1 to 65,535. Each call uses the
    /// channel with the fewest calls in flight.
    pub channels: usize,
    /// How their number follows the calls; to an emulator it does not change.
    pub resize: Option<Resize>,
    /// A channel is replaced before it has this age: 50 min; more than zero. Calls in flight stay
    /// on it until they end. The service closes connections after an hour.
    pub max_age: Duration,
    /// Whether a channel that replaces another is first warmed up by `PingAndWarm`: true, but not
    /// to an emulator.
    pub primed: bool,
    /// Pings while calls are in flight: to Bigtable 30 s and 10 s; none to an emulator, which
    /// closes connections that ping.
    pub keepalive: Option<Keepalive>,
}

/// HTTP/2 pings, which detect dead connections. Both times are more than zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keepalive {
    /// How long a connection must be silent before a ping is sent.
    pub interval: Duration,
    /// How long the answer may take before the connection is closed.
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
