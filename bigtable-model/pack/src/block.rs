use bytes::Bytes;

use crate::PackError;
use crate::bits::{long, read_byte, read_bytes, read_varint, write_varint};
use crate::{floats, integers, presence, texts};

/// The version of the format.
const VERSION: u8 = 1;

/// The maximum number of values in a block, including times, whether present or not: decoding takes
/// at most this many places in memory.
pub const MOST_VALUES: usize = 1 << 22;

/// The events of a block, column by column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block {
    /// The times of the events, in any unit.
    pub times: Vec<i64>,
    /// The columns, in ascending order of their names.
    pub columns: Vec<Column>,
}

/// A column of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: Bytes,
    /// For each event whether it has the column.
    pub present: Vec<bool>,
    /// The values of those that have it, in their order.
    pub values: Values,
}

/// Values of one type.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Integers, times and everything else that is an integer.
    Integers(Vec<i64>),
    /// Floats, which come back bit for bit.
    Floats(Vec<f64>),
    /// True or false.
    Bools(Vec<bool>),
    /// Texts and other bytes.
    Bytes(Vec<Bytes>),
}

impl Block {
    /// The block as bytes.
    ///
    /// # Errors
    /// [`PackError::Refused`] for more than [`MOST_VALUES`], a list of another length than the
    /// events have, and names of columns that do not rise.
    pub fn encode(&self) -> Result<Vec<u8>, PackError> {
        let count = self.times.len();
        if values_of(count, self.columns.len()) > MOST_VALUES {
            return Err(PackError::Refused("more values than it holds"));
        }
        let mut out = vec![VERSION];
        write_varint(long(count), &mut out);
        integers::write(&self.times, &mut out);
        write_varint(long(self.columns.len()), &mut out);
        let mut last: Option<&Bytes> = None;
        for column in &self.columns {
            let held = presence::count(&column.present);
            if column.present.len() != count || column.values.len() != held {
                return Err(PackError::Refused("a column of another length"));
            }
            if last.replace(&column.name) >= Some(&column.name) {
                return Err(PackError::Refused("names of columns that do not rise"));
            }
            let body = column.written();
            write_varint(long(column.name.len()), &mut out);
            out.extend(&column.name);
            write_varint(long(body.len()), &mut out);
            out.extend(body);
        }
        out.extend(crc32c::crc32c(&out).to_be_bytes());
        Ok(out)
    }

    /// Reads a block.
    ///
    /// # Errors
    /// If the bytes are not a block. Whatever the bytes are, it takes no more memory than
    /// [`MOST_VALUES`] and the bytes of texts need.
    pub fn decode(bytes: &[u8]) -> Result<Self, PackError> {
        Self::decode_some(bytes, |_| true)
    }

    /// The same with only some of the columns, by their names. The bytes of the others are not
    /// read, except for the checksum.
    ///
    /// # Errors
    /// As for [`decode`](Block::decode).
    pub fn decode_some(bytes: &[u8], is_wanted: impl Fn(&[u8]) -> bool) -> Result<Self, PackError> {
        let (body, sum) = bytes.split_last_chunk().ok_or(PackError::Short)?;
        if crc32c::crc32c(body) != u32::from_be_bytes(*sum) {
            return Err(PackError::Checksum);
        }
        Self::of_body(body, is_wanted)
    }

    fn of_body(mut body: &[u8], is_wanted: impl Fn(&[u8]) -> bool) -> Result<Self, PackError> {
        match read_byte(&mut body)? {
            VERSION => {}
            other => return Err(PackError::Version(other)),
        }
        let count = read_len(&mut body)?;
        if count > MOST_VALUES {
            return Err(PackError::Malformed("more values than a block holds"));
        }
        let times = integers::read(&mut body, count)?;
        let number_of_columns = read_len(&mut body)?;
        if values_of(count, number_of_columns) > MOST_VALUES {
            return Err(PackError::Malformed("more values than a block holds"));
        }
        let mut columns: Vec<Column> = Vec::new();
        let mut last: Option<&[u8]> = None;
        for _ in 0..number_of_columns {
            let len = read_varint(&mut body)?;
            let name = read_bytes(&mut body, len)?;
            if last.replace(name) >= Some(name) {
                return Err(PackError::Malformed("names of columns that do not rise"));
            }
            let len = read_varint(&mut body)?;
            let column = read_bytes(&mut body, len)?;
            if is_wanted(name) {
                let name = Bytes::copy_from_slice(name);
                columns.push(Column::read(name, column, count)?);
            }
        }
        match body {
            [] => Ok(Self { times, columns }),
            _ => Err(PackError::Malformed("bytes of no column")),
        }
    }
}

fn read_len(bytes: &mut &[u8]) -> Result<usize, PackError> {
    Ok(usize::try_from(read_varint(bytes)?).unwrap_or(usize::MAX))
}

/// The places of values and times; a column without events has one too.
fn values_of(count: usize, columns: usize) -> usize {
    count.max(1).saturating_mul(columns.saturating_add(1))
}

/// The types of values: the third and fourth bit of a column's first byte.
const INTEGERS: u8 = 0;
const FLOATS: u8 = 1;
const BOOLS: u8 = 2;
const BYTES: u8 = 3;
/// The bits of the form of presence, and of a type.
const FORM_BITS: u32 = 2;

impl Column {
    fn written(&self) -> Vec<u8> {
        let (form, present) = presence::written(&self.present);
        let mut out = vec![form | (self.values.kind() << FORM_BITS)];
        out.extend(present);
        match &self.values {
            Values::Integers(values) => integers::write(values, &mut out),
            Values::Floats(values) => floats::write(values, &mut out),
            Values::Bytes(values) => texts::write(values, &mut out),
            Values::Bools(values) => {
                let (form, bits) = presence::written(values);
                out.push(form);
                out.extend(bits);
            }
        }
        out
    }

    fn read(name: Bytes, mut bytes: &[u8], count: usize) -> Result<Self, PackError> {
        let bytes = &mut bytes;
        let first = read_byte(bytes)?;
        let present = presence::read(first & ((1 << FORM_BITS) - 1), bytes, count)?;
        let held = presence::count(&present);
        let values = match first >> FORM_BITS {
            INTEGERS => Values::Integers(integers::read(bytes, held)?),
            FLOATS => Values::Floats(floats::read(bytes, held)?),
            BYTES => Values::Bytes(texts::read(bytes, held)?),
            BOOLS => {
                let form = read_byte(bytes)?;
                Values::Bools(presence::read(form, bytes, held)?)
            }
            _ => return Err(PackError::Malformed("a type of values that is not known")),
        };
        match bytes.is_empty() {
            true => Ok(Self {
                name,
                present,
                values,
            }),
            false => Err(PackError::Malformed("bytes of no value")),
        }
    }
}

impl Values {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Floats(values) => values.len(),
            Self::Bools(values) => values.len(),
            Self::Bytes(values) => values.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Integers(_) => INTEGERS,
            Self::Floats(_) => FLOATS,
            Self::Bools(_) => BOOLS,
            Self::Bytes(_) => BYTES,
        }
    }
}
