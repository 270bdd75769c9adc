//! The layout that a struct declares.

use crate::errors::Errors;
use crate::model::Kind;
use crate::syntax::{RawModel, Text};

/// The layout that the struct declares; a layout with buckets needs a time.
pub(super) fn kind(raw: &RawModel, errors: &mut Errors) -> Kind {
    let Some(text) = &raw.layout else {
        return Kind::Row;
    };
    let Some(kind) = Kind::of_word(&text.value) else {
        return unknown(text, errors);
    };
    if kind.has_bucket() && raw.fields.iter().all(|field| field.time.is_none()) {
        errors.at_span(
            text.span,
            format!(
                "`layout = \"{}\"` keeps events by their time: mark a field with `time`, or remove it",
                kind.word()
            ),
        );
        return Kind::Row;
    }
    kind
}

fn unknown(text: &Text, errors: &mut Errors) -> Kind {
    let distance = |kind: &Kind| strsim::damerau_levenshtein(kind.word(), &text.value);
    let nearest = Kind::all().min_by_key(distance);
    let nearest = nearest.filter(|kind| distance(kind) <= 2);
    let meant = match nearest {
        Some(kind) => format!("did you mean \"{}\"? ", kind.word()),
        None => String::new(),
    };
    let words: Vec<_> = Kind::all()
        .map(|kind| format!("\"{}\"", kind.word()))
        .collect();
    let (last, others) = words.split_last().unwrap_or((&text.value, &[]));
    errors.at_span(
        text.span,
        format!(
            "unknown layout `{}`: {meant}there are {} and {last}",
            text.value,
            others.join(", ")
        ),
    );
    nearest.unwrap_or(Kind::Row)
}
