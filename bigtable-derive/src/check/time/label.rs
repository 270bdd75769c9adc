//! How a bucket is written in the row key.

use crate::errors::Errors;
use crate::model::{FormatItem, Label, Span, Unit};
use crate::syntax::{RawField, Text};

use super::format::{self, Grammar};
use super::offsets;
use super::origin;
use super::units::{self, MOST_DIGITS};

/// Formats of buckets' beginnings.
const LABEL: Grammar = Grammar {
    what: "a label",
    first: &["%Y"],
    unpadded: true,
    example: "label = \"%Y%m%d\"",
};

/// The same for weeks.
const WEEK: Grammar = Grammar {
    what: "a label",
    first: &["%Y", "%G"],
    unpadded: true,
    example: "label = \"%G-W%V\"",
};

/// The label of a bucket; words that do not go with it are reported.
pub(in crate::check) fn label(
    field: &RawField,
    span: Span,
    zone: Option<&str>,
    separator: &str,
    errors: &mut Errors,
) -> Label {
    if span == Span::Endless {
        refuse_words_of_labels(field, errors);
        return Label::Absent;
    }
    let label = if let Some(binary) = field.binary {
        if field.label.is_some() {
            errors.at_span(
                binary,
                "`binary` writes the bucket's beginning as 8 bytes: remove `label` or `binary`",
            );
        }
        Label::BinaryStart {
            unit: start_unit(span),
            reverse: field.reverse.is_some(),
        }
    } else {
        match &field.label {
            Some(text) => declared(text, field, span, zone, separator, errors),
            None if field.reverse.is_some() => start(field, span, errors),
            None => by_default(field, span, errors),
        }
    };
    refuse_unused(field, &label, errors);
    label
}

/// With `bucket = "none"` nothing of the time is in the key.
fn refuse_words_of_labels(field: &RawField, errors: &mut Errors) {
    let words = [
        ("label", field.label.as_ref().map(|at| at.span)),
        ("origin", field.origin.as_ref().map(|at| at.span)),
        ("width", field.width.as_ref().map(|at| at.span)),
        ("binary", field.binary),
    ];
    for (word, span) in words {
        if let Some(span) = span {
            errors.at_span(
                span,
                format!("nothing of `bucket = \"none\"` stands in the key: remove `{word}`"),
            );
        }
    }
}

/// Options that the label has no use for.
fn refuse_unused(field: &RawField, label: &Label, errors: &mut Errors) {
    let has_digits = matches!(label, Label::Start { .. } | Label::Units { .. });
    if let (Some(width), false) = (&field.width, has_digits) {
        errors.at_span(
            width.span,
            "`width` is the digits of `{start}`: write `label = \"{start}\"`, or remove it",
        );
    }
    let counted = field
        .label
        .as_ref()
        .is_some_and(|label| label.value.contains("{n") || label.value.starts_with("{start:"));
    if let (Some(origin), false) = (&field.origin, counted) {
        errors.at_span(
            origin.span,
            "`origin` is what `{n}` counts from: write a label like `label = \"week{n}\"`, or remove it",
        );
    }
    let reversible = has_digits || matches!(label, Label::BinaryStart { .. });
    if let (Some(reverse), false) = (field.reverse, reversible) {
        errors.at_span(
            reverse,
            "`reverse` counts from the end of time, which no calendar field or `{n}` does: write `label = \"{start}\"`, or remove one of them",
        );
    }
}

fn by_default(field: &RawField, span: Span, errors: &mut Errors) -> Label {
    let text = match span {
        Span::Minute => "%Y%m%d%H%M",
        Span::Hour => "%Y%m%d%H",
        Span::Day => "%Y%m%d",
        Span::Week => "%G-W%V",
        Span::Month => "%Y%m",
        Span::Year => "%Y",
        Span::Every(_) | Span::Endless => return start(field, span, errors),
    };
    let text = Text {
        value: text.to_owned(),
        span: field.ident.span(),
    };
    calendar(&text, span, None, errors)
}

