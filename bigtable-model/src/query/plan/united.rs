//! Plans for events with several sources, with a read of each.

use super::planner::plan_one;
use super::tables;
use crate::Error;
use crate::condition::ColumnTest;
use crate::error::QueryError;
use crate::key::{Segment, SegmentValue};
use crate::model::{ColumnId, ModelSchema};
use crate::query::{Compared, Order, Plan, SegmentSelection, Selection, SourcePlan};

/// Whether the tables have to be listed for a plan, since tables by period hold events of the model
/// and the range of time is open at an end.
pub(in crate::query) fn need_list(schema: &ModelSchema, selection: &Selection) -> bool {
    tables::need_list(schema, selection)
        || schema.sources().any(|source| {
            let asked = of_source(schema, source.schema(), selection);
            tables::need_list(source.schema(), &asked)
        })
}

/// The plan of a query of all sources. Each is read in the requested order, so that their events
/// can be merged as they arrive, with one batch of rows of each scan held.
///
/// A tombstone or an event of the model's own rows hides the event in other sources. So the server
/// compares no values and has no limit: an event that it left out could not hide another.
pub(super) fn united(
    schema: &ModelSchema,
    selection: &Selection,
    live: Option<&[String]>,
) -> Result<Plan, Error> {
    let order = order(schema, selection)?;
    let own = of_own(schema, selection, order)?;
    let whole = !own.keys_only;
    let mut plan = plan_one(schema, &own, live)?;
    plan.newest = None;
    let test = selection.condition.as_ref();
    plan.condition = test.map(|test| Compared::by_client(schema, test));
    let sources = schema.sources().map(|source| {
        let asked = of_source(schema, source.schema(), &own);
        Ok(SourcePlan {
            model: source.name().to_owned(),
            plan: plan_one(source.schema(), &asked, live)?,
            segments: selection.segments.clone(),
            whole,
        })
    });
    plan.sources = sources.collect::<Result<_, Error>>()?;
    Ok(plan)
}

/// The order in which all sources are read. If none is requested, it is key order if all sources
/// sort keys alike, else time order, in which equal events meet. If neither is possible, the
/// sources are read one after another. In key order each table by period would need a scan.
fn order(schema: &ModelSchema, selection: &Selection) -> Result<Order, Error> {
    let other = || schema.sources().find(|source| !source.sorts_like(schema));
    let has_periods = || schema.layouts().any(|one| one.table.by_period().is_some());
    match selection.order {
        Order::Time => Ok(Order::Time),
        Order::Key => match other() {
            None => Ok(Order::Key),
            Some(source) => Err(refused(
                schema,
                QueryError::FormerOrder {
                    former: source.name().to_owned(),
                },
            )),
        },
        Order::Any if other().is_none() && !has_periods() => Ok(Order::Key),
        Order::Any => Ok(match selection.order_by_segments(schema) {
            Order::Time => Order::Time,
            Order::Key | Order::Any => Order::Any,
        }),
    }
}

/// The selection for the model's own rows: it reads the columns of the condition, which the client
/// compares.
fn of_own(schema: &ModelSchema, selection: &Selection, order: Order) -> Result<Selection, Error> {
    let test = selection.condition.as_ref();
    if let Some(test) = test {
        test.check(schema)
            .map_err(|source| refused(schema, source.into()))?;
    }
    let compared = || test.into_iter().flat_map(ColumnTest::columns);
    let declared = || compared().filter_map(|one| one.declared());
    let columns = match (&selection.columns, selection.keys_only) {
        (_, true) => Some(declared().collect()),
        (Some(columns), false) => Some(columns.iter().copied().chain(declared()).collect()),
        (None, false) => None,
    };
    let of_maps = compared().filter_map(ColumnId::entry);
    let of_maps = of_maps.map(|(map, name)| (map, name.clone()));
    Ok(Selection {
        condition: None,
        columns,
        entries: selection.entries.iter().cloned().chain(of_maps).collect(),
        keys_only: selection.keys_only && test.is_none(),
        order,
        ..selection.clone()
    })
}

/// The same selection for another source, with whole events if columns are read: only whole events
/// can be converted.
pub(in crate::query) fn of_source(
    schema: &ModelSchema,
    source: &ModelSchema,
    own: &Selection,
) -> Selection {
    let asked_of = |name: &str| {
        let mut named = schema.key.valued().zip(&own.segments);
        named.find_map(|((_, segment), asked)| (segment.name == name).then_some(asked))
    };
    let time = schema.key.place_of_time();
    let time = || time.and_then(|at| own.segments.get(at));
    let segments = source.key.valued().map(|(_, segment)| {
        let asked = match segment.role {
            role if role.is_named() => asked_of(&segment.name),
            _ => time(),
        };
        asked.map_or(SegmentSelection::ALL, |asked| {
            storable(source, segment, asked)
        })
    });
    let selection = Selection {
        segments: segments.collect(),
        columns: None,
        limit: None,
        ..own.clone()
    };
    selection.with_gaps(source)
}

/// Leaves out values that a source cannot hold, since it has no events with them.
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

pub(in crate::query) fn refused(schema: &ModelSchema, source: QueryError) -> Error {
    Error::Query {
        table: schema.table.to_string(),
        source,
    }
}
