//! Rows from the chunks that a read streams.
//!
//! A chunk is a cell or a part of one. A row may begin in one message and be committed in a later one, so what is
//! in progress lives across messages: there is one [`RowAssembler`] for one read, and messages are no unit of it.

use std::mem;

use bytes::{Bytes, BytesMut};
use bytestring::ByteString;

use super::wire::{BytesValue, CellChunk, RowStatus};
use crate::data::{Cell, Row};
use crate::{Code, Status};

#[cfg(test)]
mod tests;

/// A split value's size is the server's word; no more than this is set aside before the bytes are there.
const MAX_PREALLOCATED: usize = 1 << 20;

/// A table has at most 100 families, and a read mostly sees one or two.
const MAX_FAMILIES: usize = 100;

/// Puts rows together and checks that the server keeps to the protocol.
///
/// What it refuses, as an `INTERNAL` status: a row without a key; keys that do not strictly ascend, or descend in a
/// reversed read; a first cell without family or qualifier; a family without a qualifier; another key, family,
/// qualifier, timestamp or label inside a split value; another row's key inside a row; a commit inside a split
/// value; a reset with data, or outside a row; a stream that ends inside a row.
#[derive(Debug)]
pub(crate) struct RowAssembler {
    reversed: bool,
    /// The last row committed or reported as scanned. A row must come after it.
    position: Option<Bytes>,
    row: Option<RowInProgress>,
    /// Whether the position has moved since the read began or was interrupted.
    moved: bool,
    families: FamilyNames,
    /// Rows of one table tend to be of one size.
    expected_cells: usize,
}

#[derive(Debug)]
struct RowInProgress {
    key: Bytes,
    cells: Vec<Cell>,
    /// The column that a chunk without a qualifier continues.
    family: ByteString,
    qualifier: Bytes,
    split: Option<SplitCell>,
}

/// A cell of whose value more is to come.
#[derive(Debug)]
struct SplitCell {
    timestamp_micros: i64,
    labels: Vec<String>,
    value: BytesMut,
}

impl RowAssembler {
    pub(crate) fn new(reversed: bool) -> Self {
        Self {
            reversed,
            position: None,
            row: None,
            moved: false,
            families: FamilyNames::default(),
            expected_cells: 0,
        }
    }

    /// Takes the next chunk; gives the row that it commits. After an error there is nothing more to take.
    pub(crate) fn push(&mut self, mut chunk: CellChunk) -> Result<Option<Row>, Status> {
        if let Some(RowStatus::ResetRow(true)) = chunk.row_status {
            self.reset(&chunk)?;
            return Ok(None);
        }
        let commit = matches!(chunk.row_status, Some(RowStatus::CommitRow(true)));
        if self.row.is_none() {
            self.row = Some(self.begin(&mut chunk)?);
        } else if let Some(row) = &mut self.row {
            row.go_on(&mut chunk, &mut self.families)?;
        }
        if let Some(row) = &mut self.row {
            row.take_value(chunk, commit)?;
        }
        Ok(if commit { self.commit() } else { None })
    }

    /// Takes note of a key that the server has scanned past. One behind the position says nothing new.
    pub(crate) fn scanned(&mut self, key: Bytes) -> Result<(), Status> {
        if self.row.is_some() {
            return Err(violation("last_scanned_row_key inside a row"));
        }
        if self.is_ahead(&key) {
            self.position = Some(key);
            self.moved = true;
        }
        Ok(())
    }

    /// The last row committed or reported as scanned.
    pub(crate) fn position(&self) -> Option<&Bytes> {
        self.position.as_ref()
    }

    /// The stream broke off: the row in progress comes again as a whole. Tells whether the position has moved since the
    /// last time.
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

    fn reset(&mut self, chunk: &CellChunk) -> Result<(), Status> {
        let bare = chunk.row_key.is_empty()
            && chunk.family_name.is_none()
            && chunk.qualifier.is_none()
            && chunk.timestamp_micros == 0
            && chunk.labels.is_empty()
            && chunk.value.is_empty()
            && chunk.value_size == 0;
        if !bare {
            return Err(violation("reset_row with data"));
        }
        match self.row.take() {
            Some(_) => Ok(()),
            None => Err(violation("reset_row outside a row")),
        }
    }

