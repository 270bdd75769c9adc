//! Which cells of a row a query asks the server for.

mod offsets;
mod stamps;

use std::collections::{BTreeMap, BTreeSet};

use bytes::BytesMut;

use self::offsets::Offsets;
use crate::condition::ColumnTest;
use crate::data::RowFilter;
use crate::error::QueryError;
use crate::model::{CellTime, ColumnSchema, Layout, ModelSchema, Presence};
use crate::query::{EventTimes, Selection};
use crate::re2::{any_of, quote};

/// What a filter may take on the wire; 20,480 bytes are allowed, the rest is for tags and lengths, and for a pattern of keys.
const MAX_PATTERN_BYTES: usize = 15 << 10;

/// Qualifiers by family: the columns that a query needs.
type Columns<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// What the server lets through of the rows. It may be more than what is wanted, never less.
#[derive(Debug, Default, PartialEq)]
pub(in crate::query) struct Cells {
    pub(in crate::query) filter: Option<RowFilter>,
    /// How many of the newest cells of each column are enough.
    pub(in crate::query) newest: Option<u32>,
}

/// The cells that the selection reads: those of its columns, at these times.
pub(in crate::query) fn cells(
    schema: &ModelSchema,
    selection: &Selection,
    times: &EventTimes,
) -> Result<Cells, QueryError> {
    let columns = wanted(schema, selection)?;
    // A condition looks at values.
    let strip = selection.keys_only && selection.condition.is_none();
    let strip = strip.then_some(RowFilter::StripValue);
    let newest_version = RowFilter::CellsPerColumnLimit(1);
    let (filter, newest) = match &schema.layout {
        Layout::Row => {
            let rest: Vec<_> = [newest_version].into_iter().chain(strip).collect();
            (named(columns.as_ref(), "", &rest), None)
        }
        Layout::Cells => {
            let stamps = stamps::of_events(times);
            let rest: Vec<_> = stamps.into_iter().chain(strip).collect();
            let newest = newest(selection, times);
            (named(columns.as_ref(), "", &rest), newest)
        }
        Layout::Columns { offset, named } => {
            let rest: Vec<_> = [newest_version].into_iter().chain(strip).collect();
            let offsets = Offsets::new(&schema.key, offset, *named, times);
            let within = offsets.filter(schema, columns.as_ref(), &rest);
            let filter = within.or_else(|| {
                let stamps = match schema.cell_time {
                    CellTime::Event if !schema.has_server_times() => {
                        stamps::of_columns(&schema.key, times)
                    }
                    CellTime::Event | CellTime::Write => None,
                };
                let rest: Vec<_> = stamps.into_iter().chain(rest).collect();
                match named {
                    true => self::named(columns.as_ref(), ":\\C*", &rest),
                    false => family(schema, &rest),
                }
            });
            (filter, None)
        }
        Layout::Latest => {
            // Times tell nothing here: the newest event is not an older one whose time was asked for.
            let rest: Vec<_> = strip.into_iter().collect();
            (named(columns.as_ref(), "", &rest), Some(1))
        }
        Layout::Qualifiers => {
            let rest: Vec<_> = stamps::of_events(times).into_iter().collect();
            (family(schema, &rest), None)
        }
    };
    Ok(Cells { filter, newest })
}

/// The columns that have to be fetched; none is all of them.
fn wanted<'a>(
    schema: &'a ModelSchema,
    selection: &Selection,
) -> Result<Option<Columns<'a>>, QueryError> {
    let presence = schema.presence_column();
    let indexes = match &selection.columns {
        _ if selection.keys_only && presence.is_some() => &[],
        None => return Ok(None),
        Some(indexes) => indexes.as_slice(),
    };
    let compared = selection.condition.iter().flat_map(ColumnTest::columns);
    let indexes: Vec<_> = indexes.iter().copied().chain(compared).collect();
    Ok(Some(with_presence(
        stored_columns(schema, &indexes)?,
        presence,
    )))
}

/// How many cells of each column hold the newest events of a row, when no more of them are wanted. It is not to be told where
/// the times, or a condition, let through others.
fn newest(selection: &Selection, times: &EventTimes) -> Option<u32> {
    let exact =
        !matches!(times, EventTimes::In(times) if times.len() > 1) && selection.condition.is_none();
    let limit = selection.limit.filter(|_| selection.descending && exact)?;
    let limit = i32::try_from(limit).ok()?;
    u32::try_from(limit).ok().filter(|limit| *limit > 0)
}

/// The columns that have to be fetched: the value of a key's copy is in the key.
fn stored_columns<'a>(
    schema: &'a ModelSchema,
    indexes: &[usize],
) -> Result<Columns<'a>, QueryError> {
    let mut columns = Columns::new();
    for &index in indexes {
        let column = column(schema, index)?;
        if column.copy_of.is_none() {
            columns
                .entry(&*column.family)
                .or_default()
                .insert(&*column.qualifier);
        }
    }
    Ok(columns)
}

fn column(schema: &ModelSchema, index: usize) -> Result<&ColumnSchema, QueryError> {
    schema.columns.get(index).ok_or(QueryError::UnknownColumn {
        index,
        columns: schema.columns.len(),
    })
}

/// Without the presence column an event whose projected columns are all absent would be lost.
fn with_presence<'a>(
    mut columns: Columns<'a>,
    presence: Option<(&'a str, &'a str)>,
) -> Columns<'a> {
    if let Some((family, qualifier)) = presence {
        columns.entry(family).or_default().insert(qualifier);
    }
    columns
}

/// What the patterns take at most: quoting makes up to four bytes of one.
fn pattern_bytes(columns: &Columns<'_>, behind: &str) -> usize {
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

/// Lets these columns through, each family by a chain that ends in `rest`; without columns, and where their names take too many bytes,
/// it is `rest` alone. Behind each name stands the pattern `behind`.
///
/// A column stands in one branch alone, so that interleaving doubles no cell.
fn named(columns: Option<&Columns<'_>>, behind: &str, rest: &[RowFilter]) -> Option<RowFilter> {
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

/// Lets through the family of the one column that events have, which takes in all of its qualifiers.
fn family(schema: &ModelSchema, rest: &[RowFilter]) -> Option<RowFilter> {
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
        .map(|column| (&*column.family, &*column.qualifier))
        .chain(marker)
}

fn quote_name(name: &str) -> String {
    let mut pattern = BytesMut::new();
    quote(name.as_bytes(), &mut pattern);
    String::from_utf8_lossy(&pattern).into_owned()
}
