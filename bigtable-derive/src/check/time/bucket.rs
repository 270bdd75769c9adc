//! The bucket that stands for the event's time in the key of layouts with several events a row.

use crate::errors::Errors;
use crate::model::{Bucket, Kind, Label, Offset, Span};
use crate::syntax::{RawField, Text, keyword};

use super::{duration, label, offset, zone};

/// Buckets as attributes write them.
const SPANS: &[(&str, Span)] = &[
    ("minute", Span::Minute),
    ("hour", Span::Hour),
    ("day", Span::Day),
    ("week", Span::Week),
    ("month", Span::Month),
    ("year", Span::Year),
    ("none", Span::Endless),
];

/// The parts of the struct that the bucket depends on.
#[derive(Clone, Copy)]
pub(in crate::check) struct Surroundings<'a> {
    pub(in crate::check) layout: Kind,
    pub(in crate::check) allow: &'a [String],
    pub(in crate::check) separator: &'a str,
}

/// The bucket of the field that is the time, and in `columns` how the rest of the time is written.
pub(in crate::check) fn bucket(
    field: &RawField,
    around: Surroundings<'_>,
    errors: &mut Errors,
) -> (Bucket, Option<Offset>) {
    refuse_words(field, around.layout, errors);
    let span = match around.layout.keeps_newest() {
        true => {
            refuse_in_latest(field, errors);
            Span::Endless
        }
        false => span(field, around, errors),
    };
    let unit = super::unit::unit_of_bucket(field, around.layout, errors);
    let (zone, label) = match around.layout.keeps_newest() {
        true => (None, Label::Absent),
        false => {
            let zone = zone::zone(field, span, errors);
            let label = label::label(field, span, zone.as_deref(), around.separator, errors);
            (zone, label)
        }
    };
    let (offset, grain) = match around.layout.has_offset() {
        true => {
            let (offset, grain) =
                offset::offset(field, span, (zone.as_deref(), &label), unit, errors);
            (Some(offset), grain)
        }
        false => (None, None),
    };
    let grid_micros = grain.unwrap_or(unit.micros());
    whole_units(field, span, grid_micros, errors);
    let bucket = Bucket {
        span,
        zone,
        label,
        grid_micros,
        truncate: field.truncate.is_some(),
    };
    (bucket, offset)
}

/// Refuses words for a time that is in the key as a whole.
fn refuse_words(field: &RawField, layout: Kind, errors: &mut Errors) {
    if let Some(format) = &field.format {
        errors.at_span(
            format.span,
            "`format` writes a whole time; in the key of this layout stands its bucket: write `label` instead",
        );
    }
    let of_strings = [
        (keyword::PAD, field.pad.as_ref().map(|at| at.span)),
        (keyword::ESCAPE, field.escape),
    ];
    for (word, span) in of_strings {
        if let Some(span) = span {
            errors.at_span(span, format!("`{word}` is for strings: remove it"));
        }
    }
    if let (Some(offset), false) = (&field.offset, layout.has_offset()) {
        errors.at_span(
            offset.span,
            "`offset` is how the qualifiers of `layout = \"columns\"` hold the time, and here the cells' timestamps do: remove it",
        );
    }
}

