//! The server's part in answering a query: cell filters.

mod expired;
pub(super) mod offsets;
pub(super) mod stamps;

use std::ops::Bound;

use bytes::{Bytes, BytesMut};

use crate::data::{ByteRange, RowFilter};
use crate::model::{ModelSchema, Named, NamedBy, Presence};
use crate::re2::{any_of, quote};

/// The maximum size of patterns in a filter. 20,480 bytes are allowed; the rest is room for tags
/// and lengths, and for a pattern of keys.
const MAX_PATTERN_BYTES: usize = 15 << 10;

/// The qualifiers of a column's cells.
pub(crate) fn qualifiers(named_by: NamedBy, name: &[u8]) -> ByteRange {
    match named_by {
        // A semicolon follows a colon.
        NamedBy::Prefix => (
            Bound::Included([name, b":"].concat().into()),
            Bound::Excluded([name, b";"].concat().into()),
        ),
        NamedBy::Family => (Bound::Unbounded, Bound::Unbounded),
        NamedBy::Qualifier => {
            let name = Bytes::copy_from_slice(name);
            (Bound::Included(name.clone()), Bound::Included(name))
        }
    }
}

/// The part of qualifiers after a column's name, as a pattern.
fn after_name(named_by: NamedBy) -> &'static str {
    match named_by {
        NamedBy::Prefix => ":\\C*",
        NamedBy::Qualifier | NamedBy::Family => "",
    }
}

/// The maximum size of the patterns: escaping may turn one byte into four.
fn pattern_bytes(columns: &Named<'_>, after: &str) -> usize {
    columns
        .iter()
        .map(|(family, qualifiers)| {
            let names: usize = qualifiers
                .iter()
                .map(|name| 4 * name.len() + 1 + after.len())
                .sum();
            4 * family.len() + names + 32
        })
        .sum()
}

/// Lets these columns through, each family by a chain that ends in `rest`; only `rest` if there are
/// no columns, or if their names take too many bytes.
///
/// A column is in one branch only, so interleaving duplicates no cell. A single column, as counts
/// and series need, is a range of qualifiers: patterns are compiled and matched cell by cell, which
/// takes Google's emulator longer than sending all columns.
pub(super) fn of_names(
    columns: Option<&Named<'_>>,
    named_by: NamedBy,
    rest: &[RowFilter],
) -> Option<RowFilter> {
    let one = columns.and_then(only);
    // Some servers treat an empty end of a range as no end.
    if let Some((family, name)) = one.filter(|(_, name)| !name.is_empty()) {
        let (start, end) = qualifiers(named_by, name);
        let one = RowFilter::QualifierRange {
            family: family.to_owned(),
            start,
            end,
        };
        return RowFilter::chain([one].into_iter().chain(rest.iter().cloned()));
    }
    let after = after_name(named_by);
    // Letting more through costs bytes, but does not change the answer.
    let columns = columns.filter(|columns| pattern_bytes(columns, after) <= MAX_PATTERN_BYTES);
    let narrowed = columns.and_then(|columns| {
        RowFilter::interleave(columns.iter().filter_map(|(family, qualifiers)| {
            let mut pattern = BytesMut::new();
            any_of(qualifiers.iter().copied(), after, &mut pattern);
            let chain = [
                self::family(family),
                RowFilter::QualifierRegex(pattern.freeze()),
            ];
            RowFilter::chain(chain.into_iter().chain(rest.iter().cloned()))
        }))
    });
    narrowed.or_else(|| RowFilter::chain(rest.iter().cloned()))
}

/// The column, if there is exactly one.
fn only<'a>(columns: &Named<'a>) -> Option<(&'a str, &'a [u8])> {
    let all = columns.iter();
    let mut all = all.flat_map(|(family, names)| names.iter().map(move |name| (*family, *name)));
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

/// Lets through the family of the events' one column, with all of its qualifiers.
pub(super) fn of_family(schema: &ModelSchema, rest: &[RowFilter]) -> Option<RowFilter> {
    let (family, _) = event_columns(schema).next()?;
    let narrows = schema.families().len() > 1;
    let filters = narrows.then(|| self::family(family)).into_iter();
    RowFilter::chain(filters.chain(rest.iter().cloned()))
}

/// Family and name of the columns in which each event has cells.
fn event_columns(schema: &ModelSchema) -> impl Iterator<Item = (&str, &str)> {
    let marker = match &schema.presence {
        Presence::Marker { family, qualifier } => Some((&**family, &**qualifier)),
        Presence::Column(_) => None,
    };
    let columns = schema
        .columns
        .iter()
        .filter(|column| column.copy_of.is_none());
    columns
        .flat_map(|column| column.names().map(|name| (&*column.family, name)))
        .chain(marker)
}

/// Lets a family through.
pub(super) fn family(name: &str) -> RowFilter {
    RowFilter::FamilyRegex(quote_name(name))
}

/// Lets through the columns of one event in layout `columns`, whatever their names.
pub(crate) fn ending_in(offset: &[u8]) -> RowFilter {
    let mut pattern = BytesMut::from("\\C*:");
    quote(offset, &mut pattern);
    RowFilter::QualifierRegex(pattern.freeze())
}

/// The same for an event with tie-breakers, which may themselves end in a colon and this offset:
/// only the name of a column comes before it, and names with colons are listed.
pub(super) fn ending_in_of_event(schema: &ModelSchema, offset: &[u8]) -> RowFilter {
    let mut pattern = BytesMut::from("(?:[^:]*");
    let names = event_columns(schema).map(|(_, name)| name);
    for name in names.filter(|name| name.contains(':')) {
        pattern.extend_from_slice(b"|");
        quote(name.as_bytes(), &mut pattern);
    }
    pattern.extend_from_slice(b"):");
    quote(offset, &mut pattern);
    RowFilter::QualifierRegex(pattern.freeze())
}

fn quote_name(name: &str) -> String {
    let mut pattern = BytesMut::new();
    quote(name.as_bytes(), &mut pattern);
    String::from_utf8_lossy(&pattern).into_owned()
}
