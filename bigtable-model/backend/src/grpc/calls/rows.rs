//! The rows of one read, as a stream of batches that resumes where it was interrupted.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::Stream;

use super::attempts::{Attempts, Step};
use super::remaining::Remaining;
use crate::data::{ReadRows, RowBatch};
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

/// Rows as the server sends them, in batches. A batch ends at the end of a message or earlier. At
/// most one message and one row in progress are held.
///
/// Nothing is sent before the first poll; dropping the stream cancels the call.
///
/// If an attempt fails and the read may be retried, the next one asks for the rows after the last
/// row committed or reported as scanned, and for no more than the limit still allows. The part of a
/// row in progress is dropped.
pub(crate) struct Batches {
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
    /// What is wrong with the current message after the rows that were delivered.
    broken: Option<Status>,
}

/// How many rows may still come; without a limit any number.
struct Limit(Option<i64>);

impl Limit {
    fn is_reached(&self) -> bool {
        self.0 == Some(0)
    }

    /// Counts the rows of a batch, and takes off those beyond the limit.
    fn count(&mut self, batch: &mut RowBatch) {
        if let Some(left) = &mut self.0 {
            batch.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
            *left -= i64::try_from(batch.len()).unwrap_or(*left);
        }
    }
}

impl Batches {
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
            assembler: RowAssembler::new(request.reversed).with_most(options.row_bytes),
            chunks: Chunks::default(),
            broken: None,
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
        self.assembler.ask(self.remaining.asked());
        let instance = Arc::clone(&self.instance);
        self.begin()?
            .open(|call| async move { instance.transport.streaming(&call, &sent).await });
        Ok(true)
    }

    /// The next rows of the current message; `None` at its end. Rows before a mistake of the server
    /// are delivered, then the mistake.
    fn next_in_message(&mut self) -> Result<Option<RowBatch>, Status> {
        let rest = match self.broken.take() {
            Some(broken) => Err(broken),
            None => self.assemble(),
        };
        match (self.assembler.take_rows(), rest) {
            (Some(rows), rest) => {
                self.broken = rest.err();
                Ok(Some(rows))
            }
            (None, rest) => rest.map(|()| None),
        }
    }

    /// Takes the chunks of the message until the batch is full.
    fn assemble(&mut self) -> Result<(), Status> {
        while let Some(mut chunk) = self.chunks.next()? {
            self.assembler.push(&mut chunk)?;
            if self.assembler.is_full() {
                return Ok(());
            }
        }
        let (scanned, tail) = self.chunks.finish();
        self.assembler.message_ended(tail)?;
        match scanned.is_empty() {
            true => Ok(()),
            false => self.assembler.scanned(&scanned),
        }
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

    /// What follows a failed attempt; false if nothing does.
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

    fn poll_batch(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<RowBatch>, Status>> {
        loop {
            if let Some(mut rows) = self.next_in_message()? {
                if self.limit.is_reached() {
                    return Poll::Ready(Ok(None));
                }
                self.limit.count(&mut rows);
                self.note_rows();
                return Poll::Ready(Ok(Some(rows)));
            }
            if !ready!(self.poll_message(cx))? {
                return Poll::Ready(Ok(None));
            }
        }
    }

    /// A read dropped after its last possible row was not given up.
    fn note_rows(&mut self) {
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

impl Stream for Batches {
    type Item = Result<RowBatch, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let next = ready!(self.poll_batch(cx)).transpose();
        match &next {
            Some(Ok(_)) => {}
            Some(Err(error)) => self.end(Some(error)),
            None => self.end(None),
        }
        Poll::Ready(next)
    }
}
