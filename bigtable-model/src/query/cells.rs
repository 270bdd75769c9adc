//! Which cells of a row a query asks the server for.

use std::collections::{BTreeMap, BTreeSet};

use bytes::BytesMut;

use super::Selection;
use super::quote::{any_of, quote};
use crate::data::RowFilter;
use crate::error::QueryError;
use crate::model::{ColumnSchema, Layout, ModelSchema};

/// What a filter may take on the wire; 20,480 bytes are allowed, the rest is for tags and lengths.
const MAX_PATTERN_BYTES: usize = 16 << 10;

/// Qualifiers by family: the columns that a query needs.
type Columns<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// The filter that lets through what the selection reads.
pub(super) fn filter(
    schema: &ModelSchema,
    selection: &Selection,
) -> Result<Option<RowFilter>, QueryError> {
    match schema.layout {
        Layout::Row => row_filter(schema, selection),
        _ => Ok(None),
    }
}

/// One row an event: the newest cell of each column is its value.
fn row_filter(
    schema: &ModelSchema,
    selection: &Selection,
) -> Result<Option<RowFilter>, QueryError> {
    let newest = RowFilter::CellsPerColumnLimit(1);
    let presence = schema.presence_column();
    if selection.keys_only && presence.is_some() {
        let columns = with_presence(Columns::new(), presence);
        return Ok(narrow(&columns, &[newest, RowFilter::StripValue]));
    }
    let Some(indexes) = &selection.columns else {
        return Ok(Some(newest));
    };
    let columns = with_presence(stored_columns(schema, indexes)?, presence);
    if pattern_bytes(&columns) > MAX_PATTERN_BYTES {
        // Letting more through costs bytes, never the answer.
        return Ok(Some(newest));
    }
    Ok(narrow(&columns, std::slice::from_ref(&newest)).or(Some(newest)))
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
fn pattern_bytes(columns: &Columns<'_>) -> usize {
    columns
        .iter()
        .map(|(family, qualifiers)| {
            let names: usize = qualifiers.iter().map(|name| 4 * name.len() + 1).sum();
            4 * family.len() + names + 32
        })
        .sum()
}

/// Lets these columns through, each family by a chain that ends in `rest`; none when there is no column.
///
/// A column stands in one branch alone, so that interleaving doubles no cell.
fn narrow(columns: &Columns<'_>, rest: &[RowFilter]) -> Option<RowFilter> {
    RowFilter::interleave(columns.iter().map(|(family, qualifiers)| {
        let qualifiers = any_of(qualifiers.iter().map(|name| name.as_bytes()));
        let mut chain = vec![
            RowFilter::FamilyRegex(quote_name(family)),
            RowFilter::QualifierRegex(qualifiers),
        ];
        chain.extend_from_slice(rest);
        RowFilter::Chain(chain)
    }))
}

fn quote_name(name: &str) -> String {
    let mut pattern = BytesMut::new();
    quote(name.as_bytes(), &mut pattern);
    String::from_utf8_lossy(&pattern).into_owned()
}
