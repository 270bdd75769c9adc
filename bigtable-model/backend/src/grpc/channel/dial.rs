//! Channels that reconnect when they have to, with pauses.
//!
//! A channel connects for every call that finds it without a connection. If a server is down, or
//! closes each connection at once, a few busy tasks would make hundreds of attempts a second. So
//! there are pauses between failed attempts: until the next one is due, calls fail at once with the
//! reason of the last failure.
//!
//! A channel that fails at once always has the fewest calls, so the pool has to know which ones
//! fail: it avoids them while others work, and lets single calls try whether they work again.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use tokio::time::Instant;
use tonic::codegen::{Service, StdError};
use tonic::transport::{Channel, Endpoint};

use super::gathered::Gathered;
use crate::grpc::protocol::call_error::CallError;
use crate::grpc::protocol::causes::{chain, with_causes};
use crate::grpc::protocol::status::Fate;
use crate::grpc::retry::backoff::Backoff;
use crate::grpc::settings::timing::RetrySettings;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// The number of attempts to connect without a pause: a broken connection is replaced at once.
const WITHOUT_PAUSE: u32 = 2;

/// The longest pause between two attempts. After a long outage calls fail for at most this long
/// although the server is back.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How long one call tries a channel that failed before the next one may.
const TRIAL: Duration = Duration::from_millis(250);

/// The shortest pause after a call that has waited in vain for a channel to connect.
const PAUSE_AFTER_WAITING: Duration = Duration::from_secs(1);

/// A channel, and the state of its connections.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) channel: Channel,
    pub(crate) dial: Dial,
}

impl Line {
    /// A channel that connects with its first call. It spawns a task.
    pub(crate) fn new(endpoint: &Endpoint) -> Self {
        let dial = Dial::default();
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let connector = Dialer {
            http,
            dial: dial.clone(),
        };
        Self {
            channel: endpoint.connect_with_connector_lazy(connector),
            dial,
        }
    }
}

/// When a channel may connect. Clones share one channel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dial(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Whether no call was answered since the last connect.
    unproven: AtomicBool,
    /// Whether there is a connection over which a call was answered.
    works: AtomicBool,
    /// Whether it could not connect, or took too long.
    fails: AtomicBool,
    /// The number of the latest connection.
    connection: AtomicU32,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    backoff: Backoff,
    /// Connects since a call was answered.
    connects: u32,
    /// When the next one is due, if it has to wait.
    due: Option<Instant>,
    /// If it fails, when the next call may try it.
    trial: Option<Instant>,
    /// Why the last connection failed.
    failure: Option<String>,
}

impl Default for State {
    fn default() -> Self {
        let backoff = Backoff::new(RetrySettings {
            max_delay: LONGEST_PAUSE,
            ..RetrySettings::default()
        });
        Self {
            backoff,
            connects: 0,
            due: None,
            trial: None,
            failure: None,
        }
    }
}

impl Dial {
    /// Allows an attempt to connect; returns the connection's number.
    fn begin(&self) -> Result<u32, Held> {
        let mut state = self.lock();
        let now = Instant::now();
        if let Some(due) = state.due.filter(|due| now < *due) {
            return Err(Held {
                left: due - now,
                failure: state.failure.clone(),
            });
        }
        self.0.unproven.store(true, Ordering::Relaxed);
        self.0.works.store(false, Ordering::Relaxed);
        state.connects = state.connects.saturating_add(1);
        if state.connects >= WITHOUT_PAUSE {
            state.due = Some(now + state.backoff.pause(None));
        }
        Ok(self
            .0
            .connection
            .fetch_add(1, Ordering::Relaxed)
            .wrapping_add(1))
    }

    /// A call was answered, whatever the answer: the connection is good.
    pub(crate) fn answered(&self) {
        // A write for each call would slow down all threads.
        let unproven = &self.0.unproven;
        if unproven.load(Ordering::Relaxed) && unproven.swap(false, Ordering::Relaxed) {
            *self.lock() = State::default();
            self.0.works.store(true, Ordering::Relaxed);
            self.0.fails.store(false, Ordering::Relaxed);
        }
    }

    /// Whether there is a connection over which a call was answered.
    pub(crate) fn works(&self) -> bool {
        self.0.works.load(Ordering::Relaxed)
    }

    /// Whether it could not connect, or took too long, and has not worked since.
    pub(crate) fn fails(&self) -> bool {
        self.0.fails.load(Ordering::Relaxed)
    }

    /// Whether the time of its next trial has come.
    pub(crate) fn may_be_tried(&self) -> bool {
        self.lock().may_be_tried(Instant::now())
    }

    /// Lets the caller try a channel that fails, unless another call has just begun to.
    pub(crate) fn try_again(&self) -> bool {
        let mut state = self.lock();
        let now = Instant::now();
        let granted = state.may_be_tried(now);
        if granted {
            state.trial = Some(now + TRIAL);
        }
        granted
    }

    /// A call has waited long enough for a connection.
    pub(crate) fn too_slow(&self) {
        let mut state = self.lock();
        let now = Instant::now();
        let known = self.fails() && !state.may_be_tried(now);
        if !self.works() && !known {
            let pause = state.backoff.pause(None).max(PAUSE_AFTER_WAITING);
            state.trial = Some(now + pause);
            self.0.fails.store(true, Ordering::Relaxed);
        }
    }

