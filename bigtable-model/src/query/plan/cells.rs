//! The cells of a row that a query requests from the server.

use crate::condition::ColumnTest;
use crate::data::RowFilter;
use crate::error::QueryError;
use crate::model::{
    Cells, ColumnSchema, ModelSchema, Named, PackedColumns, Wanted, entry_name, shown,
};
use crate::query::{EventTimes, Selection};

/// The cells that the selection reads: those of its columns, at these times.
pub(in crate::query) fn cells(
    schema: &ModelSchema,
    selection: &Selection,
    times: &EventTimes,
) -> Result<Cells, QueryError> {
    let columns = wanted(schema, selection)?;
    // A condition reads values.
    let strip = selection.keys_only && selection.condition.is_none();
    let strip = strip.then_some(RowFilter::StripValue);
    Ok(schema.in_layout().cells(&Wanted {
        schema,
        columns,
        times,
        // A column with a former name may have fewer cells under one name than under both.
        newest: newest(selection, times).filter(|_| !schema.has_aliases()),
        strip,
    }))
}

/// The columns that are read in blocks; `None` for all, and if rows are not packed.
pub(in crate::query) fn packed(
    schema: &ModelSchema,
    selection: &Selection,
) -> Result<Option<PackedColumns>, QueryError> {
    let wanted = match schema.is_packed() {
        true => wanted(schema, selection)?,
        false => None,
    };
    // A plan names columns by text.
    let owned = |columns: Named<'_>| {
        let families = columns.into_iter().map(|(family, names)| {
            let names = names
                .into_iter()
                .map(|name| String::from_utf8(name.to_vec()));
            Some((family.to_owned(), names.collect::<Result<_, _>>().ok()?))
        });
        families.collect()
    };
    Ok(wanted.and_then(owned))
}

/// The columns to request; `None` for all.
fn wanted<'a>(
    schema: &'a ModelSchema,
    selection: &'a Selection,
) -> Result<Option<Named<'a>>, QueryError> {
    let presence = schema.presence_names();
    let indexes = match &selection.columns {
        _ if selection.keys_only && presence.is_some() => &[],
        None => return Ok(None),
        Some(indexes) => indexes.as_slice(),
    };
    let compared = selection.condition.as_ref().map(ColumnTest::columns);
    let compared = compared.unwrap_or_default();
    let indexes = indexes.iter().copied();
    let indexes = indexes.chain(compared.iter().filter_map(|one| one.declared()));
    let mut columns = stored_columns(schema, &indexes.collect::<Vec<_>>())?;
    let entries = selection.entries.iter().filter(|_| !selection.keys_only);
    let entries = entries.map(|(map, name)| (*map, name));
    for (map, name) in entries.chain(compared.iter().filter_map(|one| one.entry())) {
        let family = schema.map_families.get(map);
        let family = family.filter(|family| schema.map_of(family, name).is_some());
        let family = family.ok_or_else(|| QueryError::NotOfMap {
            column: entry_name(schema, map, &shown(name)),
        })?;
        columns.entry(family).or_default().insert(name);
    }
    Ok(Some(with_presence(columns, presence)))
}

/// How many cells of each column suffice if only the newest events of a row are wanted; `None` if
/// times or a condition may exclude some of them.
fn newest(selection: &Selection, times: &EventTimes) -> Option<u32> {
    let exact =
        !matches!(times, EventTimes::In(times) if times.len() > 1) && selection.condition.is_none();
    let limit = selection.limit.filter(|_| selection.descending && exact)?;
    let limit = i32::try_from(limit).ok()?;
    u32::try_from(limit).ok().filter(|limit| *limit > 0)
}

/// The columns to request, without copies of key segments, whose values are in the key.
fn stored_columns<'a>(schema: &'a ModelSchema, indexes: &[usize]) -> Result<Named<'a>, QueryError> {
    let mut columns = Named::new();
    for &index in indexes {
        let column = column(schema, index)?;
        if column.copy_of.is_none() {
            let names = columns.entry(&*column.family).or_default();
            names.extend(column.names().map(str::as_bytes));
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

/// Adds the presence column, without which an event with no projected column would be lost.
fn with_presence<'a>(
    mut columns: Named<'a>,
    presence: Option<(&'a str, Vec<&'a [u8]>)>,
) -> Named<'a> {
    if let Some((family, names)) = presence {
        columns.entry(family).or_default().extend(names);
    }
    columns
}
