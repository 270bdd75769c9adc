//! Queries in GoogleSQL.

use std::fmt::{self, Display, Write as _};
use std::ops::Bound;

use bytes::Bytes;

use super::plan::planner::plan;
use super::{Order, Plan, ReadsMore, Selection, SqlRefusal};
use crate::Error;
use crate::backend::sql::{Literal, Quoted, SqlParameters, SqlQuery, ToSql};
use crate::condition::ColumnTest;
use crate::data::RowRange;
use crate::model::{ColumnId, ColumnSchema, Holds, ModelSchema, column_name};

/// The query of a selection in GoogleSQL; see [`Query::to_sql`](super::Query::to_sql).
///
/// # Errors
/// Errors of [`Query::plan`](super::Query::plan), and [`Error::Sql`] with what SQL cannot express.
pub fn to_sql(schema: &ModelSchema, selection: &Selection) -> Result<SqlQuery, Error> {
    schema.has_one_layout(
        "`to_sql`",
        "ask for the events themselves until `was` is gone",
    )?;
    let plan = plan(schema, selection)?;
    let written = table(&plan).and_then(|table| write(schema, selection, &plan, table));
    written.map_err(|source| Error::Sql {
        table: schema.table.to_string(),
        source,
    })
}

/// The one table that is read.
fn table(plan: &Plan) -> Result<&str, SqlRefusal> {
    let tables = plan.tables();
    let mut named = tables.iter();
    match (named.next(), named.next()) {
        (Some(table), None) => Ok(table),
        // No row can match.
        (None, _) => Ok(&plan.table),
        _ => Err(SqlRefusal::Tables {
            tables: tables.into_iter().map(str::to_owned).collect(),
        }),
    }
}

fn write(
    schema: &ModelSchema,
    selection: &Selection,
    plan: &Plan,
    table: &str,
) -> Result<SqlQuery, SqlRefusal> {
    check(schema, plan)?;
    let mut conditions = Conditions::default();
    conditions.keys(plan);
    if let Some((family, name)) = schema.presence_column() {
        let presence = Cell {
            family,
            qualifier: name.as_bytes(),
        };
        conditions.push(format!("{presence} IS NOT NULL"));
    }
    if let Some(condition) = &plan.condition {
        let test = conditions.test(schema, &condition.test)?;
        conditions.push(test);
    }
    let mut after = match conditions.all.is_empty() {
        true => String::new(),
        false => format!(" WHERE {}", conditions.all.join(" AND ")),
    };
    if plan.order != Order::Any {
        after.push_str(" ORDER BY _key");
        after.push_str(if plan.reversed { " DESC" } else { "" });
    }
    if let Some(limit) = plan.limit {
        // Writing to a string cannot fail.
        let _ = write!(after, " LIMIT {limit}");
    }
    let before = format!("SELECT {} FROM ", columns(schema, selection));
    Ok(SqlQuery::new(before, table, after, conditions.parameters))
}

/// Refuses what SQL cannot express.
fn check(schema: &ModelSchema, plan: &Plan) -> Result<(), SqlRefusal> {
    if schema.holds() != Holds::One {
        return Err(SqlRefusal::Rows {
            layout: schema.in_layout().name().to_owned(),
        });
    }
    if plan.order == Order::Time && plan.scans.len() > 1 {
        let scans = plan.scans.len();
        return Err(SqlRefusal::Order { scans });
    }
    if plan.expiry.is_some() {
        let families = schema.expiring().map(str::to_owned).collect();
        return Err(SqlRefusal::Expired { families });
    }
    let mut columns = schema.columns.iter();
    if let Some(column) = columns.find(|column| !column.aliases.is_empty()) {
        return Err(SqlRefusal::Alias {
            column: column_name(&column.family, &column.qualifier),
        });
    }
    let compared = plan.reasons.iter().find_map(|reason| match reason {
        ReadsMore::Compared { segments } => Some(segments.clone()),
        _ => None,
    });
    compared.map_or(Ok(()), |segments| Err(SqlRefusal::Compared { segments }))
}

