//! One item of `#[bigtable(...)]` at a time, with its span.

use std::fmt::Display;
use std::str::FromStr;

use proc_macro2::{Group, Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitInt, LitStr, Path, Token, token};

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

/// Where a word without a value is.
pub(crate) type Flag = Option<Span>;

/// One item of an attribute: `word`, `word = value`, or `word(...)`.
pub(crate) struct Item {
    path: Path,
    value: ItemValue,
    tokens: TokenStream,
}

enum ItemValue {
    None,
    Expression(Box<Expr>),
    /// A path where one is expected: an expression could not have its `<...>`.
    Path(Path),
    List(TokenStream),
}

impl Item {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the item is only the word, or the path.
    pub(crate) fn is_alone(&self) -> bool {
        matches!(self.value, ItemValue::None)
    }

    fn value(&self) -> Option<&Expr> {
        let ItemValue::Expression(value) = &self.value else {
            return None;
        };
        let mut value = &**value;
        // A literal that a macro by example passed on.
        while let Expr::Group(group) = value {
            value = &group.expr;
        }
        Some(value)
    }
}

impl ToTokens for Item {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.tokens.clone());
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let is_path = input.peek(Token![::]) || input.peek2(Token![::]) || input.peek2(Token![<]);
        let path = if is_path {
            input.parse()?
        } else {
            Path::from(Ident::parse_any(input)?)
        };
        let mut tokens = path.to_token_stream();
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?.to_tokens(&mut tokens);
            let is_path = path.get_ident().is_some_and(keyword::takes_path);
            if is_path && !input.peek(Lit) {
                let value: Path = input.parse()?;
                value.to_tokens(&mut tokens);
                ItemValue::Path(value)
            } else {
                let value: Expr = input.parse()?;
                value.to_tokens(&mut tokens);
                ItemValue::Expression(Box::new(value))
            }
        } else if input.peek(token::Paren) {
            let group: Group = input.parse()?;
            group.to_tokens(&mut tokens);
            ItemValue::List(group.stream())
        } else {
            ItemValue::None
        };
        Ok(Self {
            path,
            value,
            tokens,
        })
    }
}

/// Calls `item` for each item of all `#[bigtable(...)]` attributes. If an attribute does not parse,
/// the items before the mistake count.
pub(crate) fn for_each_item(
    attributes: &[Attribute],
    errors: &mut Errors,
    item: impl FnMut(&Item, &mut Errors),
) {
    for_each_item_of("bigtable", attributes, errors, item);
}

/// The same for attributes with another name.
pub(crate) fn for_each_item_of(
    name: &str,
    attributes: &[Attribute],
    errors: &mut Errors,
    mut item: impl FnMut(&Item, &mut Errors),
) {
    for attribute in attributes {
        if !attribute.path().is_ident(name) {
            continue;
        }
        let mut items = Vec::new();
        let parsed = attribute.meta.require_list().and_then(|list| {
            list.parse_args_with(|input: ParseStream<'_>| {
                while !input.is_empty() {
                    items.push(input.parse::<Item>()?);
                    if !input.is_empty() {
                        input.parse::<Token![,]>()?;
                    }
                }
                Ok(())
            })
        });
        if let Err(error) = parsed {
            let message = format!("{error}: write `#[{name}(word, word = value, ...)]`");
            errors.push(syn::Error::new(error.span(), message));
        }
        items.iter().for_each(|one| item(one, errors));
    }
}

/// The word that an item begins with.
pub(crate) fn word(meta: &Item) -> String {
    let ident = meta.path().get_ident();
    ident.map(Ident::to_string).unwrap_or_default()
}

/// Stores `value` once; a second time is a mistake.
pub(crate) fn once<T>(slot: &mut Option<T>, value: Option<T>, meta: &Item, errors: &mut Errors) {
    if slot.is_some() {
        let word = word(meta);
        errors.at(meta, format!("`{word}` stands twice, remove one"));
    } else if value.is_some() {
        *slot = value;
    }
}

