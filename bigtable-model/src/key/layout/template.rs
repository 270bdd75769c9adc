//! Layouts as readable templates.

use std::fmt::{self, Write as _};

use crate::key::{CalendarFormat, CalendarItem, KeyLayout, Segment, SegmentFormat, TimeUnit};

/// The template of a key: prefix and segments in order, each segment in braces.
///
/// [`SegmentFormat`] lists how each segment is written. The separator of ordered code is
/// `\x00\x01`. `truncate` does not change a key's form and is not shown.
impl fmt::Display for KeyLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let around = if self.enclosed { &*self.separator } else { "" };
        write!(f, "{around}{}", self.prefix)?;
        let present = self.segments.iter().filter(|segment| !segment.is_absent());
        for (at, segment) in present.enumerate() {
            if at > 0 || !self.prefix.is_empty() {
                match &*self.separator {
                    KeyLayout::ORDERED_CODE => {
                        write!(f, "{}", self.separator.as_bytes().escape_ascii())?
                    }
                    separator => f.write_str(separator)?,
                }
            }
            write!(f, "{segment}")?;
        }
        f.write_str(around)
    }
}

/// The segment's part of the [`KeyLayout`]'s template.
impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.format {
            SegmentFormat::Variable => write!(f, "{{{}}}", self.name),
            format => write!(f, "{{{}:{format}}}", self.name),
        }
    }
}

/// `s`, `ms` or `us`, as in `unit = "ms"`.
impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seconds => "s",
            Self::Millis => "ms",
            Self::Micros => "us",
        })
    }
}

/// The format's text, as in `format = "%Y%m%d"`.
impl fmt::Display for CalendarFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for item in self.items.iter() {
            match item {
                CalendarItem::Field(field) => f.write_str(field.directive())?,
                CalendarItem::Unpadded(field) => {
                    f.write_str(&field.directive().replacen('%', "%-", 1))?;
                }
                CalendarItem::Literal(text) => {
                    for part in text.chars() {
                        match part {
                            '%' => f.write_str("%%")?,
                            part => f.write_char(part)?,
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
