//! From a field's options to its format, in constant evaluation.

use crate::key::{SegmentFormat, SegmentKind, SegmentOptions};

impl SegmentFormat {
    /// The format of a segment of `kind` that declares `options`; `last` says whether nothing
    /// follows it in the key.
    ///
    /// # Errors
    /// What is wrong with the options, and what to write instead.
    pub const fn resolve(
        kind: SegmentKind,
        options: SegmentOptions,
        last: bool,
    ) -> Result<Self, &'static str> {
        match Self::refusal(kind, options, last) {
            Some(message) => Err(message),
            None => Ok(Self::of(kind, options)),
        }
    }

    /// Like [`resolve`](SegmentFormat::resolve), for constants: an invalid declaration does not
    /// compile.
    ///
    /// # Panics
    /// With the message of the error.
    #[must_use]
    #[allow(
        clippy::panic,
        reason = "in a constant a panic is the compiler's error message"
    )]
    #[track_caller]
    pub const fn declared(kind: SegmentKind, options: SegmentOptions, last: bool) -> Self {
        match Self::refusal(kind, options, last) {
            Some(message) => panic!("{}", message),
            None => Self::of(kind, options),
        }
    }

    /// Why `options` do not fit `kind`, and what to write instead.
    #[must_use]
    pub const fn refusal(
        kind: SegmentKind,
        options: SegmentOptions,
        last: bool,
    ) -> Option<&'static str> {
        if !kind.is_time() && options.any_of_time() {
            return Some(
                "`unit`, `format`, `reverse` and `truncate` are for times: remove them, or make the field a time",
            );
        }
        if !matches!(kind, SegmentKind::String) {
            if options.escape {
                return Some("`escape` is for strings: only text has bytes to escape");
            }
            if options.pad.is_some() {
                return Some("`pad` is for strings: numbers are padded with zeros");
            }
        }
        if matches!(options.width, Some(0)) {
            return Some("`width` is in bytes: write 1 or more");
        }
        kind.refusal(options, last)
    }

    /// The format for valid options. Invalid options give some format, since generated code checks
    /// every segment in a separate constant.
    #[doc(hidden)]
    #[must_use]
    pub const fn of(kind: SegmentKind, options: SegmentOptions) -> Self {
        kind.format(options)
    }
}

#[cfg(test)]
mod tests;
