//! The row key schema of a model's layout, where Bigtable's encodings have one.

use bytes::Bytes;

use super::{
    KeyLayout, RowKeyEncoding, RowKeySchema, RowKeySchemaError, RowKeyType, Segment, SegmentFormat,
};

impl KeyLayout {
    /// The row key schema by which Bigtable takes these keys apart: a text for each segment,
    /// between the separators. SQL then has a column for each segment, with the text that stands in
    /// the key: numbers and times with their leading zeros. A literal prefix is a field too, named
    /// `prefix`.
    ///
    /// ```
    /// # use bigtable_model::key::*;
    /// # let segment = |name: &'static str, kind, format| Segment {
    /// #     name: name.into(), role: SegmentRole::Identifier, kind, format,
    /// # };
    /// let layout = KeyLayout {
    ///     prefix: "".into(),
    ///     separator: "#".into(),
    ///     segments: vec![
    ///         segment("host", SegmentKind::String, SegmentFormat::Variable),
    ///         segment("port", SegmentKind::Unsigned { bits: 16 }, SegmentFormat::Digits { width: 5 }),
    ///     ]
    ///     .into(),
    /// };
    /// let schema = layout.row_key_schema()?;
    /// let names: Vec<_> = schema.fields.iter().map(|field| &*field.name).collect();
    /// assert_eq!(names, ["host", "port"]);
    /// # Ok::<(), RowKeySchemaError>(())
    /// ```
    ///
    /// # Errors
    /// [`RowKeySchemaError::Segment`] for a segment whose bytes may be at or below the separator:
    /// binary ones, escaped ones, and texts padded with such a byte.
    pub fn row_key_schema(&self) -> Result<RowKeySchema, RowKeySchemaError> {
        let separator = Bytes::copy_from_slice(self.separator.as_bytes());
        let mut schema = RowKeySchema::new(RowKeyEncoding::Delimited(separator));
        let lowest = self.separator_byte();
        if !self.prefix.is_empty() {
            if self.prefix.bytes().any(|byte| byte <= lowest) {
                return Err(refused("prefix", LOW));
            }
            schema = schema.field("prefix", RowKeyType::String);
        }
        let present = self.segments.iter().filter(|segment| !segment.is_absent());
        for segment in present {
            let fits = least(segment)? > lowest;
            if !fits {
                return Err(refused(&segment.name, LOW));
            }
            schema = schema.field(segment.name.clone(), RowKeyType::String);
        }
        Ok(schema)
    }
}

const LOW: &str = "holds bytes at or below the separator, which Bigtable's own encoding refuses: choose a lower \
                   separator, such as \"!\", or another pad than a space";
const BINARY: &str = "is binary, and may hold the separator: write it as text";
const ESCAPED: &str = "is escaped in a way that Bigtable does not know: leave `escape` out";

fn refused(segment: &str, problem: &'static str) -> RowKeySchemaError {
    RowKeySchemaError::Segment {
        segment: segment.to_owned(),
        problem,
    }
}

/// No byte of the segment is below this one.
fn least(segment: &Segment) -> Result<u8, RowKeySchemaError> {
    Ok(match &segment.format {
        SegmentFormat::Padded { pad, .. } => *pad,
        // Refused where they hold a byte at or below the separator.
        SegmentFormat::Variable | SegmentFormat::Char => u8::MAX,
        SegmentFormat::SignedDigits { .. } => b'+',
        SegmentFormat::Uuid => b'-',
        SegmentFormat::Hex { .. }
        | SegmentFormat::Digits { .. }
        | SegmentFormat::Bool { binary: false }
        | SegmentFormat::Ticks { .. }
        | SegmentFormat::Salt(_) => b'0',
        SegmentFormat::Calendar { .. } | SegmentFormat::Bucket(_) => {
            let template = segment.format.to_string();
            let literals = template.bytes().filter(|byte| *byte != b'%');
            literals.chain([b'0']).min().unwrap_or(b'0')
        }
        SegmentFormat::Escaped => return Err(refused(&segment.name, ESCAPED)),
        SegmentFormat::Rest
        | SegmentFormat::Raw { .. }
        | SegmentFormat::BigEndian { .. }
        | SegmentFormat::SignedBigEndian { .. }
        | SegmentFormat::FloatBits { .. }
        | SegmentFormat::Bool { binary: true }
        | SegmentFormat::BinaryTicks { .. } => return Err(refused(&segment.name, BINARY)),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::key::{RowKeyValue, SegmentKind, SegmentRole};

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