    /// Names are taken out of the chunk rather than cloned: a clone counts references twice.
    fn begin(&mut self, chunk: &mut CellChunk) -> Result<RowInProgress, Status> {
        if chunk.row_key.is_empty() {
            return Err(violation("a row without a key"));
        }
        if !self.is_ahead(&chunk.row_key) {
            return Err(self.out_of_order(&chunk.row_key));
        }
        let (Some(family), Some(qualifier)) = (&chunk.family_name, &mut chunk.qualifier) else {
            return Err(violation(format!(
                "the first cell of row \"{}\" has no family or no qualifier",
                chunk.row_key.escape_ascii()
            )));
        };
        Ok(RowInProgress {
            family: self.families.name(family)?,
            qualifier: mem::take(&mut qualifier.value),
            key: mem::take(&mut chunk.row_key),
            cells: Vec::with_capacity(self.expected_cells),
            split: None,
        })
    }

    fn commit(&mut self) -> Option<Row> {
        let row = self.row.take()?;
        self.position = Some(row.key.clone());
        self.moved = true;
        self.expected_cells = row.cells.len();
        Some(Row {
            key: row.key,
            cells: row.cells,
        })
    }

    fn is_ahead(&self, key: &Bytes) -> bool {
        match &self.position {
            None => true,
            Some(position) if self.reversed => key < position,
            Some(position) => key > position,
        }
    }

    fn out_of_order(&self, key: &Bytes) -> Status {
        violation(format!(
            "row keys must be strictly {}, but \"{}\" came after \"{}\"",
            if self.reversed {
                "decreasing"
            } else {
                "increasing"
            },
            key.escape_ascii(),
            self.position.as_deref().unwrap_or_default().escape_ascii()
        ))
    }
}

impl RowInProgress {
    /// Checks a chunk inside a row, and moves to the column that it names.
    fn go_on(&mut self, chunk: &mut CellChunk, families: &mut FamilyNames) -> Result<(), Status> {
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
        if let Some(family) = &chunk.family_name {
            if chunk.qualifier.is_none() {
                return Err(violation("a family without a qualifier"));
            }
            self.family = families.name(family)?;
        }
        if let Some(qualifier) = &mut chunk.qualifier {
            self.qualifier = mem::take(&mut qualifier.value);
        }
        Ok(())
    }

    fn go_on_in_value(&self, chunk: &CellChunk) -> Result<(), Status> {
        let only_value = chunk.row_key.is_empty()
            && chunk.family_name.is_none()
            && chunk.qualifier.is_none()
            && chunk.timestamp_micros == 0
            && chunk.labels.is_empty();
        match only_value {
            true => Ok(()),
            false => Err(violation(format!(
                "a new cell inside a split value of row \"{}\"",
                self.key.escape_ascii()
            ))),
        }
    }

    /// Takes the chunk's value: a whole cell, or a part of one.
    fn take_value(&mut self, chunk: CellChunk, commit: bool) -> Result<(), Status> {
        if chunk.value_size > 0 {
            if commit {
                return Err(violation("commit_row inside a split value"));
            }
            self.take_part(chunk);
            return Ok(());
        }
        let (timestamp_micros, labels, value) = match self.split.take() {
            None => (chunk.timestamp_micros, chunk.labels, chunk.value),
            Some(mut split) => {
                split.value.extend_from_slice(&chunk.value);
                (split.timestamp_micros, split.labels, split.value.freeze())
            }
        };
        self.cells.push(Cell {
            family: self.family.clone(),
            qualifier: self.qualifier.clone(),
            timestamp_micros,
            value,
            labels,
        });
        Ok(())
    }

    fn take_part(&mut self, chunk: CellChunk) {
        let size = usize::try_from(chunk.value_size).unwrap_or(0);
        let split = self.split.get_or_insert_with(|| SplitCell {
            timestamp_micros: chunk.timestamp_micros,
            labels: chunk.labels,
            value: BytesMut::with_capacity(size.min(MAX_PREALLOCATED)),
        });
        split.value.extend_from_slice(&chunk.value);
    }
}

/// The names of families seen so far, each checked and copied once: a cell then costs a reference count, and a name
/// does not hold on to the message that it came in.
#[derive(Debug, Default)]
struct FamilyNames(Vec<ByteString>);

impl FamilyNames {
    fn name(&mut self, name: &BytesValue) -> Result<ByteString, Status> {
        if let Some(known) = self.0.iter().find(|known| known.as_bytes() == &name.value) {
            return Ok(known.clone());
        }
        let Ok(text) = std::str::from_utf8(&name.value) else {
            return Err(violation("a family's name is not UTF-8"));
        };
        let text = ByteString::from(text);
        if self.0.len() < MAX_FAMILIES {
            self.0.push(text.clone());
        }
        Ok(text)
    }
}

fn violation(what: impl AsRef<str>) -> Status {
    Status::new(
        Code::Internal,
        format!("the server broke the ReadRows protocol: {}", what.as_ref()),
    )
}
