//! The rows of one read, as a stream that goes on where it broke off.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{Stream, StreamExt};
use tokio::time::{Instant, Sleep};

use super::client::Client;
use super::remaining::Remaining;
use crate::data::{ReadRows, Row};
use crate::grpc::channel::in_flight::Pass;
use crate::grpc::channel::transport::Answers;
use crate::grpc::observe::trace::Watch;
use crate::grpc::protocol::assemble::RowAssembler;
use crate::grpc::protocol::chunk::Chunks;
use crate::grpc::protocol::failure::Failure;
use crate::grpc::protocol::method::Method;
use crate::grpc::protocol::wire::ReadRowsRequest;
use crate::grpc::retry::operation::{Operation, Retry, far, in_time, too_late};
use crate::grpc::settings::options::Options;
use crate::{Code, Status};

type Opening = BoxFuture<'static, Result<Box<Answers<Chunks>>, Failure>>;

/// Rows as the server sends them. At most one message and one row in progress are held.
///
/// Nothing is sent before the first poll; dropping the stream cancels the call.
///
/// When an attempt fails and the read may go on, the next one asks for the rows behind the last one committed or reported as
/// scanned, and for no more than are missing to the limit. What was held of a row in progress is thrown away.
pub(crate) struct Rows {
    client: Arc<Client>,
    options: Arc<Options>,
    table: String,
    /// Everything about the request but the row set and the limit, which change.
    template: ReadRowsRequest,
    remaining: Remaining,
    limit: Limit,
    /// None before the first poll.
    running: Option<Running>,
    state: State,
    assembler: RowAssembler,
    /// Of the message at hand.
    chunks: Chunks,
}

/// What there is of a read once it has begun.
struct Running {
    operation: Operation,
    _pass: Pass,
    /// None before the first attempt.
    attempt: Option<Watch>,
    one_row: bool,
    /// When the attempt at hand must have ended.
    attempt_ends: Instant,
    patience: Patience,
}

impl Running {
    fn attempt_ended(&mut self, failure: Option<&Failure>) {
        if let Some(mut attempt) = self.attempt.take() {
            attempt.attempt_ended(failure);
        }
    }

    /// An attempt that still goes on is not needed any more.
    fn ended(&mut self, error: Option<&Status>) {
        if let Some(mut attempt) = self.attempt.take() {
            attempt.ended(error);
        }
        self.operation.ended(error);
    }
}

enum State {
    /// Before an attempt.
    Ready,
    Opening(Opening),
    Open(Box<Answers<Chunks>>),
    Pausing(Pin<Box<Sleep>>),
    Ended,
}

/// How many rows may still come; without a limit any number.
struct Limit(Option<i64>);

impl Limit {
    fn is_reached(&self) -> bool {
        self.0 == Some(0)
    }

    fn count_row(&mut self) {
        if let Some(left) = &mut self.0 {
            *left -= 1;
        }
    }
}

/// A timer that runs while nothing comes. It is set once for each wait, not for each poll.
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

    /// Ready when it has run out: at `end`, as it was given at the wait's first poll.
    fn poll(&mut self, cx: &mut Context<'_>, end: impl FnOnce() -> Instant) -> Poll<()> {
        if !self.waiting {
            self.sleep.as_mut().reset(end());
            self.waiting = true;
        }
        self.sleep.as_mut().poll(cx)
    }
}

impl Rows {
    pub(crate) fn new(client: Arc<Client>, options: Arc<Options>, request: ReadRows) -> Self {
        let template = ReadRowsRequest {
            filter: request.filter.map(Into::into),
            rows_limit: request.rows_limit,
            reversed: request.reversed,
            ..Default::default()
        };
        let most = options.limits.row_set_bytes;
        Self {
            remaining: Remaining::new(request.rows, most, request.reversed),
            limit: Limit((request.rows_limit > 0).then_some(request.rows_limit)),
            running: None,
            state: State::Ready,
            assembler: RowAssembler::new(request.reversed),
            chunks: Chunks::default(),
            table: request.table,
            client,
            options,
            template,
        }
    }

    /// Lets the read begin, once.
    fn begin(&mut self) -> Result<&mut Running, Status> {
        if self.running.is_none() {
            let pass = self.client.gate().enter()?;
            let one_row = self.remaining.is_one_row();
            let timeout = match one_row {
                true => self.options.timeouts.read_row,
                false => self.options.timeouts.read_rows,
            };
            let timeout = self.options.timeout(timeout);
            let operation = Operation::begin(
                &self.options,
                Method::READ_ROWS,
                &self.table,
                Retry::Read,
                timeout,
            );
            self.running = Some(Running {
                attempt: None,
                one_row,
                attempt_ends: operation.deadline(),
                operation,
                _pass: pass,
                patience: Patience::new(),
            });
        }
        self.running
            .as_mut()
            .ok_or_else(|| Status::new(Code::Internal, "the read has not begun"))
    }

    /// Begins an attempt for what is left, if there is anything.
    fn open(&mut self) -> Result<State, Status> {
        if self.is_done() {
            return Ok(State::Ended);
        }
        let idle = self.options.timeouts.read_rows_idle;
        let running = self.begin()?;
        let (call, watch) = running.operation.attempt();
        running.attempt = Some(watch);
        running.attempt_ends = far(call.timeout);
        running.patience.waiting = false;
        let request = ReadRowsRequest {
            rows: self.remaining.request(),
            rows_limit: self.limit.0.unwrap_or(self.template.rows_limit),
            ..self.template.clone()
        };
        let (client, table) = (Arc::clone(&self.client), self.table.clone());
        Ok(State::Opening(Box::pin(async move {
            let answers = client.read_rows(&call, &table, request);
            in_time(call.timeout.min(idle), answers).await.map(Box::new)
        })))
    }

