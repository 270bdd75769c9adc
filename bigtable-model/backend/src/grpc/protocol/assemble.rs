//! Rows from the chunks that a read streams.
//!
//! A chunk is a cell or a part of one. A row may begin in one message and be committed in a later
//! one, so there is one [`RowAssembler`] for each read, which keeps the row in progress across
//! messages.

use std::mem;

use bytes::{Bytes, BytesMut};

use crate::data::batch::{CELLS, CellAt, Held, RowBatch, Span};
use crate::data::limits;
use crate::grpc::protocol::chunk::Chunk;
use crate::grpc::protocol::wire::RowStatus;
use crate::{Code, Status};

mod asked;
#[cfg(test)]
mod tests;

pub(crate) use asked::Asked;

/// The server states a split value's size; no more than this is allocated before the bytes arrive.
const MAX_PREALLOCATED: usize = 1 << 20;

/// What a cell takes in memory besides its bytes.
const CELL: usize = size_of::<CellAt>();

/// Families that a row has names for: a table has at most this number.
const FAMILIES: u32 = 100;

/// What a family's name takes in memory besides its bytes, at least.
const FAMILY: usize = 64;

/// Assembles rows and checks that the server keeps to the protocol.
///
/// It refuses, with status `INTERNAL`: a row without a key; keys that do not strictly ascend, or
/// descend in a reversed read; a row that was not asked for; a first cell without family or
/// qualifier; a family without a qualifier; another key, family, qualifier, timestamp or label
/// inside a split value; another row's key inside a row; a commit inside a split value; a reset
/// with data, or outside a row; a stream that ends inside a row. With status `RESOURCE_EXHAUSTED`
/// it refuses a row that takes more memory than it may.
#[derive(Debug)]
pub(crate) struct RowAssembler {
    position: Position,
    /// The rows of the current request.
    asked: Asked,
    /// The maximum size of a row.
    most: usize,
    row: Option<RowInProgress>,
    /// The rows that were committed and not taken, and the cells of the row in progress.
    batch: RowBatch,
}

/// The last row committed or reported as scanned. Each row must come after it.
#[derive(Debug)]
struct Position {
    reversed: bool,
    /// Empty before there is a row. A copy, which costs less for each row than counting references
    /// to the bytes.
    key: Vec<u8>,
    /// Whether it has moved since the read began or was interrupted.
    moved: bool,
}

/// A row whose cells so far are in the batch.
#[derive(Debug)]
struct RowInProgress {
    key: Span,
    split: Option<SplitCell>,
    size: RowSize,
}

/// How much memory a row takes.
#[derive(Debug, Default)]
struct RowSize {
    /// Bytes of qualifiers, values and labels: the row's own content.
    content: usize,
    /// Everything else: the places of cells, and bytes of messages that are kept with them.
    around: usize,
}

/// A cell whose value is not complete yet.
#[derive(Debug)]
struct SplitCell {
    /// The cell without its value.
    cell: CellAt,
    labels: Vec<String>,
    value: BytesMut,
}

impl RowAssembler {
    pub(crate) fn new(reversed: bool) -> Self {
        Self {
            position: Position {
                reversed,
                key: Vec::new(),
                moved: false,
            },
            asked: Asked::all(reversed),
            most: limits::ROW,
            row: None,
            batch: RowBatch::default(),
        }
    }

    /// With another maximum for the size of a row: of its qualifiers, values and labels, and of
    /// everything else that is kept with them.
    pub(crate) fn with_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// A request begins, for these rows.
    pub(crate) fn ask(&mut self, asked: Asked) {
        self.asked = asked;
    }

    /// Takes the next chunk. Must not be called after an error.
    pub(crate) fn push(&mut self, chunk: &mut Chunk<'_>) -> Result<(), Status> {
        if let Some(RowStatus::ResetRow(true)) = chunk.row_status {
            return self.reset(chunk);
        }
        let commit = matches!(chunk.row_status, Some(RowStatus::CommitRow(true)));
        let cut = chunk.value_size > 0;
        let size = match &self.row {
            // A part of a value is copied, and nothing of its message is kept.
            Some(row) if row.split.is_some() => RowSize {
                content: chunk.value.len(),
                around: 0,
            },
            _ => chunk.size(),
        };
        match &self.row {
            Some(_) => self.go_on(chunk)?,
            None => self.begin(chunk)?,
        }
        self.grow(size)?;
        match (commit, cut) {
            (true, true) => Err(violation("commit_row inside a split value")),
            (true, false) => {
                self.commit();
                Ok(())
            }
            (false, _) => Ok(()),
        }
    }

