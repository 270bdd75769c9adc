//! Rows from the chunks that a read streams.
//!
//! A chunk is a cell or a part of one. A row may begin in one message and be committed in a later
//! one, so there is one [`RowAssembler`] for each read, which keeps the row in progress across
//! messages.

use std::collections::BTreeSet;
use std::mem;

use bytes::{Bytes, BytesMut};
use bytestring::ByteString;

use crate::data::{Cell, KnownColumns, Row};
use crate::grpc::protocol::chunk::Chunk;
use crate::grpc::protocol::wire::RowStatus;
use crate::{Code, Status};

#[cfg(test)]
mod tests;

/// The server states a split value's size; no more than this is allocated before the bytes arrive.
const MAX_PREALLOCATED: usize = 1 << 20;

/// A table has at most 100 families, and most reads see one or two.
const MAX_FAMILIES: usize = 100;

/// Assembles rows and checks that the server keeps to the protocol.
///
/// It refuses, with status `INTERNAL`: a row without a key; keys that do not strictly ascend, or
/// descend in a reversed read; a first cell without family or qualifier; a family without a
/// qualifier; another key, family, qualifier, timestamp or label inside a split value; another
/// row's key inside a row; a commit inside a split value; a reset with data, or outside a row; a
/// stream that ends inside a row.
#[derive(Debug)]
pub(crate) struct RowAssembler {
    reversed: bool,
    /// The last row committed or reported as scanned, empty before there is one. Each row must come
    /// after it. A copy, which costs less for each row than counting references to the bytes.
    position: Vec<u8>,
    row: Option<RowInProgress>,
    /// Whether the position has moved since the read began or was interrupted.
    moved: bool,
    names: Names,
    /// Rows of one table tend to have the same size.
    expected_cells: usize,
}

#[derive(Debug)]
struct RowInProgress {
    key: Bytes,
    /// A chunk without a qualifier continues the column of the last.
    cells: Vec<Cell>,
    split: Option<SplitCell>,
}

/// A cell whose value is not complete yet.
#[derive(Debug)]
struct SplitCell {
    /// The cell without its value.
    cell: Cell,
    value: BytesMut,
}

impl RowAssembler {
    pub(crate) fn new(reversed: bool) -> Self {
        Self {
            reversed,
            position: Vec::new(),
            row: None,
            moved: false,
            names: Names::default(),
            expected_cells: 0,
        }
    }

    /// Of cells whose columns the program may know.
    pub(crate) fn with_known(self, known: &KnownColumns) -> Self {
        Self {
            names: Names::new(known),
            ..self
        }
    }

    /// Takes the next chunk; returns the row that it commits. Must not be called after an error.
    pub(crate) fn push(&mut self, chunk: &mut Chunk<'_>) -> Result<Option<Row>, Status> {
        if let Some(RowStatus::ResetRow(true)) = chunk.row_status {
            self.reset(chunk)?;
            return Ok(None);
        }
        let commit = matches!(chunk.row_status, Some(RowStatus::CommitRow(true)));
        let cut = chunk.value_size > 0;
        match &mut self.row {
            Some(row) => row.go_on(chunk, &mut self.names)?,
            None => self.row = Some(self.begin(chunk)?),
        }
        match (commit, cut) {
            (true, true) => Err(violation("commit_row inside a split value")),
            (true, false) => Ok(self.commit()),
            (false, _) => Ok(None),
        }
    }

    /// Records a key that the server has scanned past.
    pub(crate) fn scanned(&mut self, key: &[u8]) -> Result<(), Status> {
        if self.row.is_some() {
            return Err(violation("last_scanned_row_key inside a row"));
        }
        if self.is_ahead(key) {
            self.move_to(key);
        }
        Ok(())
    }

    /// The last row committed or reported as scanned.
    pub(crate) fn position(&self) -> Option<Bytes> {
        (!self.position.is_empty()).then(|| Bytes::copy_from_slice(&self.position))
    }

