//! Columns that the server adds to.

use crate::errors::Errors;
use crate::syntax::{RawRolled, Role, keyword};

/// Reports what the server cannot add, and columns that it would not add to.
pub(super) fn check(fields: &[RawRolled], errors: &mut Errors) {
    for field in fields.iter().filter(|field| field.role == Role::Column) {
        for aggregate in &field.aggregates {
            match wanted(aggregate.word) {
                Some(wanted) => added_as(field, aggregate.word, wanted, errors),
                None => errors.at_span(
                    aggregate.span,
                    format!(
                        "the server adds sums, counts, least and greatest values, and no `{}`: {}",
                        aggregate.word,
                        instead(aggregate.word)
                    ),
                ),
            }
        }
    }
}

/// The server's aggregate for the column of an aggregate.
fn wanted(word: &str) -> Option<&'static str> {
    match word {
        keyword::COUNT | keyword::SUM => Some("sum"),
        keyword::MIN => Some("min"),
        keyword::MAX => Some("max"),
        _ => None,
    }
}

fn instead(word: &str) -> &'static str {
    match word {
        keyword::MEAN => "write a column with `sum` and one with `count`, or remove `added`",
        _ => "remove it, or `added`",
    }
}

fn added_as(field: &RawRolled, word: &str, wanted: &str, errors: &mut Errors) {
    match &field.added_as {
        None => errors.at(
            &field.ident,
            format!(
                "the server adds to columns that say so: add `#[bigtable(aggregate = \"{wanted}\")]` to `{}`, with a family of such columns",
                field.ident
            ),
        ),
        Some(text) if text.value != wanted => errors.at_span(
            text.span,
            format!("`{word}` is added as \"{wanted}\": write `aggregate = \"{wanted}\"`"),
        ),
        Some(_) => {}
    }
}
