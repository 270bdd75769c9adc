//! Plans in words.

pub(super) mod describe;
pub(super) mod words;

use std::error::Error as _;
use std::fmt::{self, Display};
use std::time::Duration;

use super::explain::describe::{describe_key, describe_range};
use super::explain::words::Words;
use super::series::identifier_after_time;
use super::{ByServer, Expiry, Order, Plan, ReadsMore};
use crate::Error;
use crate::data::RowFilter;
use crate::data::{RowKeySchema, RowKeySchemaError};
use crate::error::MAX_KEYS_FIRST;
use crate::key::KeyLayout;
use crate::model::{FamilyRule, ModelSchema, Presence, column_name, shown};

/// How many ranges and keys are listed.
const LISTED: usize = 10;

/// What a query will do, in words: its `Display` shows the scans with their decoded ranges, the
/// filter, the order, the limit and the memory, or why the query is refused.
#[derive(Debug)]
pub struct Explanation {
    key: KeyLayout,
    /// Whether a row holds only its newest event.
    latest: bool,
    /// What marks an event.
    presence: String,
    /// When settled rows are packed, if they are.
    packed: Option<String>,
    /// The key of each other source.
    sources: Vec<KeyLayout>,
    /// The schema by which SQL decodes the key, or why there is none.
    row_keys: Result<RowKeySchema, RowKeySchemaError>,
    plan: Result<Plan, Error>,
}

impl Explanation {
    /// Explains the outcome of the planner.
    #[must_use]
    pub fn new(schema: &ModelSchema, plan: Result<Plan, Error>) -> Self {
        Self {
            key: schema.key.clone(),
            latest: schema.holds_the_newest(),
            presence: presence(schema),
            packed: packed(schema),
            sources: schema
                .layouts()
                .skip(1)
                .map(|one| one.key.clone())
                .collect(),
            row_keys: schema.row_key_schema(),
            plan,
        }
    }

    /// The plan, or why there is none.
    ///
    /// # Errors
    /// The planner's error.
    pub fn plan(&self) -> Result<&Plan, &Error> {
        self.plan.as_ref()
    }
}

impl Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.plan {
            Ok(plan) => {
                let presence = &self.presence;
                writeln!(f, "table {}, keys {}, {presence}", Tables(plan), self.key)?;
                write_plan(f, plan, Some(&self.key), self.latest)?;
                if let Some(packed) = &self.packed
                    && !is_empty(plan)
                {
                    write!(f, "\n{packed}")?;
                    write_unpacked(f, plan)?;
                }
                for (key, source) in self.sources.iter().zip(&plan.sources) {
                    let (model, tables) = (&source.model, Tables(&source.plan));
                    writeln!(f, "\nunited with {model}: table {tables}, keys {key}")?;
                    write_plan(f, &source.plan, Some(key), false)?;
                }
                match is_empty(plan) {
                    true => Ok(()),
                    false => write_row_keys(f, &self.row_keys),
                }
            }
            Err(error) => {
                write!(f, "{error}")?;
                let mut reason = error.source();
                while let Some(error) = reason {
                    write!(f, "\n  because {error}")?;
                    reason = error.source();
                }
                Ok(())
            }
        }
    }
}

/// When rows are packed.
fn packed(schema: &ModelSchema) -> Option<String> {
    let after = Duration::from_micros(schema.pack_after_micros?.unsigned_abs());
    Some(format!(
        "packed: from {after:?} after the end of its bucket on, a row may be a cell with all of its events"
    ))
}

/// The columns that are read in blocks.
fn write_unpacked(f: &mut fmt::Formatter<'_>, plan: &Plan) -> fmt::Result {
    let Some(columns) = &plan.packed else {
        return Ok(());
    };
    let names = columns
        .iter()
        .flat_map(|(family, names)| names.iter().map(|name| column_name(family, name)));
    let names: Vec<String> = names.collect();
    write!(f, ", of which {} alone are unpacked", names.join(" and "))
}

/// What marks an event.
fn presence(schema: &ModelSchema) -> String {
    let (family, names) = schema.presence_names().unwrap_or_default();
    let names = names.iter().map(|name| column_name(family, &shown(name)));
    let names: Vec<String> = names.collect();
    let kind = match &schema.presence {
        Presence::Marker { .. } => "the marker ",
        Presence::Column(_) => "",
    };
    format!("events marked by {kind}{}", names.join(" or "))
}

/// The plan in words, keys in escaped bytes; [`Explanation`] shows them in decoded form.
impl Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "table {}", Tables(self))?;
        write_plan(f, self, None, false)
    }
}

