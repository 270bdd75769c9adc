//! The layouts that there are, by their words.

use crate::errors::Errors;
use crate::syntax::{RawModel, Text};

/// A layout's word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Row,
    Cells,
    Columns,
    Qualifiers,
    Latest,
}

const KINDS: [Kind; 5] = [
    Kind::Row,
    Kind::Cells,
    Kind::Columns,
    Kind::Qualifiers,
    Kind::Latest,
];

impl Kind {
    /// As attributes write it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Cells => "cells",
            Self::Columns => "columns",
            Self::Qualifiers => "qualifiers",
            Self::Latest => "latest",
        }
    }

    /// Whether the key has a bucket in place of the time; in `latest` it is all of time, and
    /// nothing of it stands there.
    pub(super) fn has_bucket(self) -> bool {
        self != Self::Row
    }

    /// The layout whose times are no timestamps, in place of one whose times are.
    pub(super) fn finer(self) -> &'static str {
        match self {
            Self::Latest => Self::Row.word(),
            _ => Self::Columns.word(),
        }
    }

    /// Whether the time of an event is the timestamp of its cells, and stands nowhere else.
    pub(super) fn is_cell_time(self) -> bool {
        matches!(self, Self::Cells | Self::Qualifiers | Self::Latest)
    }
}

/// The layout that the struct declares; a layout with buckets needs a time.
pub(super) fn kind(raw: &RawModel, errors: &mut Errors) -> Kind {
    let Some(text) = &raw.layout else {
        return Kind::Row;
    };
    let Some(kind) = KINDS.into_iter().find(|kind| kind.word() == text.value) else {
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
    let nearest = KINDS.into_iter().min_by_key(distance);
    let nearest = nearest.filter(|kind| distance(kind) <= 2);
    let meant = match nearest {
        Some(kind) => format!("did you mean \"{}\"? ", kind.word()),
        None => String::new(),
    };
    errors.at_span(
        text.span,
        format!(
            "unknown layout `{}`: {meant}there are \"row\", \"cells\", \"columns\", \"qualifiers\" and \"latest\"",
            text.value
        ),
    );
    nearest.unwrap_or(Kind::Row)
}