fn declared(
    label: &Text,
    field: &RawField,
    span: Span,
    zone: Option<&str>,
    separator: &str,
    errors: &mut Errors,
) -> Label {
    let parsed = if label.value == "{start}" {
        return start(field, span, errors);
    } else if let Some(unit) = units::duration_of(&label.value) {
        return units::label(unit, label, field, (span, zone), errors);
    } else if label.value.contains('{') {
        counted(label, field, zone, errors)
    } else {
        calendar(label, span, zone, errors)
    };
    if ends_by_separator(&parsed) {
        stays_above(label, &parsed, separator, errors);
    }
    parsed
}

/// The beginning as a number: in seconds if it is always a whole number of them.
fn start(field: &RawField, span: Span, errors: &mut Errors) -> Label {
    let unit = start_unit(span);
    let reverse = field.reverse.is_some();
    let by_default = if reverse { MOST_DIGITS } else { unit.digits() };
    let mut width = by_default;
    if let Some(declared) = &field.width {
        if (unit.digits()..=MOST_DIGITS).contains(&declared.value) {
            width = declared.value;
        } else {
            errors.at_span(
                declared.span,
                format!(
                    "the bucket's beginning takes {} to {MOST_DIGITS} digits in `{}`",
                    unit.digits(),
                    unit.word()
                ),
            );
        }
    }
    Label::Start {
        unit,
        width,
        reverse,
    }
}

fn start_unit(span: Span) -> Unit {
    match span {
        Span::Every(micros) if micros % 1_000_000 != 0 => Unit::Millis,
        _ => Unit::Seconds,
    }
}

/// `week{n}`, `{n:04}`.
fn counted(label: &Text, field: &RawField, zone: Option<&str>, errors: &mut Errors) -> Label {
    let stand_in = |before: &str, after: &str, width| Label::Counted {
        origin_micros: 0,
        before: before.to_owned(),
        after: after.to_owned(),
        width,
    };
    let Some((before, after, width)) = around_number(&label.value) else {
        errors.at_span(
            label.span,
            "a label counts by `{n}`, in 4 digits by `{n:04}`, with printable text around it; or it is `{start}`, or calendar fields: write `label = \"week{n}\"`",
        );
        return stand_in("", "", 0);
    };
    let Some(origin) = &field.origin else {
        errors.at_span(
            label.span,
            "`{n}` counts the buckets from a first one: add `origin = \"2021-03-01\"`, a day in it",
        );
        return stand_in(before, after, width);
    };
    let micros = origin::micros(&origin.value);
    if micros.is_none() {
        errors.at_span(
            origin.span,
            "an origin is a date or a moment: write `origin = \"2021-03-01\"` or \"2021-03-01T00:00:00Z\"",
        );
    } else if let (Some(zone), true) = (zone, origin::is_date(&origin.value)) {
        errors.at_span(
            origin.span,
            format!(
                "midnight in {zone} is not that of UTC: write the moment with its offset, \"{}T00:00:00+01:00\"",
                origin.value
            ),
        );
    }
    Label::Counted {
        origin_micros: micros.unwrap_or_default(),
        before: before.to_owned(),
        after: after.to_owned(),
        width,
    }
}

/// The texts before and after the number, and its digits.
fn around_number(label: &str) -> Option<(&str, &str, u16)> {
    let (before, rest) = label.split_once("{n")?;
    let (digits, after) = rest.split_once('}')?;
    let width = match digits.strip_prefix(":0") {
        Some(digits) => digits
            .parse()
            .ok()
            .filter(|width| (1..=18).contains(width))?,
        None => digits.is_empty().then_some(0)?,
    };
    let literal = |text: &str| {
        let bad = |byte: u8| !byte.is_ascii_graphic() || matches!(byte, b'{' | b'}' | b'%');
        !text.bytes().any(bad)
    };
    (literal(before) && literal(after)).then_some((before, after, width))
}

