//! Events that are cells of one row: a subquery with `with_history` selects their columns, and
//! `UNPACK` makes a row of each timestamp, with the columns' cells at that time.

use super::conditions::Conditions;
use crate::Timestamp;
use crate::model::{Holds, ModelSchema, TimeIn};
use crate::query::{EventTimes, Plan, SqlRefusal};

/// The last microsecond of the year 9999, after which SQL has no time.
const LAST: Timestamp = Timestamp::from_micros(253_402_300_799_999_999);

/// Whether a row holds many events at their timestamps.
///
/// # Errors
/// The refusal of a layout whose events SQL cannot take apart.
pub(super) fn is_unpacked(schema: &ModelSchema) -> Result<bool, SqlRefusal> {
    let layout = schema.in_layout();
    let named = || layout.name().to_owned();
    if schema.is_packed() {
        return Err(SqlRefusal::Packed);
    }
    match layout.holds() {
        Holds::One => Ok(false),
        Holds::Newest => Err(SqlRefusal::Newest { layout: named() }),
        Holds::Many => match layout.time_in() {
            TimeIn::Stamp if !layout.value_is_qualifier() => Ok(true),
            _ => Err(SqlRefusal::Names { layout: named() }),
        },
    }
}

/// The arguments of the table. They only spare the server cells: Google's page on time series has
/// an example whose result includes the time of an exclusive bound. So they are no narrower than
/// the events' times, and [`times`] is exact.
pub(super) fn arguments(plan: &Plan) -> String {
    let (start, end) = plan.times.ends();
    let start = start.filter(|start| is_bound(*start));
    let end = end.filter(|end| is_bound(*end));
    let start = start.map(|start| format!(", after_or_equal => TIMESTAMP('{start}')"));
    let end = end.map(|end| format!(", before => TIMESTAMP('{end}')"));
    let bounds = [start, end].map(Option::unwrap_or_default).concat();
    format!("(with_history => TRUE{bounds})")
}

/// The conditions on the events' times.
pub(super) fn times(plan: &Plan, conditions: &mut Conditions) -> Vec<String> {
    let mut all = Vec::new();
    match &plan.times {
        EventTimes::All => {}
        EventTimes::Between(start, end) => {
            for (name, sign, bound) in [("after", ">=", start), ("before", "<", end)] {
                if let Some(bound) = bound.filter(|_| !is_open(name, *bound)) {
                    let bound = conditions.bind(name.to_owned(), bound);
                    all.push(format!("_timestamp {sign} {bound}"));
                }
            }
        }
        EventTimes::In(times) => {
            let times = conditions.bind("times".to_owned(), times.clone());
            all.push(format!("_timestamp IN UNNEST({times})"));
        }
    }
    all
}

/// Whether an end excludes no cell that SQL can return: none is before 1970.
fn is_open(name: &str, bound: Option<Timestamp>) -> bool {
    match (name, bound) {
        ("after", Some(start)) => start <= Timestamp::UNIX_EPOCH,
        (_, Some(end)) => end > LAST,
        (_, None) => true,
    }
}

/// Whether a time is one that SQL has, and some cells are before it.
fn is_bound(time: Timestamp) -> bool {
    Timestamp::UNIX_EPOCH < time && time <= LAST
}
