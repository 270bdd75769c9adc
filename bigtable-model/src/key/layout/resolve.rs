//! From a field's options to its format, in constant evaluation.

use std::borrow::Cow;

use crate::key::{
    CalendarField, CalendarFormat, CalendarItem, SegmentFormat, SegmentKind, TimeUnit,
};

/// What a field declares about its segment: the options of `#[bigtable(key, ...)]` and
/// `#[bigtable(time, ...)]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is one word of the attribute"
)]
pub struct SegmentOptions {
    /// `width = 6`: bytes of a padded string, digits of an integer or a time.
    pub width: Option<u16>,
    /// `pad = '_'`: fills a string up to its width; a space by default.
    pub pad: Option<u8>,
    /// `binary`.
    pub binary: bool,
    /// `escape`: a string may hold any bytes.
    pub escape: bool,
    /// `unit = "ms"`; microseconds by default.
    pub unit: Option<TimeUnit>,
    /// `format = "%Y%m%d"`, the default for dates.
    pub format: Option<&'static [CalendarItem]>,
    /// `reverse`: the newest time sorts first.
    pub reverse: bool,
    /// `truncate`: a time is rounded down to its unit or format.
    pub truncate: bool,
    /// The segment's position in a key of Bigtable's ordered code; `None` for other keys.
    pub code: Option<CodePlace>,
}

/// A segment's position in a key of Bigtable's ordered code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodePlace {
    /// Another segment follows it.
    Inner,
    /// It ends the key, and is not empty.
    Last,
}

/// The default format of a date: `%Y%m%d`.
const DATE: &[CalendarItem] = &[
    CalendarItem::Field(CalendarField::Year),
    CalendarItem::Field(CalendarField::Month),
    CalendarItem::Field(CalendarField::Day),
];

impl SegmentOptions {
    /// Nothing declared.
    pub const NONE: Self = Self {
        width: None,
        pad: None,
        binary: false,
        escape: false,
        unit: None,
        format: None,
        reverse: false,
        truncate: false,
        code: None,
    };

    /// With `width`.
    #[doc(hidden)]
    #[must_use]
    pub const fn width(mut self, width: u16) -> Self {
        self.width = Some(width);
        self
    }

    /// With `pad`.
    #[doc(hidden)]
    #[must_use]
    pub const fn pad(mut self, pad: u8) -> Self {
        self.pad = Some(pad);
        self
    }

    /// With `unit`.
    #[doc(hidden)]
    #[must_use]
    pub const fn unit(mut self, unit: TimeUnit) -> Self {
        self.unit = Some(unit);
        self
    }

    /// With `format`.
    #[doc(hidden)]
    #[must_use]
    pub const fn format(mut self, format: &'static [CalendarItem]) -> Self {
        self.format = Some(format);
        self
    }

    /// At a place in a key of Bigtable's ordered code.
    #[doc(hidden)]
    #[must_use]
    pub const fn code(mut self, place: CodePlace) -> Self {
        self.code = Some(place);
        self
    }

    /// With `binary`.
    #[doc(hidden)]
    #[must_use]
    pub const fn binary(mut self) -> Self {
        self.binary = true;
        self
    }

    /// With `escape`.
    #[doc(hidden)]
    #[must_use]
    pub const fn escape(mut self) -> Self {
        self.escape = true;
        self
    }

    /// With `reverse`.
    #[doc(hidden)]
    #[must_use]
    pub const fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// With `truncate`.
    #[doc(hidden)]
    #[must_use]
    pub const fn truncate(mut self) -> Self {
        self.truncate = true;
        self
    }

    /// Whether nothing says how a time is written.
    const fn is_without_form(&self) -> bool {
        self.unit.is_none()
            && self.format.is_none()
            && self.width.is_none()
            && !self.reverse
            && !self.binary
    }

