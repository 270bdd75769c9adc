//! Values decoded from the received bytes, strictly by their types.
//!
//! The same code checks values and makes them, depending on the [`Maker`]: a batch is checked as a
//! whole before its first row is delivered, and the check makes nothing.

use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;

use crate::fields::read::{Value as Field, field, low_half};
use crate::sql::{SqlDate, SqlTimestamp, SqlType, SqlValue, last_of_each_key};
use crate::{Code, Status};

/// Why bytes are not a value of a type.
#[derive(Debug)]
pub(super) struct Fault {
    code: Code,
    problem: String,
}

impl Fault {
    #[cold]
    fn new(problem: impl Into<String>) -> Self {
        Self {
            code: Code::Internal,
            problem: problem.into(),
        }
    }

    #[cold]
    fn inside(self, part: fmt::Arguments<'_>) -> Self {
        Self {
            problem: format!("{part}: {}", self.problem),
            ..self
        }
    }

    /// The status for the caller of a query.
    #[cold]
    pub(super) fn in_column(self, name: &str) -> Status {
        let message = format!("column \"{name}\": {}", self.problem);
        match self.code {
            Code::Internal => super::invalid(message),
            code => Status::new(code, message),
        }
    }
}

impl From<Status> for Fault {
    fn from(status: Status) -> Self {
        Self::new(status.message)
    }
}

/// What the decoded values become.
pub(super) trait Maker {
    type Value;

    fn null(&self) -> Self::Value;
    fn bytes(&self, bytes: &[u8]) -> Self::Value;
    /// Refuses invalid UTF-8.
    fn text(&self, bytes: &[u8]) -> Option<Self::Value>;
    fn plain(&self, value: SqlValue) -> Self::Value;
    fn array(&self, values: Vec<Self::Value>) -> Self::Value;
    fn structure(&self, values: Vec<Self::Value>) -> Self::Value;
    fn map(&self, entries: Vec<(Self::Value, Self::Value)>) -> Self::Value;
}

/// Makes nothing: lists of nothing take no memory.
pub(super) struct Nothing;

impl Maker for Nothing {
    type Value = ();

    fn null(&self) {}
    fn bytes(&self, _: &[u8]) {}
    fn text(&self, bytes: &[u8]) -> Option<()> {
        std::str::from_utf8(bytes).ok().map(|_| ())
    }
    fn plain(&self, _: SqlValue) {}
    fn array(&self, _: Vec<()>) {}
    fn structure(&self, _: Vec<()>) {}
    fn map(&self, _: Vec<((), ())>) {}
}

/// Makes values that share the bytes of their batch.
pub(super) struct Values<'a>(pub(super) &'a Bytes);

impl Maker for Values<'_> {
    type Value = SqlValue;

    fn null(&self) -> SqlValue {
        SqlValue::Null
    }

    fn bytes(&self, bytes: &[u8]) -> SqlValue {
        SqlValue::Bytes(self.0.slice_ref(bytes))
    }

    fn text(&self, bytes: &[u8]) -> Option<SqlValue> {
        let text = ByteString::try_from(self.0.slice_ref(bytes)).ok()?;
        Some(SqlValue::String(text))
    }

    fn plain(&self, value: SqlValue) -> SqlValue {
        value
    }

    fn array(&self, values: Vec<SqlValue>) -> SqlValue {
        SqlValue::Array(values)
    }

    fn structure(&self, values: Vec<SqlValue>) -> SqlValue {
        SqlValue::Struct(values)
    }

    fn map(&self, entries: Vec<(SqlValue, SqlValue)>) -> SqlValue {
        SqlValue::Map(last_of_each_key(entries))
    }
}

