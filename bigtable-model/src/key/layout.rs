use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{SegmentFormat, SegmentKind};

/// The layout of a model's row keys: a plain value that encodes and decodes without the model's type.
///
/// `#[derive(Model)]` emits one as a constant. Its `Display` is the key's template:
/// `{exchange:<6}#{symbol:<5}#{at:013ms}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeyLayout {
    /// Literal text in front of the first segment, joined to it by the separator; empty is none.
    pub prefix: Cow<'static, str>,
    /// What stands between prefix and segments: 1 to 50 printable ASCII characters.
    pub separator: Cow<'static, str>,
    /// The segments in order; at least one.
    pub segments: Cow<'static, [Segment]>,
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
}
