//! Labels that count the bucket's beginning in some duration: `{start:100s}`.

use crate::errors::Errors;
use crate::model::{Label, Span};
use crate::syntax::{RawField, Text};

use super::{duration, offsets, origin};

/// The maximum number of digits of a time's count.
pub(super) const MOST_DIGITS: u16 = 19;

/// The duration that a label like `{start:100s}` counts.
pub(super) fn duration_of(label: &str) -> Option<&str> {
    label.strip_prefix("{start:")?.strip_suffix('}')
}

/// The beginning as a number of some duration, since 1970 or since the origin.
pub(super) fn label(
    unit: &str,
    label: &Text,
    field: &RawField,
    (span, zone): (Span, Option<&str>),
    errors: &mut Errors,
) -> Label {
    const DAY: i64 = 86_400_000_000;
    let reverse = field.reverse.is_some();
    let micros = duration::micros(unit).unwrap_or_else(|| {
        errors.at_span(
            label.span,
            "the beginning is counted in a duration in `ms`, `s`, `m`, `h` or `d`: write `label = \"{start:100s}\"`",
        );
        1_000
    });
    let even = match span {
        Span::Week | Span::Month | Span::Year => DAY,
        span => span.longest_micros(0).unwrap_or(DAY),
    };
    if even % micros != 0 {
        errors.at_span(
            label.span,
            format!("not every bucket begins with a whole {unit}: count a duration of which the bucket is a whole multiple"),
        );
    }
    let origin_micros = origin_of_units(micros, unit, field, errors);
    if let Some(zone) = zone
        && !offsets::are_whole(zone, micros, origin_micros)
    {
        errors.at_span(
            label.span,
            format!("not every day of {zone} begins with a whole {unit} of UTC: count a shorter duration, remove `zone`, or write calendar fields"),
        );
    }
    // Enough for the times to 2286, as with `{start}`.
    let digits = (9_999_999_999_999_999 / micros).to_string().len();
    let least = u16::try_from(digits).unwrap_or(MOST_DIGITS);
    let by_default = if reverse { MOST_DIGITS } else { least };
    let width = match &field.width {
        Some(declared) if (least..=MOST_DIGITS).contains(&declared.value) => declared.value,
        Some(declared) => {
            errors.at_span(
                declared.span,
                format!("the bucket's beginning takes {least} to {MOST_DIGITS} digits in {unit}"),
            );
            by_default
        }
        None => by_default,
    };
    Label::Units {
        micros,
        origin_micros,
        width,
        reverse,
    }
}

/// What a duration is counted from: 1970, or a whole number of it after or before.
fn origin_of_units(micros: i64, unit: &str, field: &RawField, errors: &mut Errors) -> i64 {
    let Some(origin) = &field.origin else {
        return 0;
    };
    match origin::micros(&origin.value) {
        Some(since) if since % micros == 0 => since,
        Some(_) => {
            errors.at_span(
                origin.span,
                format!("the origin is no whole {unit} after 1970, and so no bucket begins a whole {unit} after it"),
            );
            0
        }
        None => {
            errors.at_span(
                origin.span,
                "an origin is a date or a moment: write `origin = \"2021-03-01\"` or \"2021-03-01T00:00:00Z\"",
            );
            0
        }
    }
}