    /// Whether enough rows were committed to be taken.
    pub(crate) fn is_full(&self) -> bool {
        self.batch.complete() >= CELLS
    }

    /// The rows that were committed and not taken; `None` for none.
    pub(crate) fn take_rows(&mut self) -> Option<RowBatch> {
        if self.batch.is_empty() {
            return None;
        }
        let open = self.row.iter_mut().flat_map(|row| {
            let split = row.split.as_mut().map(|split| &mut split.cell.qualifier);
            [Some(&mut row.key), split].into_iter().flatten()
        });
        Some(self.batch.take_rows(open.collect()))
    }

    /// Counts what a chunk adds to the row in progress.
    #[inline]
    fn grow(&mut self, more: RowSize) -> Result<(), Status> {
        let Some(RowInProgress { size, .. }) = &mut self.row else {
            return Ok(());
        };
        size.content += more.content;
        size.around += more.around;
        match size.content.max(size.around) <= self.most {
            true => Ok(()),
            false => Err(self.too_large()),
        }
    }

    #[cold]
    fn too_large(&self) -> Status {
        let key = self.row.as_ref().map(|row| self.batch.bytes(row.key));
        Status::new(
            Code::ResourceExhausted,
            format!(
                "row {} takes over {} after the filter: select less of it, or raise `GrpcSettings::row_bytes`",
                limits::shown(key.unwrap_or_default()),
                limits::size(self.most)
            ),
        )
    }

    /// A message ended, with this many bytes after its last chunk.
    pub(crate) fn message_ended(&mut self, tail: usize) -> Result<(), Status> {
        self.grow(RowSize {
            content: 0,
            around: tail,
        })
    }

    /// Records a key that the server has scanned past.
    pub(crate) fn scanned(&mut self, key: &[u8]) -> Result<(), Status> {
        if self.row.is_some() {
            return Err(violation("last_scanned_row_key inside a row"));
        }
        if self.position.is_before(key) {
            self.position.move_to(key);
        }
        Ok(())
    }

    /// The last row committed or reported as scanned.
    pub(crate) fn position(&self) -> Option<Bytes> {
        let key = &self.position.key;
        (!key.is_empty()).then(|| Bytes::copy_from_slice(key))
    }

    /// The stream was interrupted: the row in progress comes again as a whole. Returns whether the
    /// position has moved since the last time.
    pub(crate) fn interrupt(&mut self) -> bool {
        self.drop_row();
        mem::take(&mut self.position.moved)
    }

    /// Checks that the stream may end here.
    pub(crate) fn finish(&self) -> Result<(), Status> {
        match &self.row {
            None => Ok(()),
            Some(row) => Err(violation(format!(
                "the stream ended inside row \"{}\"",
                self.batch.bytes(row.key).escape_ascii()
            ))),
        }
    }

    fn reset(&mut self, chunk: &Chunk<'_>) -> Result<(), Status> {
        if !chunk.is_only_value() || !chunk.value.is_empty() || chunk.value_size != 0 {
            return Err(violation("reset_row with data"));
        }
        match self.drop_row() {
            true => Ok(()),
            false => Err(violation("reset_row outside a row")),
        }
    }

    /// Forgets the row in progress; false if there is none.
    fn drop_row(&mut self) -> bool {
        self.batch.drop_open();
        self.asked.go_back();
        self.row.take().is_some()
    }

    /// Takes a chunk that begins a row.
    fn begin(&mut self, chunk: &mut Chunk<'_>) -> Result<(), Status> {
        if chunk.row_key.is_empty() {
            return Err(violation("a row without a key"));
        }
        if !self.position.is_before(chunk.row_key) {
            return Err(self.position.refuse(chunk.row_key));
        }
        if !self.asked.has(chunk.row_key) {
            return Err(violation(format!(
                "row {} was not asked for",
                limits::shown(chunk.row_key)
            )));
        }
        let (Some(family), Some(qualifier)) = (chunk.family, chunk.qualifier) else {
            return Err(violation(format!(
                "the first cell of row \"{}\" has no family or no qualifier",
                chunk.row_key.escape_ascii()
            )));
        };
        let held = self.batch.hold(chunk.message);
        self.row = Some(RowInProgress {
            key: held.span(chunk.row_key),
            split: None,
            size: RowSize::default(),
        });
        let family = self.family(family)?;
        self.add(held, family, held.span(qualifier), chunk);
        Ok(())
    }