fn calendar(label: &Text, span: Span, zone: Option<&str>, errors: &mut Errors) -> Label {
    let grammar = if span == Span::Week { &WEEK } else { &LABEL };
    let Some(items) = format::parse_as(grammar, label, errors) else {
        return Label::Calendar(vec![FormatItem::Field("Year")]);
    };
    injective(label, &items, span, zone, errors);
    Label::Calendar(items)
}

/// The label must distinguish buckets, and must not contain the hour in a zone whose clock is
/// turned.
fn injective(
    label: &Text,
    items: &[FormatItem],
    span: Span,
    zone: Option<&str>,
    errors: &mut Errors,
) {
    let fields: Vec<_> = items.iter().filter_map(format::field).collect();
    let needed = match span {
        Span::Year => &["Year"][..],
        Span::Month => &["Month", "Day", "DayOfYear"],
        Span::Week => &["IsoWeek", "Day", "DayOfYear"],
        Span::Day => &["Day", "DayOfYear"],
        Span::Hour => &["Hour"],
        Span::Minute => &["Minute"],
        Span::Every(micros) => {
            let exact = format::grain(items).is_some_and(|grain| micros % grain == 0);
            return if !exact {
                errors.at_span(label.span, "two buckets have this label, or one begins between two: write the fields down to one that the bucket is a whole multiple of, or `label = \"{start}\"`");
            };
        }
        Span::Endless => return,
    };
    if !fields.iter().any(|field| needed.contains(field)) {
        let example = example(span);
        errors.at_span(
            label.span,
            format!("several buckets have this label: write the fields down to the bucket's own, as in `label = \"{example}\"`"),
        );
    } else if let Some(zone) = zone
        && fields.contains(&"Hour")
        && !offsets::is_one(zone)
    {
        errors.at_span(
            label.span,
            format!("hours of {zone} come twice when the clock is turned back: write the fields down to the day"),
        );
    }
}

/// A label that distinguishes buckets of this span.
fn example(span: Span) -> &'static str {
    match span {
        Span::Minute => "%Y%m%d%H%M",
        Span::Hour => "%Y%m%d%H",
        Span::Week => "%G-W%V",
        Span::Month => "%Y%m",
        Span::Year => "%Y",
        Span::Day | Span::Every(_) | Span::Endless => "%Y%m%d",
    }
}

/// Whether only the separator shows where the label ends.
fn ends_by_separator(label: &Label) -> bool {
    match label {
        Label::Counted { width, .. } => *width == 0,
        Label::Calendar(items) => items
            .iter()
            .any(|item| matches!(item, FormatItem::Unpadded(_))),
        Label::Start { .. } | Label::Units { .. } | Label::BinaryStart { .. } | Label::Absent => {
            false
        }
    }
}

/// A label that ends at the separator must not hold bytes at or below it.
fn stays_above(text: &Text, label: &Label, separator: &str, errors: &mut Errors) {
    let Some(separator) = separator.bytes().next() else {
        return;
    };
    let literals: Vec<&str> = match label {
        Label::Counted { before, after, .. } => vec![before, after],
        Label::Calendar(items) => items.iter().filter_map(format::literal).collect(),
        Label::Start { .. } | Label::Units { .. } | Label::BinaryStart { .. } | Label::Absent => {
            Vec::new()
        }
    };
    let mut bytes = literals.iter().flat_map(|text| text.bytes()).chain([b'0']);
    if let Some(low) = bytes.find(|byte| *byte <= separator) {
        errors.at_span(
            text.span,
            format!(
                "a label without a fixed width ends at the separator `{}`, and `{}` is not above it: write `{{n:04}}` or `%d`, or another separator",
                char::from(separator),
                char::from(low)
            ),
        );
    }
}
