//! The machine's token: asked for when it is needed, kept, and replaced before it expires.

use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::metadata::{Given, Refusal};
use crate::grpc::auth::AccessToken;
use crate::grpc::retry::deadline::far;

/// How long before its end a token is replaced. The server has a new one some minutes before.
const EARLY: Duration = Duration::from_secs(240);

/// A token that lives shorter than [`EARLY`] is replaced after this time.
const OFTEN: Duration = Duration::from_secs(10);

/// A token that never expires, or only far in the future, is replaced after this time.
const SELDOM: Duration = Duration::from_secs(60 * 60);

/// The shortest time between two requests, whatever the server answers.
const PAUSE: Duration = Duration::from_secs(1);

/// Makes one request, which ends.
type Ask = dyn Fn() -> BoxFuture<'static, Result<Given, Refusal>> + Send + Sync;

/// A token that is kept. Clones share it.
#[derive(Clone)]
pub(super) struct Machine(Arc<Shared>);

struct Shared {
    ask: Box<Ask>,
    state: Mutex<State>,
    /// A request has ended.
    ended: Notify,
}

#[derive(Default)]
struct State {
    token: Option<Kept>,
    /// Why the last request failed, if it did.
    refusal: Option<Refusal>,
    /// When the next request may be made.
    next: Option<Instant>,
    /// Whether a request is in flight.
    asking: bool,
    /// How many requests have ended.
    ended: u64,
}

struct Kept {
    token: AccessToken,
    expires: Instant,
    /// When it is replaced.
    due: Instant,
}

/// What a call finds.
enum Found {
    Token(AccessToken),
    Refused(Refusal),
    /// Nothing before the end of a request, or before this time.
    Nothing(Option<Instant>),
}

impl Machine {
    pub(super) fn new(
        ask: impl Fn() -> BoxFuture<'static, Result<Given, Refusal>> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Shared {
            ask: Box::new(ask),
            state: Mutex::default(),
            ended: Notify::new(),
        }))
    }

    /// The token. A valid one is given at once, also while the next one is asked for. Requests that
    /// were not answered at all are repeated until the deadline.
    pub(super) async fn token(&self, deadline: Instant) -> Result<AccessToken, Refusal> {
        let before = self.0.lock().ended;
        // The usual case needs no place in the queue.
        if let Found::Token(token) = self.look(before) {
            return Ok(token);
        }
        loop {
            let mut ended = pin!(self.0.ended.notified());
            ended.as_mut().enable();
            let until = match self.look(before) {
                Found::Token(token) => return Ok(token),
                Found::Refused(refusal) => return Err(refusal),
                Found::Nothing(until) => until.map_or(deadline, |until| until.min(deadline)),
            };
            let ended = tokio::time::timeout_at(until, ended).await;
            if ended.is_err() && Instant::now() >= deadline {
                let last = self.0.lock().refusal.clone();
                return Err(last.unwrap_or_else(|| Refusal::unanswered("there is no answer yet")));
            }
        }
    }

    /// The result for a call that began when this many requests had ended. Begins a request if one
    /// is due.
    fn look(&self, before: u64) -> Found {
        let now = Instant::now();
        let mut state = self.0.lock();
        let may_ask = !state.asking && state.next.is_none_or(|next| next <= now);
        if let Some(kept) = state.token.as_ref().filter(|kept| now < kept.expires) {
            let (token, due) = (kept.token.clone(), kept.due);
            if may_ask && due <= now {
                self.ask(&mut state);
            }
            return Found::Token(token);
        }
        let refused = state.refusal.as_ref().filter(|refusal| !refusal.unanswered);
        if let Some(refusal) = refused
            && (state.ended > before || !may_ask && !state.asking)
        {
            return Found::Refused(refusal.clone());
        }
        if may_ask {
            self.ask(&mut state);
        }
        Found::Nothing(state.next.filter(|_| !state.asking))
    }

    /// Asks in a task, so a call that ends does not end it.
    fn ask(&self, state: &mut State) {
        state.asking = true;
        let asked = (self.0.ask)();
        let mut request = Asking {
            machine: self.clone(),
            begun: Instant::now(),
            answer: None,
        };
        tokio::spawn(async move {
            let answer = asked.await;
            request.ends_with(answer);
        });
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine").finish_non_exhaustive()
    }
}

/// A request.
struct Asking {
    machine: Machine,
    begun: Instant,
    /// `None` if it is cut off with its runtime.
    answer: Option<Result<Given, Refusal>>,
}

impl Asking {
    fn ends_with(&mut self, answer: Result<Given, Refusal>) {
        self.answer = Some(answer);
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        let shared = &self.machine.0;
        let mut state = shared.lock();
        state.asking = false;
        if let Some(answer) = self.answer.take() {
            state.ended += 1;
            state.next = Some(self.begun + PAUSE);
            state.keep(answer);
        }
        drop(state);
        shared.ended.notify_waiters();
    }
}

