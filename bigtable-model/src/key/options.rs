use super::time::units::{CalendarItem, TimeUnit};

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
    /// `zone = "-07:00"` with `format`: how far the format's clock is ahead of UTC.
    pub offset_seconds: i32,
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
    /// It ends the key and is not empty.
    Last,
}

impl SegmentOptions {
    /// Nothing declared.
    pub const NONE: Self = Self {
        width: None,
        pad: None,
        binary: false,
        escape: false,
        unit: None,
        format: None,
        offset_seconds: 0,
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

    /// With `zone`.
    #[doc(hidden)]
    #[must_use]
    pub const fn offset_seconds(mut self, seconds: i32) -> Self {
        self.offset_seconds = seconds;
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

    /// Whether no option says how a time is written.
    pub(super) const fn is_without_form(&self) -> bool {
        self.unit.is_none()
            && self.format.is_none()
            && self.width.is_none()
            && !self.reverse
            && !self.binary
    }

    pub(super) const fn any_of_time(&self) -> bool {
        self.unit.is_some()
            || self.format.is_some()
            || self.offset_seconds != 0
            || self.reverse
            || self.truncate
    }

    /// `width`, or `otherwise` if it is not declared.
    pub(super) const fn width_or(&self, otherwise: u16) -> u16 {
        match self.width {
            Some(width) => width,
            None => otherwise,
        }
    }

    /// Whether a segment in ordered code is written as text.
    pub(super) const fn is_text(&self) -> bool {
        self.width.is_some() || self.format.is_some()
    }
}
