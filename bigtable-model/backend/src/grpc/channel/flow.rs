//! Bulk writes as fast as the server wants them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::grpc::protocol::wire::RateLimitInfo;
use crate::grpc::retry::operation::far;
use crate::{Code, Status};

/// How bulk writes follow the server's advice on their rate (`RateLimitInfo`), so that a batch job does not slow down those who
/// read. See [`GrpcSettings::flow_control`](crate::grpc::GrpcSettings::flow_control).
///
/// Requests go out at a rate. The server sends factors for it with its answers, and how long each one is to stand; until then
/// others are not listened to. A request that fails with `DEADLINE_EXCEEDED`, `UNAVAILABLE` or `RESOURCE_EXHAUSTED` is taken for
/// advice as well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowControl {
    /// Requests a second before the first advice: 10.
    pub initial_rate: f64,
    /// The fewest requests a second: 0.1.
    pub min_rate: f64,
    /// The most requests a second: 100,000.
    pub max_rate: f64,
    /// The least that one advice multiplies the rate by: 0.7.
    pub min_factor: f64,
    /// The most that one advice multiplies the rate by: 1.3.
    pub max_factor: f64,
    /// What a failed request multiplies the rate by: 0.7.
    pub failure_factor: f64,
    /// How long that is to stand: 10 s.
    pub failure_period: Duration,
}

impl Default for FlowControl {
    fn default() -> Self {
        Self {
            initial_rate: 10.0,
            min_rate: 0.1,
            max_rate: 100_000.0,
            min_factor: 0.7,
            max_factor: 1.3,
            failure_factor: 0.7,
            failure_period: Duration::from_secs(10),
        }
    }
}

/// The rate of one client's bulk writes.
#[derive(Debug)]
pub(crate) struct Flow {
    settings: FlowControl,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Requests a second.
    rate: f64,
    /// When the next request may go out; none before the first.
    next_request: Option<Instant>,
    /// Until when the rate stands.
    settled: Option<Instant>,
}

impl Flow {
    pub(crate) fn new(settings: FlowControl) -> Self {
        let state = State {
            rate: between(settings.initial_rate, settings.min_rate, settings.max_rate),
            next_request: None,
            settled: None,
        };
        Self {
            settings,
            state: Mutex::new(state),
        }
    }

    /// Waits until a request may go out.
    ///
    /// # Errors
    ///
    /// `DEADLINE_EXCEEDED` at once when that is not before the deadline.
    pub(crate) async fn turn(&self, deadline: Instant) -> Result<(), Status> {
        let at = self.reserve(deadline)?;
        tokio::time::sleep_until(at).await;
        Ok(())
    }

    fn reserve(&self, deadline: Instant) -> Result<Instant, Status> {
        let mut state = self.lock();
        let now = Instant::now();
        let at = state.next_request.map_or(now, |next| next.max(now));
        if at >= deadline {
            let message = format!(
                "the server takes {:.1} bulk writes a second at the moment, and this one's turn is not before its deadline",
                state.rate
            );
            return Err(Status::new(Code::DeadlineExceeded, message));
        }
        state.next_request = Some(at + interval(state.rate));
        Ok(at)
    }

    /// Takes the server's advice.
    pub(crate) fn advised(&self, info: &RateLimitInfo) {
        let period = info
            .period
            .and_then(crate::grpc::protocol::wire::Duration::to_std);
        let Some(period) = period.filter(|period| !period.is_zero()) else {
            return;
        };
        if info.factor.is_finite() && info.factor > 0.0 {
            self.change(info.factor, period);
        }
    }

    /// Goes slower after failures that tell of too much work.
    pub(crate) fn failed(&self, status: &Status) {
        if matches!(
            status.code,
            Code::DeadlineExceeded | Code::Unavailable | Code::ResourceExhausted
        ) {
            self.change(self.settings.failure_factor, self.settings.failure_period);
        }
    }

