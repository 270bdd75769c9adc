//! The contents of a `Cow`, for constant functions, which cannot dereference it.

#![allow(
    clippy::ptr_arg,
    reason = "in a constant function a `Cow` cannot be dereferenced by its caller"
)]

use std::borrow::Cow;

#[inline]
pub(crate) const fn bytes<'a>(text: &'a Cow<'static, str>) -> &'a [u8] {
    match text {
        Cow::Borrowed(text) => text.as_bytes(),
        Cow::Owned(text) => text.as_bytes(),
    }
}

#[inline]
pub(crate) const fn text<'a>(text: &'a Cow<'static, str>) -> &'a str {
    match text {
        Cow::Borrowed(text) => text,
        Cow::Owned(text) => text.as_str(),
    }
}

#[inline]
pub(crate) const fn list<'a, T: Clone>(list: &'a Cow<'static, [T]>) -> &'a [T] {
    match list {
        Cow::Borrowed(list) => list,
        Cow::Owned(list) => list.as_slice(),
    }
}

/// Whether bytes sort before others.
pub(crate) const fn is_before(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([a, one_tail @ ..], [b, other_tail @ ..]) = (one, other) {
        if *a != *b {
            return *a < *b;
        }
        (one, other) = (one_tail, other_tail);
    }
    one.is_empty() && !other.is_empty()
}
