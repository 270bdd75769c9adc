//! Compares two layouts in constant evaluation.

use std::borrow::Cow;

use super::{KeyLayout, Segment};

impl KeyLayout {
    /// The segments of a layout that the derive made; empty for a layout made at run time.
    pub(crate) const fn declared(&self) -> &[Segment] {
        match &self.segments {
            Cow::Borrowed(segments) => segments,
            Cow::Owned(_) => &[],
        }
    }
}

/// The segment of this name.
pub(crate) const fn named<'s>(segments: &'s [Segment], name: &str) -> Option<&'s Segment> {
    let mut rest = segments;
    while let Some((one, others)) = rest.split_first() {
        if are_same(declared_text(&one.name).as_bytes(), name.as_bytes()) {
            return Some(one);
        }
        rest = others;
    }
    None
}

/// Whether these bytes are equal, for constants, which cannot use `==`.
pub(crate) const fn are_same(mut one: &[u8], mut other: &[u8]) -> bool {
    while let (Some((a, rest)), Some((b, others))) = (one.split_first(), other.split_first()) {
        if *a != *b {
            return false;
        }
        (one, other) = (rest, others);
    }
    one.is_empty() && other.is_empty()
}

/// A text that the derive made; constants cannot see one made at run time.
#[allow(
    clippy::ptr_arg,
    reason = "a constant function sees no text inside by itself"
)]
pub(crate) const fn declared_text<'a>(text: &'a Cow<'static, str>) -> &'a str {
    match text {
        Cow::Borrowed(text) => text,
        Cow::Owned(_) => "",
    }
}