    fn change(&self, factor: f64, period: Duration) {
        let FlowControl {
            min_rate,
            max_rate,
            min_factor,
            max_factor,
            ..
        } = self.settings;
        let mut state = self.lock();
        if state.settled.is_some_and(|until| Instant::now() < until) {
            return;
        }
        let factor = between(factor, min_factor, max_factor);
        state.rate = between(state.rate * factor, min_rate, max_rate);
        state.settled = Some(far(period));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As `f64::clamp`, for settings that make no sense too.
fn between(value: f64, least: f64, most: f64) -> f64 {
    value.max(least).min(most)
}

fn interval(rate: f64) -> Duration {
    const LONGEST: Duration = Duration::from_secs(60 * 60);
    Duration::try_from_secs_f64(rate.recip()).map_or(LONGEST, |pause| pause.min(LONGEST))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::grpc::protocol::wire;

    fn info(factor: f64, seconds: i64) -> RateLimitInfo {
        RateLimitInfo {
            period: Some(wire::Duration { seconds, nanos: 0 }),
            factor,
        }
    }

    fn rate(flow: &Flow) -> f64 {
        (flow.lock().rate * 1000.0).round() / 1000.0
    }

    async fn advance(seconds: u64) {
        tokio::time::advance(Duration::from_secs(seconds)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn requests_are_spread_evenly() {
        let flow = Flow::new(FlowControl::default());
        let begun = Instant::now();
        for number in 0..30 {
            flow.turn(far(Duration::MAX)).await.unwrap();
            let millis = begun.elapsed().as_millis();
            // Timers of tokio are as fine as a millisecond.
            assert!(
                (number * 100..number * 100 + 2).contains(&millis),
                "{number} after {millis}"
            );
        }
        advance(5).await;
        let later = Instant::now();
        flow.turn(far(Duration::MAX)).await.unwrap();
        flow.turn(far(Duration::MAX)).await.unwrap();
        let waited = later.elapsed().as_millis();
        assert!(
            (100..102).contains(&waited),
            "time that was not used is not saved up: {waited}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_servers_factors_count_within_bounds_and_one_a_period() {
        let flow = Flow::new(FlowControl::default());
        flow.advised(&info(1.2, 20));
        assert_eq!(rate(&flow), 12.0);
        advance(19).await;
        flow.advised(&info(0.9, 20));
        assert_eq!(rate(&flow), 12.0, "the period is not over");
        advance(1).await;
        flow.advised(&info(5.0, 1));
        assert_eq!(rate(&flow), 15.6);
        advance(1).await;
        flow.advised(&info(0.01, 1));
        assert_eq!(rate(&flow), 10.92);
        for _ in 0..100 {
            advance(1).await;
            flow.advised(&info(0.5, 1));
        }
        assert_eq!(rate(&flow), 0.1);
        for _ in 0..100 {
            advance(1).await;
            flow.advised(&info(1.3, 1));
        }
        assert_eq!(rate(&flow), 100_000.0);
    }

    #[tokio::test(start_paused = true)]
    async fn failures_of_too_much_work_slow_down_for_ten_seconds() {
        let flow = Flow::new(FlowControl::default());
        flow.failed(&Status::new(Code::NotFound, ""));
        assert_eq!(rate(&flow), 10.0);
        flow.failed(&Status::new(Code::Unavailable, ""));
        assert_eq!(rate(&flow), 7.0);
        advance(9).await;
        flow.failed(&Status::new(Code::DeadlineExceeded, ""));
        assert_eq!(rate(&flow), 7.0);
        advance(1).await;
        flow.failed(&Status::new(Code::ResourceExhausted, ""));
        assert_eq!(rate(&flow), 4.9);
    }

    #[tokio::test(start_paused = true)]
    async fn advice_that_says_nothing_is_not_taken() {
        let flow = Flow::new(FlowControl::default());
        for info in [
            RateLimitInfo::default(),
            info(0.8, 0),
            info(0.8, -1),
            info(0.0, 1),
            info(-1.0, 1),
            info(f64::NAN, 1),
            info(f64::INFINITY, 1),
        ] {
            flow.advised(&info);
        }
        assert_eq!(rate(&flow), 10.0);
    }

    #[tokio::test(start_paused = true)]
    async fn who_would_come_too_late_is_told_so_at_once() {
        let flow = Flow::new(FlowControl {
            initial_rate: 0.1,
            ..FlowControl::default()
        });
        let deadline = far(Duration::from_secs(5));
        flow.turn(deadline).await.unwrap();
        let error = flow.turn(deadline).await.unwrap_err();
        assert_eq!(error.code, Code::DeadlineExceeded);
        assert!(
            error.message.contains("0.1 bulk writes a second"),
            "{error}"
        );
        // Nor has it taken anybody's turn.
        flow.turn(far(Duration::from_secs(11))).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn senseless_settings_are_no_panic() {
        for number in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE] {
            let flow = Flow::new(FlowControl {
                initial_rate: number,
                min_rate: number,
                max_rate: number,
                min_factor: number,
                max_factor: number,
                failure_factor: number,
                failure_period: Duration::MAX,
            });
            flow.failed(&Status::new(Code::Unavailable, ""));
            flow.turn(far(Duration::MAX)).await.unwrap();
            flow.turn(far(Duration::MAX)).await.unwrap();
        }
    }
}
