//! The attempts, one after another, of a call with a stream of answers.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep};

use crate::grpc::channel::in_flight::Pass;
use crate::grpc::channel::transport::Answers;
use crate::grpc::observe::trace::Watch;
use crate::grpc::protocol::failure::Failure;
use crate::grpc::retry::deadline::far;
use crate::grpc::retry::operation::{Call, Operation, in_time, too_late};
use crate::{Code, Status};

type Opening<A> = BoxFuture<'static, Result<Box<Answers<A>>, Failure>>;

/// An operation that has begun, and its current attempt. The caller that polls it decides what an
/// attempt asks for and what follows.
pub(super) struct Attempts<A> {
    pub(super) operation: Operation,
    _pass: Pass,
    /// `None` before the first attempt.
    attempt: Option<Watch>,
    /// When the current attempt must have ended.
    attempt_ends: Instant,
    /// How long to wait for the next message.
    idle: Duration,
    patience: Patience,
    state: State<A>,
    /// Where the timers and the connections are.
    runtime: Handle,
}

enum State<A> {
    /// Before an attempt.
    Ready,
    Opening(Opening<A>),
    Open(Box<Answers<A>>),
    Pausing(Pin<Box<Sleep>>),
}

/// What comes next.
pub(super) enum Step<A> {
    /// No attempt is in flight: begin one, if there is anything left to ask for.
    Ready,
    Message(A),
    /// The server ended the attempt with success.
    Finished,
    Failed(Failure),
}

impl<A> Attempts<A> {
    /// Called inside a runtime only.
    pub(super) fn new(operation: Operation, pass: Pass, idle: Duration) -> Self {
        Self {
            runtime: Handle::current(),
            attempt: None,
            attempt_ends: operation.end(),
            operation,
            _pass: pass,
            idle,
            patience: Patience::new(),
            state: State::Ready,
        }
    }

    /// Begins an attempt.
    pub(super) fn open<F>(&mut self, open: impl FnOnce(Call) -> F)
    where
        F: Future<Output = Result<Answers<A>, Failure>> + Send + 'static,
        A: 'static,
    {
        let (call, watch) = self.operation.attempt();
        self.attempt = Some(watch);
        let mut limit = call.limit();
        self.attempt_ends = limit.end();
        self.patience.waiting = false;
        limit.timeout = limit.timeout.min(self.idle);
        let answers = open(call);
        self.state = State::Opening(Box::pin(async move {
            in_time(&limit, answers).await.map(Box::new)
        }));
    }

    /// Pauses before the next attempt.
    pub(super) fn pause(&mut self, pause: Duration) {
        self.state = State::Pausing(Box::pin(tokio::time::sleep(pause)));
    }

    /// The next message, or the end of the attempt.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Step<A>> {
        if self.has_lost_its_runtime() {
            self.state = State::Ready;
            return Poll::Ready(Step::Failed(Failure::new(
                Code::FailedPrecondition,
                "the Tokio runtime in which the call began has ended",
            )));
        }
        loop {
            let step = match &mut self.state {
                State::Ready => Step::Ready,
                State::Opening(opening) => match ready!(opening.as_mut().poll(cx)) {
                    Ok(answers) => {
                        self.state = State::Open(answers);
                        continue;
                    }
                    Err(failure) => Step::Failed(failure),
                },
                State::Open(_) => match ready!(self.poll_answers(cx)) {
                    Some(Ok(message)) => {
                        self.operation.answered();
                        return Poll::Ready(Step::Message(message));
                    }
                    Some(Err(failure)) => Step::Failed(failure),
                    None => Step::Finished,
                },
                State::Pausing(sleep) => {
                    ready!(sleep.as_mut().poll(cx));
                    Step::Ready
                }
            };
            self.state = State::Ready;
            return Poll::Ready(step);
        }
    }

    /// Timers panic once their runtime has ended, so they are not polled then. Usually it is the
    /// current one.
    fn has_lost_its_runtime(&self) -> bool {
        let current = Handle::try_current();
        if current.is_ok_and(|current| current.id() == self.runtime.id()) {
            return false;
        }
        // A runtime that has ended drops a task at once.
        let task = self.runtime.spawn(std::future::pending::<()>());
        let ended = task.is_finished();
        task.abort();
        ended
    }

    fn poll_answers(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<A, Failure>>> {
        let State::Open(answers) = &mut self.state else {
            return Poll::Ready(None);
        };
        let ends = self.attempt_ends.min(self.operation.end());
        if let Poll::Ready(message) = answers.poll_next_unpin(cx) {
            self.patience.waiting = false;
            let late = matches!(message, Some(Ok(_))) && Instant::now() >= ends;
            return Poll::Ready(match late {
                true => Some(Err(overdue())),
                false => message,
            });
        }
        let idle = self.idle;
        ready!(self.patience.poll(cx, || ends.min(far(idle))));
        Poll::Ready(Some(Err(match Instant::now() >= ends {
            true => overdue(),
            false => too_late(idle),
        })))
    }

    pub(super) fn attempt_ended(&mut self, failure: Option<&Failure>) {
        if let Some(mut attempt) = self.attempt.take() {
            attempt.attempt_ended(failure);
        }
    }

    /// An attempt that is still in flight is no longer needed.
    pub(super) fn ended(&mut self, error: Option<&Status>) {
        if let Some(mut attempt) = self.attempt.take() {
            attempt.ended(error);
        }
        self.operation.ended(error);
    }
}

/// A timer that runs while no message comes. It is set once for each wait, not for each poll.
struct Patience {
    sleep: Pin<Box<Sleep>>,
    waiting: bool,
}

impl Patience {
    fn new() -> Self {
        Self {
            sleep: Box::pin(tokio::time::sleep(Duration::ZERO)),
            waiting: false,
        }
    }

    /// Ready when it has run out: at the `end` that the wait's first poll gave.
    fn poll(&mut self, cx: &mut Context<'_>, end: impl FnOnce() -> Instant) -> Poll<()> {
        if !self.waiting {
            self.sleep.as_mut().reset(end());
            self.waiting = true;
        }
        self.sleep.as_mut().poll(cx)
    }
}

/// The failure of an attempt that is still in flight when its time, or the operation's, is over.
fn overdue() -> Failure {
    Failure::new(
        Code::DeadlineExceeded,
        "the read was not finished in its time",
    )
}