    /// The stream was interrupted: the row in progress comes again as a whole. Returns whether the
    /// position has moved since the last time.
    pub(crate) fn interrupt(&mut self) -> bool {
        self.row = None;
        mem::take(&mut self.moved)
    }

    /// Checks that the stream may end here.
    pub(crate) fn finish(&self) -> Result<(), Status> {
        match &self.row {
            None => Ok(()),
            Some(row) => Err(violation(format!(
                "the stream ended inside row \"{}\"",
                row.key.escape_ascii()
            ))),
        }
    }

    fn reset(&mut self, chunk: &Chunk<'_>) -> Result<(), Status> {
        if !chunk.is_only_value() || !chunk.value.is_empty() || chunk.value_size != 0 {
            return Err(violation("reset_row with data"));
        }
        match self.row.take() {
            Some(_) => Ok(()),
            None => Err(violation("reset_row outside a row")),
        }
    }

    fn begin(&mut self, chunk: &mut Chunk<'_>) -> Result<RowInProgress, Status> {
        if chunk.row_key.is_empty() {
            return Err(violation("a row without a key"));
        }
        if !self.is_ahead(chunk.row_key) {
            return Err(self.out_of_order(chunk.row_key));
        }
        let (Some(family), Some(qualifier)) = (chunk.family, chunk.qualifier) else {
            return Err(violation(format!(
                "the first cell of row \"{}\" has no family or no qualifier",
                chunk.row_key.escape_ascii()
            )));
        };
        let mut row = RowInProgress {
            key: chunk.keep(chunk.row_key),
            cells: Vec::with_capacity(self.expected_cells),
            split: None,
        };
        let family = self.names.family(family)?;
        self.names.next = 0;
        let qualifier = self.names.qualifier(qualifier, chunk);
        row.add(family, qualifier, chunk);
        Ok(row)
    }

    fn commit(&mut self) -> Option<Row> {
        let row = self.row.take()?;
        self.move_to(&row.key);
        self.expected_cells = row.cells.len();
        Some(Row {
            key: row.key,
            cells: row.cells,
        })
    }

    fn move_to(&mut self, key: &[u8]) {
        self.position.clear();
        self.position.extend_from_slice(key);
        self.moved = true;
    }

    fn is_ahead(&self, key: &[u8]) -> bool {
        let position = self.position.as_slice();
        match self.reversed {
            _ if position.is_empty() => true,
            true => key < position,
            false => key > position,
        }
    }

    fn out_of_order(&self, key: &[u8]) -> Status {
        violation(format!(
            "row keys must be strictly {}, but \"{}\" came after \"{}\"",
            if self.reversed {
                "decreasing"
            } else {
                "increasing"
            },
            key.escape_ascii(),
            self.position.escape_ascii()
        ))
    }
}

impl RowInProgress {
    /// Takes a chunk that does not begin the row.
    fn go_on(&mut self, chunk: &mut Chunk<'_>, names: &mut Names) -> Result<(), Status> {
        if self.split.is_some() {
            return self.go_on_in_value(chunk);
        }
        if !chunk.row_key.is_empty() && chunk.row_key != self.key {
            return Err(violation(format!(
                "row \"{}\" began before row \"{}\" was committed",
                chunk.row_key.escape_ascii(),
                self.key.escape_ascii()
            )));
        }
        if chunk.family.is_some() && chunk.qualifier.is_none() {
            return Err(violation("a family without a qualifier"));
        }
        // A row in progress has a cell, unless its first is split.
        let Some(last) = self.cells.last() else {
            return Err(violation("a cell without a column"));
        };
        let family = match chunk.family {
            Some(family) => names.family(family)?,
            None => last.family.clone(),
        };
        let qualifier = match chunk.qualifier {
            Some(qualifier) => names.qualifier(qualifier, chunk),
            None => last.qualifier.clone(),
        };
        self.add(family, qualifier, chunk);
        Ok(())
    }

