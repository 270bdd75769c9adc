//! Bulk writes at the rate that the server asks for.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::grpc::protocol::wire::RateLimitInfo;
use crate::grpc::retry::deadline::far;
use crate::grpc::settings::flow::FlowControl;
use crate::{Code, Status};

/// How late a request may be sent and still count as on time. Timers are no finer than a
/// millisecond, so without it the rate would fall short.
const LATE: Duration = Duration::from_millis(10);

/// The rate of one client's bulk writes.
#[derive(Debug)]
pub(crate) struct Flow {
    settings: FlowControl,
    state: Mutex<State>,
    /// Held by the request whose turn is next; the others wait for it in order.
    line: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct State {
    /// Requests a second.
    rate: f64,
    /// When the next request may be sent; `None` before the first.
    next_request: Option<Instant>,
    /// How many requests wait for their turn.
    waiting: u32,
    /// Until when the rate does not change.
    settled: Option<Instant>,
}

impl State {
    fn next_turn(&self, now: Instant) -> Instant {
        self.next_request.map_or(now, |next| next.max(now))
    }
}

impl Flow {
    pub(crate) fn new(settings: FlowControl) -> Self {
        let state = State {
            rate: settings.initial_rate,
            next_request: None,
            waiting: 0,
            settled: None,
        };
        Self {
            settings,
            state: Mutex::new(state),
            line: tokio::sync::Mutex::new(()),
        }
    }

    /// Waits until a request may be sent. A cancelled wait uses no turn.
    ///
    /// # Errors
    ///
    /// `DEADLINE_EXCEEDED`: at once if the turn is expected after the deadline, otherwise at the
    /// deadline.
    pub(crate) async fn turn(&self, deadline: Instant) -> Result<(), Status> {
        let place = self.queue(deadline)?;
        let turn = async {
            let _first = self.line.lock().await;
            while let Some(at) = self.take_turn(place.since) {
                tokio::time::sleep_until(at).await;
            }
        };
        let taken = tokio::time::timeout_at(deadline, turn).await;
        taken.map_err(|_| too_late(self.lock().rate))
    }

    /// Joins the queue, unless the turn at its end comes too late.
    fn queue(&self, deadline: Instant) -> Result<Place<'_>, Status> {
        let mut state = self.lock();
        let since = Instant::now();
        let before = interval(state.rate).saturating_mul(state.waiting);
        let turn = state.next_turn(since).checked_add(before);
        if turn.is_none_or(|turn| turn >= deadline) {
            return Err(too_late(state.rate));
        }
        state.waiting += 1;
        Ok(Place { flow: self, since })
    }

    /// Takes the turn of a request that has waited since `since`, or returns when it comes.
    fn take_turn(&self, since: Instant) -> Option<Instant> {
        let mut state = self.lock();
        let now = Instant::now();
        let turn = state.next_turn(since);
        if turn > now {
            return Some(turn);
        }
        let on_time = now.checked_sub(LATE).map_or(turn, |late| turn.max(late));
        state.next_request = Some(on_time + interval(state.rate));
        None
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

    /// Slows down after failures that show overload.
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

/// A request that waits for its turn, until this is dropped.
#[derive(Debug)]
struct Place<'a> {
    flow: &'a Flow,
    since: Instant,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let waiting = &mut self.flow.lock().waiting;
        *waiting = waiting.saturating_sub(1);
    }
}

fn too_late(rate: f64) -> Status {
    let message = format!(
        "the server takes {rate:.1} bulk writes a second at the moment, and this one's turn is not before its deadline"
    );
    Status::new(Code::DeadlineExceeded, message)
}

/// Like `f64::clamp`, without a panic.
fn between(value: f64, least: f64, most: f64) -> f64 {
    value.max(least).min(most)
}

