//! The part of a query's condition that the server compares.

use std::ops::{Bound, RangeBounds as _};

use bytes::{Bytes, BytesMut};

use super::{ByServer, Compared};
use crate::condition::{ColumnTest, ValueRange, fits, predicate};
use crate::data::RowFilter;
use crate::model::{Compares, EventPlace, ModelSchema, NamedBy, qualifiers};
use crate::re2::any_of;

/// The filter of keys and cells, with as much of the condition as the server can compare and a
/// filter has room for. The client always compares too: the server reads the condition's cells
/// before the result, and a write may come in between.
///
/// - If a row is one event, the server compares the whole condition.
/// - If rows hold many events, no filter knows which cells belong to one event. If a column must
///   have certain values, cells with other values are left out: an event without that cell does not
///   match either.
/// - In layout `latest` it compares nothing: without the newest event's cells, an older event would
///   be taken for the newest.
pub(in crate::query) fn compared(
    schema: &ModelSchema,
    test: &ColumnTest,
    keys: Option<RowFilter>,
    cells: Option<RowFilter>,
) -> (Option<RowFilter>, Compared) {
    let with = |cells| RowFilter::chain(keys.iter().cloned().chain(cells));
    let narrowed = match schema.in_layout().compares() {
        // A value may be stored under a former name, even after one under the column's own name.
        _ if has_aliases(schema, test) => None,
        Compares::Events => Some((of_rows(schema, test, cells.clone()), ByServer::Events)),
        Compares::Values => of_values(schema, test, cells.clone()),
        Compares::Nothing => None,
    };
    let narrowed = narrowed.and_then(|(cells, by)| Some((with(Some(cells))?, by)));
    let narrowed = narrowed.filter(|(filter, _)| fits(filter).is_ok());
    let (filter, by_server) = match narrowed {
        Some((filter, by)) => (Some(filter), by),
        None => (with(cells), ByServer::Nothing),
    };
    let condition = Compared {
        by_server,
        ..Compared::by_client(schema, test)
    };
    (filter, condition)
}

fn has_aliases(schema: &ModelSchema, test: &ColumnTest) -> bool {
    let columns = test.columns();
    let mut names = columns.iter().filter_map(|column| column.names(schema));
    names.any(|(_, names)| names.len() > 1)
}

fn of_rows(schema: &ModelSchema, test: &ColumnTest, cells: Option<RowFilter>) -> RowFilter {
    RowFilter::Condition {
        predicate: Box::new(predicate(schema, &EventPlace::Row, test)),
        if_true: Some(Box::new(cells.unwrap_or(RowFilter::PassAll))),
        if_false: None,
    }
}

fn of_values(
    schema: &ModelSchema,
    test: &ColumnTest,
    cells: Option<RowFilter>,
) -> Option<(RowFilter, ByServer)> {
    let wanted = test.wanted_values();
    let narrowing = wanted.into_iter().filter_map(|(column, values)| {
        let (family, names) = column.names(schema)?;
        let filter = with_values(schema, family, names.first()?, values)?;
        Some((column.shown(schema), filter))
    });
    let (mut names, filters): (Vec<String>, Vec<RowFilter>) = narrowing.unzip();
    names.sort();
    names.dedup();
    let none = filters.is_empty();
    let filter = RowFilter::chain(cells.into_iter().chain(filters));
    filter
        .filter(|_| !none)
        .map(|filter| (filter, ByServer::Values(names)))
}

/// Lets through the cells of one column with these values, and all cells of other columns. Each
/// cell passes only one branch, so none is duplicated.
fn with_values(
    schema: &ModelSchema,
    family: &str,
    name: &[u8],
    values: Vec<ValueRange>,
) -> Option<RowFilter> {
    let of_family = |(start, end)| RowFilter::QualifierRange {
        family: family.to_owned(),
        start,
        end,
    };
    let (kept, others) = match schema.in_layout().value_is_qualifier() {
        true => {
            let kept: Vec<_> = values.into_iter().map(of_family).collect();
            (kept, Vec::new())
        }
        false => {
            let qualifiers = own_qualifiers(schema, family, name)?;
            let others = others(&qualifiers).map(of_family).collect();
            let values = values.into_iter();
            let values = values.map(|(start, end)| RowFilter::ValueRange { start, end });
            let kept = RowFilter::interleave(values)
                .and_then(|values| RowFilter::chain([of_family(qualifiers), values]));
            (kept.into_iter().collect(), others)
        }
    };
    let ways = kept
        .into_iter()
        .chain(others)
        .chain(families(schema, family));
    Some(RowFilter::interleave(ways).unwrap_or(RowFilter::BlockAll))
}

/// The qualifiers of a column's cells; `None` if they include those of another column.
fn own_qualifiers(schema: &ModelSchema, family: &str, name: &[u8]) -> Option<ValueRange> {
    let named_by = schema.in_layout().named_by();
    let own = qualifiers(named_by, name);
    let mut declared = schema.declared();
    let is_mixed = named_by == NamedBy::Prefix
        && (schema.maps().any(|map| map == family)
            || declared.any(|(of, qualifier)| {
                let qualifier = Bytes::copy_from_slice(qualifier.as_bytes());
                of == family && own.contains(&qualifier)
            }));
    (!is_mixed).then_some(own)
}

/// The qualifiers before and after a range of them.
fn others((start, end): &ValueRange) -> impl Iterator<Item = ValueRange> + use<> {
    let before = match start {
        Bound::Included(start) if !start.is_empty() => {
            Some((Bound::Unbounded, Bound::Excluded(start.clone())))
        }
        _ => None,
    };
    let after = match end {
        Bound::Included(end) => Some((Bound::Excluded(end.clone()), Bound::Unbounded)),
        Bound::Excluded(end) => Some((Bound::Included(end.clone()), Bound::Unbounded)),
        Bound::Unbounded => None,
    };
    before.into_iter().chain(after)
}

/// Lets through the model's families except the column's.
fn families(schema: &ModelSchema, family: &str) -> Option<RowFilter> {
    let mut families = schema.families();
    families.remove(family);
    let mut pattern = BytesMut::new();
    any_of(
        families.iter().map(|name| name.as_bytes()),
        "",
        &mut pattern,
    );
    let pattern = String::from_utf8_lossy(&pattern).into_owned();
    (!families.is_empty()).then_some(RowFilter::FamilyRegex(pattern))
}
