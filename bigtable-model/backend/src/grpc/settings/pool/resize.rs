//! How the number of channels follows the calls.

use std::time::Duration;

use crate::InvalidSetting;
use crate::grpc::settings::checks::{lasting, not_below, within};
use crate::status::setting::at_least_one;

/// A machine has only this many ports for connections to one address.
pub(super) const MOST_CHANNELS: usize = 65_535;

/// How the number of channels follows the number of calls in flight. Neither the numbers nor the
/// time may be 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resize {
    /// The minimum number of channels: 1.
    pub min_channels: usize,
    /// The maximum number of channels: 200; up to 65,535.
    pub max_channels: usize,
    /// With fewer calls a channel than this there are too many channels: 1.
    pub min_calls: usize,
    /// With more calls a channel than this there are too few: 25. A connection to the service
    /// carries 100 at most.
    pub max_calls: usize,
    /// How often the number is adjusted to the maximum of calls since the last time: every minute.
    pub every: Duration,
    /// The largest change each time, in channels: 2.
    pub step: usize,
}

impl Default for Resize {
    fn default() -> Self {
        Self {
            min_channels: 1,
            max_channels: 200,
            min_calls: 1,
            max_calls: 25,
            every: Duration::from_secs(60),
            step: 2,
        }
    }
}

impl Resize {
    pub(super) fn check(&self) -> Result<(), InvalidSetting> {
        at_least_one("Resize::min_channels", self.min_channels)?;
        within("Resize::max_channels", self.max_channels, MOST_CHANNELS)?;
        at_least_one("Resize::min_calls", self.min_calls)?;
        at_least_one("Resize::max_calls", self.max_calls)?;
        at_least_one("Resize::step", self.step)?;
        lasting("Resize::every", self.every)?;
        not_below(
            ("Resize::max_channels", self.max_channels),
            ("Resize::min_channels", self.min_channels),
        )?;
        not_below(
            ("Resize::max_calls", self.max_calls),
            ("Resize::min_calls", self.min_calls),
        )
    }

    /// How many channels there should be next, for a maximum of `calls` at one time. If there are
    /// too few or too many, the number moves towards the middle of the right range, where small
    /// changes in calls do not change it again.
    pub(in crate::grpc) fn next(&self, channels: usize, calls: usize) -> usize {
        let (least, most) = (self.min_channels.max(1), self.max_channels.max(1));
        let fewest = calls.div_ceil(self.max_calls.max(1)).max(least).min(most);
        let largest = calls.div_ceil(self.min_calls.max(1)).min(most).max(fewest);
        if (fewest..=largest).contains(&channels) {
            return channels;
        }
        let middle = fewest.midpoint(largest);
        middle.clamp(
            channels.saturating_sub(self.step),
            channels.saturating_add(self.step),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_go_towards_what_the_calls_need_by_two_at_most() {
        let resize = Resize::default();
        for (channels, calls, next) in [
            (10, 10, 10),
            (10, 250, 10),
            (10, 251, 12),
            (10, 100_000, 12),
            (199, 100_000, 200),
            (200, 100_000, 200),
            (10, 9, 8),
            (10, 0, 8),
            (2, 0, 1),
            (1, 0, 1),
            (1, 25, 1),
            (1, 26, 3),
            (3, 1, 1),
            (3, 2, 1),
        ] {
            assert_eq!(resize.next(channels, calls), next, "{channels} for {calls}");
        }
    }

    /// Whatever the load is, it settles, and then a channel has 1 to 25 calls.
    #[test]
    fn a_steady_load_comes_to_a_steady_number() {
        let resize = Resize::default();
        for calls in 1..=5000 {
            for begin in [1, 10, 200] {
                let mut channels = begin;
                for _ in 0..100 {
                    channels = resize.next(channels, calls);
                }
                assert_eq!(resize.next(channels, calls), channels);
                assert!(
                    channels <= calls && calls <= channels * 25,
                    "{channels} for {calls}"
                );
            }
        }
    }

    #[test]
    fn senseless_settings_leave_a_channel() {
        let resize = Resize {
            min_channels: 0,
            max_channels: 0,
            min_calls: 0,
            max_calls: 0,
            step: usize::MAX,
            ..Resize::default()
        };
        for channels in [0, 1, 10, usize::MAX] {
            assert_eq!(resize.next(channels, 7), 1);
        }
        let upside_down = Resize {
            min_channels: 9,
            max_channels: 3,
            ..Resize::default()
        };
        assert_eq!(upside_down.next(3, 0), 3);
    }
}
