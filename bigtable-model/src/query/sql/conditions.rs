//! The conditions on rows and events, with their parameters.

use std::ops::Bound;

use bytes::Bytes;

use super::cell::Cell;
use super::source::Source;
use crate::backend::sql::{SqlParameters, ToSql};
use crate::condition::ColumnTest;
use crate::data::RowRange;
use crate::model::{ColumnId, ModelSchema};
use crate::query::{Plan, SqlRefusal};

const FALSE: &str = "FALSE";

/// Writes conditions, and collects their parameters.
#[derive(Default)]
pub(super) struct Conditions {
    pub(super) parameters: SqlParameters,
    /// The number of column values so far.
    values: usize,
}

impl Conditions {
    pub(super) fn bind<T: ToSql>(&mut self, name: String, value: T) -> String {
        let parameters = std::mem::take(&mut self.parameters);
        let text = format!("@{name}");
        self.parameters = parameters.bind(name, value);
        text
    }

    /// The keys that the plan reads; `None` for all.
    pub(super) fn keys(&mut self, plan: &Plan) -> Option<String> {
        if plan.full_scan {
            return None;
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
        Some(match ways.as_slice() {
            [] => FALSE.to_owned(),
            [way] => way.clone(),
            ways => format!("(({}))", ways.join(") OR (")),
        })
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
    pub(super) fn test(
        &mut self,
        schema: &ModelSchema,
        test: &ColumnTest,
        source: &mut Source,
    ) -> Result<String, SqlRefusal> {
        Ok(match test {
            // Every row that is read has the presence column.
            ColumnTest::Exists => "TRUE".to_owned(),
            ColumnTest::AnyColumn => any_column(schema, source)?,
            ColumnTest::Present(column) => {
                of_column(schema, column, source, |cell| format!("{cell} IS NOT NULL"))
            }
            ColumnTest::OneOf(column, values) => {
                let values = self.value(values.clone());
                of_column(schema, column, source, |cell| {
                    format!("({cell} IS NOT NULL AND {cell} IN UNNEST({values}))")
                })
            }
            ColumnTest::Within(column, start, end) => {
                let ends = [self.start(start), self.end(end)];
                of_column(schema, column, source, |cell| {
                    let ends = ends.iter().flatten();
                    let ends: String = ends.map(|end| format!(" AND {cell} {end}")).collect();
                    format!("({cell} IS NOT NULL{ends})")
                })
            }
            ColumnTest::All(tests) => self.joined(schema, tests, source, (" AND ", "TRUE"))?,
            ColumnTest::Any(tests) => self.joined(schema, tests, source, (" OR ", FALSE))?,
            ColumnTest::Not(test) => format!("NOT ({})", self.test(schema, test, source)?),
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
        source: &mut Source,
        (word, of_none): (&str, &str),
    ) -> Result<String, SqlRefusal> {
        let tests = tests.iter().map(|test| self.test(schema, test, source));
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
    source: &mut Source,
    write: impl FnOnce(&str) -> String,
) -> String {
    let names = column.names(schema);
    let cell = names.and_then(|(family, names)| {
        let qualifier = names.first()?;
        Some(Cell { family, qualifier }.to_string())
    });
    cell.map_or_else(|| FALSE.to_owned(), |cell| write(&source.name(cell)))
}

fn any_column(schema: &ModelSchema, source: &mut Source) -> Result<String, SqlRefusal> {
    if let Some(family) = schema.maps().next() {
        return Err(SqlRefusal::AnyColumn {
            family: family.to_string(),
        });
    }
    let cells = schema.of_event().map(|(family, name)| {
        let qualifier = name.as_bytes();
        source.name(Cell { family, qualifier }.to_string())
    });
    let cells: Vec<_> = cells.map(|cell| format!("{cell} IS NOT NULL")).collect();
    Ok(format!("({})", cells.join(" OR ")))
}