/// Which columns of the key SQL can read.
fn write_row_keys(
    f: &mut fmt::Formatter<'_>,
    row_keys: &Result<RowKeySchema, RowKeySchemaError>,
) -> fmt::Result {
    f.write_str("\nkey in SQL: ")?;
    match row_keys {
        Ok(schema) => write!(f, "{schema}, once the table has this row key schema"),
        Err(reason) => write!(f, "`_key` alone, since {reason}"),
    }
}

/// Whether the plan sends nothing.
fn is_empty(plan: &Plan) -> bool {
    plan.scans.is_empty() || plan.limit == Some(0)
}

fn write_plan(
    f: &mut fmt::Formatter<'_>,
    plan: &Plan,
    key: Option<&KeyLayout>,
    latest: bool,
) -> fmt::Result {
    if is_empty(plan) {
        return f.write_str("no scan: no row can match, nothing is sent");
    }
    write_scans(f, plan, key)?;
    for reason in &plan.reasons {
        writeln!(f, "{reason}")?;
    }
    f.write_str("filter: ")?;
    match (&plan.filter, plan.newest) {
        (None, None) => f.write_str("none")?,
        (None, Some(newest)) => write!(f, "{}", newest_cells(newest))?,
        (Some(filter), None) => write!(f, "{}", Words(filter))?,
        (Some(filter), Some(newest)) => write!(f, "{}, {}", Words(filter), newest_cells(newest))?,
    }
    if let Some(condition) = &plan.condition {
        write!(f, "\ncondition: {}", condition.words)?;
        match &condition.by_server {
            ByServer::Events => {
                f.write_str("; the server sends no other events, the client looks again")?
            }
            ByServer::Values(columns) => write!(
                f,
                "; the server sends no other values of {}, the client leaves out the other events",
                columns.join(", ")
            )?,
            ByServer::Nothing => {
                f.write_str("; the server sends all events, the client leaves out the others")?
            }
        }
    }
    write_expiry(f, plan.expiry.as_ref())?;
    writeln!(f, "\norder: {}", order(plan))?;
    match plan.limit {
        Some(limit) => writeln!(f, "limit: {}, for every scan", count(limit, "event"))?,
        None => writeln!(f, "limit: none")?,
    }
    write_memory(f, plan, key, latest)
}

/// Expired cells, which are left out although they are still stored.
fn write_expiry(f: &mut fmt::Formatter<'_>, expiry: Option<&Expiry>) -> fmt::Result {
    let Some(expiry) = expiry else {
        return Ok(());
    };
    f.write_str("\nexpired: left out before the filter are ")?;
    for (index, FamilyRule { family, rule }) in expiry.rules.iter().enumerate() {
        let and = if index > 0 { ", " } else { "" };
        write!(f, "{and}cells of {family} {rule}")?;
    }
    match expiry.at {
        Some(at) => write!(f, ", at {at}"),
        None => f.write_str(", by the client's clock"),
    }
}

/// The table that is read; with tables by period, the template and the tables.
struct Tables<'a>(&'a Plan);

impl Display for Tables<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = self.0.tables();
        f.write_str(&self.0.table)?;
        if tables.iter().all(|table| *table == self.0.table) {
            return Ok(());
        }
        let listed: Vec<_> = tables.iter().take(LISTED).copied().collect();
        write!(f, " ({}", listed.join(", "))?;
        match tables.len().saturating_sub(LISTED) {
            0 => f.write_str(")"),
            more => write!(f, " and {more} more)"),
        }
    }
}

fn newest_cells(newest: u32) -> impl Display {
    let cells = i32::try_from(newest).unwrap_or(i32::MAX);
    WordsOwned(RowFilter::CellsPerColumnLimit(cells))
}

struct WordsOwned(RowFilter);

impl Display for WordsOwned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Words(&self.0))
    }
}

/// Each scan holds one batch of whole rows.
fn write_memory(
    f: &mut fmt::Formatter<'_>,
    plan: &Plan,
    key: Option<&KeyLayout>,
    latest: bool,
) -> fmt::Result {
    let rows = match plan.scans.len() {
        1 => "one batch of rows at a time".to_owned(),
        scans => format!("{scans} batches of rows at a time, one of each scan"),
    };
    write!(f, "memory: {rows}")?;
    match key.and_then(KeyLayout::bucket) {
        Some(_) if latest => f.write_str("; a row is the newest event of a series"),
        Some(bucket) if bucket.is_endless() => {
            f.write_str("; a row is all events of a series, held as a whole")
        }
        Some(_) => f.write_str("; a row is all events of a bucket, held as a whole"),
        None => Ok(()),
    }?;
    match key.and_then(identifier_after_time) {
        Some(segment) => write!(
            f,
            "\nseries(): reads the key of every row, since `{}` comes after the time",
            segment.name
        ),
        None => Ok(()),
    }
}

