//! The rows of one read, as a stream that resumes where it was interrupted.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::Stream;

use super::attempts::{Attempts, Step};
use super::remaining::Remaining;
use crate::data::{ReadRows, Row};
use crate::grpc::channel::instance::Instance;
use crate::grpc::protocol::assemble::RowAssembler;
use crate::grpc::protocol::chunk::Chunks;
use crate::grpc::protocol::failure::Failure;
use crate::grpc::protocol::method::Method;
use crate::grpc::protocol::request::Sent;
use crate::grpc::protocol::wire::ReadRowsRequest;
use crate::grpc::retry::operation::{Operation, Retry};
use crate::grpc::settings::options::Options;
use crate::{Code, Status};

/// Rows as the server sends them. At most one message and one row in progress are held.
///
/// Nothing is sent before the first poll; dropping the stream cancels the call.
///
/// If an attempt fails and the read may be retried, the next one asks for the rows after the last
/// row committed or reported as scanned, and for no more than the limit still allows. The part of a
/// row in progress is dropped.
pub(crate) struct Rows {
    instance: Arc<Instance>,
    options: Arc<Options>,
    table: String,
    /// Everything about the request but the row set and the limit, which change.
    template: ReadRowsRequest,
    remaining: Remaining,
    limit: Limit,
    /// `None` before the first poll and after the end.
    running: Option<Attempts<Chunks>>,
    one_row: bool,
    ended: bool,
    assembler: RowAssembler,
    /// The chunks of the current message.
    chunks: Chunks,
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

impl Rows {
    pub(crate) fn new(instance: Arc<Instance>, options: Arc<Options>, request: ReadRows) -> Self {
        let target = instance.target(&request.table, &options);
        let template = ReadRowsRequest {
            table_name: target.table,
            authorized_view_name: target.view,
            app_profile_id: target.app_profile,
            filter: request.filter.map(Into::into),
            rows_limit: request.rows_limit,
            reversed: request.reversed,
            ..Default::default()
        };
        let most = options.limits.row_set_bytes;
        let remaining = Remaining::new(request.rows, most, request.reversed);
        Self {
            one_row: remaining.is_one_row(),
            remaining,
            limit: Limit((request.rows_limit > 0).then_some(request.rows_limit)),
            running: None,
            ended: false,
            assembler: RowAssembler::new(request.reversed).with_known(&request.known),
            chunks: Chunks::default(),
            table: request.table,
            instance,
            options,
            template,
        }
    }

    /// Lets the read begin, once.
    fn begin(&mut self) -> Result<&mut Attempts<Chunks>, Status> {
        if self.running.is_none() {
            let pass = self.instance.enter()?;
            let timeout = match self.one_row {
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
            let idle = self.options.timeouts.read_rows_idle;
            self.running = Some(Attempts::new(operation, pass, idle));
        }
        self.running
            .as_mut()
            .ok_or_else(|| Status::new(Code::Internal, "the read has not begun"))
    }

    /// Begins an attempt for what is left; false if there is nothing.
    fn open(&mut self) -> Result<bool, Status> {
        if self.is_done() {
            return Ok(false);
        }
        let request = ReadRowsRequest {
            rows: self.remaining.request(),
            rows_limit: self.limit.0.unwrap_or(self.template.rows_limit),
            ..self.template.clone()
        };
        let sent = Sent::new(&request)?;
        let instance = Arc::clone(&self.instance);
        self.begin()?
            .open(|call| async move { instance.transport.streaming(&call, &sent).await });
        Ok(true)
    }

    /// The next row of the current message.
    fn next_in_message(&mut self) -> Result<Option<Row>, Status> {
        while let Some(mut chunk) = self.chunks.next()? {
            if let Some(row) = self.assembler.push(&mut chunk)? {
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
            let step = match &mut self.running {
                Some(running) => ready!(running.poll(cx)),
                None => Step::Ready,
            };
            let goes_on = match step {
                Step::Ready => self.open()?,
                Step::Message(message) => {
                    self.chunks = message;
                    return Poll::Ready(Ok(true));
                }
                Step::Finished => {
                    self.finish_request()?;
                    true
                }
                Step::Failed(failure) => self.after(failure)?,
            };
            if !goes_on {
                return Poll::Ready(Ok(false));
            }
        }
    }

    fn is_done(&self) -> bool {
        self.remaining.is_empty() || self.limit.is_reached()
    }

    /// The server ended an attempt with success.
    fn finish_request(&mut self) -> Result<(), Status> {
        self.assembler.finish()?;
        self.remaining.finish_request();
        if let Some(running) = &mut self.running {
            running.attempt_ended(None);
            running.operation.next_request();
        }
        Ok(())
    }

    /// What follows a failed attempt; false for nothing.
    fn after(&mut self, failure: Failure) -> Result<bool, Status> {
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
            return Ok(false);
        }
        if progressed {
            running.operation.progressed();
        }
        let retried = skipped || running.operation.retries(&failure.status);
        let pause = running.operation.pause_after(failure, retried)?;
        running.pause(pause);
        Ok(true)
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

    /// A read dropped after its last possible row was not given up.
    fn note_row(&mut self) {
        if let Some(running) = &mut self.running
            && (self.one_row || self.limit.is_reached())
        {
            running.ended(None);
        }
    }

    /// Drops everything, and the operation's place among those in flight.
    fn end(&mut self, error: Option<&Status>) {
        self.ended = true;
        if let Some(mut running) = self.running.take() {
            running.ended(error);
        }
    }
}

impl Stream for Rows {
    type Item = Result<Row, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
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
