//! From selections to plans.

use std::collections::BTreeMap;

use super::asked::Asks;
use super::compare::compared;
use super::gather::Gathered;
use super::narrow::{NARROWED_AFTER, Narrowed, Series};
use super::seek::Stems;
use super::tables::{self, InTable};
use super::united::united;
use super::{cells, pattern};
use crate::data::{RowFilter, RowSet};
use crate::error::{Error, QueryError};
use crate::key::{KeyLayout, Segment, SegmentRole};
use crate::model::{ModelSchema, TableName};
use crate::query::{
    Compared, Expiry, MAX_COMBINATIONS, Order, Part, Plan, ReadsMore, Scan, Selection,
};

/// How many scans of an unordered query run at once.
const UNORDERED_SCANS: usize = 16;

/// Makes the plan of a query: the smallest set of rows that contains every match, and a filter for
/// their cells. Nothing is sent.
///
/// - Values or sets of values for the key's first segments are combined: each combination is a
///   prefix, read once. A range or a string prefix may follow them. With a value in every segment
///   the rows are read by their keys.
/// - A range of time is one range of buckets. It becomes a list of buckets if later segments are
///   selected, if the labels do not sort, or if a salt that hashes the bucket can be computed for
///   each with fewer reads.
/// - A salt is computed from selected values. If it hashes an open segment, every shard is read.
/// - In [`Order::Key`] each table has one scan; ranges that overlap or touch are merged. In
///   [`Order::Any`] the same rows are divided among scans that run at once.
/// - In [`Order::Time`] there is one scan for each series and for each of its shards.
/// - In order of time, if labels of buckets do not sort and the range of time is open, the keys of
///   each scan are read first, then the rows in the order of their buckets.
/// - An empty set or range makes a plan without scans, whatever else is selected.
/// - With tables by period, the plan reads those that the range of time touches: in order of time
///   one after another in each scan, in order of keys with a scan for each table, merged by key.
///
/// # Errors
/// [`Error::Query`], with the reason in its source: nothing narrows the query; a segment cannot
/// hold a value; results cannot be ordered by time, or only with too many scans; there are too many
/// combinations; tables are by period and the range of time is open, for which [`plan_over`] takes
/// the existing tables.
pub fn plan(schema: &ModelSchema, selection: &Selection) -> Result<Plan, Error> {
    plan_known(schema, selection, None)
}

/// Like [`plan`], for a model with tables by period: `tables` are the IDs of all existing tables,
/// of which a range of time reads only those for its times. A range that is open at an end cannot
/// be planned without them.
///
/// # Errors
/// Those of [`plan`].
pub fn plan_over(
    schema: &ModelSchema,
    selection: &Selection,
    tables: &[String],
) -> Result<Plan, Error> {
    plan_known(schema, selection, Some(tables))
}

/// The plan, with the existing tables if they were listed.
pub(in crate::query) fn plan_known(
    schema: &ModelSchema,
    selection: &Selection,
    live: Option<&[String]>,
) -> Result<Plan, Error> {
    match schema.is_united() {
        false => plan_one(schema, selection, live),
        true => united(schema, selection, live),
    }
}

/// The plan of one source.
pub(super) fn plan_one(
    schema: &ModelSchema,
    selection: &Selection,
    live: Option<&[String]>,
) -> Result<Plan, Error> {
    plan_query(schema, selection, live).map_err(|source| Error::Query {
        table: schema.table.to_string(),
        source,
    })
}

