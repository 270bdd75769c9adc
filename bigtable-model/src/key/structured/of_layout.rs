//! The row key schema of a model's layout, where Bigtable's encodings have one.

use bytes::Bytes;

use super::{RowKeyEncoding, RowKeySchema, RowKeySchemaError, RowKeyType};
use crate::key::{KeyLayout, Segment, SegmentFormat};

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