/// A word without a value.
pub(crate) fn flag(meta: &Item, errors: &mut Errors) -> Flag {
    match &meta.value {
        ItemValue::None => Some(meta.span()),
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
pub(crate) fn text(meta: &Item, example: &str, errors: &mut Errors) -> Option<Text> {
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

fn string_literal(meta: &Item) -> Option<&LitStr> {
    match meta.value()? {
        Expr::Lit(ExprLit {
            lit: Lit::Str(literal),
            ..
        }) => Some(literal),
        _ => None,
    }
}

/// `word = 6`; the example stands in for anything else. `what` says what is counted.
pub(crate) fn number<T: FromStr<Err: Display> + Copy + Display>(
    meta: &Item,
    what: &str,
    example: T,
    errors: &mut Errors,
) -> Option<At<T>> {
    let literal = match meta.value() {
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
            format!("`{word}` takes a number of {what}, write `{word} = {example}`"),
        );
        return Some(At {
            value: example,
            span: meta.span(),
        });
    }
    literal
}

/// `word = ' '`: one ASCII character.
pub(crate) fn ascii_char(meta: &Item, errors: &mut Errors) -> Option<At<u8>> {
    let literal = match meta.value() {
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
pub(crate) fn path(meta: &Item, example: &str, errors: &mut Errors) -> Option<Path> {
    let path = match &meta.value {
        ItemValue::Path(path) => Some(path.clone()),
        ItemValue::Expression(value) => match &**value {
            Expr::Path(path) => Some(path.path.clone()),
            _ => None,
        },
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
    meta: &Item,
    example: &str,
    errors: &mut Errors,
) -> Option<At<Option<Path>>> {
    let value = match &meta.value {
        ItemValue::None => None,
        _ => Some(path(meta, example, errors)?),
    };
    Some(At {
        value,
        span: meta.span(),
    })
}

/// The items in the parentheses of `word(...)`; `example` says what may be there.
pub(crate) fn list(meta: &Item, example: &str, errors: &mut Errors) -> Vec<Item> {
    let ItemValue::List(list) = &meta.value else {
        let word = word(meta);
        errors.at(meta, format!("`{word}` takes a list, write `{example}`"));
        return Vec::new();
    };
    let items = Punctuated::<Item, Token![,]>::parse_terminated.parse2(list.clone());
    match items {
        Ok(items) => items.into_iter().collect(),
        Err(error) => {
            let message = format!("{error}: write `{example}`");
            errors.push(syn::Error::new(error.span(), message));
            Vec::new()
        }
    }
}

/// The pairs in the parentheses of `word("text" = 16, ...)`; `example` shows what to write.
pub(crate) fn counted(meta: &Item, example: &str, errors: &mut Errors) -> Vec<(Text, At<u32>)> {
    let pair = |input: ParseStream<'_>| {
        let text: LitStr = input.parse()?;
        input.parse::<Token![=]>()?;
        let number: LitInt = input.parse()?;
        Ok((
            At {
                value: text.value(),
                span: text.span(),
            },
            At {
                value: number.base10_parse()?,
                span: number.span(),
            },
        ))
    };
    let pairs =
        |input: ParseStream<'_>| Punctuated::<_, Token![,]>::parse_terminated_with(input, pair);
    let ItemValue::List(list) = &meta.value else {
        errors.at(
            meta,
            format!("values and their numbers are missing: write `{example}`"),
        );
        return Vec::new();
    };
    match pairs.parse2(list.clone()) {
        Ok(pairs) => pairs.into_iter().collect(),
        Err(error) => {
            let message = format!("{error}: write `{example}`");
            errors.push(syn::Error::new(error.span(), message));
            Vec::new()
        }
    }
}

/// `allow(one, two)`.
pub(crate) fn allowed(meta: &Item, into: &mut Vec<String>, errors: &mut Errors) {
    let parse = Punctuated::<Path, Token![,]>::parse_terminated;
    let parsed = match &meta.value {
        ItemValue::List(list) => parse.parse2(list.clone()).ok(),
        _ => None,
    };
    let Some(paths) = parsed else {
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