/// The columns of the result: the key, and columns by the names of the fields.
fn columns(schema: &ModelSchema, selection: &Selection) -> String {
    let wanted = |index: &usize| match &selection.columns {
        Some(columns) => columns.contains(index),
        None => true,
    };
    let columns = schema.columns.iter().enumerate();
    let columns = columns.filter(|(index, column)| column.copy_of.is_none() && wanted(index));
    let columns = columns.map(|(_, column)| {
        let name = Quoted(&column.field);
        format!("{} AS {name}", Cell::of(column))
    });
    let entries = selection.entries.iter();
    let entries = entries.filter(|_| selection.columns.is_some());
    let entries = entries.filter_map(|(map, qualifier)| {
        let family = schema.map_families.get(*map)?;
        let name = String::from_utf8_lossy(qualifier);
        Some(format!(
            "{} AS {}",
            Cell { family, qualifier },
            Quoted(&name)
        ))
    });
    let maps = schema.maps().filter(|_| selection.columns.is_none());
    let maps = maps.map(|family| Quoted(family).to_string());
    let all: Vec<_> = std::iter::once("_key".to_owned())
        .chain(columns)
        .chain(entries)
        .chain(maps)
        .collect();
    all.join(", ")
}

/// The newest cell of a column.
struct Cell<'a> {
    family: &'a str,
    qualifier: &'a [u8],
}

impl<'a> Cell<'a> {
    fn of(column: &'a ColumnSchema) -> Self {
        Self {
            family: &column.family,
            qualifier: column.qualifier.as_bytes(),
        }
    }
}

impl Display for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = Quoted(self.family);
        match std::str::from_utf8(self.qualifier) {
            Ok(name) => write!(f, "{family}[{}]", Literal(name)),
            Err(_) => write!(f, "{family}[b'{}']", self.qualifier.escape_ascii()),
        }
    }
}

const FALSE: &str = "FALSE";

/// The conditions on rows, all of which must hold, and their parameters.
#[derive(Default)]
struct Conditions {
    all: Vec<String>,
    parameters: SqlParameters,
    /// The number of column values so far.
    values: usize,
}

impl Conditions {
    fn push(&mut self, condition: String) {
        self.all.push(condition);
    }

    fn bind<T: ToSql>(&mut self, name: String, value: T) -> String {
        let parameters = std::mem::take(&mut self.parameters);
        let text = format!("@{name}");
        self.parameters = parameters.bind(name, value);
        text
    }

    /// The keys that the plan reads.
    fn keys(&mut self, plan: &Plan) {
        if plan.full_scan {
            return;
        }
        let parts = || plan.scans.iter().flat_map(|scan| &scan.parts);
        let keys: Vec<Bytes> = parts().flat_map(|part| part.keys.iter().cloned()).collect();
        let mut ways = Vec::new();
        if !keys.is_empty() {
            let keys = self.bind("keys".to_owned(), keys);
            ways.push(format!("_key IN UNNEST({keys})"));
        }
        let ranges = parts().flat_map(|part| &part.ranges);
        for (place, range) in ranges.enumerate() {
            ways.push(self.range(place, range));
        }
        let condition = match ways.as_slice() {
            [] => FALSE.to_owned(),
            [way] => way.clone(),
            ways => format!("(({}))", ways.join(") OR (")),
        };
        self.push(condition);
    }

    fn range(&mut self, place: usize, range: &RowRange) -> String {
        let range = range.clone().normal();
        let from = match &range.start {
            Bound::Unbounded => None,
            Bound::Included(from) => Some((">=", from)),
            Bound::Excluded(from) => Some((">", from)),
        };
        let to = match &range.end {
            Bound::Unbounded => None,
            Bound::Included(to) => Some(("<=", to)),
            Bound::Excluded(to) => Some(("<", to)),
        };
        let mut ends = Vec::new();
        for (name, end) in [("from", from), ("to", to)] {
            if let Some((sign, bytes)) = end {
                let value = self.bind(format!("{name}{place}"), bytes.clone());
                ends.push(format!("_key {sign} {value}"));
            }
        }
        match ends.is_empty() {
            true => "TRUE".to_owned(),
            false => ends.join(" AND "),
        }
    }

