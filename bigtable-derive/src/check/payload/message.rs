//! The fields of a message of protocol buffers: their names and numbers.

use std::collections::BTreeMap;

use syn::ext::IdentExt;

use crate::errors::Errors;
use crate::syntax::{RawField, Text};

/// The largest number of a field.
const LAST: u32 = (1 << 29) - 1;

/// The numbers that protocol buffers reserve.
const RESERVED: std::ops::RangeInclusive<u32> = 19_000..=19_999;

/// The numbers of a payload's fields as they are found.
pub(super) struct Numbers {
    is_message: bool,
    /// The number of the next field without a declared one.
    next: u32,
    /// The fields by their numbers.
    taken: BTreeMap<u32, String>,
}

impl Numbers {
    pub(super) fn new(is_message: bool) -> Self {
        Self {
            is_message,
            next: 1,
            taken: BTreeMap::new(),
        }
    }

    /// The number of a field: the declared one, or the previous field's number plus one.
    pub(super) fn number(&mut self, field: &RawField, name: &Text, errors: &mut Errors) -> u32 {
        let tag = field.tag.as_ref();
        if let Some(tag) = tag.filter(|_| !self.is_message) {
            errors.at_span(
                tag.span,
                "`tag` is the number of a field in the message that `serialize(proto)` writes: remove it, or write that on the struct",
            );
        }
        if self.is_message {
            named(name, errors);
            has_no_default(field, errors);
        }
        let tag = tag.filter(|_| self.is_message);
        let number = tag.map_or(self.next, |tag| tag.value);
        let span = tag.map_or(field.ident.span(), |tag| tag.span);
        if !(1..=LAST).contains(&number) {
            errors.at_span(
                span,
                format!("the numbers of fields are 1 to {LAST}, this one is {number}: write another `tag`"),
            );
        } else if self.is_message && RESERVED.contains(&number) {
            errors.at_span(
                span,
                format!("protocol buffers keep the numbers 19000 to 19999 for themselves, and this one is {number}: write another `tag`"),
            );
        }
        let own = field.ident.unraw().to_string();
        if let Some(first) = self.taken.insert(number, own) {
            errors.at_span(
                span,
                format!("`{first}` has the number {number} already: write another `tag`"),
            );
        }
        self.next = number.saturating_add(1);
        number
    }
}

/// A `.proto` names a field by letters, digits and `_`.
fn named(name: &Text, errors: &mut Errors) {
    let mut letters = name.value.chars();
    let begins = letters.next().is_some_and(|one| one.is_ascii_alphabetic());
    if !begins || !letters.all(|one| one.is_ascii_alphanumeric() || one == '_') {
        errors.at_span(
            name.span,
            format!("a field of a message is named by a letter and then letters, digits and `_`, and `{}` is not: write another `column = \"...\"`", name.value),
        );
    }
}

/// A plain field that holds 0, or nothing, is left out of the message, so an absent field cannot
/// have another meaning.
fn has_no_default(field: &RawField, errors: &mut Errors) {
    if let Some(default) = &field.default {
        errors.at_span(
            default.span,
            "an absent field of a message is 0, `false` or empty already: remove `default`, or make the field an `Option`",
        );
    }
}
