//! Tables without a model: what there is, and what it looks like.

use std::collections::BTreeMap;

use bigtable_model::Backend;
use bigtable_model::data::{ReadRows, Row, RowFilter, RowRange, RowSet};
use bigtable_model::dynamic::AnyModel;
use bigtable_model::schema::{Layout, ModelSchema};
use bytes::Bytes;
use comfy_table::Table;
use futures::{TryStreamExt as _, future};

use crate::args::{Describe, Generate, Listing};
use crate::failure::Failure;
use crate::generate;
use crate::models::Models;
use crate::output::{self, Sheet, print, writer};
use crate::text;

/// How many rows are read at each place of a table.
const AT_A_PLACE: usize = 20;

/// How many shapes, columns and keys are shown.
const SHOWN: usize = 20;

pub(super) async fn list(db: &dyn Backend, options: &Listing) -> Result<(), Failure> {
    let header = ["table", "families", "bytes"];
    let mut tables = db.tables().list().await?;
    tables.sort_unstable();
    let mut sheet = Sheet::new(options.format, header, writer(None)?)?;
    for table in tables {
        let schema = db.tables().get(&table).await?;
        let families: Vec<_> = schema.families.into_keys().collect();
        let bytes = sampled_bytes(db, &table).await?;
        sheet.line(vec![table.into(), families.join(", ").into(), bytes.into()])?;
    }
    sheet.finish()
}

/// About how many bytes a table has, as Bigtable samples it.
pub(super) async fn sampled_bytes(db: &dyn Backend, table: &str) -> Result<u64, Failure> {
    let samples = db.sample_row_keys(table).await?;
    let last = samples.last().map_or(0, |one| one.offset_bytes);
    Ok(u64::try_from(last).unwrap_or_default())
}

/// Prints families, rules, and what rows all over the table look like.
pub(super) async fn describe(
    db: &dyn Backend,
    options: &Describe,
    models: Option<&Models>,
) -> Result<(), Failure> {
    let schema = db.tables().get(&options.table).await?;
    println!("table {}", options.table);
    for (name, family) in &schema.families {
        println!("  family \"{name}\" {family}");
    }
    if let Some(keys) = &schema.row_key_schema {
        println!("  row key schema {keys}");
    }
    let bytes = sampled_bytes(db, &options.table).await?;
    println!("  about {}", text::size(bytes));
    let rows = sampled(db, &options.table, options.rows).await?;
    if rows.is_empty() {
        println!("  no rows");
        return Ok(());
    }
    println!("\nof {}:", text::counted(len(rows.len()), "row"));
    println!("{}", shapes(&rows));
    let all = models.iter().flat_map(|models| models.all());
    let own = all.map(AnyModel::schema);
    let own = own.filter(|schema| is_of(schema, &options.table));
    let own: Vec<&ModelSchema> = own.collect();
    println!("{}", columns(&rows, &own));
    for own in own {
        println!("\nas {} ({}):", own.model, own.key);
        for row in rows.iter().take(SHOWN / 4) {
            println!("  {}", own.key.describe(&row.key));
        }
    }
    Ok(())
}

/// Prints structs for a table.
pub(super) async fn generate(db: &dyn Backend, options: &Generate) -> Result<(), Failure> {
    let schema = db.tables().get(&options.table).await?;
    let rows = sampled(db, &options.table, options.rows).await?;
    if rows.is_empty() {
        return Err(Failure::new(format_args!(
            "{} has no rows to learn from",
            options.table
        )));
    }
    print(&generate::proposed(&schema, &rows).await?)
}

