//! What a segment of keys may be: the first kind and format that read all of its values and write
//! them back unchanged.

use std::borrow::Cow;
use std::collections::BTreeSet;

use bigtable_model::Timestamp;
use bigtable_model::key::{SegmentValue, TimeUnit};
use bigtable_model::schema::{
    CalendarFormat, KeyLayout, Segment, SegmentFormat, SegmentKind, SegmentOptions, SegmentRole,
};

use super::calendar::FORMATS;
use crate::text::is_plain;

/// A segment as it may be.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) segment: Segment,
    /// The type of the field.
    pub(super) ty: &'static str,
    /// The words of its attribute.
    pub(super) options: Vec<String>,
    /// How certain it is, and why.
    pub(super) why: String,
    /// Its values, if they are times.
    pub(super) times: Vec<Timestamp>,
}

/// A number of seconds up to this is not the time of an event: 1990.
const EARLIEST: i64 = 631_152_000;
/// Nor is one from this on: 2050.
const LATEST: i64 = 2_524_608_000;

/// The segment that reads all values, the most specific first; `None` if none does.
pub(super) fn guess(values: &[&[u8]], separator: &str, is_last: bool) -> Option<Part> {
    let try_on =
        |(kind, options, ty): Candidate| try_on(values, separator, is_last, kind, options, ty);
    times(values)
        .into_iter()
        .filter_map(try_on)
        .find(|part| part.times.iter().all(is_likely))
        .or_else(|| others(values).into_iter().find_map(try_on))
}

/// The same without times, for a key that has another one.
pub(super) fn without_time(values: &[&[u8]], separator: &str, is_last: bool) -> Option<Part> {
    let try_on =
        |(kind, options, ty): Candidate| try_on(values, separator, is_last, kind, options, ty);
    others(values).into_iter().find_map(try_on)
}

/// Whether values are times or UUIDs, whose texts contain characters that may separate segments.
pub(super) fn is_special(values: &[&[u8]]) -> bool {
    guess(values, "#", true)
        .is_some_and(|part| !part.times.is_empty() || part.segment.kind == SegmentKind::Uuid)
}

fn is_likely(time: &Timestamp) -> bool {
    (EARLIEST..LATEST).contains(&time.as_micros().div_euclid(1_000_000))
}

/// A kind, what is declared about it, and the Rust type.
type Candidate = (SegmentKind, SegmentOptions, &'static str);

/// The width of all values, if they have one.
fn width(values: &[&[u8]]) -> Option<u16> {
    let widths: BTreeSet<usize> = values.iter().map(|value| value.len()).collect();
    match widths.into_iter().collect::<Vec<_>>()[..] {
        [width] => u16::try_from(width).ok().filter(|width| *width > 0),
        _ => None,
    }
}

fn are_digits(values: &[&[u8]]) -> bool {
    let mut values = values.iter();
    values.all(|value| !value.is_empty() && value.iter().all(u8::is_ascii_digit))
}

fn times(values: &[&[u8]]) -> Vec<Candidate> {
    let time = |options| (SegmentKind::Time, options, "Timestamp");
    let units = [TimeUnit::Seconds, TimeUnit::Millis, TimeUnit::Micros];
    let mut found = Vec::new();
    let Some(width) = width(values) else {
        return found;
    };
    if values.iter().all(|value| is_plain(value)) {
        let formats = FORMATS.iter().map(|format| SegmentOptions {
            format: Some(format),
            ..SegmentOptions::NONE
        });
        found.extend(formats.map(time));
    }
    if are_digits(values) && width >= 10 {
        for unit in units {
            for reverse in [false, true] {
                let width = (reverse || unit.digits() != width).then_some(width);
                found.push(time(SegmentOptions {
                    unit: Some(unit),
                    width,
                    reverse,
                    ..SegmentOptions::NONE
                }));
            }
        }
    }
    if width == 8 && !values.iter().all(|value| is_plain(value)) {
        for unit in units {
            for reverse in [false, true] {
                found.push(time(SegmentOptions {
                    unit: Some(unit),
                    binary: true,
                    reverse,
                    ..SegmentOptions::NONE
                }));
            }
        }
    }
    found
}

fn others(values: &[&[u8]]) -> Vec<Candidate> {
    let none = SegmentOptions::NONE;
    let mut found = vec![(SegmentKind::Uuid, none, "uuid::Uuid")];
    let width = width(values);
    let are_texts = values.iter().all(|value| is_plain(value));
    if let Some(width) = width
        && are_digits(values)
        && width > 1
        // Without a leading zero they may be numbers that happen to have the same length.
        && values.iter().any(|value| value.starts_with(b"0"))
    {
        let padded = SegmentOptions {
            width: Some(width),
            ..none
        };
        let (bits, ty) = match width {
            ..=9 => (32, "u32"),
            10..=19 => (64, "u64"),
            _ => (128, "u128"),
        };
        found.push((SegmentKind::Unsigned { bits }, padded, ty));
    }
    for pad in [b' ', b'_'] {
        let is_padded = values.iter().any(|value| value.ends_with(&[pad]));
        if let Some(width) = width.filter(|_| is_padded && are_texts) {
            let pad = (pad != b' ').then_some(pad);
            let padded = SegmentOptions {
                width: Some(width),
                pad,
                ..none
            };
            found.push((SegmentKind::String, padded, "String"));
        }
    }
    if are_texts {
        found.push((SegmentKind::String, none, "String"));
        // A value of fixed width may contain characters that sort before the separator.
        if width.is_some() {
            let fixed = SegmentOptions { width, ..none };
            found.push((SegmentKind::String, fixed, "String"));
        }
    } else if width == Some(8) {
        let binary = SegmentOptions {
            binary: true,
            ..none
        };
        found.push((SegmentKind::Unsigned { bits: 64 }, binary, "u64"));
    }
    found.push((SegmentKind::Bytes, none, "Vec<u8>"));
    found
}

/// The segment, if it reads all values and writes them back unchanged.
fn try_on(
    values: &[&[u8]],
    separator: &str,
    is_last: bool,
    kind: SegmentKind,
    options: SegmentOptions,
    ty: &'static str,
) -> Option<Part> {
    let segment = Segment {
        name: Cow::Borrowed("segment"),
        role: match kind {
            SegmentKind::Time => SegmentRole::Time,
            _ => SegmentRole::Identifier,
        },
        kind,
        format: SegmentFormat::resolve(kind, options, is_last).ok()?,
    };
    let key = KeyLayout {
        prefix: Cow::Borrowed(""),
        separator: Cow::Owned(separator.to_owned()),
        enclosed: false,
        segments: Cow::Owned(vec![segment.clone()]),
    };
    key.check().ok()?;
    let mut times = Vec::new();
    let mut written = Vec::new();
    for value in values {
        let read = key.decode(value).ok()?;
        written.clear();
        key.encode(&read, &mut written).ok()?;
        if written != *value {
            return None;
        }
        if let Some(SegmentValue::Time(time)) = read.first() {
            times.push(*time);
        }
    }
    Some(Part {
        why: why(values, separator, kind, &options, &segment.format),
        segment,
        ty,
        options: words(&options),
        times,
    })
}

/// The options as words of an attribute.
fn words(options: &SegmentOptions) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(unit) = options.unit {
        let unit = match unit {
            TimeUnit::Seconds => "s",
            TimeUnit::Millis => "ms",
            TimeUnit::Micros => "us",
        };
        words.push(format!("unit = \"{unit}\""));
    }
    if let Some(format) = options.format {
        let format = CalendarFormat {
            items: Cow::Borrowed(format),
        };
        words.push(format!("format = \"{format}\""));
    }
    words.extend(options.width.map(|width| format!("width = {width}")));
    words.extend(
        options
            .pad
            .map(|pad| format!("pad = {:?}", char::from(pad))),
    );
    words.extend(options.binary.then(|| "binary".to_owned()));
    words.extend(options.reverse.then(|| "reverse".to_owned()));
    words
}