    /// A connection ended. After a `GOAWAY` there may be a newer one already.
    fn ended(&self, number: u32) {
        if self.0.connection.load(Ordering::Relaxed) == number {
            self.0.works.store(false, Ordering::Relaxed);
        }
    }

    /// A call was not answered.
    pub(crate) fn failed(&self, error: tonic::transport::Error) -> CallError {
        let held = chain(&error).any(|cause| cause.is::<Held>());
        if !held && self.0.unproven.load(Ordering::Relaxed) {
            let mut state = self.lock();
            state.failure = Some(with_causes(&error));
            state.trial = None;
            self.0.fails.store(true, Ordering::Relaxed);
        }
        CallError {
            fate: Fate::of(&error),
            error,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn may_be_tried(&self, now: Instant) -> bool {
        self.due.max(self.trial).is_none_or(|due| due <= now)
    }
}

/// Makes the connections of a channel.
#[derive(Debug, Clone)]
struct Dialer {
    http: HttpConnector,
    dial: Dial,
}

impl Service<Uri> for Dialer {
    type Response = Gathered<<HttpConnector as Service<Uri>>::Response, End>;
    type Error = StdError;
    type Future = BoxFuture<'static, Result<Self::Response, StdError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), StdError>> {
        self.http.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, server: Uri) -> Self::Future {
        match self.dial.begin() {
            Ok(number) => {
                let connection = self.http.call(server);
                let dial = self.dial.clone();
                let end = End { dial, number };
                Box::pin(async { Ok(Gathered::new(connection.await?, end)) })
            }
            Err(held) => Box::pin(async { Err(held.into()) }),
        }
    }
}

/// Tells the channel when its connection ends.
#[derive(Debug)]
pub(crate) struct End {
    dial: Dial,
    number: u32,
}

impl Drop for End {
    fn drop(&mut self) {
        self.dial.ended(self.number);
    }
}

/// An attempt to connect that has to wait.
#[derive(Debug)]
struct Held {
    left: Duration,
    failure: Option<String>,
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.left.as_millis();
        write!(f, "the next connect is made in {millis} ms, since ")?;
        match &self.failure {
            Some(failure) => write!(f, "the last one failed: {failure}"),
            None => f.write_str("the last ones came to nothing"),
        }
    }
}

impl Error for Held {}

/// A call that reports its outcome to its channel's [`Dial`].
#[derive(Debug)]
pub(crate) struct Told<F> {
    pub(crate) call: F,
    pub(crate) dial: Dial,
}

impl<F, T> Future for Told<F>
where
    F: Future<Output = Result<T, tonic::transport::Error>> + Unpin,
{
    type Output = Result<T, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.call)
            .poll(cx)
            .map(|answer| match answer {
                Ok(answer) => {
                    self.dial.answered();
                    Ok(answer)
                }
                Err(error) => Err(self.dial.failed(error)),
            })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// Tries to connect every millisecond for this long; returns how often it was allowed.
    async fn connects(dial: &Dial, time: Duration) -> usize {
        let end = Instant::now() + time;
        let mut connects = 0;
        while Instant::now() < end {
            connects += usize::from(dial.begin().is_ok());
            tokio::time::sleep(millis(1)).await;
        }
        connects
    }

    #[tokio::test(start_paused = true)]
    async fn connects_that_come_to_nothing_are_spaced() {
        let dial = Dial::default();
        let first = connects(&dial, Duration::from_secs(60)).await;
        // Without a pause, 10 to 20 ms, 20 to 40 ms and so on up to 5 s.
        assert!((15..=40).contains(&first), "{first} connects in a minute");
        let later = connects(&dial, Duration::from_secs(60)).await;
        assert!((12..=25).contains(&later), "{later} connects in a minute");
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_breaks_is_replaced_at_once() {
        let dial = Dial::default();
        for _ in 0..1000 {
            dial.begin().unwrap();
            dial.begin().unwrap();
            let held = dial.begin().unwrap_err();
            assert!(held.left <= millis(20), "{held:?}");
            dial.answered();
        }
    }

    #[tokio::test]
    async fn a_pause_tells_why() {
        let nowhere = Line::new(&Endpoint::from_static("http://127.0.0.1:1"));
        for _ in 0..3 {
            let mut channel = nowhere.channel.clone();
            let ready = std::future::poll_fn(|cx| channel.poll_ready(cx));
            ready.await.unwrap();
            let call = channel.call(http::Request::default());
            let dial = nowhere.dial.clone();
            let error = Told { call, dial }.await.unwrap_err();
            let error = with_causes(&error);
            assert!(error.contains("efused"), "{error}");
        }
        let failure = nowhere.dial.lock().failure.clone();
        let failure = failure.unwrap();
        assert!(!failure.contains("next connect"), "{failure}");
        let mut held = Held {
            left: millis(35),
            failure: Some(failure),
        };
        for words in ["made in 35 ms, since the last one failed: ", "efused"] {
            assert!(held.to_string().contains(words), "{held}");
        }
        held.failure = None;
        let words = "made in 35 ms, since the last ones came to nothing";
        assert!(held.to_string().contains(words), "{held}");
    }
}
