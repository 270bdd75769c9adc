//! Queries in GoogleSQL.

mod cell;
mod columns;
mod conditions;
mod history;
mod json;
mod message;
mod source;

use super::plan::planner::plan;
use super::{Order, Plan, ReadsMore, Selection, SqlRefusal};
use crate::Error;
use crate::backend::sql::SqlQuery;
use crate::model::{ModelSchema, column_name};
use cell::Cell;
use columns::columns;
use conditions::Conditions;
use source::Source;

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
    let mut source = match history::is_unpacked(schema)? {
        true => Source::Unpacked(Vec::new()),
        false => Source::Rows,
    };
    check(schema, plan)?;
    let result = columns(schema, selection, &mut source)?;
    let mut conditions = Conditions::default();
    let keys: Vec<_> = conditions.keys(plan).into_iter().collect();
    let of_events = of_events(schema, plan, &mut conditions, &mut source)?;
    let (before, after) = match &source {
        Source::Rows => (
            select(&["_key"], &result),
            where_all(&[keys, of_events].concat()),
        ),
        Source::Unpacked(cells) => {
            let times = history::times(plan, &mut conditions);
            let inner = select(&["_key"], &Source::named(cells));
            let outer = select(&["_key", "_timestamp"], &result);
            let rows = [history::arguments(plan), where_all(&keys)].concat();
            (
                format!("{outer}UNPACK(({inner}"),
                format!("{rows})){}", where_all(&[of_events, times].concat())),
            )
        }
    };
    let after = [after, order(plan, &source), limit(plan)].concat();
    Ok(SqlQuery::new(before, table, after, conditions.parameters))
}

/// The beginning of a query, up to what it reads from.
fn select(first: &[&str], others: &[String]) -> String {
    let others = others.iter().map(String::as_str);
    let all: Vec<_> = first.iter().copied().chain(others).collect();
    format!("SELECT {} FROM ", all.join(", "))
}

/// The conditions on events: that there is one, and the query's own.
fn of_events(
    schema: &ModelSchema,
    plan: &Plan,
    conditions: &mut Conditions,
    source: &mut Source,
) -> Result<Vec<String>, SqlRefusal> {
    let mut all = Vec::new();
    if let Some((family, name)) = schema.presence_column() {
        let qualifier = name.as_bytes();
        let presence = source.name(Cell { family, qualifier }.to_string());
        all.push(format!("{presence} IS NOT NULL"));
    }
    if let Some(condition) = &plan.condition {
        all.push(conditions.test(schema, &condition.test, source)?);
    }
    Ok(all)
}

fn where_all(conditions: &[String]) -> String {
    match conditions.is_empty() {
        true => String::new(),
        false => format!(" WHERE {}", conditions.join(" AND ")),
    }
}

/// The order of the results. In order of time, a plan with one scan has one series. Where rows are
/// events, keys of the series sort like its times and, at one time, like its tie-breakers. Where
/// cells are events, there is one at a time, and labels of buckets need not sort like their times.
fn order(plan: &Plan, source: &Source) -> String {
    let by = |name, descending| format!("{name}{}", direction(descending));
    let key = || by("_key", plan.reversed);
    let time = || by("_timestamp", plan.descending);
    let terms = match (plan.order, source) {
        (Order::Any, _) => return String::new(),
        (_, Source::Rows) => vec![key()],
        (Order::Key, Source::Unpacked(_)) => vec![key(), time()],
        (Order::Time, Source::Unpacked(_)) => vec![time()],
    };
    format!(" ORDER BY {}", terms.join(", "))
}

fn direction(descending: bool) -> &'static str {
    match descending {
        true => " DESC",
        false => "",
    }
}

fn limit(plan: &Plan) -> String {
    let limit = plan.limit.map(|limit| format!(" LIMIT {limit}"));
    limit.unwrap_or_default()
}

/// Refuses what SQL cannot express.
fn check(schema: &ModelSchema, plan: &Plan) -> Result<(), SqlRefusal> {
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