fn plan_query(
    schema: &ModelSchema,
    selection: &Selection,
    live: Option<&[String]>,
) -> Result<Plan, QueryError> {
    let layout = schema.key.of_rows();
    let (in_rows, ties) = selection.in_rows(schema, &layout);
    let asks = in_rows_asked(schema, selection, (&layout, &in_rows))?;
    if let Some(test) = &selection.condition {
        test.check(schema)?;
    }
    let mut cells = cells::cells(schema, selection, &asks.times)?;
    cells.filter = schema.with_tombstones(cells.filter);
    let times = asks.times.clone();
    let mut draft = Draft::new(schema, (&layout, &in_rows));
    let mut keys = None;
    match &schema.table {
        // No row can match.
        _ if asks.nothing => {}
        TableName::Fixed(table) => {
            let narrowed = draft.add(table.to_string(), asks, &in_rows)?;
            if !draft.compared.is_empty() {
                keys = pattern::keys(narrowed.asks);
            }
        }
        TableName::ByPeriod(tables) => {
            draft.add_tables(tables::touched(schema, tables, &in_rows, live)?)?;
            if !draft.compared.is_empty() {
                keys = pattern::keys(asks);
            }
        }
    }
    draft.check_scans()?;
    let segments = match draft.compared.is_empty() && ties.is_empty() {
        true => Vec::new(),
        false => selection.segments.clone(),
    };
    draft.seek()?;
    let reasons = draft.reasons(ties);
    let seeks = draft.sought.1;
    let reversed = draft.reversed;
    let keys_first = draft.keys_first.is_some();
    let scans = draft.into_scans();
    let mut parts = scans.iter().flat_map(|scan| &scan.parts);
    let (filter, condition) = match &selection.condition {
        // The server sees no values in blocks, and a cell that it left out could not replace the
        // one in a block.
        Some(test) if !schema.is_packed() => {
            let (filter, condition) = compared(schema, test, keys, cells.filter);
            (filter, Some(condition))
        }
        test => (
            RowFilter::chain(keys.into_iter().chain(cells.filter)),
            test.as_ref().map(|test| Compared::by_client(schema, test)),
        ),
    };
    Ok(Plan {
        table: schema.table.to_string(),
        full_scan: parts.any(|part| part.is_all()),
        reasons,
        scans,
        keys_first,
        seeks,
        filter,
        newest: cells.newest,
        order: selection.order,
        descending: selection.descending,
        reversed,
        limit: selection.limit,
        times,
        segments,
        condition,
        packed: cells::packed(schema, selection)?,
        expiry: Expiry::of(schema, selection),
        after: None,
        sources: Vec::new(),
    })
}

/// The selection in the bytes of rows' keys. Values of tie-breakers that rows have in their
/// qualifiers are encoded too, so an invalid one is refused.
fn in_rows_asked<'a>(
    schema: &ModelSchema,
    selection: &Selection,
    (layout, in_rows): (&'a KeyLayout, &Selection),
) -> Result<Asks<'a>, QueryError> {
    let asks = Asks::new(layout, in_rows)?;
    if !schema.key.has_ties_in_cells() {
        return Ok(asks);
    }
    let nothing = Asks::new(&schema.key, selection)?.nothing;
    Ok(Asks { nothing, ..asks })
}

/// A plan in the making: the rows of one table after another, the oldest first.
struct Draft<'a> {
    schema: &'a ModelSchema,
    /// The layout of the keys of rows.
    layout: &'a KeyLayout,
    selection: &'a Selection,
    /// The rows of each scan; in order of time, of each series and shard.
    scans: BTreeMap<Series, Vec<(String, Gathered)>>,
    /// The number of keys and ranges.
    rows: usize,
    reversed: bool,
    /// Whether rows of a series are in order of time.
    sorts: bool,
    /// The segment of the buckets, if the keys are read first.
    keys_first: Option<&'a Segment>,
    every_shard: Option<ReadsMore>,
    unsorted: Option<&'a Segment>,
    compared: Vec<&'a Segment>,
    /// The open identifiers before compared segments, and how many of their series are sought.
    sought: (Vec<&'a Segment>, usize),
}

impl<'a> Draft<'a> {
    fn new(schema: &'a ModelSchema, (layout, selection): (&'a KeyLayout, &'a Selection)) -> Self {
        Self {
            schema,
            layout,
            selection,
            scans: BTreeMap::new(),
            rows: 0,
            reversed: selection.descending,
            sorts: true,
            keys_first: None,
            every_shard: None,
            unsorted: None,
            compared: Vec::new(),
            sought: (Vec::new(), 0),
        }
    }

    fn add_tables(&mut self, tables: Vec<InTable>) -> Result<(), QueryError> {
        if tables.is_empty() {
            let nothing = tables::of_no_table(self.schema, self.selection);
            let asks = Asks::new(self.layout, &nothing)?;
            self.add(String::new(), asks, &nothing)?;
            self.scans.clear();
        }
        for InTable { table, selection } in tables {
            let asks = Asks::new(self.layout, &selection)?;
            self.add(table, asks, &selection)?;
        }
        Ok(())
    }