    const fn any_of_time(&self) -> bool {
        self.unit.is_some() || self.format.is_some() || self.reverse || self.truncate
    }
}

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

    /// Like [`resolve`](SegmentFormat::resolve), for constants: a wrong declaration does not
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
        if options.code.is_some()
            && let Some(message) = refuse_in_code(kind, options)
        {
            return Some(message);
        }
        match kind {
            SegmentKind::String => refuse_string(options),
            SegmentKind::Bytes if !last => Some(
                "a byte string of any length stands only last in the key: use `[u8; N]`, or a string with `escape`",
            ),
            SegmentKind::Bytes if options.width.is_some() => {
                Some("a byte string has no `width`: use `[u8; N]`")
            }
            SegmentKind::ByteArray { len: 0 } => Some("a byte array in a key has 1 byte or more"),
            SegmentKind::ByteArray { .. } if options.width.is_some() => {
                Some("`width` is given by the array's length: remove it")
            }
            SegmentKind::Unsigned { .. } => refuse_width_of_binary(options),
            SegmentKind::Signed { .. } => match options.width {
                Some(1) => Some("`width` of a signed integer counts its sign: write 2 or more"),
                _ => refuse_width_of_binary(options),
            },
            SegmentKind::Float { .. } if !options.binary => {
                Some("a float has no text form that keeps order: write `binary`")
            }
            SegmentKind::Float { .. }
            | SegmentKind::Bool
            | SegmentKind::Char
            | SegmentKind::Uuid
                if options.width.is_some() =>
            {
                Some("`width` is for strings, integers and times: remove it")
            }
            SegmentKind::Time | SegmentKind::Date => refuse_time(options),
            _ => None,
        }
    }

    /// The format for valid options. Of invalid options it uses what it understands: for generated
    /// code, which checks every segment in a separate constant.
    #[doc(hidden)]
    #[must_use]
    pub const fn of(kind: SegmentKind, options: SegmentOptions) -> Self {
        match kind {
            SegmentKind::String => of_string(options),
            SegmentKind::Bytes => Self::Rest,
            SegmentKind::ByteArray { len } if options.binary && options.code.is_some() => {
                Self::CodedBytes { len }
            }
            SegmentKind::Uuid if options.binary && options.code.is_some() => {
                Self::CodedBytes { len: 16 }
            }
            SegmentKind::Unsigned { .. } | SegmentKind::Signed { .. }
                if options.code.is_some() && options.width.is_none() =>
            {
                Self::CodedInt
            }
            SegmentKind::ByteArray { len } if options.binary => Self::Raw { len },
            SegmentKind::ByteArray { len } => Self::Hex { len },
            SegmentKind::Unsigned { bits } if options.binary => Self::BigEndian { len: bits / 8 },
            SegmentKind::Unsigned { bits } => Self::Digits {
                width: width_or(options, max_digits(bits)),
            },
            SegmentKind::Signed { bits } if options.binary => {
                Self::SignedBigEndian { len: bits / 8 }
            }
            // One digit for the sign; the largest magnitude is half the unsigned one.
            SegmentKind::Signed { bits } => Self::SignedDigits {
                width: width_or(options, 1 + max_digits(bits - 1)),
            },
            SegmentKind::Float { bits } => Self::FloatBits { len: bits / 8 },
            SegmentKind::Bool => Self::Bool {
                binary: options.binary,
            },
            SegmentKind::Char if options.binary => Self::BigEndian { len: 4 },
            SegmentKind::Char => Self::Char,
            SegmentKind::Uuid if options.binary => Self::Raw { len: 16 },
            SegmentKind::Uuid => Self::Uuid,
            SegmentKind::Date if options.is_without_form() => of_time(SegmentOptions {
                format: Some(DATE),
                ..options
            }),
            SegmentKind::Time | SegmentKind::Date => of_time(options),
        }
    }
}

/// Bigtable's scalars in ordered code are texts, bytes, `i64` and times in microseconds, none in
/// descending order. Everything else is text.
const fn refuse_in_code(kind: SegmentKind, options: SegmentOptions) -> Option<&'static str> {
    let is_text = options.width.is_some() || options.format.is_some();
    match kind {
        SegmentKind::Bytes => Some(
            "a byte string of any length can't be borrowed from a key in ordered code: use `[u8; N]`, or a string with `escape`",
        ),
        SegmentKind::Float { .. } => Some(
            "Bigtable's ordered code has no floats: store a whole number of a smaller unit, such as cents, or remove `encoding`",
        ),
        SegmentKind::Unsigned { .. }
        | SegmentKind::Signed { .. }
        | SegmentKind::Time
        | SegmentKind::Date
        | SegmentKind::Bool
        | SegmentKind::Char
            if options.binary =>
        {
            Some(
                "in ordered code numbers and times are binary without a word, `bool` and `char` are text: remove `binary`",
            )
        }
        SegmentKind::Unsigned { bits: 64 | 128 } | SegmentKind::Signed { bits: 128 }
            if !is_text =>
        {
            Some(
                "Bigtable's integers are those of `i64`: use `i64` or `u32`, or write `width = ...`, which makes it text",
            )
        }
        SegmentKind::Time | SegmentKind::Date if options.reverse && !is_text => Some(
            "ordered code has no descending order: remove `reverse` and read with `newest_first()`, or write `width = 19` as well, which makes it text",
        ),
        _ => None,
    }
}

