//! The row key schema of a model's layout, if Bigtable's encodings can express it.

use bytes::Bytes;

use super::encoding::code;
use super::time::bucket::BucketLabel;
use super::{CalendarFormat, CalendarItem, KeyLayout, SegmentFormat, borrow};
use crate::data::{IntEncoding, RowKeyEncoding, RowKeySchema, RowKeySchemaError, RowKeyType};

impl KeyLayout {
    /// The row key schema by which Bigtable decodes these keys: a field for each segment, and one
    /// named `prefix` for a literal prefix. SQL then has a column for each.
    ///
    /// Segments between separators are texts, as in the key: numbers and times have leading zeros.
    /// In ordered code ([`KeyLayout::ORDERED_CODE`]) numbers are `INT64` and times `TIMESTAMP`,
    /// unless they are written as text.
    ///
    /// ```
    /// # use bigtable_model::key::*;
    /// # let segment = |name: &'static str, kind, format| Segment {
    /// #     name: name.into(), role: SegmentRole::Identifier, kind, format,
    /// # };
    /// let layout = KeyLayout {
    ///     prefix: "".into(),
    ///     separator: "#".into(),
    ///     enclosed: false,
    ///     segments: vec![
    ///         segment("host", SegmentKind::String, SegmentFormat::Variable),
    ///         segment("port", SegmentKind::Unsigned { bits: 16 }, SegmentFormat::Digits { width: 5 }),
    ///     ]
    ///     .into(),
    /// };
    /// let schema = layout.row_key_schema()?;
    /// let names: Vec<_> = schema.fields.iter().map(|field| &*field.name).collect();
    /// assert_eq!(names, ["host", "port"]);
    /// # Ok::<(), bigtable_model::data::RowKeySchemaError>(())
    /// ```
    ///
    /// # Errors
    /// [`RowKeySchemaError::Segment`] for a segment whose bytes may be at or below the separator:
    /// binary ones, escaped ones, and texts padded with such a byte.
    pub fn row_key_schema(&self) -> Result<RowKeySchema, RowKeySchemaError> {
        if let (true, Some(first)) = (self.enclosed, self.segments.first()) {
            return Err(RowKeySchemaError::Segment {
                segment: first.name.to_string(),
                problem: "stands after a separator that begins the key, which Bigtable's own encoding has not: leave `enclosed` out",
            });
        }
        let mut schema = RowKeySchema::new(match self.is_in_ordered_code() {
            true => RowKeyEncoding::OrderedCode,
            false => RowKeyEncoding::Delimited(Bytes::copy_from_slice(self.separator.as_bytes())),
        });
        if !self.prefix.is_empty() {
            let lowest = self.separator_byte();
            if self.prefix.bytes().any(|byte| byte <= lowest) {
                return Err(refused("prefix", Inexpressible::Low));
            }
            schema = schema.field("prefix", RowKeyType::String);
        }
        let present = self.segments.iter().filter(|segment| !segment.is_absent());
        for segment in present {
            if let Some(problem) = segment.format.inexpressible(&self.separator) {
                return Err(refused(&segment.name, problem));
            }
            schema = schema.field(segment.name.clone(), column_type(&segment.format));
        }
        Ok(schema)
    }
}

/// Why Bigtable's encodings cannot express a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inexpressible {
    /// A text may hold a byte at or below the separator.
    Low,
    /// The segment may hold any bytes.
    Binary,
    /// The segment has this library's escapes.
    Escaped,
}

impl Inexpressible {
    /// The problem, for a model that does not declare it.
    const fn problem(self) -> &'static str {
        match self {
            Self::Low => {
                "holds bytes at or below the separator, which Bigtable's own encoding refuses: choose a lower separator, such as \"!\", or another pad than a space"
            }
            Self::Binary => "is binary, and may hold the separator: write it as text",
            Self::Escaped => "is escaped in a way that Bigtable does not know: leave `escape` out",
        }
    }

    /// What to write instead, for a model with `encoding = "structured"`.
    pub(crate) const fn advice(self) -> &'static str {
        match self {
            Self::Low => {
                "a segment of a structured key holds no byte at or below the separator, and this one's `pad`, `label`, `format` or text does: write a lower `separator`, such as \"!\", or other characters"
            }
            Self::Binary => {
                "a segment of a structured key with a `separator` is text, and this one is binary: write it as text, or remove `separator` for ordered code"
            }
            Self::Escaped => {
                "Bigtable does not know this library's escapes: remove `escape`, or remove `separator` for ordered code, which holds any text"
            }
        }
    }
}

fn refused(segment: &str, problem: Inexpressible) -> RowKeySchemaError {
    RowKeySchemaError::Segment {
        segment: segment.to_owned(),
        problem: problem.problem(),
    }
}

/// The type of a segment's column in SQL.
const fn column_type(format: &SegmentFormat) -> RowKeyType {
    match format {
        SegmentFormat::CodedInt => RowKeyType::Int64(IntEncoding::OrderedCode),
        SegmentFormat::CodedTicks { .. } => RowKeyType::Timestamp(IntEncoding::OrderedCode),
        SegmentFormat::CodedBytes { .. } => RowKeyType::Bytes,
        _ => RowKeyType::String,
    }
}