    /// Takes a chunk that does not begin the row.
    fn go_on(&mut self, chunk: &mut Chunk<'_>) -> Result<(), Status> {
        let Some(row) = &mut self.row else {
            return Ok(());
        };
        if row.split.is_some() {
            return self.go_on_in_value(chunk);
        }
        let key = self.batch.bytes(row.key);
        if !chunk.row_key.is_empty() && chunk.row_key != key {
            return Err(violation(format!(
                "row \"{}\" began before row \"{}\" was committed",
                chunk.row_key.escape_ascii(),
                key.escape_ascii()
            )));
        }
        if chunk.family.is_some() && chunk.qualifier.is_none() {
            return Err(violation("a family without a qualifier"));
        }
        // A row in progress has a cell, unless its first is split.
        let Some(last) = self.batch.last_cell().copied() else {
            return Err(violation("a cell without a column"));
        };
        let held = self.batch.hold(chunk.message);
        let family = match chunk.family {
            Some(family) => self.family(family)?,
            None => last.family,
        };
        let qualifier = match chunk.qualifier {
            Some(qualifier) => held.span(qualifier),
            None => last.qualifier,
        };
        self.add(held, family, qualifier, chunk);
        Ok(())
    }

    fn go_on_in_value(&mut self, chunk: &Chunk<'_>) -> Result<(), Status> {
        let Some(row) = &mut self.row else {
            return Ok(());
        };
        if !chunk.is_only_value() {
            return Err(violation(format!(
                "a new cell inside a split value of row \"{}\"",
                self.batch.bytes(row.key).escape_ascii()
            )));
        }
        if let Some(split) = &mut row.split {
            split.value.extend_from_slice(chunk.value);
        }
        if chunk.value_size <= 0
            && let Some(mut split) = row.split.take()
        {
            split.cell.value = self.batch.hold_all(split.value.freeze());
            self.batch.add_cell(split.cell, split.labels);
        }
        Ok(())
    }

    /// Adds a cell, or begins one whose value is split.
    fn add(&mut self, held: Held, family: u32, qualifier: Span, chunk: &mut Chunk<'_>) {
        let mut cell = CellAt::new(family, qualifier, chunk.timestamp_micros);
        let labels = mem::take(&mut chunk.labels);
        if chunk.value_size <= 0 {
            cell.value = held.span(chunk.value);
            self.batch.add_cell(cell, labels);
            return;
        }
        let size = usize::try_from(chunk.value_size).unwrap_or(0);
        let mut value = BytesMut::with_capacity(size.min(MAX_PREALLOCATED));
        value.extend_from_slice(chunk.value);
        if let Some(row) = &mut self.row {
            row.split = Some(SplitCell {
                cell,
                labels,
                value,
            });
        }
    }

    fn family(&mut self, name: &[u8]) -> Result<u32, Status> {
        let family = self.batch.family(name);
        let family = family.ok_or_else(|| violation("a family's name is not UTF-8"))?;
        if family >= FAMILIES {
            self.grow(RowSize {
                content: 0,
                around: FAMILY,
            })?;
        }
        Ok(family)
    }

    fn commit(&mut self) {
        if let Some(row) = self.row.take() {
            self.asked.stay();
            self.position.move_to(self.batch.bytes(row.key));
            self.batch.end_row(row.key);
        }
    }
}

impl Position {
    fn move_to(&mut self, key: &[u8]) {
        self.key.clear();
        self.key.extend_from_slice(key);
        self.moved = true;
    }

    fn is_before(&self, key: &[u8]) -> bool {
        let position = self.key.as_slice();
        match self.reversed {
            _ if position.is_empty() => true,
            true => key < position,
            false => key > position,
        }
    }

    /// The error for a key that does not come after it.
    #[cold]
    fn refuse(&self, key: &[u8]) -> Status {
        let order = match self.reversed {
            true => "decreasing",
            false => "increasing",
        };
        violation(format!(
            "row keys must be strictly {order}, but \"{}\" came after \"{}\"",
            key.escape_ascii(),
            self.key.escape_ascii()
        ))
    }
}

impl Chunk<'_> {
    /// The size that it adds to its row as a cell.
    #[inline]
    fn size(&self) -> RowSize {
        let labels: usize = self.labels.iter().map(String::len).sum();
        let content = self.qualifier.map_or(0, <[u8]>::len) + self.value.len() + labels;
        RowSize {
            content,
            around: CELL * (1 + self.labels.len()) + self.encoded.saturating_sub(content),
        }
    }

    /// Whether it has a value only: no row, column or cell.
    fn is_only_value(&self) -> bool {
        self.row_key.is_empty()
            && self.family.is_none()
            && self.qualifier.is_none()
            && self.timestamp_micros == 0
            && self.labels.is_empty()
    }
}

#[cold]
fn violation(what: impl AsRef<str>) -> Status {
    Status::new(
        Code::Internal,
        format!("the server broke the ReadRows protocol: {}", what.as_ref()),
    )
}