    /// Adds the rows of a table that its selection needs.
    fn add(
        &mut self,
        table: String,
        asks: Asks<'a>,
        selection: &Selection,
    ) -> Result<Narrowed<'a>, QueryError> {
        let narrowed = Narrowed::new(asks, selection)?;
        check_narrowed(self.schema, selection, &narrowed)?;
        if selection.order == Order::Time {
            let time = check_time_order(self.schema, selection, &narrowed)?;
            self.reversed = selection.descending != time.format.is_reversed();
            self.sorts = time.format.sorts();
            self.keys_first = self.keys_first.or(needs_keys_first(&narrowed, time));
        }
        for (series, rows) in narrowed.scans(selection.order)? {
            self.rows += rows.keys.len() + rows.ranges.len();
            let tables = self.scans.entry(series).or_default();
            tables.push((table.clone(), rows));
        }
        if self.rows > MAX_COMBINATIONS {
            let combinations = self.rows;
            return Err(QueryError::TooManyCombinations { combinations });
        }
        let shards = narrowed.every_shard();
        self.every_shard = self.every_shard.take().or(shards);
        self.unsorted = self.unsorted.or(narrowed.unsorted());
        for segment in narrowed.compared() {
            if !self.compared.contains(&segment) {
                self.compared.push(segment);
            }
        }
        Ok(narrowed)
    }

    /// Decides whether series are sought; in order of time they are known.
    fn seek(&mut self) -> Result<(), QueryError> {
        let most = self.selection.max_seeks;
        if self.compared.is_empty() || self.selection.order == Order::Time || most == 0 {
            return Ok(());
        }
        if let Some(stems) = Stems::new(Asks::new(self.layout, self.selection)?) {
            self.sought = (stems.open(), most.min(MAX_COMBINATIONS / stems.rows.max(1)));
        }
        Ok(())
    }

    /// In order of time each series has a scan, in order of keys each table has one.
    fn check_scans(&self) -> Result<(), QueryError> {
        match self.selection.order {
            Order::Time => check_scans(self.scans.len(), self.selection),
            Order::Key => {
                let tables = self.scans.values().map(Vec::len).max();
                check_scans(
                    tables.filter(|tables| *tables > 1).unwrap_or(0),
                    self.selection,
                )
            }
            Order::Any => Ok(()),
        }
    }

    /// Why more is read than the results; `ties` are selected tie-breakers that rows have in their
    /// qualifiers.
    fn reasons(&self, ties: Vec<String>) -> Vec<ReadsMore> {
        let shards = self.every_shard.clone();
        let unsorted = self.unsorted.filter(|_| self.keys_first.is_none());
        let unsorted = unsorted.map(|segment| ReadsMore::UnsortedLabels {
            segment: segment.name.to_string(),
        });
        let keys_first = self.keys_first.map(|segment| ReadsMore::KeysFirst {
            segment: segment.name.to_string(),
        });
        let sought = (self.sought.1 > 0).then(|| ReadsMore::Sought {
            segments: self
                .sought
                .0
                .iter()
                .map(|one| one.name.to_string())
                .collect(),
            most: self.sought.1,
        });
        let compared = self.compared.iter().map(|one| one.name.to_string());
        let segments: Vec<_> = compared.chain(ties).collect();
        let compared = (!segments.is_empty()).then_some(ReadsMore::Compared { segments });
        [shards, unsorted, keys_first, sought, compared]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The scans, with their requests in the order in which they are sent.
    fn into_scans(self) -> Vec<Scan> {
        let Self {
            selection,
            reversed,
            sorts,
            ..
        } = self;
        let mut scans: Vec<Vec<Part>> = Vec::new();
        for mut tables in self.scans.into_values() {
            if selection.descending {
                tables.reverse();
            }
            let in_turn = |(table, rows): (String, Gathered)| match sorts {
                true => parts_of(&table, rows.in_order(), reversed),
                false => parts_of(&table, rows.in_runs(), reversed),
            };
            match selection.order {
                Order::Any => scans.extend(dealt(tables, selection, reversed)),
                Order::Key => scans.extend(tables.into_iter().map(in_turn)),
                Order::Time => scans.push(tables.into_iter().flat_map(in_turn).collect()),
            }
        }
        let read = scans.into_iter().filter(|parts| !parts.is_empty());
        read.map(|parts| Scan { parts }).collect()
    }
}

