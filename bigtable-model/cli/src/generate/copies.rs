//! Columns that repeat a segment of the key.

use bigtable_model::data::Row;
use bigtable_model::schema::{SegmentFormat, SegmentKind};

use super::columns::{self, Column};
use super::keys::Shape;
use super::segments::Part;
use crate::text;

/// A column with the value of a segment in each row.
#[derive(Debug, Clone)]
pub(super) struct CopyOf {
    /// The segment, by its index.
    pub(super) part: usize,
    pub(super) family: String,
    pub(super) qualifier: String,
}

/// A shorter value may be the same by chance.
const TELLING: usize = 3;

/// The copies in the rows of a shape, and the rows without them.
pub(super) fn copies(shape: &Shape<'_>, parts: &[Part]) -> (Vec<CopyOf>, Vec<Row>) {
    let found = columns::columns(&shape.rows);
    let mut copies: Vec<CopyOf> = Vec::new();
    for column in found.iter().filter(|one| one.rows == shape.rows.len()) {
        let of = (0..parts.len()).find(|part| {
            let is_taken = copies.iter().any(|copy| copy.part == *part);
            !is_taken && repeats(shape, parts, *part, column)
        });
        if let Some(part) = of.filter(|_| text::is_plain(&column.qualifier)) {
            copies.push(CopyOf {
                part,
                family: column.family.clone(),
                qualifier: String::from_utf8_lossy(&column.qualifier).into_owned(),
            });
        }
    }
    let mut rows: Vec<Row> = shape.rows.iter().map(|row| (*row).clone()).collect();
    for row in &mut rows {
        row.cells.retain(|cell| {
            let mut copies = copies.iter();
            !copies.any(|copy| cell.family == copy.family && cell.qualifier == copy.qualifier)
        });
    }
    // An event needs a column that is not a copy.
    match rows.iter().any(|row| row.cells.is_empty()) {
        true => (
            Vec::new(),
            shape.rows.iter().map(|row| (*row).clone()).collect(),
        ),
        false => (copies, rows),
    }
}

/// Whether a column has the text of a segment in each row.
fn repeats(shape: &Shape<'_>, parts: &[Part], part: usize, column: &Column) -> bool {
    let (Some(values), Some(of)) = (shape.parts.get(part), parts.get(part)) else {
        return false;
    };
    let is_same = |(row, value): (&&Row, &&[u8])| {
        let cells = row.cells.iter();
        let mut own =
            cells.filter(|cell| cell.family == column.family && cell.qualifier == column.qualifier);
        let text = as_text(value, of);
        own.all(|cell| text.len() >= TELLING && cell.value == text)
    };
    shape.rows.iter().zip(values).all(is_same)
}

/// The text of a segment's value.
fn as_text<'a>(value: &'a [u8], part: &Part) -> &'a [u8] {
    match (&part.segment.format, part.segment.kind) {
        (SegmentFormat::Padded { pad, .. }, _) => {
            let len = value
                .iter()
                .rposition(|byte| byte != pad)
                .map_or(0, |at| at + 1);
            value.get(..len).unwrap_or_default()
        }
        (SegmentFormat::Digits { .. }, _) => {
            let zeros = value.iter().take_while(|byte| **byte == b'0').count();
            value.get(zeros..).unwrap_or_default()
        }
        // As bytes it has no text.
        (_, SegmentKind::Bytes) | (SegmentFormat::BinaryTicks { .. }, _) => &[],
        (SegmentFormat::BigEndian { .. }, _) => &[],
        _ => value,
    }
}