    /// The next row of the message at hand.
    fn next_in_message(&mut self) -> Result<Option<Row>, Status> {
        while let Some(chunk) = self.chunks.next()? {
            if let Some(row) = self.assembler.push(chunk)? {
                return Ok(Some(row));
            }
        }
        let scanned = self.chunks.finish();
        if !scanned.is_empty() {
            self.assembler.scanned(&scanned)?;
        }
        Ok(None)
    }

    /// Waits for another message, over as many attempts as it takes; false at the end of the read.
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, Status>> {
        loop {
            self.state = match &mut self.state {
                State::Ready => self.open()?,
                State::Opening(opening) => match ready!(opening.as_mut().poll(cx)) {
                    Ok(answers) => State::Open(answers),
                    Err(failure) => self.after(failure)?,
                },
                State::Open(_) => match ready!(self.poll_answers(cx)) {
                    Some(Ok(message)) => {
                        if let Some(running) = &mut self.running {
                            running.operation.answered();
                        }
                        self.chunks = message;
                        return Poll::Ready(Ok(true));
                    }
                    Some(Err(failure)) => self.after(failure)?,
                    None => self.finish_request()?,
                },
                State::Pausing(sleep) => {
                    ready!(sleep.as_mut().poll(cx));
                    State::Ready
                }
                State::Ended => return Poll::Ready(Ok(false)),
            };
        }
    }

    fn is_done(&self) -> bool {
        self.remaining.is_empty() || self.limit.is_reached()
    }

    fn poll_answers(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Chunks, Failure>>> {
        let (State::Open(answers), Some(running)) = (&mut self.state, &mut self.running) else {
            return Poll::Ready(None);
        };
        let ends = running.attempt_ends.min(running.operation.deadline());
        if let Poll::Ready(message) = answers.poll_next_unpin(cx) {
            running.patience.waiting = false;
            let late = matches!(message, Some(Ok(_))) && Instant::now() >= ends;
            return Poll::Ready(match late {
                true => Some(Err(overdue())),
                false => message,
            });
        }
        let idle = self.options.timeouts.read_rows_idle;
        ready!(running.patience.poll(cx, || ends.min(far(idle))));
        Poll::Ready(Some(Err(match Instant::now() >= ends {
            true => overdue(),
            false => too_late(idle),
        })))
    }

    /// The server ended an attempt well.
    fn finish_request(&mut self) -> Result<State, Status> {
        self.assembler.finish()?;
        self.remaining.finish_request();
        if let Some(running) = &mut self.running {
            running.attempt_ended(None);
            running.operation.next_request();
        }
        Ok(State::Ready)
    }

    /// What follows a failed attempt.
    fn after(&mut self, failure: Failure) -> Result<State, Status> {
        let progressed = self.assembler.interrupt();
        if let Some(position) = self.assembler.position() {
            self.remaining.read_to(&position);
        }
        let skipped = match (&failure.large_row, &self.options.skipped) {
            (Some(key), Some(skipped)) if self.remaining.leave_out(key) => {
                skipped.add(key.clone());
                true
            }
            _ => false,
        };
        let done = self.is_done();
        let Some(running) = &mut self.running else {
            return Err(failure.status);
        };
        running.attempt_ended(Some(&failure));
        if done {
            return Ok(State::Ended);
        }
        if progressed {
            running.operation.progressed();
        }
        let retried = skipped || running.operation.retries(&failure.status);
        let pause = running.operation.pause_after(failure, retried)?;
        Ok(State::Pausing(Box::pin(tokio::time::sleep(pause))))
    }

    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Row>, Status>> {
        loop {
            if let Some(row) = self.next_in_message()? {
                if self.limit.is_reached() {
                    return Poll::Ready(Ok(None));
                }
                self.limit.count_row();
                self.note_row();
                return Poll::Ready(Ok(Some(row)));
            }
            if !ready!(self.poll_message(cx))? {
                return Poll::Ready(Ok(None));
            }
        }
    }

    /// Whoever drops the read after the last row that can come has not given it up.
    fn note_row(&mut self) {
        if let Some(running) = &mut self.running
            && (running.one_row || self.limit.is_reached())
        {
            running.ended(None);
        }
    }

    /// Lets go of everything, and of the operation's place among those under way.
    fn end(&mut self, error: Option<&Status>) {
        self.state = State::Ended;
        if let Some(mut running) = self.running.take() {
            running.ended(error);
        }
    }
}

/// The failure of an attempt that is still sending when its time, or the operation's, is over.
fn overdue() -> Failure {
    Failure::new(
        Code::DeadlineExceeded,
        "the read was not finished in its time",
    )
}

impl Stream for Rows {
    type Item = Result<Row, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if matches!(self.state, State::Ended) {
            return Poll::Ready(None);
        }
        let next = ready!(self.poll_row(cx)).transpose();
        match &next {
            Some(Ok(_)) => {}
            Some(Err(error)) => self.end(Some(error)),
            None => self.end(None),
        }
        Poll::Ready(next)
    }
}
