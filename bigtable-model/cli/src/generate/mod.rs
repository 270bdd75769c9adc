//! Proposes structs for a table from its rows, and tries each on its rows.

mod buckets;
mod calendar;
mod columns;
mod copies;
mod keys;
mod kind;
mod names;
mod segments;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bigtable_model::data::{FamilySchema, Mutation, Row, RowMutations, TableSchema};
use bigtable_model::dynamic::{AnyModel, AnyQuery};
use bigtable_model::query::BadRows;
use bigtable_model::{Backend, BackendExt as _, MemoryBackend};
use futures::TryStreamExt as _;

use crate::failure::{Failure, in_words};
use columns::Column;
use copies::CopyOf;
use keys::Shape;
use kind::{Kind, Tried};
use segments::Part;

/// The structs for a table as a file in Rust, from some of its rows.
pub(crate) async fn proposed(table: &TableSchema, rows: &[Row]) -> Result<String, Failure> {
    let rows: Vec<&Row> = rows.iter().collect();
    let shapes = keys::shapes(&table.table, &rows);
    let bare: Vec<_> = shapes
        .iter()
        .map(|shape| {
            let parts = kind::parts(shape);
            let (copies, rows) = copies::copies(shape, &parts);
            (parts, copies, rows)
        })
        .collect();
    let mut kinds = Vec::new();
    let name = names::camel(&table.table);
    for (at, (shape, (parts, copies, rows))) in shapes.iter().zip(&bare).enumerate() {
        let own = match (shape.prefix.as_str(), shapes.len(), at) {
            (_, 1, _) | ("", _, 0) => name.clone(),
            ("", _, at) => format!("{name}Other{at}"),
            (prefix, _, _) => format!("{name}{}", names::camel(prefix)),
        };
        let shape = Shape {
            prefix: shape.prefix.clone(),
            separator: shape.separator,
            is_enclosed: shape.is_enclosed,
            rows: rows.iter().collect(),
            parts: shape.parts.clone(),
        };
        kinds.extend(self::kinds(&own, table, &shape, parts.clone(), copies));
    }
    let mut text = source::head(&kinds);
    let by_key: BTreeMap<&[u8], &Row> = rows.iter().map(|row| (&*row.key, *row)).collect();
    for kind in &kinds {
        let rows = kind.rows.iter().filter_map(|row| by_key.get(&*row.key));
        let tried = tried(table, kind, &rows.copied().collect::<Vec<_>>()).await?;
        text.push('\n');
        text.push_str(&source::of(kind, &tried));
    }
    let read: usize = kinds.iter().map(|kind| kind.rows.len()).sum();
    if read < rows.len() {
        text.push_str(&format!(
            "\n// {} of {} sampled rows have no column that others have too: no struct is for them.\n",
            rows.len() - read,
            rows.len()
        ));
    }
    Ok(text)
}

/// The maximum number of structs for rows of one shape that have no column in common.
const MOST_COVERS: usize = 3;

/// The structs for rows of a shape.
fn kinds<'a>(
    name: &str,
    table: &TableSchema,
    shape: &Shape<'a>,
    mut parts: Vec<Part>,
    copies: &[CopyOf],
) -> Vec<Kind<'a>> {
    let names = kind::named(&mut parts, copies);
    let with_copies = |kind: Kind<'a>| Kind {
        copies: copies.to_vec(),
        ..kind
    };
    if let Some(kind) = buckets::in_buckets(name, table, shape, &parts, &names) {
        return vec![with_copies(kind)];
    }
    let mut kinds = Vec::new();
    let mut rest = shape.rows.clone();
    while !rest.is_empty() && kinds.len() < MOST_COVERS {
        let found = columns::columns(&rest);
        let presence = found
            .iter()
            .filter(|column| columns::is_nameable(&column.qualifier))
            // The first of those with equally many rows.
            .rev()
            .max_by_key(|column| column.rows);
        let Some(presence) = presence else {
            break;
        };
        let has = |row: &&Row| has(row, presence);
        let rows: Vec<&Row> = shape.rows.iter().copied().filter(has).collect();
        rest.retain(|row| !has(row));
        let suffix = match kinds.len() {
            0 => String::new(),
            more => (more + 1).to_string(),
        };
        let name = format!("{name}{suffix}");
        let kind = kind::of_rows(&name, table, shape, rows, &parts, names.clone());
        kinds.push(with_copies(kind));
    }
    kinds
}

fn has(row: &Row, column: &Column) -> bool {
    let mut cells = row.cells.iter();
    cells.any(|cell| cell.family == column.family && cell.qualifier == column.qualifier)
}

/// Reads the rows of a kind by its model.
async fn tried(table: &TableSchema, kind: &Kind<'_>, rows: &[&Row]) -> Result<Tried, Failure> {
    let db = copied(table, rows).await?;
    let model = match AnyModel::of_described(kind.described()) {
        Ok(model) => model,
        Err(error) => return Ok(Tried::Refused(in_words(&error))),
    };
    let skipped = BadRows::skip();
    let query = AnyQuery::of(&model)
        .scan()
        .with_expired()
        .on_bad_row(skipped.clone());
    let mut read = BTreeSet::new();
    let mut events = 0;
    let mut found = db.stream(&query);
    loop {
        match found.try_next().await {
            Ok(None) => break,
            Err(error) => return Ok(Tried::Refused(in_words(&error))),
            Ok(Some(batch)) => {
                for event in batch.events() {
                    events += 1;
                    let key = event.values().take(kind.parts.len());
                    read.insert(key.map(|(_, value)| value.to_string()).collect::<Vec<_>>());
                }
            }
        }
    }
    let bad = skipped.listed();
    let bad = bad.first().map(|error| in_words(&**error));
    let rows = kind
        .rows
        .len()
        .saturating_sub(usize::try_from(skipped.count())?);
    let rows = match kind.schema.layout == bigtable_model::schema::Layout::Row {
        true => read.len(),
        false => rows,
    };
    Ok(Tried::Reads {
        rows: u64::try_from(rows)?,
        events,
        bad,
    })
}

/// A table in memory with these rows.
async fn copied(table: &TableSchema, rows: &[&Row]) -> Result<Arc<dyn Backend>, Failure> {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let families = table.families.keys();
    let families: BTreeMap<_, _> = families
        .map(|family| (family.clone(), FamilySchema::default()))
        .collect();
    let plain = TableSchema {
        table: table.table.clone(),
        families,
        row_key_schema: None,
    };
    db.tables().create(plain, Vec::new()).await?;
    for row in rows {
        let cells = row.cells.iter().map(|cell| Mutation::SetCell {
            family: cell.family.clone(),
            qualifier: cell.qualifier.clone(),
            timestamp_micros: cell.timestamp_micros,
            value: cell.value.clone(),
        });
        let row = RowMutations {
            key: row.key.clone(),
            mutations: cells.collect(),
        };
        db.mutate_row(&table.table, row).await?;
    }
    Ok(db)
}
