//! The values of a column of a block as the bytes of cells.

use bigtable_pack::{Column, Values};

/// The types of a column's values in cells, as the first byte of its name in a block.
pub(in crate::model) const INTEGERS: u8 = b'i';
pub(in crate::model) const DOUBLES: u8 = b'd';
pub(in crate::model) const SINGLES: u8 = b's';
pub(in crate::model) const BOOLS: u8 = b'b';
pub(in crate::model) const OTHERS: u8 = b'o';

/// The values of a column of a block as the bytes of cells, one after another.
#[derive(Debug)]
pub(in crate::model) struct Cellular<'b> {
    values: &'b Values,
    is_single: bool,
    next: usize,
}

impl<'b> Cellular<'b> {
    /// The number of bytes of each value of a numeric column.
    pub(in crate::model) fn width(column: &Column) -> usize {
        match (&column.values, column.name.first()) {
            (Values::Floats(_), Some(&SINGLES)) => 4,
            (Values::Integers(_) | Values::Floats(_), _) => 8,
            (Values::Bools(_), _) => 1,
            (Values::Bytes(_), _) => 0,
        }
    }

    pub(in crate::model) fn of(column: &'b Column) -> Self {
        Self {
            values: &column.values,
            is_single: column.name.first() == Some(&SINGLES),
            next: 0,
        }
    }

    /// Appends the next value; false after the last.
    #[inline]
    pub(in crate::model) fn next(&mut self, out: &mut Vec<u8>) -> bool {
        let at = self.next;
        self.next += 1;
        self.write(at, out)
    }

    /// Appends the value at an index; false if there is none.
    #[inline]
    pub(in crate::model) fn write(&self, at: usize, out: &mut Vec<u8>) -> bool {
        match self.values {
            Values::Integers(values) => push(values.get(at).map(|one| one.to_be_bytes()), out),
            Values::Floats(values) if self.is_single => {
                #[allow(clippy::cast_possible_truncation, reason = "it was widened")]
                let single = values.get(at).map(|one| (*one as f32).to_be_bytes());
                push(single, out)
            }
            Values::Floats(values) => push(values.get(at).map(|one| one.to_be_bytes()), out),
            Values::Bools(values) => push(values.get(at).map(|one| [u8::from(*one)]), out),
            Values::Bytes(values) => match values.get(at) {
                Some(value) => {
                    out.extend_from_slice(value);
                    true
                }
                None => false,
            },
        }
    }
}

#[inline]
fn push<const N: usize>(bytes: Option<[u8; N]>, out: &mut Vec<u8>) -> bool {
    if let Some(bytes) = bytes {
        out.extend_from_slice(&bytes);
    }
    bytes.is_some()
}
