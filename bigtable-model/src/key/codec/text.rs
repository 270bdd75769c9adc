//! Keys as text for URLs and JSON.

use std::borrow::Cow;
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::Timestamp;
use crate::key::encoding::hex;
use crate::key::{
    KeyError, KeyLayout, Segment, SegmentError, SegmentKind, SegmentRole, SegmentValue,
};

/// Separates the values of a key.
const BETWEEN: char = '~';

/// The escaped characters: all that RFC 3986 does not allow in a path segment, the tilde, and the
/// characters with a meaning in forms.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b':');

impl KeyLayout {
    /// A row's key as text for URLs: the values in key order, separated by `~`, with the time of
    /// one of its events if the key has only its bucket.
    ///
    /// # Errors
    /// If the bytes are not a key of the layout.
    pub(crate) fn text_of(&self, key: &[u8], time: Option<Timestamp>) -> Result<String, KeyError> {
        let values = self.decode(key)?;
        let mut text = String::new();
        for (at, ((_, segment), value)) in self.valued().zip(&values).enumerate() {
            if at > 0 {
                text.push(BETWEEN);
            }
            let of_event = time.filter(|_| segment.role == SegmentRole::Bucket);
            let value = match of_event {
                Some(time) => &SegmentValue::Time(segment.stored_time(time)),
                None => value,
            };
            text.extend(utf8_percent_encode(
                &value_text(segment.kind, value),
                ESCAPED,
            ));
        }
        Ok(text)
    }

    /// The row's key from such a text, and the event's time if the key has only its bucket.
    ///
    /// # Errors
    /// If the text has the wrong number of values, or a segment cannot hold one of them.
    pub(crate) fn of_text(&self, text: &str) -> Result<(Vec<u8>, Option<Timestamp>), KeyError> {
        let (given, segments) = (text.split(BETWEEN).count(), self.valued().count());
        if given != segments {
            return Err(KeyError::Count {
                values: given,
                segments,
            });
        }
        let mut values = Vec::with_capacity(segments);
        let mut time = None;
        for ((_, segment), text) in self.valued().zip(text.split(BETWEEN)) {
            let value = parsed(segment, text).map_err(|source| KeyError::Segment {
                segment: segment.name.clone(),
                source,
            })?;
            if let (SegmentRole::Bucket, SegmentValue::Time(of_event)) = (segment.role, &value) {
                time = Some(segment.stored_time(*of_event));
            }
            values.push(value);
        }
        let mut key = Vec::new();
        self.encode(&values, &mut key)?;
        Ok((key, time))
    }
}

fn value_text(kind: SegmentKind, value: &SegmentValue) -> Cow<'_, str> {
    match value {
        SegmentValue::String(text) => Cow::Borrowed(text),
        SegmentValue::Bytes(bytes) => Cow::Owned(hex_text(bytes)),
        // The bits, since there are many NaN.
        SegmentValue::Float32(value) if value.is_nan() => {
            Cow::Owned(format!("{:08x}bits", value.to_bits()))
        }
        SegmentValue::Float(value) if value.is_nan() => {
            Cow::Owned(format!("{:016x}bits", value.to_bits()))
        }
        SegmentValue::Char(value) => Cow::Owned(value.to_string()),
        SegmentValue::Time(time) if kind == SegmentKind::Date => {
            let text = time.to_string();
            let day = text.split_once('T').map(|(day, _)| day.to_owned());
            Cow::Owned(day.unwrap_or(text))
        }
        value => Cow::Owned(value.to_string()),
    }
}

fn parsed(segment: &Segment, text: &str) -> Result<SegmentValue, SegmentError> {
    let malformed = |expected: &'static str| SegmentError::Malformed {
        bytes: text.as_bytes().to_vec(),
        expected: Cow::Borrowed(expected),
    };
    let text = percent_decode_str(text).decode_utf8();
    let text = text.map_err(|_| malformed("UTF-8 in percent encoding"))?;
    let text = &*text;
    Ok(match segment.kind {
        SegmentKind::String => SegmentValue::String(text.to_owned()),
        SegmentKind::Bytes | SegmentKind::ByteArray { .. } => {
            SegmentValue::Bytes(bytes(text).ok_or_else(|| malformed("hexadecimal digits"))?)
        }
        SegmentKind::Unsigned { .. } => SegmentValue::Unsigned(number(text, &malformed)?),
        SegmentKind::Signed { .. } => SegmentValue::Signed(number(text, &malformed)?),
        SegmentKind::Float { bits: 32 } => SegmentValue::Float32(match text.strip_suffix("bits") {
            Some(bits) => u32::from_str_radix(bits, 16)
                .map(f32::from_bits)
                .map_err(|_| malformed("the bits of an f32"))?,
            None => number(text, &malformed)?,
        }),
        SegmentKind::Float { .. } => SegmentValue::Float(match text.strip_suffix("bits") {
            Some(bits) => u64::from_str_radix(bits, 16)
                .map(f64::from_bits)
                .map_err(|_| malformed("the bits of an f64"))?,
            None => number(text, &malformed)?,
        }),
        SegmentKind::Bool => {
            SegmentValue::Bool(text.parse().map_err(|_| malformed("true or false"))?)
        }
        SegmentKind::Char => {
            SegmentValue::Char(text.parse().map_err(|_| malformed("one character"))?)
        }
        SegmentKind::Uuid => {
            let uuid = hex::parse_uuid(text.as_bytes());
            SegmentValue::Uuid(uuid.ok_or_else(|| malformed("a UUID"))?)
        }
        SegmentKind::Time => SegmentValue::Time(time(text).ok_or_else(|| malformed("a time"))?),
        SegmentKind::Date => {
            let midnight = time(&format!("{text}T00:00:00Z"));
            SegmentValue::Time(midnight.ok_or_else(|| malformed("a date"))?)
        }
    })
}

fn number<N: FromStr>(
    text: &str,
    malformed: &impl Fn(&'static str) -> SegmentError,
) -> Result<N, SegmentError> {
    text.parse()
        .map_err(|_| malformed("a number of the segment's type"))
}

fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

fn hex_text(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    hex::push(bytes, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = vec![0; text.len() / 2];
    hex::parse(text.as_bytes(), &mut bytes)?;
    Some(bytes)
}