fn len(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// A larger table is not read completely for a sample of its rows.
const MOST_READ: u64 = 256 << 20;

/// Rows from all over a table; all of its rows if it has fewer than `most`.
pub(super) async fn sampled(
    db: &dyn Backend,
    table: &str,
    most: usize,
) -> Result<Vec<Row>, Failure> {
    let whole = ReadRows {
        table: table.to_owned(),
        rows_limit: i64::try_from(most)?,
        ..ReadRows::default()
    };
    let first = read(db, whole.clone()).await?;
    let bytes = sampled_bytes(db, table).await?;
    if first.len() < most {
        return Ok(first);
    }
    if bytes > MOST_READ {
        return at_places(db, table, most).await;
    }
    let keys = ReadRows {
        filter: Some(RowFilter::Chain(vec![
            RowFilter::CellsPerRowLimit(1),
            RowFilter::StripValue,
        ])),
        rows_limit: 0,
        ..whole.clone()
    };
    let rows = db.read_rows(keys).rows();
    let rows = rows.try_fold(0_u32, |rows, _| future::ok(rows.saturating_add(1)));
    let rows = f64::from(rows.await?);
    // A few more than are wanted, since they are drawn at random.
    let share = f64::from(u32::try_from(most)?) * 1.1 / rows.max(1.0);
    if share >= 1.0 {
        return Ok(first);
    }
    let drawn = ReadRows {
        filter: Some(RowFilter::RowSample(share)),
        ..whole
    };
    read(db, drawn).await
}

async fn read(db: &dyn Backend, rows: ReadRows) -> Result<Vec<Row>, Failure> {
    Ok(db.read_rows(rows).rows().try_collect().await?)
}

/// The first rows after each of some places.
async fn at_places(db: &dyn Backend, table: &str, most: usize) -> Result<Vec<Row>, Failure> {
    let samples = db.sample_row_keys(table).await?;
    let mut starts: Vec<Bytes> = vec![Bytes::new()];
    // The last sample is the table's end, an empty key.
    let keys = samples.into_iter().map(|one| one.key);
    starts.extend(keys.filter(|key| !key.is_empty()));
    starts.dedup();
    // Evenly spread, if there are more places than needed.
    let places = most.div_ceil(AT_A_PLACE).max(1);
    let step = starts.len().div_ceil(places).max(1);
    let chosen: Vec<Bytes> = starts.into_iter().step_by(step).collect();
    let each = most.div_ceil(chosen.len().max(1));
    let mut found: Vec<Row> = Vec::new();
    for (at, start) in chosen.iter().enumerate() {
        let range = match chosen.get(at + 1) {
            Some(end) => RowRange::half_open(start.clone(), end.clone()),
            None => RowRange {
                start: std::ops::Bound::Included(start.clone()),
                end: std::ops::Bound::Unbounded,
            },
        };
        let rows = ReadRows {
            table: table.to_owned(),
            rows: RowSet::range(range),
            rows_limit: i64::try_from(each)?,
            ..ReadRows::default()
        };
        found.extend(read(db, rows).await?);
    }
    found.truncate(most);
    Ok(found)
}

/// The shapes of keys, the most frequent first.
fn shapes(rows: &[Row]) -> Table {
    let mut shapes: BTreeMap<String, (u64, &Bytes)> = BTreeMap::new();
    for row in rows {
        shapes.entry(shape(&row.key)).or_insert((0, &row.key)).0 += 1;
    }
    let mut shapes: Vec<_> = shapes.into_iter().collect();
    shapes.sort_by_key(|(_, (rows, _))| std::cmp::Reverse(*rows));
    let mut table = output::table();
    table.set_header(["key", "rows", "for example"]);
    for (shape, (rows, key)) in shapes.into_iter().take(SHOWN) {
        table.add_row([shape, text::thousands(rows), text::of_bytes(key)]);
    }
    table
}

/// What a key looks like: `A` for letters, `9` with their number for digits, `?` for bytes that are
/// not text, and other characters unchanged.
fn shape(key: &[u8]) -> String {
    #[derive(PartialEq)]
    enum Kind {
        Digits,
        Letters,
        Bytes,
        Between,
    }
    let kind = |byte: &u8| match byte {
        b'0'..=b'9' => Kind::Digits,
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => Kind::Letters,
        0..0x20 | 0x7f => Kind::Bytes,
        _ => Kind::Between,
    };
    let is_text = std::str::from_utf8(key).is_ok();
    let mut shape = String::new();
    for run in key.chunk_by(|one, other| kind(one) == kind(other)) {
        match run.first().map(&kind) {
            Some(Kind::Digits) => shape.push_str(&format!("9{{{}}}", run.len())),
            Some(Kind::Letters) if is_text => shape.push('A'),
            Some(Kind::Between) => shape.push_str(&String::from_utf8_lossy(run)),
            _ => shape.push('?'),
        }
    }
    shape
}

/// Whether a table is a model's: for tables by period, whether its name begins like theirs.
fn is_of(model: &ModelSchema, table: &str) -> bool {
    let name = model.table.to_string();
    match name.split_once('{') {
        Some((before, _)) => table.starts_with(before),
        None => name == table,
    }
}

/// Whether a model hides the values of a column. In layout `columns` a qualifier begins with the
/// column's name, unless that is not stored.
fn is_sensitive(models: &[&ModelSchema], family: &str, qualifier: &[u8]) -> bool {
    let columns = models.iter().flat_map(|model| {
        let is_named = !matches!(model.layout, Layout::Columns { named: false, .. });
        model.columns.iter().map(move |column| (is_named, column))
    });
    let mut sensitive = columns.filter(|(_, column)| column.sensitive && column.family == family);
    sensitive.any(|(is_named, column)| {
        let former = column.aliases.iter();
        let mut names = std::iter::once(&column.qualifier).chain(former);
        names.any(|name| {
            let rest = qualifier.strip_prefix(name.as_bytes());
            !is_named || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b":"))
        })
    })
}

/// The columns of rows: in how many of them, and how large.
fn columns(rows: &[Row], models: &[&ModelSchema]) -> Table {
    #[derive(Default)]
    struct Column<'a> {
        rows: u64,
        cells: u64,
        largest: usize,
        example: Option<&'a Bytes>,
    }
    let mut columns: BTreeMap<(&str, &Bytes), Column<'_>> = BTreeMap::new();
    for row in rows {
        let mut last = None;
        for cell in &row.cells {
            let name = (&*cell.family, &cell.qualifier);
            let column = columns.entry(name).or_default();
            column.rows += u64::from(last != Some(name));
            column.cells += 1;
            column.largest = column.largest.max(cell.value.len());
            column.example.get_or_insert(&cell.value);
            last = Some(name);
        }
    }
    let mut table = output::table();
    table.set_header(["column", "rows", "cells", "largest", "for example"]);
    let more = columns.len().saturating_sub(SHOWN);
    for ((family, qualifier), column) in columns.into_iter().take(SHOWN) {
        let example = column
            .example
            .map(|value| match is_sensitive(models, family, qualifier) {
                true => text::HIDDEN.to_owned(),
                false => text::of_bytes(value),
            });
        let example: String = example.unwrap_or_default().chars().take(40).collect();
        table.add_row([
            format!("{family}:{}", text::of_bytes(qualifier)),
            text::thousands(column.rows),
            text::thousands(column.cells),
            text::size(len(column.largest)),
            example,
        ]);
    }
    if more > 0 {
        table.add_row([format!("and {} more", text::thousands(len(more)))]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_keys() {
        assert_eq!(shape(b"NASDAQ#ZXZZT#1426535612156"), "A#A#9{13}");
        assert_eq!(shape(b"0000987654#20170726"), "9{10}#9{8}");
        assert_eq!(shape("Zürich-1".as_bytes()), "A-9{1}");
        assert_eq!(shape(b"\x00\x01\xff"), "??");
        assert_eq!(shape(b"a b"), "A A");
    }
}
