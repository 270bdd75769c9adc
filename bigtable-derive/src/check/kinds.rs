//! Columns that the server changes based on what they hold: where they are allowed, and what else
//! their families may hold.

use std::collections::BTreeMap;

use proc_macro2::Span;

use crate::errors::Errors;
use crate::model::{Aggregate, ColumnKind, Kind};
use crate::syntax::{RawField, RawModel, Text, keyword};

const AGGREGATES: [(&str, Aggregate); 3] = [
    ("sum", Aggregate::Sum),
    ("min", Aggregate::Min),
    ("max", Aggregate::Max),
];

/// The words that declare a kind.
pub(super) fn words(field: &RawField) -> [(&'static str, Option<Span>); 4] {
    let aggregate = field.aggregate.as_ref().map(|at| at.span);
    [
        (keyword::COUNTER, field.counter),
        (keyword::APPEND, field.append),
        (keyword::AGGREGATE, aggregate),
        (keyword::VERSION, field.version),
    ]
}

/// The kind of a column; reports everything that does not go with it.
pub(super) fn kind(field: &RawField, layout: Kind, errors: &mut Errors) -> ColumnKind {
    let mut declared = words(field).into_iter();
    let Some((word, span)) = declared.find_map(|(word, span)| Some((word, span?))) else {
        return ColumnKind::Plain;
    };
    for (_, second) in declared {
        if let Some(second) = second {
            errors.at_span(
                second,
                "a column is changed in one way: keep one of `counter`, `append`, `aggregate` and `version`",
            );
        }
    }
    is_native(field, word, errors);
    has_its_place(word, span, layout, errors);
    match (word, &field.aggregate) {
        (keyword::COUNTER, _) => ColumnKind::Counter,
        (keyword::AGGREGATE, Some(text)) => ColumnKind::Aggregate(aggregate(text, errors)),
        (keyword::VERSION, _) => ColumnKind::Version,
        _ => ColumnKind::Append,
    }
}

/// The server knows 8-byte numbers and bytes, but no codecs.
fn is_native(field: &RawField, word: &str, errors: &mut Errors) {
    let with = field.with.as_ref().map(syn::spanned::Spanned::span);
    let codecs = [
        (keyword::TEXT, field.text),
        (keyword::JSON, field.json),
        (keyword::WITH, with),
    ];
    for (codec, span) in codecs {
        if let Some(span) = span {
            errors.at_span(
                span,
                format!("`{word}` needs the native form, which is what the server works with: remove `{codec}`"),
            );
        }
    }
}

/// An increment or an append writes a cell at the server's time, which must not be taken for an
/// event's time; and none of these kinds works on a value in a qualifier.
fn has_its_place(word: &str, span: Span, layout: Kind, errors: &mut Errors) {
    let is_aggregate = word == keyword::AGGREGATE;
    let is_version = word == keyword::VERSION;
    let layouts = "write `layout = \"columns\"` or `layout = \"row\"`";
    let or_sum = match word {
        keyword::COUNTER => ", or `aggregate = \"sum\"` for `counter`",
        _ => "",
    };
    let written_whole = !is_aggregate && !is_version;
    let own = format!("in `layout = \"{}\"`", layout.word());
    let message = if layout.keeps_newest() {
        let why = match is_version {
            true => "each has a version of its own, which no write of another states".to_owned(),
            false => format!("`{word}` goes on from what is there"),
        };
        format!(
            "{own} an event takes the place of the one before it, and {why}: write `layout = \"row\"`"
        )
    } else if layout.is_in_qualifier() {
        let instead = match written_whole {
            true => layouts,
            false => "write `layout = \"cells\"`",
        };
        format!(
            "{own} the value is the qualifier of an empty cell, and `{word}` needs one with a value: {instead}"
        )
    } else if layout.is_cell_time() && written_whole {
        format!(
            "`{word}` has the server stamp cells with its own time, and {own} their times are the events': {layouts}{or_sum}"
        )
    } else {
        return;
    };
    errors.at_span(span, message);
}

/// An append-only model has nothing that the server changes, and keeps its events.
pub(super) fn append_only(raw: &RawModel, layout: Kind, errors: &mut Errors) {
    let Some(span) = raw.append_only else {
        return;
    };
    if layout.keeps_newest() {
        errors.at_span(
            span,
            "in `layout = \"latest\"` an event takes the place of the one before it: write another layout, or remove `append_only`",
        );
    }
    for (word, span) in raw.fields.iter().flat_map(words) {
        if let Some(span) = span {
            errors.at_span(
                span,
                format!("the events of an append-only model do not change: remove `{word}`, or `append_only` from the struct"),
            );
        }
    }
}

fn aggregate(text: &Text, errors: &mut Errors) -> Aggregate {
    let known = AGGREGATES.into_iter().find(|(name, _)| *name == text.value);
    if known.is_none() {
        errors.at_span(
            text.span,
            format!(
                "unknown aggregate `{}`: write \"sum\", \"min\" or \"max\"",
                text.value
            ),
        );
    }
    known.map_or(Aggregate::Sum, |(_, aggregate)| aggregate)
}

/// What each family holds, decided by the first column declared in it: in Bigtable either all cells
/// of a family are aggregates of one kind, or none.
#[derive(Default)]
pub(super) struct Families(BTreeMap<String, (String, Option<Aggregate>)>);

impl Families {
    /// Puts something into a family; `what` names it.
    pub(super) fn hold(
        &mut self,
        family: &str,
        what: String,
        kind: &ColumnKind,
        span: Span,
        errors: &mut Errors,
    ) {
        let aggregate = match kind {
            ColumnKind::Aggregate(aggregate) => Some(*aggregate),
            _ => None,
        };
        let Some((first, of_first)) = self.0.get(family) else {
            self.0.insert(family.to_owned(), (what, aggregate));
            return;
        };
        if *of_first != aggregate {
            let (kind, kind_of_first) = (shown(aggregate), shown(*of_first));
            errors.at_span(
                span,
                format!("{what} is {kind} and {first} is {kind_of_first}, and family `{family}` cannot hold both: give one of them another `family`"),
            );
        }
    }
}

fn shown(aggregate: Option<Aggregate>) -> &'static str {
    match aggregate {
        None => "no aggregate",
        Some(Aggregate::Sum) => "a sum",
        Some(Aggregate::Min) => "a minimum",
        Some(Aggregate::Max) => "a maximum",
    }
}
