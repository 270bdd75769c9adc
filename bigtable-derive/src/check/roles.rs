//! What a field is: a key segment, a column, the map of run-time columns, or nothing that is
//! stored; and which words go with that.

use proc_macro2::Span;

use crate::errors::Errors;
use crate::syntax::{RawField, keyword};

use super::kinds;

/// What a field is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Segment,
    Column,
    Map,
    Skipped,
}

/// The role of a field; reports every word on it that does not go with the role.
pub(super) fn role(field: &RawField, errors: &mut Errors) -> Role {
    let of_key = [
        (keyword::TIME, field.time),
        (keyword::TIE_BREAKER, field.tie_breaker),
    ];
    for (word, span) in of_key {
        if let (Some(_), Some(span)) = (field.key, span) {
            errors.at_span(
                span,
                format!("`{word}` makes the field a part of the key by itself, remove `key`"),
            );
        }
    }
    let role = declared_role(field);
    let marks = [
        (keyword::KEY, field.key),
        (keyword::TIME, field.time),
        (keyword::TIE_BREAKER, field.tie_breaker),
        (keyword::COLUMNS, field.columns),
        (keyword::SKIP, field.skip),
    ];
    let is_beside_key =
        |word: &str| field.key.is_some() && of_key.iter().any(|(one, _)| *one == word);
    let roles = marks
        .iter()
        .filter(|(word, span)| span.is_some() && !is_beside_key(word));
    for (word, span) in roles.skip(1) {
        let span = span.unwrap_or_else(Span::call_site);
        errors.at_span(
            span,
            format!("`{word}` does not go with what stands before it: a field is a key segment, a column, a map of columns, or skipped"),
        );
    }
    refuse_words(field, role, errors);
    role
}

fn is_of_key(field: &RawField) -> bool {
    field.key.is_some() || field.time.is_some() || field.tie_breaker.is_some()
}

fn declared_role(field: &RawField) -> Role {
    if is_of_key(field) {
        Role::Segment
    } else if field.columns.is_some() {
        Role::Map
    } else if field.skip.is_some() {
        Role::Skipped
    } else {
        Role::Column
    }
}

/// Words that say how a segment is written.
fn segment_words(field: &RawField) -> [(&'static str, Option<Span>); 9] {
    [
        (keyword::WIDTH, field.width.as_ref().map(|at| at.span)),
        (keyword::PAD, field.pad.as_ref().map(|at| at.span)),
        (keyword::BINARY, field.binary),
        (keyword::ESCAPE, field.escape),
        (keyword::UNIT, field.unit.as_ref().map(|at| at.span)),
        (keyword::FORMAT, field.format.as_ref().map(|at| at.span)),
        (keyword::REVERSE, field.reverse),
        (keyword::TRUNCATE, field.truncate),
        (keyword::EVER_GROWING, field.ever_growing),
    ]
}

/// Words that say how the event's time is written in layouts with buckets.
fn time_words(field: &RawField) -> [(&'static str, Option<Span>); 5] {
    [
        (keyword::BUCKET, field.bucket.as_ref().map(|at| at.span)),
        (keyword::LABEL, field.label.as_ref().map(|at| at.span)),
        (keyword::ORIGIN, field.origin.as_ref().map(|at| at.span)),
        // That of a format is for any time in the key.
        (
            keyword::ZONE,
            match &field.format {
                Some(_) if is_of_key(field) => None,
                _ => field.zone.as_ref().map(|at| at.span),
            },
        ),
        (keyword::OFFSET, field.offset.as_ref().map(|at| at.span)),
    ]
}

/// Words that say how a column is written.
fn column_words(field: &RawField) -> [(&'static str, Option<Span>); 4] {
    let with = field.with.as_ref().map(syn::spanned::Spanned::span);
    [
        (keyword::FAMILY, field.family.as_ref().map(|at| at.span)),
        (keyword::TEXT, field.text),
        (keyword::JSON, field.json),
        (keyword::WITH, with),
    ]
}

/// Words that only a column with a name of its own has.
pub(super) fn named_words(field: &RawField) -> [(&'static str, Option<Span>); 3] {
    [
        (keyword::ALIAS, field.alias.first().map(|at| at.span)),
        (keyword::PRESENCE, field.presence),
        (
            keyword::SENSITIVE,
            field.sensitive.filter(|_| !is_of_key(field)),
        ),
    ]
}

fn refuse_words(field: &RawField, role: Role, errors: &mut Errors) {
    let column = field.column.as_ref().map(|at| at.span);
    let default = field.default.as_ref().map(|at| at.span);
    let mut refuse = |words: &[(&str, Option<Span>)], advice: &str| {
        for (word, span) in words {
            if let Some(span) = span {
                errors.at_span(*span, format!("`{word}` {advice}"));
            }
        }
    };
    if role != Role::Segment {
        refuse(
            &segment_words(field),
            "says how a key segment is written: add `key` to the field, or remove it",
        );
    }
    if field.time.is_none() {
        refuse(
            &time_words(field),
            "is about the event's time: write it on the field marked `time`, or remove it",
        );
    }
    if role != Role::Segment {
        refuse(
            &[(keyword::SALT, field.salt.as_ref().map(|salt| salt.span))],
            "stands in front of a field of the key: write it on one with `key` or `time`, or on the struct to begin the key with it",
        );
    }
    if role == Role::Segment {
        refuse(
            &kinds::words(field),
            "changes a column by what it holds, and a key field never changes: remove it",
        );
    }
    if role != Role::Column {
        refuse(
            &named_words(field),
            "is for a column that the model declares for its events: remove it",
        );
        refuse(
            &[(keyword::TAG, field.tag.as_ref().map(|at| at.span))],
            "is the number of a field in the message that `serialize(proto)` writes: remove it",
        );
    }
    match role {
        Role::Segment => {
            refuse(
                &[(keyword::SENSITIVE, field.sensitive)],
                "is for columns: keys are in errors, in logs and in Key Visualizer, so no secret belongs there; store a hash of it in the key, or remove the word",
            );
            refuse(
                &[(keyword::DEFAULT, default)],
                "is for columns, which may be absent; a key segment never is: remove it",
            );
            if column.is_none() {
                refuse(
                    &column_words(field),
                    "says how a column is written: add `column = \"...\"` to store the key field as a column too, or remove it",
                );
            }
        }
        Role::Map => {
            refuse(
                &[(keyword::COLUMN, column), (keyword::DEFAULT, default)],
                "does not go with `columns`, whose qualifiers are the keys of the map and which is empty when there are none: remove it",
            );
            refuse(
                &kinds::words(field),
                "is for a column that the model declares: remove it, or declare the column as a field of its own",
            );
        }
        Role::Skipped => {
            let advice = "does not go with `skip`: the field is not stored, remove one of them";
            refuse(&column_words(field), advice);
            refuse(&kinds::words(field), advice);
            refuse(
                &[(keyword::COLUMN, column), (keyword::DEFAULT, default)],
                advice,
            );
        }
        Role::Column => {}
    }
}