impl State {
    /// Without an answer the old token is used as long as it is valid.
    fn keep(&mut self, answer: Result<Given, Refusal>) {
        match answer {
            Ok(Given { token, lifetime }) => {
                self.refusal = None;
                self.token = Some(Kept {
                    token,
                    // A token that has expired already is tried once: clocks differ.
                    expires: far(lifetime.unwrap_or(Duration::MAX).max(PAUSE)),
                    due: Instant::now() + replaced_after(lifetime),
                });
            }
            Err(refusal) => self.refusal = Some(refusal),
        }
    }
}

fn replaced_after(lifetime: Option<Duration>) -> Duration {
    let Some(lifetime) = lifetime else {
        return SELDOM;
    };
    let early = lifetime.saturating_sub(EARLY);
    early.max(OFTEN.min(lifetime / 2)).min(SELDOM)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    /// The answer to a request; the first one has the number 0.
    fn machine(
        answer: impl Fn(usize) -> BoxFuture<'static, Result<Given, Refusal>> + Send + Sync + 'static,
    ) -> (Machine, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let ask = move || answer(count.fetch_add(1, Ordering::SeqCst));
        (Machine::new(ask), asked)
    }

    fn given(lifetime: Duration) -> BoxFuture<'static, Result<Given, Refusal>> {
        let given = Given {
            token: AccessToken::bearer("a").unwrap(),
            lifetime: Some(lifetime),
        };
        Box::pin(std::future::ready(Ok(given)))
    }

    fn unanswered() -> BoxFuture<'static, Result<Given, Refusal>> {
        Box::pin(async {
            tokio::time::sleep(seconds(3)).await;
            Err(Refusal::unanswered("silence"))
        })
    }

    async fn token(machine: &Machine) -> Result<AccessToken, Refusal> {
        machine.token(Instant::now() + seconds(10)).await
    }

    /// How many requests a client that needs a token ten times a second makes in this time.
    async fn asked(lifetime: Duration, time: Duration) -> usize {
        let (machine, asked) = machine(move |_| given(lifetime));
        let end = Instant::now() + time;
        while Instant::now() < end {
            token(&machine).await.unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        asked.load(Ordering::SeqCst)
    }

    #[tokio::test(start_paused = true)]
    async fn no_lifetime_is_a_panic_or_a_storm() {
        for (lifetime, time, least, most) in [
            (Duration::ZERO, seconds(60), 30, 60),
            (seconds(2), seconds(60), 30, 60),
            (seconds(200), seconds(60), 5, 7),
            (seconds(3600), seconds(3300), 1, 1),
            (seconds(3600), seconds(3400), 2, 2),
            (Duration::MAX, seconds(3500), 1, 1),
            (Duration::from_secs(u64::MAX), seconds(3700), 2, 2),
        ] {
            let asked = asked(lifetime, time).await;
            assert!((least..=most).contains(&asked), "{lifetime:?}: {asked}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_without_an_answer_is_followed_by_another() {
        let (machine, asked) = machine(|number| match number {
            0 => unanswered(),
            _ => given(seconds(3600)),
        });
        let calls = futures::future::join_all((0..10).map(|_| token(&machine))).await;
        assert!(calls.iter().all(Result::is_ok));
        assert_eq!(asked.load(Ordering::SeqCst), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_server_is_an_error_in_time() {
        let (machine, asked) = machine(|_| unanswered());
        let began = Instant::now();
        let refusal = token(&machine).await.unwrap_err();
        assert_eq!(
            (began.elapsed(), &*refusal.reason),
            (seconds(10), "silence")
        );
        assert_eq!(asked.load(Ordering::SeqCst), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn the_old_token_is_used_while_it_is_valid() {
        let (machine, asked) = machine(|number| match number {
            0 => given(seconds(300)),
            1..4 => unanswered(),
            _ => given(seconds(3600)),
        });
        token(&machine).await.unwrap();
        tokio::time::sleep(seconds(100)).await;
        for _ in 0..150 {
            let began = Instant::now();
            token(&machine).await.unwrap();
            assert_eq!(began.elapsed(), Duration::ZERO);
            tokio::time::sleep(seconds(1)).await;
        }
        assert_eq!(asked.load(Ordering::SeqCst), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_is_told_at_once_and_asked_about_once_a_second() {
        let (machine, asked) = machine(|_| {
            let refusal = Refusal {
                unanswered: false,
                ..Refusal::unanswered("no")
            };
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(1500)).await;
                Err(refusal)
            })
        });
        for _ in 0..3 {
            let began = Instant::now();
            token(&machine).await.unwrap_err();
            assert!(began.elapsed() <= Duration::from_millis(1500));
        }
        assert_eq!(asked.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn a_runtime_that_ends_takes_no_request_with_it() {
        let (machine, asked) = machine(|number| match number {
            0 => Box::pin(std::future::pending()),
            _ => given(seconds(3600)),
        });
        let runtime = || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            runtime.enable_time().build().unwrap()
        };
        runtime().block_on(async {
            let wait = machine.token(Instant::now() + Duration::from_millis(10));
            wait.await.unwrap_err();
        });
        runtime().block_on(token(&machine)).unwrap();
        assert_eq!(asked.load(Ordering::SeqCst), 2);
    }
}
