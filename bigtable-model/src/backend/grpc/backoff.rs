//! The pauses between attempts.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use super::timing::RetrySettings;

/// Exponential backoff with full jitter: each pause is drawn evenly between nothing and a bound that grows.
#[derive(Debug)]
pub(crate) struct Backoff {
    settings: RetrySettings,
    bound: Duration,
}

impl Backoff {
    pub(crate) fn new(settings: RetrySettings) -> Self {
        Self {
            settings,
            bound: settings.first_delay,
        }
    }

    /// Begins with the first pause again.
    pub(crate) fn restart(&mut self) {
        self.bound = self.settings.first_delay;
    }

    /// The next pause. The server's word counts before ours, and ours begins afresh when it stops giving one.
    pub(crate) fn pause(&mut self, advised: Option<Duration>) -> Duration {
        if let Some(advised) = advised {
            self.restart();
            return advised;
        }
        let bound = self.bound.min(self.settings.max_delay);
        self.bound = match Duration::try_from_secs_f64(bound.as_secs_f64() * self.settings.factor) {
            Ok(next) => next.min(self.settings.max_delay),
            Err(_) => self.settings.max_delay,
        };
        bound.mul_f64(random_fraction())
    }
}

/// A number in `0.0..1.0`: each `RandomState` has keys of its own, and what it makes of nothing is as random as they are.
fn random_fraction() -> f64 {
    let bits = RandomState::new().hash_one(()) >> 11;
    #[allow(clippy::cast_precision_loss, reason = "53 bits are held exactly")]
    let fraction = bits as f64 / (1_u64 << 53) as f64;
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> RetrySettings {
        RetrySettings {
            first_delay: Duration::from_millis(10),
            factor: 2.0,
            max_delay: Duration::from_millis(35),
            ..RetrySettings::default()
        }
    }

    #[test]
    fn bounds_double_up_to_the_largest_and_pauses_stay_below() {
        for _ in 0..100 {
            let mut backoff = Backoff::new(settings());
            for bound in [10, 20, 35, 35, 35] {
                assert!(backoff.pause(None) < Duration::from_millis(bound));
            }
        }
    }

    #[test]
    fn pauses_fill_the_whole_range() {
        let pauses: Vec<_> = (0..1000)
            .map(|_| Backoff::new(settings()).pause(None))
            .collect();
        assert!(pauses.iter().any(|pause| *pause < Duration::from_millis(1)));
        assert!(pauses.iter().any(|pause| *pause > Duration::from_millis(9)));
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
            assert_eq!(backoff.bound, Duration::from_millis(10));
            assert!(backoff.pause(None) < Duration::from_millis(10));
        }
    }

    #[test]
    fn senseless_settings_are_no_panic() {
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut backoff = Backoff::new(RetrySettings {
                factor,
                max_delay: Duration::MAX,
                ..settings()
            });
            for _ in 0..100 {
                assert!(backoff.pause(None) <= Duration::MAX);
            }
        }
    }
}
