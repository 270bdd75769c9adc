//! The pauses between attempts.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use crate::grpc::settings::timing::RetrySettings;

/// If a server advises a shorter pause than this, it means that the call may be repeated, not how
/// fast.
const LEAST_ADVICE: Duration = Duration::from_millis(10);

/// Exponential backoff with jitter: each pause is drawn uniformly between a bound and the next
/// bound, a multiple of it. So the first pause is never shorter than the settings say, and clients
/// that failed together do not return together.
#[derive(Debug)]
pub(crate) struct Backoff {
    settings: RetrySettings,
    least: Duration,
}

impl Backoff {
    pub(crate) fn new(settings: RetrySettings) -> Self {
        Self {
            settings,
            least: settings.first_delay,
        }
    }

    /// Starts again with the first pause.
    pub(crate) fn restart(&mut self) {
        self.least = self.settings.first_delay;
    }

    /// The next pause. The server's advice comes first; our own pauses start again when it stops
    /// giving one. But a server that always says "at once" is called at our own pace.
    pub(crate) fn pause(&mut self, advised: Option<Duration>) -> Duration {
        let least = LEAST_ADVICE.min(self.settings.first_delay);
        match advised {
            Some(advised) if advised >= least => {
                self.restart();
                advised
            }
            Some(advised) => self.next().max(advised),
            None => self.next(),
        }
    }

    fn next(&mut self) -> Duration {
        let most = self.multiple(self.least);
        // At the largest pause, too, there has to be a range to draw from.
        let least = self
            .least
            .min(self.part(most))
            .max(self.settings.first_delay);
        self.least = most;
        let least = least.min(most);
        let drawn = least.saturating_add((most - least).mul_f64(random_fraction()));
        drawn.min(most)
    }

    fn multiple(&self, pause: Duration) -> Duration {
        let most = self.settings.max_delay;
        let multiple = Duration::try_from_secs_f64(pause.as_secs_f64() * self.factor());
        multiple.map_or(most, |multiple| multiple.min(most))
    }

    fn part(&self, pause: Duration) -> Duration {
        Duration::try_from_secs_f64(pause.as_secs_f64() / self.factor()).unwrap_or(pause)
    }

    /// A factor below 1 would make pauses shorter.
    fn factor(&self) -> f64 {
        self.settings.factor.max(1.0)
    }
}

/// A number in `0.0..1.0`: each `RandomState` has its own keys, so its hash of nothing is as random
/// as they are.
fn random_fraction() -> f64 {
    let bits = RandomState::new().hash_one(()) >> 11;
    #[allow(clippy::cast_precision_loss, reason = "53 bits are held exactly")]
    let fraction = bits as f64 / (1_u64 << 53) as f64;
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn settings() -> RetrySettings {
        RetrySettings {
            first_delay: millis(10),
            factor: 2.0,
            max_delay: millis(70),
            ..RetrySettings::default()
        }
    }

    #[test]
    fn pauses_double_up_to_the_largest() {
        for _ in 0..100 {
            let mut backoff = Backoff::new(settings());
            for (least, most) in [(10, 20), (20, 40), (35, 70), (35, 70), (35, 70)] {
                let pause = backoff.pause(None);
                assert!((millis(least)..millis(most)).contains(&pause), "{pause:?}");
            }
        }
    }

    #[test]
    fn pauses_fill_the_whole_range() {
        let pauses: Vec<_> = (0..1000)
            .map(|_| Backoff::new(settings()).pause(None))
            .collect();
        assert!(pauses.iter().any(|pause| *pause < millis(11)));
        assert!(pauses.iter().any(|pause| *pause > millis(19)));
    }

    #[test]
    fn the_servers_advice_replaces_the_pause_and_begins_ours_afresh() {
        let mut backoff = Backoff::new(settings());
        for _ in 0..5 {
            backoff.pause(None);
        }
        let advised = Duration::from_secs(3);
        assert_eq!(backoff.pause(Some(advised)), advised);
        for _ in 0..100 {
            backoff.restart();
            let pause = backoff.pause(None);
            assert!((millis(10)..millis(20)).contains(&pause), "{pause:?}");
        }
    }

    #[test]
    fn advice_to_wait_hardly_at_all_does_not_make_the_pauses_short() {
        for advised in [Duration::ZERO, Duration::from_nanos(1), millis(9)] {
            let mut backoff = Backoff::new(RetrySettings::default());
            let pauses: Duration = (0..7).map(|_| backoff.pause(Some(advised))).sum();
            // 10, 20, 40 ms and so on at least.
            assert!(pauses >= millis(1270), "{pauses:?}");
            assert_eq!(backoff.pause(Some(millis(10))), millis(10));
        }
        let mut without = Backoff::new(RetrySettings {
            first_delay: Duration::ZERO,
            ..RetrySettings::default()
        });
        assert_eq!(without.pause(Some(millis(1))), millis(1));
    }

    #[test]
    fn no_first_pause_means_none_at_all() {
        let mut backoff = Backoff::new(RetrySettings {
            first_delay: Duration::ZERO,
            ..settings()
        });
        assert!((0..100).all(|_| backoff.pause(None).is_zero()));
    }

    #[test]
    fn senseless_settings_are_no_panic() {
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            for max_delay in [Duration::ZERO, Duration::MAX] {
                let mut backoff = Backoff::new(RetrySettings {
                    factor,
                    max_delay,
                    ..settings()
                });
                for _ in 0..100 {
                    assert!(backoff.pause(None) <= max_delay);
                }
            }
        }
    }
}
