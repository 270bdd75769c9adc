//! The server's part in answering a query, as filters of cells.

mod expired;
pub(super) mod offsets;
pub(super) mod stamps;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use bytes::BytesMut;

use crate::data::RowFilter;
use crate::model::{ModelSchema, NamedBy, Presence};
use crate::re2::{any_of, quote};

/// What a filter may take on the wire; 20,480 bytes are allowed, the rest is for tags and lengths,
/// and for a pattern of keys.
const MAX_PATTERN_BYTES: usize = 15 << 10;

/// Qualifiers by family: the columns that a query needs.
pub(crate) type Named<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// What stands after a column's name in its qualifiers, as a pattern.
fn behind(named_by: NamedBy) -> &'static str {
    match named_by {
        NamedBy::Prefix => ":\\C*",
        NamedBy::Qualifier | NamedBy::Family => "",
    }
}

/// What the patterns take at most: quoting makes up to four bytes of one.
fn pattern_bytes(columns: &Named<'_>, behind: &str) -> usize {
    columns
        .iter()
        .map(|(family, qualifiers)| {
            let names: usize = qualifiers
                .iter()
                .map(|name| 4 * name.len() + 1 + behind.len())
                .sum();
            4 * family.len() + names + 32
        })
        .sum()
}

/// Lets these columns through, each family by a chain that ends in `rest`; without columns, and
/// where their names take too many bytes, it is `rest` alone.
///
/// A column stands in one branch alone, so that interleaving doubles no cell. One column, as counts
/// and series ask for, is a range of qualifiers: patterns are compiled and matched cell by cell,
/// which on Google's emulator takes longer than to send all columns.
pub(super) fn of_names(
    columns: Option<&Named<'_>>,
    named_by: NamedBy,
    rest: &[RowFilter],
) -> Option<RowFilter> {
    let one = columns.and_then(only);
    // An empty end of a range is no end to some servers.
    if let Some((family, name)) = one.filter(|(_, name)| !name.is_empty()) {
        let (start, end) = match named_by {
            NamedBy::Prefix => (
                format!("{name}:"),
                Bound::Excluded(format!("{name};").into()),
            ),
            NamedBy::Qualifier | NamedBy::Family => {
                (name.to_owned(), Bound::Included(name.to_owned().into()))
            }
        };
        let one = RowFilter::QualifierRange {
            family: family.to_owned(),
            start: Bound::Included(start.into()),
            end,
        };
        return RowFilter::chain([one].into_iter().chain(rest.iter().cloned()));
    }
    let behind = behind(named_by);
    // Letting more through costs bytes, never the answer.
    let columns = columns.filter(|columns| pattern_bytes(columns, behind) <= MAX_PATTERN_BYTES);
    let narrowed = columns.and_then(|columns| {
        RowFilter::interleave(columns.iter().filter_map(|(family, qualifiers)| {
            let mut pattern = BytesMut::new();
            let names = qualifiers.iter().map(|name| name.as_bytes());
            any_of(names, behind, &mut pattern);
            let chain = [
                RowFilter::FamilyRegex(quote_name(family)),
                RowFilter::QualifierRegex(pattern.freeze()),
            ];
            RowFilter::chain(chain.into_iter().chain(rest.iter().cloned()))
        }))
    });
    narrowed.or_else(|| RowFilter::chain(rest.iter().cloned()))
}

/// The column, where there is one.
fn only<'a>(columns: &Named<'a>) -> Option<(&'a str, &'a str)> {
    let all = columns.iter();
    let mut all = all.flat_map(|(family, names)| names.iter().map(move |name| (*family, *name)));
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

/// Lets through the family of the one column that events have, which takes in all of its
/// qualifiers.
pub(super) fn of_family(schema: &ModelSchema, rest: &[RowFilter]) -> Option<RowFilter> {
    let (family, _) = event_columns(schema).next()?;
    let of_family = RowFilter::FamilyRegex(quote_name(family));
    let narrows = schema.families().len() > 1;
    let filters = narrows.then_some(of_family).into_iter();
    RowFilter::chain(filters.chain(rest.iter().cloned()))
}

/// Family and name of the columns that each event has cells in.
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

fn quote_name(name: &str) -> String {
    let mut pattern = BytesMut::new();
    quote(name.as_bytes(), &mut pattern);
    String::from_utf8_lossy(&pattern).into_owned()
}