impl Display for ReadsMore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EveryShard { shards } => write!(
                f,
                "each of {shards} shards is asked: the salt is made of what the query leaves open"
            ),
            Self::HotShards { shards } => write!(
                f,
                "each shard of a hot series is asked, up to {shards}: the salt is made of what the query leaves open"
            ),
            Self::UnsortedLabels { segment } => write!(
                f,
                "all buckets are read: the labels of `{segment}` do not sort, and its time has no two ends"
            ),
            Self::KeysFirst { segment } => write!(
                f,
                "keys first: the labels of `{segment}` do not sort, and its time has no two ends; \
                 each scan reads its keys, up to {MAX_KEYS_FIRST}, and then the rows in their order"
            ),
            Self::Sought { segments, most } => write!(
                f,
                "sought: the first row of each {}, up to {most} in a scan, then its selected rows; of \
                 those beyond all rows are looked at",
                segments.join(", ")
            ),
            Self::Compared { segments } => write!(
                f,
                "rows are compared with what is asked of {}",
                segments.join(", ")
            ),
        }
    }
}

fn write_scans(f: &mut fmt::Formatter<'_>, plan: &Plan, key: Option<&KeyLayout>) -> fmt::Result {
    if plan.full_scan && plan.seeks > 0 {
        let scans = count(plan.scans.len(), "scan");
        return writeln!(f, "{scans} over series of the whole table {}", Tables(plan));
    }
    if plan.full_scan {
        return writeln!(f, "full table scan: every row of {} is read", Tables(plan));
    }
    let parts = || plan.scans.iter().flat_map(|scan| &scan.parts);
    let ranges: usize = parts().map(|rows| rows.ranges.len()).sum();
    let keys: usize = parts().map(|rows| rows.keys.len()).sum();
    f.write_str(&count(plan.scans.len(), "scan"))?;
    match (plan.scans.len(), plan.order) {
        (1, _) => {}
        (_, Order::Any) => f.write_str(" at once")?,
        _ => f.write_str(" at once, merged")?,
    }
    match (ranges, keys) {
        (ranges, 0) => writeln!(f, " over {}", count(ranges, "range"))?,
        (0, keys) => writeln!(f, " over {}", count(keys, "row key"))?,
        (ranges, keys) => writeln!(
            f,
            " over {} and {}",
            count(ranges, "range"),
            count(keys, "row key")
        )?,
    }
    let requests = parts().count();
    if requests > plan.scans.len() {
        writeln!(
            f,
            "  in {requests} requests, those of a scan one after another"
        )?;
    }
    for part in listed(plan, key).take(LISTED) {
        writeln!(f, "  {part}")?;
    }
    match (ranges + keys).saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(f, "  and {more} more"),
    }
}

/// The ranges and keys of all scans, as texts.
fn listed<'a>(plan: &'a Plan, key: Option<&'a KeyLayout>) -> impl Iterator<Item = String> + 'a {
    let parts = plan.scans.iter().flat_map(|scan| &scan.parts);
    parts.flat_map(move |part| {
        let ranges = part.ranges.iter();
        let ranges = ranges.map(move |range| describe_range(key, range));
        let keys = part.keys.iter().map(move |bytes| describe_key(key, bytes));
        let rows = ranges.chain(keys);
        rows.map(move |rows| match part.table == plan.table {
            true => rows,
            false => format!("{}: {rows}", part.table),
        })
    })
}

fn order(plan: &Plan) -> &'static str {
    match (plan.order, plan.descending, plan.reversed) {
        (Order::Time, false, false) => "by time, oldest first",
        (Order::Time, false, true) => {
            "by time, oldest first, which is from the last key to the first"
        }
        (Order::Time, true, true) => {
            "by time, newest first, which is from the last key to the first"
        }
        (Order::Time, true, false) => "by time, newest first, as the keys stand",
        (Order::Key, _, false) => "by key",
        (Order::Key, _, true) => "by key, last first",
        (Order::Any, _, _) => "as they come",
    }
}

fn count<N: Display + PartialEq + From<u8>>(number: N, what: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {what}{plural}")
}
