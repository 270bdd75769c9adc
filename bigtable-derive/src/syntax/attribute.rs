//! One item of `#[bigtable(...)]` at a time, with its span.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Token};

use crate::errors::Errors;

use super::keyword;

/// A value and the token that it was read from.
#[derive(Clone)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// A string and its token.
pub(crate) type Text = At<String>;

/// Where a word without a value stands.
pub(crate) type Flag = Option<Span>;

/// Calls `item` for each item of all `#[bigtable(...)]` attributes.
pub(crate) fn for_each_item(
    attributes: &[Attribute],
    errors: &mut Errors,
    mut item: impl FnMut(&Meta, &mut Errors),
) {
    for attribute in attributes {
        if !attribute.path().is_ident("bigtable") {
            continue;
        }
        let parsed = attribute
            .meta
            .require_list()
            .and_then(|list| list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated));
        match parsed {
            Ok(items) => items.iter().for_each(|meta| item(meta, errors)),
            Err(error) => errors.push(error),
        }
    }
}

/// The word that an item begins with.
pub(crate) fn word(meta: &Meta) -> String {
    let ident = meta.path().get_ident();
    ident.map(Ident::to_string).unwrap_or_default()
}

/// Stores `value` once; a second time is a mistake.
pub(crate) fn once<T>(slot: &mut Option<T>, value: Option<T>, meta: &Meta, errors: &mut Errors) {
    if slot.is_some() {
        let word = word(meta);
        errors.at(meta, format!("`{word}` stands twice, remove one"));
    } else if value.is_some() {
        *slot = value;
    }
}

/// A word without a value.
pub(crate) fn flag(meta: &Meta, errors: &mut Errors) -> Flag {
    match meta {
        Meta::Path(path) => Some(path.span()),
        _ => {
            let word = word(meta);
            errors.at(
                meta,
                format!("`{word}` takes no value, write `{word}` alone"),
            );
            Some(meta.span())
        }
    }
}

/// `word = "text"`; the example stands in for anything else.
pub(crate) fn text(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Text> {
    let Some(literal) = string_literal(meta) else {
        let word = word(meta);
        errors.at(
            meta,
            format!("`{word}` takes a string, write `{word} = \"{example}\"`"),
        );
        return Some(At {
            value: example.to_owned(),
            span: meta.span(),
        });
    };
    Some(At {
        value: literal.value(),
        span: literal.span(),
    })
}

fn string_literal(meta: &Meta) -> Option<&LitStr> {
    match value(meta)? {
        Expr::Lit(ExprLit {
            lit: Lit::Str(literal),
            ..
        }) => Some(literal),
        _ => None,
    }
}

/// `word = 6`.
pub(crate) fn number(meta: &Meta, errors: &mut Errors) -> Option<At<u16>> {
    let literal = match value(meta) {
        Some(Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        })) => literal.base10_parse().ok().map(|value| At {
            value,
            span: literal.span(),
        }),
        _ => None,
    };
    if literal.is_none() {
        let word = word(meta);
        errors.at(
            meta,
            format!("`{word}` takes a number of bytes, write `{word} = 6`"),
        );
    }
    literal
}

/// `word = ' '`: one ASCII character.
pub(crate) fn ascii_char(meta: &Meta, errors: &mut Errors) -> Option<At<u8>> {
    let literal = match value(meta) {
        Some(Expr::Lit(ExprLit {
            lit: Lit::Char(literal),
            ..
        })) => u8::try_from(literal.value())
            .ok()
            .filter(|byte| *byte == b' ' || byte.is_ascii_graphic())
            .map(|value| At {
                value,
                span: literal.span(),
            }),
        _ => None,
    };
    if literal.is_none() {
        let word = word(meta);
        errors.at(
            meta,
            format!("`{word}` takes one printable ASCII character, write `{word} = ' '`"),
        );
    }
    literal
}

/// `word = path::to::something`.
pub(crate) fn path(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Path> {
    let path = match value(meta) {
        Some(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
        _ => None,
    };
    if path.is_none() {
        let word = word(meta);
        errors.at(
            meta,
            format!("`{word}` takes a path, write `{word} = {example}`"),
        );
    }
    path
}

/// `word` alone, or `word = path`.
pub(crate) fn flag_or_path(
    meta: &Meta,
    example: &str,
    errors: &mut Errors,
) -> Option<At<Option<Path>>> {
    let value = match meta {
        Meta::Path(_) => None,
        _ => Some(path(meta, example, errors)?),
    };
    Some(At {
        value,
        span: meta.span(),
    })
}

/// `allow(one, two)`.
pub(crate) fn allowed(meta: &Meta, into: &mut Vec<String>, errors: &mut Errors) {
    let parsed = meta
        .require_list()
        .and_then(|list| list.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated));
    let Ok(paths) = parsed else {
        let list = keyword::list(keyword::ALLOWABLE);
        errors.at(
            meta,
            format!("`allow` takes refusals in parentheses, known are: {list}"),
        );
        return;
    };
    for path in &paths {
        match path.get_ident().map(Ident::to_string) {
            Some(word) if keyword::ALLOWABLE.contains(&word.as_str()) => into.push(word),
            _ => into.extend(keyword::unknown(path, keyword::ALLOWABLE, errors).map(str::to_owned)),
        }
    }
}

fn value(meta: &Meta) -> Option<&Expr> {
    match meta {
        Meta::NameValue(pair) => Some(&pair.value),
        _ => None,
    }
}