/// The kind of a received value.
enum Kind<'a> {
    Bytes(&'a [u8]),
    String(&'a [u8]),
    Array(&'a [u8]),
    Int(i64),
    Bool(bool),
    Float(f64),
    Timestamp(&'a [u8]),
    Date(&'a [u8]),
    /// A kind that values of queries do not have.
    Raw(&'static str),
}

impl<'a> Kind<'a> {
    /// `None` is NULL. If there are several, the last one counts.
    fn of(mut body: &'a [u8]) -> Result<Option<Self>, Fault> {
        let mut kind = None;
        while !body.is_empty() {
            kind = Some(match field(&mut body)? {
                (2, Field::Bytes(bytes)) => Self::Bytes(bytes),
                (3, Field::Bytes(bytes)) => Self::String(bytes),
                (4, Field::Bytes(bytes)) => Self::Array(bytes),
                (6, Field::Number(number)) => Self::Int(number.cast_signed()),
                (8, Field::Bytes(_)) => Self::Raw("RAW_VALUE"),
                (9, Field::Number(_)) => Self::Raw("RAW_TIMESTAMP_MICROS"),
                (10, Field::Number(is)) => Self::Bool(is != 0),
                (11, Field::Eight(bytes)) => Self::Float(f64::from_le_bytes(bytes)),
                (12, Field::Bytes(bytes)) => Self::Timestamp(bytes),
                (13, Field::Bytes(bytes)) => Self::Date(bytes),
                (2..=4 | 6 | 8..=13, other) => return Err(other.is_unexpected().into()),
                _ => continue,
            });
        }
        Ok(kind)
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Bytes(_) => "BYTES_VALUE",
            Self::String(_) => "STRING_VALUE",
            Self::Array(_) => "ARRAY_VALUE",
            Self::Int(_) => "INT_VALUE",
            Self::Bool(_) => "BOOL_VALUE",
            Self::Float(_) => "FLOAT_VALUE",
            Self::Timestamp(_) => "TIMESTAMP_VALUE",
            Self::Date(_) => "DATE_VALUE",
            Self::Raw(name) => name,
        }
    }
}

/// The kind that values of a type have.
fn kind_of(sql_type: &SqlType) -> &'static str {
    match sql_type {
        SqlType::Bytes | SqlType::Proto { .. } => "BYTES_VALUE",
        SqlType::String => "STRING_VALUE",
        SqlType::Int64 | SqlType::Enum { .. } => "INT_VALUE",
        SqlType::Float64 | SqlType::Float32 => "FLOAT_VALUE",
        SqlType::Bool => "BOOL_VALUE",
        SqlType::Timestamp => "TIMESTAMP_VALUE",
        SqlType::Date => "DATE_VALUE",
        SqlType::Array(_) | SqlType::Struct(_) | SqlType::Map(..) => "ARRAY_VALUE",
    }
}

/// Takes the values of one row.
pub(super) struct Taker<M> {
    maker: M,
    /// How many values there may be, including nested ones.
    most: usize,
    /// How many of them there may still be.
    left: usize,
}

impl<M: Maker> Taker<M> {
    /// Values that take at most this much memory, besides the bytes of their batch: a NULL may take
    /// only two bytes of an answer.
    pub(super) fn new(maker: M, bytes: usize) -> Self {
        let most = bytes / size_of::<SqlValue>();
        Self {
            maker,
            most,
            left: most,
        }
    }

    /// Refuses more values than there may still be.
    fn has_left(&self, values: usize) -> Result<(), Fault> {
        match values <= self.left {
            true => Ok(()),
            false => Err(self.too_many()),
        }
    }

    #[cold]
    fn too_many(&self) -> Fault {
        Fault {
            code: Code::ResourceExhausted,
            problem: format!(
                "a row has over {} values: select less of it, or fewer versions",
                self.most
            ),
        }
    }

    /// A value of a type, from the bytes of its message. The type bounds the depth of nesting.
    pub(super) fn value(&mut self, body: &[u8], sql_type: &SqlType) -> Result<M::Value, Fault> {
        self.has_left(1)?;
        self.left -= 1;
        let Some(kind) = Kind::of(body)? else {
            return Ok(self.maker.null());
        };
        let value = match (kind, sql_type) {
            (Kind::Bytes(bytes), SqlType::Bytes | SqlType::Proto { .. }) => self.maker.bytes(bytes),
            (Kind::String(bytes), SqlType::String) => {
                let text = self.maker.text(bytes);
                text.ok_or_else(|| Fault::new("a STRING is no UTF-8"))?
            }
            (Kind::Array(body), SqlType::Array(element)) => self.array(body, element)?,
            (Kind::Array(body), SqlType::Struct(fields)) => {
                let types = fields.iter().map(|field| &field.sql_type);
                let values = self.structure(body, types, fields.len())?;
                self.maker.structure(values)
            }
            (Kind::Array(body), SqlType::Map(key, value)) => self.map(body, (key, value))?,
            (kind, sql_type) => {
                let plain = plain(kind, sql_type)?;
                self.maker.plain(plain)
            }
        };
        Ok(value)
    }

    /// The number of values in a list.
    fn count(&self, body: &[u8]) -> Result<usize, Fault> {
        let count = elements(body)?;
        self.has_left(count).map(|()| count)
    }

    fn array(&mut self, mut body: &[u8], element: &SqlType) -> Result<M::Value, Fault> {
        // A list that grows step by step would take up to three times its size.
        let mut values = Vec::with_capacity(self.count(body)?);
        while let Some(value) = next_element(&mut body)? {
            let value = self.value(value, element);
            let place = values.len();
            values.push(value.map_err(|fault| fault.inside(format_args!("element {place}")))?);
        }
        Ok(self.maker.array(values))
    }

    fn structure<'t>(
        &mut self,
        mut body: &[u8],
        mut types: impl Iterator<Item = &'t SqlType>,
        fields: usize,
    ) -> Result<Vec<M::Value>, Fault> {
        let mut values = Vec::with_capacity(self.count(body)?.min(fields));
        while let Some(value) = next_element(&mut body)? {
            let place = values.len();
            let Some(sql_type) = types.next() else {
                return Err(malformed_struct(place + 1 + elements(body)?, fields));
            };
            let value = self.value(value, sql_type);
            values.push(value.map_err(|fault| fault.inside(format_args!("field {place}")))?);
        }
        match values.len() == fields {
            true => Ok(values),
            false => Err(malformed_struct(values.len(), fields)),
        }
    }

    fn map(&mut self, mut body: &[u8], types: (&SqlType, &SqlType)) -> Result<M::Value, Fault> {
        let mut entries = Vec::with_capacity(self.count(body)?);
        while let Some(entry) = next_element(&mut body)? {
            let place = entries.len();
            let entry = self.entry(entry, types);
            entries.push(entry.map_err(|fault| fault.inside(format_args!("entry {place}")))?);
        }
        Ok(self.maker.map(entries))
    }

    fn entry(
        &mut self,
        body: &[u8],
        (key, value): (&SqlType, &SqlType),
    ) -> Result<(M::Value, M::Value), Fault> {
        let body = match Kind::of(body)? {
            Some(Kind::Array(body)) => body,
            Some(other) => {
                let problem = format!("value kind must be ARRAY_VALUE, and is {}", other.name());
                return Err(Fault::new(problem));
            }
            None => return Err(Fault::new("value kind must be ARRAY_VALUE, and is NULL")),
        };
        let pair = self.structure(body, [key, value].into_iter(), 2)?;
        match <[M::Value; 2]>::try_from(pair) {
            Ok([key, value]) => Ok((key, value)),
            Err(pair) => Err(malformed_struct(pair.len(), 2)),
        }
    }
}

fn malformed_struct(values: usize, fields: usize) -> Fault {
    Fault::new(format!(
        "unexpected malformed struct data: {values} values for {fields} fields"
    ))
}

/// The next value of an `ArrayValue`.
fn next_element<'a>(body: &mut &'a [u8]) -> Result<Option<&'a [u8]>, Fault> {
    while !body.is_empty() {
        match field(body)? {
            (1, Field::Bytes(value)) => return Ok(Some(value)),
            (1, other) => return Err(other.is_unexpected().into()),
            _ => {}
        }
    }
    Ok(None)
}

