mod check;
pub(crate) mod identifiers;
mod resolve;
mod template;
mod ties;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Salt, SegmentFormat, SegmentKind, SegmentOptions};
use crate::key::time::bucket::Bucket;

/// The layout of a model's row keys: a plain value that encodes and decodes without the model's
/// type.
///
/// `#[derive(Model)]` emits one as a constant. Its `Display` is the key's template:
/// `{exchange:<6}#{symbol:<5}#{at:013ms}`. A layout made at run time must be accepted by
/// [`check`](KeyLayout::check).
///
/// ```
/// use bigtable_model::key::*;
///
/// let segment = |name: &'static str, role, kind, format| Segment { name: name.into(), role, kind, format };
/// let layout = KeyLayout {
///     prefix: "".into(),
///     separator: "#".into(),
///     enclosed: false,
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
    /// Literal text before the first segment, joined to it by the separator; empty if there is no
    /// prefix.
    pub prefix: Cow<'static, str>,
    /// The separator between prefix and segments: 1 to 50 printable ASCII characters, or the [two
    /// bytes](KeyLayout::ORDERED_CODE) of Bigtable's ordered code.
    pub separator: Cow<'static, str>,
    /// Whether the separator also begins and ends the key: `|20170726|0000987654|`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub enclosed: bool,
    /// The segments in order; at least one.
    pub segments: Cow<'static, [Segment]>,
}

impl KeyLayout {
    /// The separator of keys in Bigtable's ordered code: the bytes 00 01. Its segments have formats
    /// of ordered code, or texts of a fixed width.
    pub const ORDERED_CODE: &str = super::encoding::code::SEPARATOR;

    /// Whether the keys are in Bigtable's ordered code.
    #[must_use]
    pub fn is_in_ordered_code(&self) -> bool {
        self.separator == Self::ORDERED_CODE
    }

    /// The first byte of the separator, which no segment of variable width contains.
    #[must_use]
    pub fn separator_byte(&self) -> u8 {
        super::encoding::first_byte(&self.separator)
    }

    /// The segments that have values, with their indexes: all but the salt.
    pub fn valued(&self) -> impl DoubleEndedIterator<Item = (usize, &Segment)> {
        let segments = self.segments.iter().enumerate();
        segments.filter(|(_, segment)| segment.role != SegmentRole::Salt)
    }

    /// The segment of the event's time, or of its bucket.
    #[must_use]
    pub fn time_segment(&self) -> Option<(usize, &Segment)> {
        let mut segments = self.segments.iter().enumerate();
        segments.find(|(_, one)| one.role.is_time())
    }

    /// Whether it has an identifier with a name.
    pub(crate) fn has_identifier(&self, name: &str) -> bool {
        let mut segments = self.segments.iter();
        segments.any(|one| one.role == SegmentRole::Identifier && one.name == name)
    }

    /// The index of the time segment among those with values.
    pub(crate) fn place_of_time(&self) -> Option<usize> {
        let (time, _) = self.time_segment()?;
        self.valued().position(|(at, _)| at == time)
    }

    /// The buckets, if an event's time is not in the key.
    #[must_use]
    pub fn bucket(&self) -> Option<&Bucket> {
        self.segments
            .iter()
            .find_map(|segment| match &segment.format {
                SegmentFormat::Bucket(bucket) => Some(bucket),
                _ => None,
            })
    }

    /// The salt and its index.
    #[must_use]
    pub fn salt(&self) -> Option<(usize, &Salt)> {
        let mut segments = self.segments.iter().enumerate();
        segments.find_map(|(at, segment)| match &segment.format {
            SegmentFormat::Salt(salt) => Some((at, salt)),
            _ => None,
        })
    }

    /// Whether nothing follows the segment at this index, not even a separator.
    #[must_use]
    pub fn is_last(&self, at: usize) -> bool {
        !self.enclosed && self.segments.iter().skip(at + 1).all(Segment::is_absent)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_false(is: &bool) -> bool {
    !*is
}

/// One part of a row key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Segment {
    /// The field's name.
    pub name: Cow<'static, str>,
    /// Its role in the series.
    pub role: SegmentRole,
    /// The kind of its values.
    pub kind: SegmentKind,
    /// The format of its values.
    pub format: SegmentFormat,
}

impl Segment {
    /// Whether it is not in the key: an endless bucket.
    #[must_use]
    #[inline(always)]
    pub const fn is_absent(&self) -> bool {
        match &self.format {
            SegmentFormat::Bucket(bucket) => bucket.is_endless(),
            _ => false,
        }
    }
}

/// The role of a segment in the series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SegmentRole {
    /// Part of the series' name.
    Identifier,
    /// The event's time.
    Time,
    /// The span of time that contains the event's time.
    Bucket,
    /// Distinguishes events of a series at the same time. It follows the event's time.
    TieBreaker,
    /// A shard number. It has no value: layouts take and return values for the other segments.
    Salt,
}

impl SegmentRole {
    /// Whether it is the event's time or its bucket.
    pub(crate) const fn is_time(self) -> bool {
        matches!(self, Self::Time | Self::Bucket)
    }

    /// Whether its name identifies its values, which are the same in all models of an event.
    pub(crate) const fn is_named(self) -> bool {
        matches!(self, Self::Identifier | Self::TieBreaker)
    }
}

/// An identifier of the key. The check of the segment reports invalid options.
#[doc(hidden)]
#[must_use]
pub const fn identifier(name: &'static str, kind: SegmentKind, options: SegmentOptions) -> Segment {
    in_role(SegmentRole::Identifier, name, kind, options)
}

/// A tie-breaker. The check of the segment reports invalid options.
#[doc(hidden)]
#[must_use]
pub const fn tie_breaker(
    name: &'static str,
    kind: SegmentKind,
    options: SegmentOptions,
) -> Segment {
    in_role(SegmentRole::TieBreaker, name, kind, options)
}

/// The time of an event with its own row. The check of the time reports invalid options.
#[doc(hidden)]
#[must_use]
pub const fn time_segment(
    name: &'static str,
    kind: SegmentKind,
    options: SegmentOptions,
) -> Segment {
    in_role(SegmentRole::Time, name, kind, options)
}

const fn in_role(
    role: SegmentRole,
    name: &'static str,
    kind: SegmentKind,
    options: SegmentOptions,
) -> Segment {
    Segment {
        name: Cow::Borrowed(name),
        role,
        kind,
        format: SegmentFormat::of(kind, options),
    }
}

/// The bucket of an event's time. The check of the time ensures that the type holds times.
#[doc(hidden)]
#[must_use]
pub const fn bucket_segment(name: &'static str, kind: SegmentKind, bucket: Bucket) -> Segment {
    let kind = match kind {
        SegmentKind::Date => kind,
        _ => SegmentKind::Time,
    };
    Segment {
        name: Cow::Borrowed(name),
        role: SegmentRole::Bucket,
        kind,
        format: SegmentFormat::Bucket(bucket),
    }
}
