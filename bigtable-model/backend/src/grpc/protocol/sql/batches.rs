//! From the parts of a stream to batches of rows that may be delivered.
//!
//! A batch is cut into parts anywhere, and a checksum ends it. Its rows wait for a token, from
//! which the stream can be resumed. If the stream is interrupted, waiting rows are dropped, and the
//! server sends them again.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use super::invalid;
use super::rows::Batch;
use crate::data::limits;
use crate::grpc::protocol::wire::{ExecuteQueryAnswer, ExecuteQueryResponse, PartialResultSet};
use crate::sql::SqlColumns;
use crate::{Code, Status};

/// The state of one query's stream, over all attempts.
#[derive(Debug)]
pub(crate) struct Batches {
    columns: Arc<SqlColumns>,
    /// The parts of the batch in progress.
    parts: Parts,
    /// Whole batches that no token has released.
    queue: VecDeque<Batch>,
    /// Bytes of the queue.
    queued: usize,
    released: VecDeque<Batch>,
    token: Bytes,
    /// The maximum size of rows that wait for a token.
    most: usize,
}

impl Batches {
    /// At most this many bytes wait for a token, and the values of a row take at most as many.
    pub(crate) fn new(columns: Arc<SqlColumns>, most: usize) -> Self {
        Self {
            columns,
            parts: Parts::default(),
            queue: VecDeque::new(),
            queued: 0,
            released: VecDeque::new(),
            token: Bytes::new(),
            most,
        }
    }

    /// The token from which the stream can be resumed; empty before the first.
    pub(crate) fn token(&self) -> &Bytes {
        &self.token
    }

    /// The batch to take rows from.
    pub(crate) fn released(&mut self) -> Option<&mut Batch> {
        self.released.front_mut()
    }

    /// Drops that batch.
    pub(crate) fn taken(&mut self) {
        self.released.pop_front();
    }

    /// Takes a message.
    pub(crate) fn push(&mut self, message: ExecuteQueryResponse) -> Result<(), Status> {
        match message.response {
            Some(ExecuteQueryAnswer::Results(part)) => self.push_part(part),
            Some(ExecuteQueryAnswer::Metadata(_)) => {
                Err(invalid("expected results response, but received: METADATA"))
            }
            None => Err(invalid(
                "expected results response, but received one of an unknown kind",
            )),
        }
    }

    fn push_part(&mut self, part: PartialResultSet) -> Result<(), Status> {
        if part.reset {
            self.interrupt();
        }
        if let Some(batch) = part.proto_rows_batch {
            self.append(batch.batch_data)?;
        }
        if let Some(checksum) = part.batch_checksum {
            self.end_batch(checksum)?;
        }
        if !part.resume_token.is_empty() {
            self.released.append(&mut self.queue);
            self.queued = 0;
            self.token = part.resume_token;
        }
        Ok(())
    }

    fn append(&mut self, data: Bytes) -> Result<(), Status> {
        if self.queued + self.parts.len() + data.len() > self.most {
            return Err(Status::new(
                Code::ResourceExhausted,
                format!(
                    "a batch of the query's rows is over {}: select less of each row, or raise `GrpcSettings::row_bytes`",
                    limits::size(self.most)
                ),
            ));
        }
        self.parts.append(data);
        Ok(())
    }

    fn end_batch(&mut self, checksum: u32) -> Result<(), Status> {
        let rows = self.parts.take();
        let found = crc32c::crc32c(&rows);
        if found != checksum {
            return Err(invalid(format!(
                "unexpected checksum mismatch: a batch of {} bytes has {found:08x}, and {checksum:08x} was announced",
                rows.len()
            )));
        }
        let batch = Batch::checked(rows, &self.columns, self.most)?;
        if batch.len() > 0 {
            self.queued += batch.len();
            self.queue.push_back(batch);
        }
        Ok(())
    }

    /// The stream was interrupted, or the server starts again: rows that no token has released are
    /// dropped.
    pub(crate) fn interrupt(&mut self) {
        self.parts = Parts::default();
        self.queue.clear();
        self.queued = 0;
    }

    /// Continues with another plan, whose rows have not begun to arrive.
    pub(crate) fn replan(&mut self, columns: Arc<SqlColumns>) {
        self.interrupt();
        self.columns = columns;
    }

    /// Refuses an end of the stream with rows that no token has released.
    pub(crate) fn finish(&self) -> Result<(), Status> {
        match self.queued + self.parts.len() {
            0 => Ok(()),
            bytes => Err(invalid(format!(
                "the stream ended, and no resume token released its last {bytes} bytes"
            ))),
        }
    }
}

/// The parts of a batch. A batch in one part is not copied.
#[derive(Debug, Default)]
struct Parts {
    first: Bytes,
    joined: BytesMut,
}

impl Parts {
    fn len(&self) -> usize {
        self.first.len() + self.joined.len()
    }

    fn append(&mut self, data: Bytes) {
        if self.len() == 0 {
            self.first = data;
            return;
        }
        if !self.first.is_empty() {
            self.joined = BytesMut::from(&*mem::take(&mut self.first));
        }
        self.joined.extend_from_slice(&data);
    }

    fn take(&mut self) -> Bytes {
        match self.joined.is_empty() {
            true => mem::take(&mut self.first),
            false => mem::take(&mut self.joined).freeze(),
        }
    }
}