/// How many values there are.
fn elements(mut body: &[u8]) -> Result<usize, Fault> {
    let mut count = 0;
    while next_element(&mut body)?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// A value without parts.
fn plain(kind: Kind<'_>, sql_type: &SqlType) -> Result<SqlValue, Fault> {
    Ok(match (kind, sql_type) {
        (Kind::Int(number), SqlType::Int64 | SqlType::Enum { .. }) => SqlValue::Int64(number),
        (Kind::Bool(is), SqlType::Bool) => SqlValue::Bool(is),
        (Kind::Float(number), SqlType::Float64) => SqlValue::Float64(number),
        #[allow(
            clippy::cast_possible_truncation,
            reason = "a FLOAT32 is sent as the double that it is"
        )]
        (Kind::Float(number), SqlType::Float32) => SqlValue::Float32(number as f32),
        (Kind::Timestamp(body), SqlType::Timestamp) => SqlValue::Timestamp(timestamp(body)?),
        (Kind::Date(body), SqlType::Date) => SqlValue::Date(date(body)?),
        (kind, sql_type) => {
            return Err(Fault::new(format!(
                "value kind must be {} for columns of type: {sql_type}, and is {}",
                kind_of(sql_type),
                kind.name()
            )));
        }
    })
}

fn timestamp(mut body: &[u8]) -> Result<SqlTimestamp, Fault> {
    let (mut seconds, mut nanos) = (0, 0);
    while !body.is_empty() {
        match field(&mut body)? {
            (1, Field::Number(number)) => seconds = number.cast_signed(),
            (2, Field::Number(number)) => nanos = low_half(number),
            (1 | 2, other) => return Err(other.is_unexpected().into()),
            _ => {}
        }
    }
    let at = u32::try_from(nanos).ok();
    let at = at.and_then(|nanos| SqlTimestamp::new(seconds, nanos));
    at.ok_or_else(|| Fault::new(format!("{seconds} s and {nanos} ns are no TIMESTAMP")))
}

fn date(mut body: &[u8]) -> Result<SqlDate, Fault> {
    let (mut year, mut month, mut day) = (0, 0, 0);
    while !body.is_empty() {
        match field(&mut body)? {
            (1, Field::Number(number)) => year = low_half(number),
            (2, Field::Number(number)) => month = low_half(number),
            (3, Field::Number(number)) => day = low_half(number),
            (1..=3, other) => return Err(other.is_unexpected().into()),
            _ => {}
        }
    }
    let is_date =
        (0..=9999).contains(&year) && (0..=12).contains(&month) && (0..=31).contains(&day);
    let parts = (u16::try_from(year), u8::try_from(month), u8::try_from(day));
    match parts {
        (Ok(year), Ok(month), Ok(day)) if is_date => Ok(SqlDate { year, month, day }),
        _ => Err(Fault::new(format!("{year}-{month}-{day} is no DATE"))),
    }
}
