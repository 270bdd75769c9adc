//! From what is asked to what is sent.

use super::gather::Gathered;
use super::narrow::Narrowed;
use super::{EventTimes, Order, Plan, Scan, Selection, cells};
use crate::data::RowSet;
use crate::error::{Error, QueryError};
use crate::key::{Segment, SegmentRole};
use crate::model::ModelSchema;

/// Makes the plan of a query: the smallest set of rows that holds every match, and what the server lets through of
/// them. Nothing is sent.
///
/// - A value or a set of values in each of the key's first segments keeps the prefix open: the scans are over their
///   combinations, each once. A range or a string prefix behind them closes it. With a value in every segment the
///   rows are read by their keys.
/// - In [`Order::Key`] it is one scan; ranges that overlap or touch are united.
/// - In [`Order::Time`] it is one scan for each series.
/// - A set without values, or a range without any, gives a plan without scans.
///
/// # Errors
/// [`Error::Query`], with the reason in its source: nothing narrows the query, a value can't stand in its segment,
/// order of time is not to be had or takes too many scans.
pub fn plan(schema: &ModelSchema, selection: &Selection) -> Result<Plan, Error> {
    plan_query(schema, selection).map_err(|source| Error::Query {
        table: schema.table.to_string(),
        source,
    })
}

fn plan_query(schema: &ModelSchema, selection: &Selection) -> Result<Plan, QueryError> {
    let filter = cells::filter(schema, selection)?;
    let narrowed = Narrowed::new(&schema.key, selection)?;
    check_narrowed(schema, selection, &narrowed)?;
    let reversed = match selection.order {
        Order::Key | Order::Any => selection.descending,
        Order::Time => {
            let time = check_time_order(schema, selection, &narrowed)?;
            selection.descending != time.format.is_reversed()
        }
    };
    let scans: Vec<Scan> = narrowed
        .scans(selection.order)?
        .into_iter()
        .filter_map(Gathered::into_set)
        .map(|rows| Scan { parts: vec![rows] })
        .collect();
    Ok(Plan {
        table: schema.table.to_string(),
        full_scan: scans
            .iter()
            .any(|scan| scan.parts.iter().any(RowSet::is_all)),
        scans,
        filter,
        order: selection.order,
        descending: selection.descending,
        reversed,
        limit: selection.limit,
        times: EventTimes::All,
    })
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
    let first = schema.key.segments.first();
    Err(QueryError::FullScan {
        segment: first.map_or_else(|| schema.model.to_string(), |first| first.name.to_string()),
    })
}

/// Rows of one series stand in order of time; those of several only when each has a scan of its own.
fn check_time_order<'a>(
    schema: &'a ModelSchema,
    selection: &Selection,
    narrowed: &Narrowed<'_>,
) -> Result<&'a Segment, QueryError> {
    let mut segments = schema.key.segments.iter();
    let time = segments
        .find(|segment| segment.role == SegmentRole::Time)
        .ok_or_else(|| QueryError::NoTimeOrder {
            segment: schema.model.to_string(),
        })?;
    if let Some(open) = narrowed.open_identifier() {
        return Err(QueryError::NoTimeOrder {
            segment: open.name.to_string(),
        });
    }
    let scans = narrowed.series();
    if scans > selection.max_scans {
        return Err(QueryError::TooManyScans {
            scans,
            max_scans: selection.max_scans,
        });
    }
    Ok(time)
}