/// How long the bucket is; a day if nothing valid is declared.
fn span(field: &RawField, around: Surroundings<'_>, errors: &mut Errors) -> Span {
    let Some(text) = &field.bucket else {
        errors.at(
            &field.ident,
            format!(
                "`layout = \"{}\"` keeps the events of a span of time in one row: add `bucket = \"day\"`, or another span",
                around.layout.word()
            ),
        );
        return Span::Day;
    };
    let named = SPANS.iter().find(|(word, _)| *word == text.value);
    if let Some((_, span)) = named {
        if *span == Span::Endless && !allows(around.allow, keyword::ENDLESS_ROWS) {
            errors.at_span(
                text.span,
                "all events of a series in one row: it grows without an end, and Bigtable takes no row over 256 MiB. Write a span, as in `bucket = \"day\"`, or `allow(endless_rows)` on the struct",
            );
        }
        return *span;
    }
    if let Some(micros) = duration::micros(&text.value) {
        return Span::Every(micros);
    }
    let words: Vec<_> = SPANS
        .iter()
        .map(|(word, _)| format!("\"{word}\""))
        .collect();
    let nearest = SPANS.iter().map(|(word, span)| {
        let distance = strsim::damerau_levenshtein(word, &text.value);
        (distance, *word, *span)
    });
    let nearest = nearest.min_by_key(|(distance, ..)| *distance);
    let nearest = nearest.filter(|(distance, ..)| *distance <= 2);
    let meant = match nearest {
        Some((_, word, _)) => format!("did you mean \"{word}\"? "),
        None => String::new(),
    };
    errors.at_span(
        text.span,
        format!(
            "unknown bucket `{}`: {meant}there are {}, and durations like \"15m\"",
            text.value,
            words.join(", ")
        ),
    );
    nearest.map_or(Span::Day, |(.., span)| match span {
        Span::Endless => Span::Day,
        span => span,
    })
}

/// An event's time is a whole multiple of the unit. The beginning of every bucket must be one too.
fn whole_units(field: &RawField, span: Span, grid_micros: i64, errors: &mut Errors) {
    if let (Span::Every(micros), Some(text)) = (span, &field.bucket)
        && micros % grid_micros != 0
    {
        errors.at_span(
            text.span,
            "a bucket is a whole multiple of what times are: write a longer one, or a finer `unit` or `offset`",
        );
    }
}

/// Refuses words about the time in the key, in the layout that has a row for each series.
fn refuse_in_latest(field: &RawField, errors: &mut Errors) {
    let span = |text: &Option<Text>| text.as_ref().map(|text| text.span);
    let words = [
        (keyword::BUCKET, span(&field.bucket)),
        (keyword::LABEL, span(&field.label)),
        (keyword::ORIGIN, span(&field.origin)),
        (keyword::ZONE, span(&field.zone)),
        (keyword::WIDTH, field.width.as_ref().map(|at| at.span)),
        (keyword::BINARY, field.binary),
        (keyword::REVERSE, field.reverse),
    ];
    let found = words
        .into_iter()
        .filter_map(|(word, span)| Some((word, span?)));
    for (word, span) in found {
        errors.at_span(
            span,
            format!(
                "`layout = \"latest\"` has a row for each series, and nothing of the time in its key: remove `{word}`"
            ),
        );
    }
}

/// Refuses bucket words in the layout that has a row for each event.
pub(in crate::check) fn refuse_in_row(field: &RawField, errors: &mut Errors) {
    let words = [
        (keyword::BUCKET, &field.bucket, "cells"),
        (keyword::LABEL, &field.label, "cells"),
        (keyword::ORIGIN, &field.origin, "cells"),
        (keyword::OFFSET, &field.offset, "columns"),
    ];
    if let (Some(zone), None) = (&field.zone, &field.format) {
        errors.at_span(
            zone.span,
            "without a `format` or a bucket a time is the same in every zone: write `format = \"%Y%m%d%H%M%S\"` or another one, add `layout = \"cells\"` to the struct, or remove `zone`",
        );
    }
    let found = words
        .iter()
        .filter_map(|(word, text, layout)| Some((word, text.as_ref()?, layout)));
    for (word, text, layout) in found {
        errors.at_span(
            text.span,
            format!(
                "in `layout = \"row\"` each event has a row of its own, without a bucket: add `layout = \"{layout}\"` to the struct, or remove `{word}`"
            ),
        );
    }
}

/// Whether the struct allows something that is otherwise refused.
pub(in crate::check) fn allows(allow: &[String], word: &str) -> bool {
    allow.iter().any(|one| one == word)
}