    fn value<T: ToSql>(&mut self, value: T) -> String {
        let name = format!("value{}", self.values);
        self.values += 1;
        self.bind(name, value)
    }

    /// A condition on columns. It is never NULL, so `NOT` negates it.
    fn test(&mut self, schema: &ModelSchema, test: &ColumnTest) -> Result<String, SqlRefusal> {
        Ok(match test {
            // Every row that is read has the presence column.
            ColumnTest::Exists => "TRUE".to_owned(),
            ColumnTest::AnyColumn => any_column(schema)?,
            ColumnTest::Present(column) => {
                of_column(schema, column, |cell| format!("{cell} IS NOT NULL"))
            }
            ColumnTest::OneOf(column, values) => {
                let values = self.value(values.clone());
                of_column(schema, column, |cell| {
                    format!("({cell} IS NOT NULL AND {cell} IN UNNEST({values}))")
                })
            }
            ColumnTest::Within(column, start, end) => {
                let ends = [self.start(start), self.end(end)];
                of_column(schema, column, |cell| {
                    let ends = ends.iter().flatten();
                    let ends: String = ends.map(|end| format!(" AND {cell} {end}")).collect();
                    format!("({cell} IS NOT NULL{ends})")
                })
            }
            ColumnTest::All(tests) => self.joined(schema, tests, " AND ", "TRUE")?,
            ColumnTest::Any(tests) => self.joined(schema, tests, " OR ", FALSE)?,
            ColumnTest::Not(test) => format!("NOT ({})", self.test(schema, test)?),
            // The planner has already refused it.
            ColumnTest::Refused { .. } => FALSE.to_owned(),
        })
    }

    fn start(&mut self, start: &Bound<Bytes>) -> Option<String> {
        match start {
            Bound::Unbounded => None,
            Bound::Included(bytes) => Some(format!(">= {}", self.value(bytes.clone()))),
            Bound::Excluded(bytes) => Some(format!("> {}", self.value(bytes.clone()))),
        }
    }

    fn end(&mut self, end: &Bound<Bytes>) -> Option<String> {
        match end {
            Bound::Unbounded => None,
            Bound::Included(bytes) => Some(format!("<= {}", self.value(bytes.clone()))),
            Bound::Excluded(bytes) => Some(format!("< {}", self.value(bytes.clone()))),
        }
    }

    fn joined(
        &mut self,
        schema: &ModelSchema,
        tests: &[ColumnTest],
        word: &str,
        of_none: &str,
    ) -> Result<String, SqlRefusal> {
        let tests = tests.iter().map(|test| self.test(schema, test));
        let tests: Vec<_> = tests.collect::<Result<_, _>>()?;
        Ok(match tests.is_empty() {
            true => of_none.to_owned(),
            false => format!("({})", tests.join(word)),
        })
    }
}

/// The planner has already refused columns that the model does not have.
fn of_column(
    schema: &ModelSchema,
    column: &ColumnId,
    write: impl FnOnce(&Cell<'_>) -> String,
) -> String {
    let names = column.names(schema);
    let cell = names.and_then(|(family, names)| {
        let qualifier = names.first()?;
        Some(Cell { family, qualifier })
    });
    cell.map_or_else(|| FALSE.to_owned(), |cell| write(&cell))
}

fn any_column(schema: &ModelSchema) -> Result<String, SqlRefusal> {
    if let Some(family) = schema.maps().next() {
        return Err(SqlRefusal::AnyColumn {
            family: family.to_string(),
        });
    }
    let cells = schema.of_event();
    let cells = cells.map(|(family, name)| Cell {
        family,
        qualifier: name.as_bytes(),
    });
    let cells: Vec<_> = cells.map(|cell| format!("{cell} IS NOT NULL")).collect();
    Ok(format!("({})", cells.join(" OR ")))
}
