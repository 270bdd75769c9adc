//! Names that Bigtable, or the generated code, refuses.

use std::collections::BTreeSet;

use syn::Ident;
use syn::ext::IdentExt;

use crate::errors::Errors;
use crate::syntax::Text;

/// Methods of the generated query type besides the setters of segments.
pub(crate) const QUERY_METHODS: &[&str] = &["events", "select"];

/// Bigtable's rule for table and family names.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// A table's ID has 1 to 50 characters of `[-_.a-zA-Z0-9]` (Bigtable's rule).
pub(super) fn table(name: &Text, errors: &mut Errors) {
    bigtable_name("table ID", name, MOST_TABLE_BYTES, errors);
}

/// The most bytes of a table's ID.
pub(super) const MOST_TABLE_BYTES: usize = 50;

/// The text around and in the period of tables' IDs.
pub(super) fn table_text<'t>(
    name: &Text,
    parts: impl Iterator<Item = &'t str>,
    errors: &mut Errors,
) {
    bigtable_text("table ID", name, parts, errors);
}

/// A family's name has 1 to 64 characters of `[-_.a-zA-Z0-9]` (Bigtable's rule).
pub(super) fn family(name: &Text, errors: &mut Errors) {
    bigtable_name("family name", name, 64, errors);
}

fn bigtable_name(what: &str, name: &Text, most: usize, errors: &mut Errors) {
    let text = &name.value;
    if text.is_empty() || text.len() > most {
        errors.at_span(
            name.span,
            format!(
                "a {what} has 1 to {most} characters, this one has {}",
                text.len()
            ),
        );
    } else {
        bigtable_text(what, name, [text.as_str()].into_iter(), errors);
    }
}

fn bigtable_text<'t>(
    what: &str,
    name: &Text,
    parts: impl Iterator<Item = &'t str>,
    errors: &mut Errors,
) {
    let mut letters = parts.flat_map(str::chars);
    if let Some(bad) = letters.find(|c| !u8::try_from(*c).is_ok_and(is_name_byte)) {
        errors.at_span(
            name.span,
            format!("a {what} has letters, digits, `-`, `_` and `.`: remove `{bad}`"),
        );
    }
}

/// The most bytes of a qualifier.
pub(super) const MOST_QUALIFIER_BYTES: usize = 16 << 10;

/// A qualifier takes at most 16 KiB (Bigtable's rule).
pub(super) fn qualifier(name: &Text, errors: &mut Errors) {
    if name.value.len() > MOST_QUALIFIER_BYTES {
        errors.at_span(
            name.span,
            format!(
                "a qualifier takes at most 16384 bytes, this one {}",
                name.value.len()
            ),
        );
    }
}

/// The separator ends a variable segment, so it cannot be a digit or a letter, which values
/// contain.
pub(super) fn separator(text: &Text, errors: &mut Errors) {
    let is_separator_byte = |byte: u8| byte == b' ' || byte.is_ascii_punctuation();
    if !(1..=50).contains(&text.value.len()) || !text.value.bytes().all(is_separator_byte) {
        errors.at_span(
            text.span,
            "a separator is 1 to 50 characters of ASCII punctuation, write `separator = \"#\"`",
        );
    }
}

/// The prefix is literal text in front of the first segment.
pub(super) fn prefix(text: &Text, errors: &mut Errors) {
    let printable = |byte: u8| byte.is_ascii_graphic();
    if text.value.is_empty() || !text.value.bytes().all(printable) {
        errors.at_span(
            text.span,
            "a prefix is printable ASCII text without spaces, write `prefix = \"BATTERY\"`",
        );
    }
}

/// A key field's name becomes a method of the query; a name that is taken is reported and replaced.
pub(super) fn segment_setter(ident: &Ident, errors: &mut Errors) -> Ident {
    let name = ident.unraw();
    if !QUERY_METHODS.contains(&name.to_string().as_str()) {
        return ident.clone();
    }
    errors.at(
        ident,
        format!("a key field cannot be named `{name}`: queries have a method of that name, rename the field"),
    );
    quote::format_ident!("{name}_")
}

/// The update's method that adds to an aggregate.
pub(super) fn adder(ident: &Ident) -> Ident {
    quote::format_ident!("add_{}", ident.unraw(), span = ident.span())
}

/// A field named `add_total` beside an aggregate `total` would give the update two methods of one
/// name.
pub(super) fn once(
    taken: &mut BTreeSet<String>,
    setter: Ident,
    field: &Ident,
    errors: &mut Errors,
) -> Ident {
    if taken.insert(setter.unraw().to_string()) {
        return setter;
    }
    let name = field.unraw();
    errors.at(
        field,
        format!(
            "updates would have two methods `{setter}`, one that sets a column and one that adds to an aggregate: rename the field and add `column = \"{name}\"`"
        ),
    );
    quote::format_ident!("{}_", setter.unraw())
}