/// The reads of a table's rows, one after another.
pub(in crate::query) fn parts_of(table: &str, mut rows: Vec<RowSet>, reversed: bool) -> Vec<Part> {
    if reversed {
        rows.reverse();
    }
    let part = |rows| Part {
        table: table.to_owned(),
        rows,
    };
    rows.into_iter().map(part).collect()
}

/// The same rows in scans that run at once; if there are more tables than scans, each scan reads
/// several tables.
fn dealt(tables: Vec<(String, Gathered)>, selection: &Selection, reversed: bool) -> Vec<Vec<Part>> {
    let most = selection.max_scans.clamp(1, UNORDERED_SCANS);
    let each = (most / tables.len().max(1)).max(1);
    let share = tables.len() > most;
    let mut scans: Vec<Vec<Part>> = Vec::new();
    for (nth, (table, rows)) in tables.into_iter().enumerate() {
        let lots = rows.dealt(each).into_iter();
        let lots = lots.map(|rows| parts_of(&table, rows, reversed));
        match scans.get_mut(nth % most).filter(|_| share) {
            Some(scan) => scan.extend(lots.flatten()),
            None if share => scans.push(lots.flatten().collect()),
            None => scans.extend(lots),
        }
    }
    scans
}

/// Refuses to read every row, which is expensive and rarely intended. If nothing can match, no row
/// is read.
fn check_narrowed(
    schema: &ModelSchema,
    selection: &Selection,
    narrowed: &Narrowed<'_>,
) -> Result<(), QueryError> {
    if narrowed.asks.nothing || !narrowed.is_open() || selection.full_scan {
        return Ok(());
    }
    let first = schema.key.valued().next();
    Err(QueryError::FullScan {
        segment: first.map_or_else(
            || schema.model.to_string(),
            |(_, first)| first.name.to_string(),
        ),
    })
}

/// Rows of one series are in order of time, and those of several series only if each has its own
/// scan.
fn check_time_order<'a>(
    schema: &'a ModelSchema,
    selection: &Selection,
    narrowed: &Narrowed<'_>,
) -> Result<&'a Segment, QueryError> {
    let Some((at, time)) = schema.key.time_segment() else {
        return Err(QueryError::NoTimeOrder {
            segment: schema.model.to_string(),
        });
    };
    if let Some(open) = narrowed.open_identifier() {
        return Err(QueryError::NoTimeOrder {
            segment: open.name.to_string(),
        });
    }
    if !narrowed.asks.nothing {
        check_scans(narrowed.series(), selection)?;
    }
    let listed = narrowed.asks.points_of(at).is_some() || narrowed.asks.nothing;
    let reason = match time.role {
        // A bucket of one series would come after a bucket of another that holds later events.
        SegmentRole::Bucket if !listed && narrowed.split_series().is_some() => NARROWED_AFTER,
        // Only a scan of the whole table gets here.
        SegmentRole::Time if !listed => match narrowed.split_series() {
            None => return Ok(time),
            Some(identifier) => {
                return Err(QueryError::Closed {
                    segment: identifier.name.to_string(),
                    closed_by: time.name.to_string(),
                });
            }
        },
        _ => return Ok(time),
    };
    Err(QueryError::OpenTime {
        segment: time.name.to_string(),
        reason,
    })
}

/// The segment of the buckets, if they are neither listed nor in order of time.
fn needs_keys_first<'a>(narrowed: &Narrowed<'_>, time: &'a Segment) -> Option<&'a Segment> {
    let (at, _) = narrowed.asks.key.time_segment()?;
    let listed = narrowed.asks.points_of(at).is_some() || narrowed.asks.nothing;
    (!listed && !time.format.sorts()).then_some(time)
}

fn check_scans(scans: usize, selection: &Selection) -> Result<(), QueryError> {
    if scans <= selection.max_scans {
        return Ok(());
    }
    Err(QueryError::TooManyScans {
        scans,
        max_scans: selection.max_scans,
    })
}
