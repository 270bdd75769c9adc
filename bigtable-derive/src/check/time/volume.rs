//! How large the rows of a bucket become at an expected rate.

use crate::errors::Errors;
use crate::model::{Bucket, Kind, Span, Volume};
use crate::syntax::{RawExpect, RawField, keyword};

use super::bucket::allows;
use super::{duration, zone};

/// The maximum size of a row in bytes, as Bigtable advises.
const MOST_BYTES: u64 = 100_000_000;

/// The maximum size of a cell in bytes, as Bigtable advises.
const MOST_BYTES_OF_A_CELL: u64 = 10_000_000;

const MINUTE: i64 = 60_000_000;
const DAY: i64 = 1_440 * MINUTE;

/// Buckets to propose, from the longest down.
const SHORTER: &[(&str, Span)] = &[
    ("month", Span::Month),
    ("week", Span::Week),
    ("day", Span::Day),
    ("12h", Span::Every(720 * MINUTE)),
    ("6h", Span::Every(360 * MINUTE)),
    ("hour", Span::Hour),
    ("30m", Span::Every(30 * MINUTE)),
    ("15m", Span::Every(15 * MINUTE)),
    ("5m", Span::Every(5 * MINUTE)),
    ("minute", Span::Minute),
];

/// The cells that are written for each event and once for a row, and the bytes of their names.
#[derive(Clone, Copy)]
pub(in crate::check) struct Cells {
    pub(in crate::check) per_event: u64,
    pub(in crate::check) per_row: u64,
    pub(in crate::check) names: u64,
}

/// The volume of a bucket's row, or of a day of a series if a row is one event.
pub(in crate::check) fn volume(
    kind: Kind,
    expect: Option<&RawExpect>,
    bucket: Option<(&RawField, &Bucket)>,
    cells: Cells,
    allow: &[String],
    errors: &mut Errors,
) -> Option<Volume> {
    let Some(expect) = expect else {
        unknown(bucket, allow, errors);
        return None;
    };
    if kind.keeps_newest() {
        errors.at_span(
            expect.span,
            "`expect` is about events that are kept, and a query returns the newest of a series only: remove it",
        );
        return None;
    }
    let Cells {
        per_event: cells_per_event,
        per_row: cells_per_row,
        names,
    } = cells;
    let (every, size) = rate(expect, errors)?;
    let least = size.div_ceil(cells_per_event.max(1));
    if least > MOST_BYTES_OF_A_CELL && !allows(allow, keyword::LARGE_CELLS) {
        errors.at_span(
            expect.size.as_ref().map_or(expect.span, |size| size.span),
            format!(
                "a cell of such an event has {} or more, and Bigtable advises 10 MB at most: keep the bytes elsewhere and their address here, cut them into several events, or write `allow(large_cells)` on the struct",
                megabytes(least)
            ),
        );
    }
    let Some((field, bucket)) = bucket else {
        let held = events(DAY, every);
        return Some(Volume {
            every,
            events: Some(held),
            cells: held.saturating_mul(cells_per_event.saturating_add(cells_per_row)),
            bytes: held.saturating_mul(size),
            of_day: true,
            size,
            names,
        });
    };
    let more = zone::more_micros(bucket.zone.as_deref(), false);
    let events = bucket
        .span
        .longest_micros(more)
        .map(|micros| events(micros, every));
    let held = events.unwrap_or(1);
    let bytes = held.saturating_mul(size);
    if events.is_some() && bytes > MOST_BYTES && !allows(allow, keyword::WIDE_ROWS) {
        let advice = advice(bucket.span, every, size);
        let span = field.bucket.as_ref().map_or(expect.span, |at| at.span);
        errors.at_span(
            span,
            format!(
                "a row of this bucket holds {} events and {}, more than the 100 MB that Bigtable advises: {advice}",
                grouped(held),
                megabytes(bytes)
            ),
        );
    }
    Some(Volume {
        every,
        events,
        cells: held
            .saturating_mul(cells_per_event)
            .saturating_add(cells_per_row),
        bytes,
        of_day: false,
        size,
        names,
    })
}