    fn go_on_in_value(&mut self, chunk: &Chunk<'_>) -> Result<(), Status> {
        if !chunk.is_only_value() {
            return Err(violation(format!(
                "a new cell inside a split value of row \"{}\"",
                self.key.escape_ascii()
            )));
        }
        if let Some(split) = &mut self.split {
            split.value.extend_from_slice(chunk.value);
        }
        if chunk.value_size <= 0
            && let Some(SplitCell { mut cell, value }) = self.split.take()
        {
            cell.value = value.freeze();
            self.cells.push(cell);
        }
        Ok(())
    }

    /// Adds a cell, or begins one whose value is split.
    fn add(&mut self, family: ByteString, qualifier: Bytes, chunk: &mut Chunk<'_>) {
        let whole = chunk.value_size <= 0;
        let cell = Cell {
            family,
            qualifier,
            timestamp_micros: chunk.timestamp_micros,
            value: match whole {
                true => chunk.keep(chunk.value),
                false => Bytes::new(),
            },
            labels: mem::take(&mut chunk.labels),
        };
        if whole {
            self.cells.push(cell);
            return;
        }
        let size = usize::try_from(chunk.value_size).unwrap_or(0);
        let mut value = BytesMut::with_capacity(size.min(MAX_PREALLOCATED));
        value.extend_from_slice(chunk.value);
        self.split = Some(SplitCell { cell, value });
    }
}

impl Chunk<'_> {
    /// Whether it has a value only: no row, column or cell.
    fn is_only_value(&self) -> bool {
        self.row_key.is_empty()
            && self.family.is_none()
            && self.qualifier.is_none()
            && self.timestamp_micros == 0
            && self.labels.is_empty()
    }
}

/// The names of columns. Those that the program has as constants cost no references.
#[derive(Debug, Default)]
struct Names {
    /// The known families and those seen so far, each checked and copied once: the name does not
    /// keep its message in memory.
    families: Vec<ByteString>,
    /// The known qualifiers, each once, in the order of their bytes.
    known: Vec<Bytes>,
    /// The place in `known` of the qualifier expected next: the cells of a family come in the order
    /// of their qualifiers.
    next: usize,
}

impl Names {
    fn new(known: &KnownColumns) -> Self {
        let (families, qualifiers): (BTreeSet<_>, BTreeSet<_>) =
            known.columns().iter().copied().unzip();
        let qualifiers = qualifiers.into_iter().map(str::as_bytes);
        Self {
            families: families.into_iter().map(ByteString::from_static).collect(),
            known: qualifiers.map(Bytes::from_static).collect(),
            next: 0,
        }
    }

    fn family(&mut self, name: &[u8]) -> Result<ByteString, Status> {
        if let Some(known) = self.families.iter().find(|known| known.as_bytes() == name) {
            return Ok(known.clone());
        }
        let Ok(text) = std::str::from_utf8(name) else {
            return Err(violation("a family's name is not UTF-8"));
        };
        let text = ByteString::from(text);
        if self.families.len() < MAX_FAMILIES {
            self.families.push(text.clone());
        }
        Ok(text)
    }

    #[inline]
    fn qualifier(&mut self, name: &[u8], chunk: &Chunk<'_>) -> Bytes {
        if let Some(expected) = self.known.get(self.next)
            && expected == name
        {
            self.next += 1;
            return expected.clone();
        }
        self.unexpected(name, chunk)
    }

    /// A qualifier that is not the one expected next: columns before it may have no value.
    fn unexpected(&mut self, name: &[u8], chunk: &Chunk<'_>) -> Bytes {
        match self
            .known
            .binary_search_by(|known| known.as_ref().cmp(name))
        {
            Ok(at) => {
                self.next = at + 1;
                self.known.get(at).cloned().unwrap_or_default()
            }
            Err(_) => chunk.keep(name),
        }
    }
}

#[cold]
fn violation(what: impl AsRef<str>) -> Status {
    Status::new(
        Code::Internal,
        format!("the server broke the ReadRows protocol: {}", what.as_ref()),
    )
}
