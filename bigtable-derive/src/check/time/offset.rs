//! How the place of an event inside its bucket is written in qualifiers.

use crate::errors::Errors;
use crate::model::{FormatItem, Label, Offset, Span, Unit};
use crate::syntax::{RawField, Text};

use super::format::{self, Grammar};
use super::{offsets, zone};

/// The offset, and the grid of times if a declared offset sets one.
pub(in crate::check) fn offset(
    field: &RawField,
    span: Span,
    (zone, label): (Option<&str>, &Label),
    unit: Unit,
    errors: &mut Errors,
) -> (Offset, Option<i64>) {
    let before_1970 = match label {
        Label::BinaryStart { .. } => true,
        Label::Counted { origin_micros, .. } => *origin_micros < 0,
        Label::Calendar(_) | Label::Start { .. } | Label::Units { .. } | Label::Absent => false,
    };
    let by_default = Offset::Ticks {
        unit,
        width: width(span, zone::more_micros(zone, before_1970), unit),
        reverse: field.reverse.is_some(),
    };
    let Some(text) = &field.offset else {
        return (by_default, None);
    };
    match calendar(field, text, span, zone, errors) {
        Some((items, grain)) => (Offset::Calendar(items), Some(grain)),
        None => (by_default, None),
    }
}

/// The digits of the largest offset.
fn width(span: Span, more: i64, unit: Unit) -> u16 {
    let Some(longest) = span.longest_micros(more) else {
        return unit.digits();
    };
    let mut largest = (longest - 1) / unit.micros();
    let mut digits = 1;
    while largest > 9 {
        largest /= 10;
        digits += 1;
    }
    digits
}

/// The fields of a calendar offset, and the microseconds of the finest.
fn calendar(
    field: &RawField,
    text: &Text,
    span: Span,
    zone: Option<&str>,
    errors: &mut Errors,
) -> Option<(Vec<FormatItem>, i64)> {
    if let Some(zone) = zone.filter(|zone| !offsets::is_one(zone)) {
        errors.at_span(
            text.span,
            format!(
                "an hour of {zone} comes twice when the clock is turned back: remove `offset`, and it is counted from the bucket's beginning in `{}`",
                field.unit.as_ref().map_or("us", |unit| &unit.value)
            ),
        );
        return None;
    }
    if let Some(reverse) = field.reverse {
        errors.at_span(
            reverse,
            "`reverse` does not go with calendar fields: remove `offset`, and it is counted from the bucket's end",
        );
        return None;
    }
    let grammar = grammar(span, text, errors)?;
    let items = format::parse_as(&grammar, text, errors)?;
    let grain = format::grain(&items);
    if let (Some(zone), Some(grain)) = (zone, grain)
        && !offsets::are_whole(zone, grain, 0)
    {
        errors.at_span(
            text.span,
            format!("{zone} is no whole number of the finest field away from UTC, of which times are whole multiples: add a finer field, as in `offset = \"%H%M\"`"),
        );
        return None;
    }
    if grain.is_none() {
        errors.at_span(
            text.span,
            "months are not all as long, so that no event's time is told by them: write the fields down to the day or further, as in `offset = \"%m%d\"`",
        );
    }
    grain.map(|grain| (items, grain))
}

/// Offsets begin with the field right below the bucket, which distinguishes two events of a bucket.
fn grammar(span: Span, text: &Text, errors: &mut Errors) -> Option<Grammar> {
    let (what, first, example): (_, &'static [_], _) = match span {
        Span::Minute => ("an offset in a minute", &["%S"], "offset = \"%S\""),
        Span::Hour => ("an offset in an hour", &["%M"], "offset = \"%M%S\""),
        Span::Day => ("an offset in a day", &["%H"], "offset = \"%H%M\""),
        Span::Every(micros) if 86_400_000_000 % micros == 0 => (
            "an offset in a part of a day",
            &["%H"],
            "offset = \"%H%M%S\"",
        ),
        Span::Month => ("an offset in a month", &["%d"], "offset = \"%d\""),
        Span::Year => ("an offset in a year", &["%m"], "offset = \"%m%d\""),
        Span::Week | Span::Every(_) | Span::Endless => {
            errors.at_span(
                text.span,
                "no calendar field counts inside of this bucket: remove `offset`, and it is counted from the bucket's beginning",
            );
            return None;
        }
    };
    Some(Grammar {
        what,
        first,
        unpadded: true,
        example,
    })
}

/// Whether text has the form of an offset.
pub(in crate::check) fn is_one(offset: &Offset, text: &str) -> bool {
    match offset {
        Offset::Ticks { width, .. } => digits(text, usize::from(*width), false) == Some(""),
        Offset::Calendar(items) => {
            let rest = items.iter().try_fold(text, |text, item| match item {
                FormatItem::Literal(literal) => text.strip_prefix(literal.as_str()),
                FormatItem::Field(name) => digits(text, format::digits(name), false),
                FormatItem::Unpadded(name) => digits(text, format::digits(name), true),
            });
            rest == Some("")
        }
    }
}

/// The text after a number of this many digits, or of at most this many.
fn digits(text: &str, most: usize, fewer: bool) -> Option<&str> {
    let digits = text.bytes().take(most);
    let count = digits.take_while(u8::is_ascii_digit).count();
    let fits = if fewer { count > 0 } else { count == most };
    fits.then(|| text.get(count..))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_offsets() {
        let ticks = Offset::Ticks {
            unit: Unit::Millis,
            width: 8,
            reverse: false,
        };
        assert!(is_one(&ticks, "00000015"));
        assert!(!is_one(&ticks, "0015"));
        let day = Offset::Calendar(vec![
            FormatItem::Unpadded("Day"),
            FormatItem::Literal("/".to_owned()),
            FormatItem::Field("Hour"),
        ]);
        assert!(is_one(&day, "1/12") && is_one(&day, "31/00"));
        assert!(!is_one(&day, "ID") && !is_one(&day, "1/1") && !is_one(&day, "/12"));
    }

    #[test]
    fn default_widths() {
        assert_eq!(width(Span::Day, 0, Unit::Millis), 8);
        assert_eq!(width(Span::Week, 0, Unit::Seconds), 6);
        assert_eq!(width(Span::Minute, 0, Unit::Seconds), 2);
        assert_eq!(width(Span::Endless, 0, Unit::Seconds), 10);
        let in_zone = |zone, before_1970| {
            width(
                Span::Day,
                zone::more_micros(Some(zone), before_1970),
                Unit::Seconds,
            )
        };
        assert_eq!(in_zone("Europe/Berlin", true), 5);
        assert_eq!(in_zone("Antarctica/Casey", false), 5);
        assert_eq!(in_zone("Antarctica/Vostok", false), 6);
        assert_eq!(in_zone("Pacific/Apia", false), 5);
        assert_eq!(in_zone("Pacific/Apia", true), 6);
    }
}
