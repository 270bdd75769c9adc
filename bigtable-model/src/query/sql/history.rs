//! Events that are cells of one row: a subquery with `with_history` selects their columns, and
//! `UNPACK` makes a row of each timestamp, with the columns' cells at that time.

use super::conditions::Conditions;
use crate::Timestamp;
use crate::model::{Holds, ModelSchema, TimeIn};
use crate::query::{EventTimes, Plan, SqlRefusal};

/// No cell is before it.
const FIRST: Timestamp = Timestamp::UNIX_EPOCH;

/// The last microsecond of the year 9999, after which SQL has no time.
const LAST: Timestamp = Timestamp::from_micros(253_402_300_799_999_999);

/// The condition that nothing meets.
const FALSE: &str = "FALSE";

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
/// the events' times, and [`times`] is exact. Cells have whole milliseconds, and Bigtable may
/// refuse bounds between them, or a range of no time.
pub(super) fn arguments(plan: &Plan) -> String {
    let (start, end) = plan.times.ends();
    let end = end.filter(|end| start.is_none_or(|start| start < *end));
    let start = start.and_then(|start| argument("after_or_equal", start.as_millis()));
    let end = end.and_then(|end| argument("before", ceil(end)));
    let bounds = [start, end].map(Option::unwrap_or_default).concat();
    format!("(with_history => TRUE{bounds})")
}

/// A bound in milliseconds since 1970; `None` unless SQL has the time, and cells may be before it.
fn argument(name: &str, millis: i64) -> Option<String> {
    let time = Timestamp::from_millis(millis);
    let is_bound = FIRST < time && time <= LAST;
    is_bound.then(|| format!(", {name} => TIMESTAMP('{time}')"))
}

/// The milliseconds since 1970 of a time, rounded up.
fn ceil(time: Timestamp) -> i64 {
    let before = Timestamp::from_micros(time.as_micros().saturating_sub(1));
    before.as_millis().saturating_add(1)
}

/// The conditions on the events' times. No time is bound that no cell has, which may be one that
/// SQL does not have either: it excludes everything, or nothing.
pub(super) fn times(plan: &Plan, conditions: &mut Conditions) -> Vec<String> {
    let mut all = Vec::new();
    match &plan.times {
        EventTimes::All => {}
        EventTimes::Between(start, end) => {
            if let Some(start) = start.filter(|start| *start > FIRST) {
                all.push(match start <= LAST {
                    true => format!("_timestamp >= {}", conditions.bind("after".into(), start)),
                    false => FALSE.to_owned(),
                });
            }
            if let Some(end) = end.filter(|end| *end <= LAST) {
                all.push(match end > FIRST {
                    true => format!("_timestamp < {}", conditions.bind("before".into(), end)),
                    false => FALSE.to_owned(),
                });
            }
        }
        EventTimes::In(times) => {
            let times = times.iter().copied();
            let times: Vec<_> = times.filter(|time| (FIRST..=LAST).contains(time)).collect();
            all.push(match times.is_empty() {
                true => FALSE.to_owned(),
                false => {
                    let times = conditions.bind("times".to_owned(), times);
                    format!("_timestamp IN UNNEST({times})")
                }
            });
        }
    }
    all
}
