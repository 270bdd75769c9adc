//! From what is asked to what is sent.

use super::asked::Asks;
use super::gather::Gathered;
use super::narrow::{BEHIND, Narrowed, UNSORTED};
use super::{Order, Plan, ReadsMore, Scan, Selection, cells, pattern};
use crate::data::{RowFilter, RowSet};
use crate::error::{Error, QueryError};
use crate::key::{Segment, SegmentFormat, SegmentRole};
use crate::model::ModelSchema;

/// How many scans run at once for a query that wants no order.
const UNORDERED_SCANS: usize = 16;

/// Makes the plan of a query: the smallest set of rows that holds every match, and what the server lets through of
/// them. Nothing is sent.
///
/// - A value or a set of values in each of the key's first segments keeps the prefix open: the scans are over their
///   combinations, each once. A range or a string prefix behind them closes it. With a value in every segment the
///   rows are read by their keys.
/// - A range of time is one range of buckets, or the list of its buckets: where segments behind the bucket are asked for, where the
///   labels do not sort, and where a salt made of the bucket can be computed for each with fewer reads.
/// - A salt is computed from what is asked. Where a segment that it is made of is left open, every shard is read.
/// - In [`Order::Key`] it is one scan; ranges that overlap or touch are united. In [`Order::Any`] the same rows are dealt to
///   scans that run at once.
/// - In [`Order::Time`] it is one scan for each series, and for each shard of it.
/// - A set without values, or a range without any, gives a plan without scans.
///
/// # Errors
/// [`Error::Query`], with the reason in its source: nothing narrows the query, a value can't stand in its segment,
/// order of time is not to be had or takes too many scans, there are too many combinations.
pub fn plan(schema: &ModelSchema, selection: &Selection) -> Result<Plan, Error> {
    plan_query(schema, selection).map_err(|source| Error::Query {
        table: schema.table.to_string(),
        source,
    })
}

fn plan_query(schema: &ModelSchema, selection: &Selection) -> Result<Plan, QueryError> {
    let asks = Asks::new(&schema.key, selection)?;
    let cells = cells::cells(schema, selection, &asks.times)?;
    let narrowed = Narrowed::new(asks, selection)?;
    check_narrowed(schema, selection, &narrowed)?;
    let mut reversed = selection.descending;
    let mut sorts = true;
    if selection.order == Order::Time {
        let time = check_time_order(schema, selection, &narrowed)?;
        reversed = selection.descending != time.format.is_reversed();
        sorts = have_order(time);
    }
    let gathered = narrowed.scans(selection.order)?;
    if selection.order == Order::Time {
        check_scans(gathered.len(), selection)?;
    }
    let scans = scans(gathered, selection, sorts, reversed);
    let compared = narrowed.compared();
    let keys = match compared.as_slice() {
        [] => None,
        _ => pattern::keys(&narrowed.asks),
    };
    let segments = match compared.as_slice() {
        [] => Vec::new(),
        _ => selection.segments.clone(),
    };
    Ok(Plan {
        table: schema.table.to_string(),
        full_scan: scans
            .iter()
            .any(|scan| scan.parts.iter().any(RowSet::is_all)),
        reasons: reasons(&narrowed, &compared),
        scans,
        filter: RowFilter::chain(keys.into_iter().chain(cells.filter)),
        newest: cells.newest,
        order: selection.order,
        descending: selection.descending,
        reversed,
        limit: selection.limit,
        times: narrowed.asks.times,
        segments,
        after: None,
    })
}

/// The scans with the requests of each in the order in which they are sent.
fn scans(gathered: Vec<Gathered>, selection: &Selection, sorts: bool, reversed: bool) -> Vec<Scan> {
    let mut scans: Vec<Vec<RowSet>> = Vec::new();
    for rows in gathered {
        match selection.order {
            Order::Any => {
                let most = selection.max_scans.clamp(1, UNORDERED_SCANS);
                scans.extend(rows.dealt(most));
            }
            Order::Time if !sorts => scans.push(rows.in_runs()),
            Order::Key | Order::Time => scans.push(rows.in_order()),
        }
    }
    let in_turn = |mut parts: Vec<RowSet>| {
        if reversed {
            parts.reverse();
        }
        Scan { parts }
    };
    let read = scans.into_iter().filter(|parts| !parts.is_empty());
    read.map(in_turn).collect()
}

fn reasons(narrowed: &Narrowed<'_>, compared: &[&Segment]) -> Vec<ReadsMore> {
    let shards = narrowed
        .every_shard()
        .map(|shards| ReadsMore::EveryShard { shards });
    let unsorted = narrowed
        .unsorted()
        .map(|segment| ReadsMore::UnsortedLabels {
            segment: segment.name.to_string(),
        });
    let compared = (!compared.is_empty()).then(|| ReadsMore::Compared {
        segments: compared
            .iter()
            .map(|segment| segment.name.to_string())
            .collect(),
    });
    [shards, unsorted, compared].into_iter().flatten().collect()
}

/// Reading every row is dear, and rarely what was meant.
fn check_narrowed(
    schema: &ModelSchema,
    selection: &Selection,
    narrowed: &Narrowed<'_>,
) -> Result<(), QueryError> {
    if !narrowed.is_open() || selection.full_scan {
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

/// Rows of one series stand in order of time; those of several only when each has a scan of its own.
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
        SegmentRole::Bucket if !listed && !have_order(time) => UNSORTED,
        // A bucket of one series would come behind a bucket of another that holds later events.
        SegmentRole::Bucket if !listed && narrowed.split_series().is_some() => BEHIND,
        // As in a scan of the whole table.
        SegmentRole::Time if !listed => match narrowed.split_series() {
            None => return Ok(time),
            Some(behind) => {
                return Err(QueryError::Closed {
                    segment: behind.name.to_string(),
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

/// Whether rows of a series stand in the order of their times, or in reverse.
fn have_order(time: &Segment) -> bool {
    match &time.format {
        SegmentFormat::Bucket(bucket) => bucket.sorts(),
        _ => true,
    }
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
