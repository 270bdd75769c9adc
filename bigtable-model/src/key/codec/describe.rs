use std::fmt;

use crate::key::types::array::UuidBytes;
use crate::key::{KeyLayout, SegmentFormat, SegmentValue};

/// Displays a key as its values; made by [`KeyLayout::describe`].
///
/// Text that is empty, or has spaces, quotes or control characters, is quoted. Bytes that are not a
/// key of the layout are displayed in quotes, with escapes for bytes that are not printable.
#[derive(Debug, Clone, Copy)]
pub struct DescribedKey<'a> {
    layout: &'a KeyLayout,
    key: &'a [u8],
}

impl<'a> DescribedKey<'a> {
    pub(in crate::key) fn new(layout: &'a KeyLayout, key: &'a [u8]) -> Self {
        Self { layout, key }
    }
}

impl fmt::Display for DescribedKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(values) = self.layout.decode(self.key) else {
            return write!(f, "\"{}\"", self.key.escape_ascii());
        };
        let shown = self.layout.valued().zip(&values);
        let shown = shown.filter(|((_, segment), _)| !segment.is_absent());
        for (at, ((_, segment), value)) in shown.enumerate() {
            let space = if at > 0 { " " } else { "" };
            write!(f, "{space}{}={value}", segment.name)?;
        }
        Ok(())
    }
}

/// As in a described key: text plain or quoted, bytes quoted, times by RFC 3339.
impl fmt::Display for SegmentValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(text) if is_plain(text) => f.write_str(text),
            Self::String(text) => write!(f, "{text:?}"),
            Self::Bytes(bytes) => write!(f, "\"{}\"", bytes.escape_ascii()),
            Self::Unsigned(value) => write!(f, "{value}"),
            Self::Signed(value) => write!(f, "{value}"),
            Self::Float32(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Char(value) => write!(f, "{value:?}"),
            Self::Uuid(bytes) => {
                let mut text = Vec::new();
                // A hyphenated UUID has no errors.
                let _ = UuidBytes(*bytes).encode(&SegmentFormat::Uuid, &mut text);
                f.write_str(&String::from_utf8_lossy(&text))
            }
            Self::Time(time) => write!(f, "{time}"),
        }
    }
}

fn is_plain(text: &str) -> bool {
    let quoted = |part: char| part.is_whitespace() || part.is_control() || part == '"';
    !text.is_empty() && !text.contains(quoted)
}
