//! How long the buckets of a roll-up are.

use proc_macro2::Span as Place;

use crate::check::names;
use crate::check::time::{duration, zone};
use crate::errors::Errors;
use crate::model::{RollupLevel, Span};
use crate::syntax::{RawLevel, RawRollup, Text};

/// Parts of the calendar, and durations with a name.
const SPANS: &[(&str, Span)] = &[
    ("minute", Span::Every(60_000_000)),
    ("hour", Span::Every(3_600_000_000)),
    ("day", Span::Day),
    ("week", Span::Week),
    ("month", Span::Month),
    ("year", Span::Year),
];

/// The levels, from the model's own table on.
pub(super) fn levels(raw: &RawRollup, errors: &mut Errors) -> Vec<RollupLevel> {
    let mut levels = vec![RollupLevel {
        table: None,
        ..level(&raw.own, errors)
    }];
    for longer in &raw.longer {
        let level = level(longer, errors);
        match &longer.table {
            Some(table) => names::table(table, errors),
            None if longer.is_sound => errors.at_span(
                longer.span,
                "longer buckets stand in a table of their own: add `table = \"BAR_HOUR\"`",
            ),
            None => {}
        }
        let shorter = levels.last().map(|shorter| shorter.span);
        if shorter.is_some_and(|shorter| longer.is_sound && !is_longer(level.span, shorter)) {
            errors.at_span(
                longer.every.as_ref().map_or(longer.span, |every| every.span),
                "levels stand from the shortest to the longest: durations, each a multiple of the one before it and the last a part of a day where a calendar follows, then \"day\", \"week\", \"month\", \"year\"",
            );
        }
        levels.push(level);
    }
    levels
}

fn level(raw: &RawLevel, errors: &mut Errors) -> RollupLevel {
    let span = match &raw.every {
        Some(text) => span(text, errors),
        None => {
            if raw.is_sound {
                missing(raw.span, errors);
            }
            Span::Day
        }
    };
    RollupLevel {
        span,
        zone: raw.zone.as_ref().and_then(|one| zone_of(one, span, errors)),
        table: raw.table.as_ref().map(|table| table.value.clone()),
    }
}

fn missing(place: Place, errors: &mut Errors) {
    errors.at_span(
        place,
        "a roll-up says how long its buckets are: add `every = \"1m\"`, or \"day\", \"week\", \"month\", \"year\"",
    );
}

/// A day if the text is not a valid span.
fn span(text: &Text, errors: &mut Errors) -> Span {
    let named = SPANS.iter().find(|(word, _)| *word == text.value);
    let counted = || duration::micros(&text.value).map(Span::Every);
    named.map(|(_, span)| *span).or_else(counted).unwrap_or_else(|| {
        errors.at_span(
            text.span,
            format!(
                "`{}` is no length of a bucket: write a duration in `ms`, `s`, `m`, `h` or `d`, as in `every = \"15m\"`, or \"day\", \"week\", \"month\", \"year\"",
                text.value
            ),
        );
        Span::Day
    })
}

/// Parts of the calendar have a time zone.
fn zone_of(zone: &Text, span: Span, errors: &mut Errors) -> Option<String> {
    if matches!(span, Span::Every(_)) {
        errors.at_span(
            zone.span,
            "days, weeks, months and years have a time zone, these buckets are the same everywhere: remove `zone`, or write `every = \"day\"`",
        );
        return None;
    }
    zone::known(zone, errors)
}

/// Whether buckets may follow shorter ones, by the rule of the runtime's `check_levels`.
fn is_longer(span: Span, shorter: Span) -> bool {
    const DAY: i64 = 86_400_000_000;
    match (shorter, span) {
        (Span::Every(one), Span::Every(other)) => other > one && other % one == 0,
        (Span::Every(micros), Span::Day) => micros < DAY && DAY % micros == 0,
        (Span::Every(micros), _) => micros <= DAY && DAY % micros == 0,
        (one, other) => rank(other) > rank(one),
    }
}

/// The order of the parts of a calendar; durations come before all of them.
fn rank(span: Span) -> usize {
    SPANS.iter().position(|(_, one)| *one == span).unwrap_or(0)
}
