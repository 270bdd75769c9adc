//! Plans of a model with a former layout: what is read of both.

use super::planner::plan_one;
use super::tables;
use crate::Error;
use crate::condition::{self, ColumnTest};
use crate::error::QueryError;
use crate::key::{Segment, SegmentRole, SegmentValue};
use crate::model::{Former, ModelSchema, agree_in_key_order};
use crate::query::{ByServer, Compared, FormerPlan, Order, Plan, SegmentSelection, Selection};

/// Whether the tables have to be listed for a plan, since tables by period hold events of the model
/// or of its former layout and the range of time is open at an end.
pub(in crate::query) fn need_list(schema: &ModelSchema, selection: &Selection) -> bool {
    tables::need_list(schema, selection)
        || schema.former.is_some_and(|former| {
            let of_former = of_former(schema, &former, selection);
            tables::need_list(former.schema, &of_former)
        })
}

/// The plan of a query of both layouts. Each is read in the order asked for, so that their events
/// can be merged as they come, one batch of rows of each scan at a time.
///
/// A tombstone or another event of today's layout hides an event of the former one. So the server
/// compares no values, and knows no limit: what it left out would hide nothing.
pub(super) fn united(
    schema: &ModelSchema,
    former: &Former,
    selection: &Selection,
    live: Option<&[String]>,
) -> Result<Plan, Error> {
    let order = order(schema, former, selection)?;
    let own = of_own(schema, selection, order)?;
    let whole = !own.keys_only;
    let mut plan = plan_one(schema, &own, live)?;
    plan.newest = None;
    plan.filter = schema.with_tombstones(plan.filter);
    plan.condition = selection.condition.as_ref().map(|test| Compared {
        test: test.clone(),
        words: condition::words(schema, test),
        by_server: ByServer::Nothing,
    });
    let of_former = of_former(schema, former, &own);
    plan.former = Some(Box::new(FormerPlan {
        plan: plan_one(former.schema, &of_former, live)?,
        segments: selection.segments.clone(),
        whole,
    }));
    Ok(plan)
}

/// The order in which both are read. Without a requested order it is that of keys if both layouts
/// sort alike, else that of time, in which events of both layouts meet. If neither is possible, the
/// current layout is read before the former one. Tables by period would need a scan each in order
/// of keys.
fn order(schema: &ModelSchema, former: &Former, selection: &Selection) -> Result<Order, Error> {
    let agree = || agree_in_key_order(&schema.key, &former.schema.key);
    let tables = [&schema.table, &former.schema.table];
    let has_periods = tables.iter().any(|table| table.by_period().is_some());
    match selection.order {
        Order::Time => Ok(Order::Time),
        Order::Key if agree() => Ok(Order::Key),
        Order::Any if agree() && !has_periods => Ok(Order::Key),
        Order::Any => Ok(match selection.order_by_segments(schema) {
            Order::Time => Order::Time,
            Order::Key | Order::Any => Order::Any,
        }),
        Order::Key => Err(refused(
            schema,
            QueryError::FormerOrder {
                former: former.schema.model.to_string(),
            },
        )),
    }
}

/// What is asked of today's layout: the condition is left to the client, with the columns that it
/// looks at.
fn of_own(schema: &ModelSchema, selection: &Selection, order: Order) -> Result<Selection, Error> {
    let test = selection.condition.as_ref();
    if let Some(test) = test {
        test.check(schema)
            .map_err(|source| refused(schema, source.into()))?;
    }
    let compared = || test.into_iter().flat_map(ColumnTest::columns);
    let columns = match (&selection.columns, selection.keys_only) {
        (_, true) => Some(compared().collect()),
        (Some(columns), false) => Some(columns.iter().copied().chain(compared()).collect()),
        (None, false) => None,
    };
    Ok(Selection {
        condition: None,
        columns,
        keys_only: selection.keys_only && test.is_none(),
        order,
        ..selection.clone()
    })
}

/// The same question to the former layout, of whole events where columns are looked at: only of
/// these the conversion makes today's.
fn of_former(schema: &ModelSchema, former: &Former, own: &Selection) -> Selection {
    let asked_of = |name: &str| {
        let mut named = schema.key.valued().zip(&own.segments);
        named.find_map(|((_, segment), asked)| (segment.name == name).then_some(asked))
    };
    let time = schema.key.place_of_time();
    let time = || time.and_then(|at| own.segments.get(at));
    let segments = former.schema.key.valued().map(|(_, segment)| {
        let asked = match segment.role {
            SegmentRole::Identifier => asked_of(&segment.name),
            _ => time(),
        };
        asked.map_or(SegmentSelection::ALL, |asked| {
            storable(former.schema, segment, asked)
        })
    });
    let selection = Selection {
        segments: segments.collect(),
        columns: None,
        limit: None,
        ..own.clone()
    };
    selection.with_gaps(former.schema)
}

/// Without the values that the former layout can't hold: it has no event of them.
fn storable(schema: &ModelSchema, segment: &Segment, asked: &SegmentSelection) -> SegmentSelection {
    let SegmentSelection::Values(values) = asked else {
        return asked.clone();
    };
    let separator = schema.key.separator_byte();
    let is_storable = |value: &&SegmentValue| {
        let as_it_is = match value {
            SegmentValue::Time(time) => schema.stored_time(Some(*time)) == Some(*time),
            _ => true,
        };
        as_it_is && segment.encode(value, separator, &mut Vec::new()).is_ok()
    };
    SegmentSelection::Values(values.iter().filter(is_storable).cloned().collect())
}

fn refused(schema: &ModelSchema, source: QueryError) -> Error {
    Error::Query {
        table: schema.table.to_string(),
        source,
    }
}