fn interval(rate: f64) -> Duration {
    const LONGEST: Duration = Duration::from_secs(60 * 60);
    Duration::try_from_secs_f64(rate.recip()).map_or(LONGEST, |pause| pause.min(LONGEST))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests")]

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
        // Nor has it used a turn.
        flow.turn(far(Duration::from_secs(11))).await.unwrap();
    }

    /// Ten requests a second, two hundred of which were given up after a tenth of a second.
    #[tokio::test(start_paused = true)]
    async fn a_wait_that_is_given_up_uses_no_turn() {
        let flow = Flow::new(FlowControl::default());
        flow.turn(far(Duration::MAX)).await.unwrap();
        let begun = Instant::now();
        let given_up = (0..200).map(|_| async {
            let patience = Duration::from_millis(90);
            let turn = flow.turn(far(Duration::MAX));
            tokio::time::timeout(patience, turn).await.unwrap_err();
        });
        futures::future::join_all(given_up).await;
        flow.turn(far(Duration::MAX)).await.unwrap();
        let waited = begun.elapsed().as_millis();
        assert!((100..102).contains(&waited), "{waited}");
        assert_eq!(flow.lock().waiting, 0);
    }

    /// Every third one is given up, at any time of its wait.
    #[tokio::test(start_paused = true)]
    async fn those_that_wait_take_turns_in_their_order() {
        let flow = Flow::new(FlowControl::default());
        let begun = Instant::now();
        let turns = Mutex::new(Vec::new());
        let waits = (0..60_u64).map(|number| {
            let (flow, turns) = (&flow, &turns);
            async move {
                let patience = match number % 3 {
                    0 => Duration::from_millis(17 * number),
                    _ => Duration::from_secs(3600),
                };
                let turn = flow.turn(far(Duration::MAX));
                if tokio::time::timeout(patience, turn).await.is_ok() {
                    turns.lock().unwrap().push((number, begun.elapsed()));
                }
            }
        });
        futures::future::join_all(waits).await;
        let turns = turns.into_inner().unwrap();
        assert!(turns.iter().filter(|(number, _)| number % 3 != 0).count() == 40);
        assert!(turns.is_sorted_by_key(|(number, _)| *number), "{turns:?}");
        let gaps = turns.windows(2).map(|two| two[1].1 - two[0].1);
        for gap in gaps {
            let even = Duration::from_millis(98)..Duration::from_millis(103);
            assert!(even.contains(&gap), "{turns:?}");
        }
    }

    /// The requests before it in the queue count, but only until they leave it.
    #[tokio::test(start_paused = true)]
    async fn the_line_counts_for_who_would_come_too_late() {
        let flow = Flow::new(FlowControl::default());
        flow.turn(far(Duration::MAX)).await.unwrap();
        let mut line: Vec<_> = (0..10)
            .map(|_| Box::pin(flow.turn(far(Duration::MAX))))
            .collect();
        for wait in &mut line {
            assert!(futures::poll!(wait).is_pending());
        }
        let second = Duration::from_secs(1);
        let error = flow.turn(far(second)).await.unwrap_err();
        assert_eq!(error.code, Code::DeadlineExceeded);
        line.truncate(5);
        let begun = Instant::now();
        let (last, _) = tokio::join!(flow.turn(far(second)), futures::future::join_all(line));
        last.unwrap();
        assert!(begun.elapsed() < second);
    }

    /// The rate falls while they wait.
    #[tokio::test(start_paused = true)]
    async fn a_wait_ends_at_its_deadline() {
        let flow = Flow::new(FlowControl::default());
        flow.turn(far(Duration::MAX)).await.unwrap();
        let begun = Instant::now();
        let waits = (0..5).map(|_| flow.turn(far(Duration::from_secs(1))));
        let slower = async {
            for _ in 0..20 {
                flow.change(0.7, Duration::from_nanos(1));
                tokio::time::advance(Duration::from_millis(1)).await;
            }
        };
        let (taken, ()) = tokio::join!(futures::future::join_all(waits), slower);
        let late = taken.iter().filter(|turn| turn.is_err()).count();
        assert!(late >= 3, "{taken:?}");
        assert!(begun.elapsed() <= Duration::from_millis(1_002));
        assert_eq!(flow.lock().waiting, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_high_rate_is_reached_although_timers_are_coarse() {
        let flow = Flow::new(FlowControl {
            initial_rate: 20_000.0,
            ..FlowControl::default()
        });
        let begun = Instant::now();
        let turns = (0..10_000).map(|_| flow.turn(far(Duration::MAX)));
        let turns = futures::future::join_all(turns).await;
        assert!(turns.iter().all(Result::is_ok));
        let took = begun.elapsed().as_millis();
        assert!((480..520).contains(&took), "{took}");
    }
}
