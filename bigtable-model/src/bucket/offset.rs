use serde::{Deserialize, Serialize};

use crate::key::{CalendarFormat, TimeUnit};

/// How an event's place inside its bucket is written in a qualifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Offset {
    /// Units since the beginning of the bucket, zeros in front; reversed: the largest value of the width minus them.
    Ticks {
        /// The unit.
        unit: TimeUnit,
        /// The digits.
        width: u16,
        /// Later events first.
        reverse: bool,
    },
    /// Calendar fields that are finer than the bucket, in UTC: `%H%M` in a day, `%-d` in a month.
    Calendar(CalendarFormat),
}