const fn refuse_string(options: SegmentOptions) -> Option<&'static str> {
    if options.binary {
        return Some("a string is its bytes already: remove `binary`");
    }
    if options.escape && options.width.is_some() {
        return Some("`escape` does not go with `width`: a padded string may hold the separator");
    }
    match (options.pad, options.width) {
        (Some(0), Some(_)) if options.code.is_some() => {
            Some("`pad` in ordered code is a character above 0, which separates segments")
        }
        (Some(_), None) => Some("`pad` needs `width`: write how many bytes the segment has"),
        (Some(0x80..), _) => Some("`pad` is one ASCII character"),
        _ => None,
    }
}

const fn refuse_width_of_binary(options: SegmentOptions) -> Option<&'static str> {
    if options.binary && options.width.is_some() {
        return Some(
            "`width` does not go with `binary`: binary integers have the width of their type",
        );
    }
    None
}

const fn refuse_time(options: SegmentOptions) -> Option<&'static str> {
    if let Some(items) = options.format {
        if options.reverse {
            return Some("`reverse` does not go with `format`: write `unit`, or remove `reverse`");
        }
        if options.binary || options.unit.is_some() || options.width.is_some() {
            return Some(
                "`format` does not go with `binary`, `unit` and `width`: the format says it all",
            );
        }
        return CalendarFormat::refusal(items);
    }
    match options.width {
        Some(_) if options.binary => {
            Some("`width` does not go with `binary`: binary times have 8 bytes")
        }
        Some(20..) => Some("`width` of a time is 19 at most: more digits are always zeros"),
        _ => None,
    }
}

const fn of_string(options: SegmentOptions) -> SegmentFormat {
    match options.width {
        Some(width) => SegmentFormat::Padded {
            width,
            pad: match options.pad {
                Some(pad) => pad,
                None => b' ',
            },
        },
        None => match options.code {
            Some(place) => SegmentFormat::CodedText {
                escape: options.escape,
                last: matches!(place, CodePlace::Last),
            },
            None if options.escape => SegmentFormat::Escaped,
            None => SegmentFormat::Variable,
        },
    }
}

const fn of_time(options: SegmentOptions) -> SegmentFormat {
    let SegmentOptions {
        reverse, truncate, ..
    } = options;
    if let Some(items) = options.format {
        let format = CalendarFormat {
            items: Cow::Borrowed(items),
        };
        return SegmentFormat::Calendar { format, truncate };
    }
    let unit = match options.unit {
        Some(unit) => unit,
        None => TimeUnit::Micros,
    };
    if options.code.is_some() && options.width.is_none() {
        return SegmentFormat::CodedTicks { unit, truncate };
    }
    if options.binary {
        return SegmentFormat::BinaryTicks {
            unit,
            reverse,
            truncate,
        };
    }
    let digits = if reverse { 19 } else { unit.digits() };
    SegmentFormat::Ticks {
        unit,
        width: width_or(options, digits),
        reverse,
        truncate,
    }
}

const fn width_or(options: SegmentOptions, otherwise: u16) -> u16 {
    match options.width {
        Some(width) => width,
        None => otherwise,
    }
}

/// The digits of the largest number with this many bits.
#[allow(clippy::cast_possible_truncation, reason = "39 digits at most")]
const fn max_digits(bits: u16) -> u16 {
    let unused = 128_u32.saturating_sub(bits as u32);
    match (u128::MAX >> unused).checked_ilog10() {
        Some(log) => log as u16 + 1,
        None => 1,
    }
}

#[cfg(test)]
mod tests;