impl SegmentFormat {
    /// Why Bigtable's encodings cannot express the segment with this separator.
    pub(crate) const fn inexpressible(&self, separator: &str) -> Option<Inexpressible> {
        let lowest = match separator.as_bytes() {
            [first, ..] => *first,
            [] => 0,
        };
        match self {
            Self::Escaped => Some(Inexpressible::Escaped),
            Self::CodedText { .. }
            | Self::CodedInt
            | Self::CodedTicks { .. }
            | Self::CodedBytes { .. }
                if code::is_code(lowest) =>
            {
                None
            }
            _ => match self.least() {
                None => Some(Inexpressible::Binary),
                Some(least) if least <= lowest => Some(Inexpressible::Low),
                Some(_) => None,
            },
        }
    }

    /// A lower bound of the segment's bytes; `None` if it may hold any bytes.
    const fn least(&self) -> Option<u8> {
        Some(match self {
            Self::Padded { pad, .. } => *pad,
            // Values with a byte at or below the separator are refused.
            Self::Variable | Self::Char => u8::MAX,
            Self::SignedDigits { .. } => b'-',
            Self::Uuid => b'-',
            Self::Hex { .. }
            | Self::Digits { .. }
            | Self::Bool { binary: false }
            | Self::Ticks { .. }
            | Self::Salt(_) => b'0',
            Self::Calendar { format, .. } => least_of_format(format),
            Self::Bucket(bucket) => return least_of_label(&bucket.label),
            _ => return None,
        })
    }
}

const fn least_of_label(label: &BucketLabel) -> Option<u8> {
    Some(match label {
        BucketLabel::Calendar(format) => least_of_format(format),
        BucketLabel::Counted { before, after, .. } => least_of_text(
            borrow::bytes(before),
            least_of_text(borrow::bytes(after), b'0'),
        ),
        BucketLabel::Start { .. } | BucketLabel::Units { .. } | BucketLabel::Absent => b'0',
        BucketLabel::BinaryStart { .. } => return None,
    })
}

const fn least_of_format(format: &CalendarFormat) -> u8 {
    let mut least = b'0';
    let mut rest = format.items();
    while let [item, tail @ ..] = rest {
        if let CalendarItem::Literal(text) = item {
            least = least_of_text(borrow::bytes(text), least);
        }
        rest = tail;
    }
    least
}

const fn least_of_text(mut text: &[u8], mut least: u8) -> u8 {
    while let [byte, rest @ ..] = text {
        if *byte < least {
            least = *byte;
        }
        text = rest;
    }
    least
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::data::RowKeyValue;
    use crate::key::{Segment, SegmentKind, SegmentRole};

    fn texts<const N: usize>(texts: [&str; N]) -> [RowKeyValue; N] {
        texts.map(|text| RowKeyValue::String(text.to_owned()))
    }

    fn layout(separator: &'static str, segments: Vec<(&'static str, SegmentFormat)>) -> KeyLayout {
        let segment = |(name, format): (&'static str, SegmentFormat)| Segment {
            name: name.into(),
            role: SegmentRole::Identifier,
            kind: SegmentKind::String,
            format,
        };
        KeyLayout {
            prefix: "".into(),
            separator: separator.into(),
            enclosed: false,
            segments: segments.into_iter().map(segment).collect(),
        }
    }

    #[test]
    fn a_layout_of_texts_has_a_schema_that_reads_its_keys() {
        let digits = SegmentFormat::Digits { width: 5 };
        let of = layout(
            "#",
            vec![("host", SegmentFormat::Variable), ("port", digits)],
        );
        let of = KeyLayout {
            prefix: "SRV".into(),
            ..of
        };
        let schema = of.row_key_schema().unwrap();
        assert_eq!(schema.check(["MD"]), Ok(()));
        let values = schema.decode(b"SRV#db-1#05432").unwrap();
        assert_eq!(values, texts(["SRV", "db-1", "05432"]));
        let names: Vec<_> = schema.fields.iter().map(|field| &*field.name).collect();
        assert_eq!(names, ["prefix", "host", "port"]);
    }

    #[test]
    fn segments_without_a_form_of_bigtables_own_are_refused_by_name() {
        let padded = |pad| SegmentFormat::Padded { width: 6, pad };
        for (separator, format, fits) in [
            ("#", padded(b' '), false),
            ("!", padded(b' '), false),
            ("#", padded(b'_'), true),
            ("#", SegmentFormat::SignedDigits { width: 20 }, true),
            ("/", SegmentFormat::SignedDigits { width: 20 }, false),
            ("/", SegmentFormat::Uuid, false),
            ("~", SegmentFormat::Digits { width: 5 }, false),
            ("#", SegmentFormat::Escaped, false),
            ("#", SegmentFormat::Rest, false),
            ("#", SegmentFormat::BigEndian { len: 8 }, false),
            ("#", SegmentFormat::Bool { binary: false }, true),
            ("#", SegmentFormat::Bool { binary: true }, false),
        ] {
            let of = layout(separator, vec![("x", format.clone())]).row_key_schema();
            match of {
                Ok(_) => assert!(fits, "{separator} {format:?}"),
                Err(error) => {
                    assert!(!fits, "{separator} {format:?}");
                    assert!(error.to_string().starts_with("segment \"x\""), "{error}");
                }
            }
        }
    }
}