/// Fewer values than this say little.
const FEW: usize = 5;

fn why(
    values: &[&[u8]],
    separator: &str,
    kind: SegmentKind,
    options: &SegmentOptions,
    format: &SegmentFormat,
) -> String {
    let distinct: BTreeSet<&[u8]> = values.iter().copied().collect();
    let count = distinct.len();
    let seen = match count {
        1 => "one value".to_owned(),
        count => format!("{count} values"),
    };
    let certainty = |sure: &'static str| if count < FEW { "likely" } else { sure };
    match (kind, format) {
        (SegmentKind::Time, SegmentFormat::Calendar { .. }) => {
            format!("{}: {seen}, all dates from 1990 to 2050", certainty("sure"))
        }
        (SegmentKind::Time, _) => {
            let reversed = if options.reverse {
                ", counted from the end"
            } else {
                ""
            };
            format!(
                "{}: {seen}, all times from 1990 to 2050{reversed}",
                certainty("sure")
            )
        }
        (SegmentKind::Uuid, _) => format!("sure: {seen}"),
        (SegmentKind::Unsigned { .. }, SegmentFormat::BigEndian { .. }) => {
            format!("a guess: {seen} of 8 bytes, which may be a number or any others")
        }
        (SegmentKind::Unsigned { .. }, _) => {
            format!(
                "{}: {seen}, all digits of one width with leading zeros",
                certainty("sure")
            )
        }
        (SegmentKind::String, SegmentFormat::Padded { .. })
            if low_text(values, separator).is_some()
                && options.pad.is_none()
                && !values.iter().any(|value| value.ends_with(b" ")) =>
        {
            format!(
                "a guess: {seen} of one width, with characters that sort before the separator `{separator}`, so that another width is not read"
            )
        }
        (SegmentKind::String, SegmentFormat::Padded { .. }) => {
            format!(
                "{}: {seen} of one width, some of them padded",
                certainty("sure")
            )
        }
        (SegmentKind::String, _) if are_digits(values) => {
            format!("a guess: {seen} of digits; as a text they are read whatever they are")
        }
        (SegmentKind::String, _) => seen,
        _ => match low_text(values, separator) {
            Some(text) => format!(
                "{seen}, as bytes, since `{text}` has a character that sorts before the separator `{separator}`"
            ),
            None => format!("{seen} that are no text"),
        },
    }
}

/// A text that a segment of variable length cannot hold: a byte at or below the separator would
/// change the order of keys.
fn low_text<'a>(values: &[&'a [u8]], separator: &str) -> Option<&'a str> {
    if !values.iter().all(|value| is_plain(value)) {
        return None;
    }
    let first = separator.bytes().next()?;
    let low = values
        .iter()
        .find(|value| value.iter().any(|byte| *byte <= first))?;
    std::str::from_utf8(low).ok()
}
