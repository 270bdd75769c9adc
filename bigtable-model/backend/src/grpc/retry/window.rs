//! How long a write may be repeated by its token.

use std::time::Duration;

use crate::Timestamp;
use crate::data::Idempotency;
use crate::grpc::settings::timing::Timeout;

/// How long before the end of the window the last attempt of a write must be made: it needs time to
/// arrive, and clocks may differ.
const MARGIN: Duration = Duration::from_secs(60);

/// The timeout of an operation whose writes have tokens, first sent at `started`: none is resent
/// once the server may have forgotten its token.
pub(crate) fn within_window(timeout: Timeout, started: Timestamp) -> Timeout {
    Timeout {
        total: timeout.total.min(left(started)),
        ..timeout
    }
}

/// How long a token may still be sent.
fn left(started: Timestamp) -> Duration {
    let gone = Timestamp::now().duration_since(started);
    Idempotency::WINDOW.saturating_sub(MARGIN.saturating_add(gone))
}

/// Whether a token is too old to be sent.
pub(crate) fn is_over(started: Timestamp) -> bool {
    left(started).is_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_attempt_is_within_the_window() {
        let times = |total| Timeout {
            attempt: Duration::from_secs(1),
            total: Duration::from_secs(total),
        };
        let minute = Duration::from_secs(60);
        let now = Timestamp::now();
        let within = |total, started| within_window(times(total), started).total;
        assert!(within(36_000, now) <= 14 * minute);
        assert!(within(36_000, now.saturating_sub(10 * minute)) <= 4 * minute);
        let old = now.saturating_sub(15 * minute);
        assert_eq!(within(36_000, old), Duration::ZERO);
        assert_eq!(within(2, now), Duration::from_secs(2));
    }
}
