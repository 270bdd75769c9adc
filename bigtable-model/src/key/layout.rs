use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::writer::first_byte;
use super::{
    DescribedKey, KeyError, KeyReader, KeyWriter, SegmentFormat, SegmentKind, SegmentValue, refuse,
};
use crate::Timestamp;

/// The layout of a model's row keys: a plain value that encodes and decodes without the model's type.
///
/// `#[derive(Model)]` emits one as a constant. Its `Display` is the key's template:
/// `{exchange:<6}#{symbol:<5}#{at:013ms}`. One made at run time keeps what keys promise when
/// [`check`](KeyLayout::check) accepts it.
///
/// ```
/// use bigtable_model::key::*;
///
/// let segment = |name: &'static str, role, kind, format| Segment { name: name.into(), role, kind, format };
/// let layout = KeyLayout {
///     prefix: "".into(),
///     separator: "#".into(),
///     segments: vec![
///         segment(
///             "exchange",
///             SegmentRole::Identifier,
///             SegmentKind::String,
///             SegmentFormat::Padded { width: 6, pad: b' ' },
///         ),
///         segment(
///             "at",
///             SegmentRole::Time,
///             SegmentKind::Time,
///             SegmentFormat::Ticks { unit: TimeUnit::Millis, width: 13, reverse: false, truncate: false },
///         ),
///     ]
///     .into(),
/// };
/// layout.check()?;
/// assert_eq!(layout.to_string(), "{exchange:<6}#{at:013ms}");
///
/// let at = "2015-03-16T19:53:32.156Z".parse()?;
/// let values = [SegmentValue::String("NYSE".to_owned()), SegmentValue::Time(at)];
/// let mut key = Vec::new();
/// layout.encode(&values, &mut key)?;
/// assert_eq!(key, b"NYSE  #1426535612156");
/// assert_eq!(layout.decode(&key)?, values);
/// assert_eq!(layout.describe(&key).to_string(), "exchange=NYSE at=2015-03-16T19:53:32.156Z");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeyLayout {
    /// Literal text in front of the first segment, joined to it by the separator; empty is none.
    pub prefix: Cow<'static, str>,
    /// What stands between prefix and segments: 1 to 50 printable ASCII characters.
    pub separator: Cow<'static, str>,
    /// The segments in order; at least one.
    pub segments: Cow<'static, [Segment]>,
}

impl KeyLayout {
    /// Appends the key of `values`, one for each segment.
    ///
    /// # Errors
    /// When a segment can't hold its value, when values and segments differ in number, or when the key is empty or too
    /// long. `out` is then as it was.
    pub fn encode(&self, values: &[SegmentValue], out: &mut Vec<u8>) -> Result<(), KeyError> {
        if values.len() != self.segments.len() {
            return Err(self.wrong_count(values.len()));
        }
        self.write(values, out)?.finish()
    }

    /// Appends what the keys with these values of the first segments begin with: prefix and segments, and the separator
    /// when more segments follow. Values for all segments give the whole key.
    ///
    /// # Errors
    /// Those of [`encode`](KeyLayout::encode), but that fewer values are fine and that no bytes are.
    pub fn encode_prefix(
        &self,
        values: &[SegmentValue],
        out: &mut Vec<u8>,
    ) -> Result<(), KeyError> {
        if values.len() > self.segments.len() {
            return Err(self.wrong_count(values.len()));
        }
        let mut key = self.write(values, out)?;
        if values.len() == self.segments.len() {
            return key.finish();
        }
        if !values.is_empty() || !self.prefix.is_empty() {
            key.separator();
        }
        key.finish_prefix();
        Ok(())
    }

    /// The values of a key, one for each segment.
    ///
    /// # Errors
    /// When the bytes are not what [`encode`](KeyLayout::encode) writes for any values.
    pub fn decode(&self, key: &[u8]) -> Result<Vec<SegmentValue>, KeyError> {
        let mut reader = KeyReader::new(&self.prefix, &self.separator, key)?;
        self.segments
            .iter()
            .enumerate()
            .map(|(at, segment)| reader.value(segment, self.is_last(at)))
            .collect()
    }

    /// The time in a key, none when the layout has no time. What stands behind the time is not looked at.
    ///
    /// # Errors
    /// When the bytes up to the time are not those of a key.
    pub fn time_of(&self, key: &[u8]) -> Result<Option<Timestamp>, KeyError> {
        let mut reader = KeyReader::new(&self.prefix, &self.separator, key)?;
        for (at, segment) in self.segments.iter().enumerate() {
            if segment.role == SegmentRole::Time {
                return reader.read(segment, self.is_last(at)).map(Some);
            }
            reader.segment(segment, self.is_last(at))?;
        }
        Ok(None)
    }

    /// A key for people: `exchange=NASDAQ symbol=ZXZZT at=2015-03-16T19:53:32.156Z`; its bytes when it is not one of
    /// the layout.
    #[must_use]
    pub fn describe<'a>(&'a self, key: &'a [u8]) -> DescribedKey<'a> {
        DescribedKey::new(self, key)
    }

    /// The first byte of the separator, which no segment of variable width holds.
    #[must_use]
    pub fn separator_byte(&self) -> u8 {
        first_byte(&self.separator)
    }

    /// Whether the segment at this place is the last.
    pub(super) fn is_last(&self, at: usize) -> bool {
        at + 1 == self.segments.len()
    }

    fn write<'v>(
        &'v self,
        values: &[SegmentValue],
        out: &'v mut Vec<u8>,
    ) -> Result<KeyWriter<'v>, KeyError> {
        let mut key = KeyWriter::new(&self.prefix, &self.separator, out);
        for (at, (segment, value)) in self.segments.iter().zip(values).enumerate() {
            if segment.format == SegmentFormat::Rest && !self.is_last(at) {
                return Err(not_last(segment));
            }
            key.value(segment, value)?;
        }
        Ok(key)
    }

    #[cold]
    fn wrong_count(&self, values: usize) -> KeyError {
        KeyError::Count {
            values,
            segments: self.segments.len(),
        }
    }
}

#[cold]
fn not_last(segment: &Segment) -> KeyError {
    KeyError::Segment {
        segment: segment.name.clone(),
        source: refuse::mismatch(segment.kind, &segment.format),
    }
}

/// One part of a row key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Segment {
    /// The field's name.
    pub name: Cow<'static, str>,
    /// What it is in the series.
    pub role: SegmentRole,
    /// What values it holds.
    pub kind: SegmentKind,
    /// How they are written.
    pub format: SegmentFormat,
}

/// What a segment is in the series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SegmentRole {
    /// Part of the series' name.
    Identifier,
    /// The event's time.
    Time,
    /// The span of time that holds the event's.
    Bucket,
    /// A shard's number. It is no value of its own: layouts take and give values for the other segments.
    Salt,
}