/// In a year any row may become too large, so the rate of events is required.
fn unknown(bucket: Option<(&RawField, &Bucket)>, allow: &[String], errors: &mut Errors) {
    const YEAR: i64 = 365 * DAY;
    let Some((field, bucket)) = bucket else {
        return;
    };
    let is_long = bucket.span.longest_micros(0) >= Some(YEAR);
    if let Some(at) = field.bucket.as_ref().filter(|_| is_long)
        && !allows(allow, keyword::WIDE_ROWS)
    {
        errors.at_span(
            at.span,
            "a row of this bucket holds a year or more of a series, and Bigtable advises 100 MB at most: say how often events come and how many bytes one has, as in `expect(every = \"1h\", size = 100)` on the struct, or write `allow(wide_rows)` there",
        );
    }
}

/// The microseconds between events and the bytes of one.
fn rate(expect: &RawExpect, errors: &mut Errors) -> Option<(u64, u64)> {
    let (Some(every), Some(size)) = (&expect.every, &expect.size) else {
        if !expect.is_sound {
            return None;
        }
        errors.at_span(
            expect.span,
            "an expectation has a rate and a size: write `expect(every = \"5s\", size = 100)`, with the bytes of an event",
        );
        return None;
    };
    let micros = duration::micros(&every.value).and_then(|micros| u64::try_from(micros).ok());
    if micros.is_none() {
        errors.at_span(
            every.span,
            "`every` is a duration in `ms`, `s`, `m`, `h` or `d`: write `every = \"5s\"`",
        );
    }
    Some((micros?, size.value))
}

fn events(micros: i64, every: u64) -> u64 {
    u64::try_from(micros).unwrap_or_default().div_ceil(every)
}

/// The shorter buckets that fit, the longest first.
fn advice(span: Span, every: u64, size: u64) -> String {
    let longest = span.longest_micros(0).unwrap_or(i64::MAX);
    let fitting = SHORTER.iter().filter_map(|(word, shorter)| {
        let micros = shorter
            .longest_micros(0)
            .filter(|micros| *micros < longest)?;
        let bytes = events(micros, every).saturating_mul(size);
        (bytes <= MOST_BYTES).then_some((*word, bytes))
    });
    let fitting: Vec<_> = fitting.collect();
    match fitting.as_slice() {
        [(word, bytes)] => format!(
            "write `bucket = \"{word}\"` ({}), or `allow(wide_rows)` on the struct",
            megabytes(*bytes)
        ),
        [(word, bytes), shorter @ ..] => {
            let shorter: Vec<_> = shorter.iter().map(|(word, _)| *word).collect();
            format!(
                "write `bucket = \"{word}\"` ({}), or a shorter one of {}; or `allow(wide_rows)` on the struct",
                megabytes(*bytes),
                keyword::list(&shorter)
            )
        }
        [] => "no bucket is short enough: write `layout = \"row\"`, or `allow(wide_rows)` on the struct".to_owned(),
    }
}

/// `172.8 MB`; bytes below a tenth.
pub(crate) fn megabytes(bytes: u64) -> String {
    match bytes {
        0..100_000 => format!("{} bytes", grouped(bytes)),
        _ => {
            let tenths = bytes.div_ceil(100_000);
            format!("{}.{} MB", grouped(tenths / 10), tenths % 10)
        }
    }
}

/// `17,280`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(12_345_678), "12,345,678");
        assert_eq!(megabytes(99_999), "99,999 bytes");
        assert_eq!(megabytes(172_800_000), "172.8 MB");
        assert_eq!(megabytes(1_234_500_001), "1,234.6 MB");
    }

    #[test]
    fn the_shorter_buckets_that_fit() {
        assert_eq!(
            advice(Span::Day, 1_000_000, 50_000),
            "write `bucket = \"30m\"` (90.0 MB), or a shorter one of `15m`, `5m`, `minute`; \
             or `allow(wide_rows)` on the struct"
        );
        assert_eq!(
            advice(Span::Day, 1_000, 1_000),
            "write `bucket = \"minute\"` (60.0 MB), or `allow(wide_rows)` on the struct"
        );
        assert!(advice(Span::Year, 60_000_000, 1_000).contains("\"month\""));
        assert!(advice(Span::Every(30 * MINUTE), 1_000_000, 100_000).contains("\"15m\""));
        assert!(advice(Span::Minute, 1_000, 10_000).contains("\"row\""));
    }
}
