//! The names of a model's tables: one, or one for each period of its events' times.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::key::time::bucket::{Bucket, BucketLabel};
use crate::key::{KeyLayout, SegmentError};

/// The table, or tables, of a model's rows.
///
/// Its `Display` is the table's ID, or the template of the IDs: `SENSOR_{at:%Y%m%d}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TableName {
    /// One table, with this ID.
    Fixed(Cow<'static, str>),
    /// A table for each period of the events' times.
    ByPeriod(PeriodTables),
}

/// Tables that each hold the events of one period, such as a day.
///
/// ```
/// use bigtable_model::model::TableName;
/// use bigtable_model::{Model, Timestamp};
///
/// #[derive(Model)]
/// #[bigtable(table = "SENSOR_{at:%Y%m%d}", family = "METER")]
/// struct Reading {
///     #[bigtable(key, width = 10)]
///     meter: u64,
///     #[bigtable(time, unit = "s")]
///     at: Timestamp,
///     value: f64,
/// }
///
/// let TableName::ByPeriod(tables) = &Reading::SCHEMA.table else { unreachable!() };
/// let noon = "2017-07-26T12:00:00Z".parse()?;
/// let day = tables.at(noon)?;
/// assert_eq!(day.table, "SENSOR_20170726");
/// assert_eq!(day.end, Some("2017-07-27T00:00:00Z".parse()?));
/// assert_eq!(tables.parse("SENSOR_20170726"), Some(day));
/// assert_eq!(tables.parse("SENSOR_20170732"), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PeriodTables {
    /// The text before the period in the ID.
    pub before: Cow<'static, str>,
    /// The field of the event's time.
    pub field: Cow<'static, str>,
    /// The periods; their label is their form in the ID.
    pub periods: Bucket,
    /// The text after the period.
    pub after: Cow<'static, str>,
}

/// One of a model's tables by period.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PeriodTable {
    /// The table's ID.
    pub table: String,
    /// The beginning of the period.
    pub start: Timestamp,
    /// The first time after it; `None` after the year 9999.
    pub end: Option<Timestamp>,
}

impl PeriodTable {
    /// Whether a time is in the period.
    #[must_use]
    pub fn holds(&self, time: Timestamp) -> bool {
        self.start <= time && self.end.is_none_or(|end| time < end)
    }
}

impl PeriodTables {
    /// The table of events with this time.
    ///
    /// # Errors
    /// For times before 1970 and after 9999, which have no table, and for times on a day that
    /// clocks split in two by going back over midnight: one table cannot hold both parts.
    pub fn at(&self, time: Timestamp) -> Result<PeriodTable, SegmentError> {
        self.periods.check_day(time)?;
        self.holding(time)
    }

    /// The table whose period contains a time, even on days that [`at`](Self::at) refuses.
    pub(crate) fn holding(&self, time: Timestamp) -> Result<PeriodTable, SegmentError> {
        self.beginning(self.periods.start_of(time)?)
    }

    /// The table with this ID; `None` for an ID that does not match the template exactly.
    #[must_use]
    pub fn parse(&self, table: &str) -> Option<PeriodTable> {
        let label = table
            .strip_prefix(&*self.before)?
            .strip_suffix(&*self.after)?;
        let start = self.periods.decode(label.as_bytes()).ok()?;
        self.beginning(start).ok()
    }

    /// The tables of the periods that begin before `end` and end after `start`, oldest first,
    /// whether or not they exist.
    pub fn between(
        &self,
        start: Timestamp,
        end: Timestamp,
    ) -> impl Iterator<Item = PeriodTable> + '_ {
        // No table has a period that begins earlier.
        let first = start.max(Timestamp::UNIX_EPOCH);
        let first = (first < end).then(|| self.periods.start_of(first).ok());
        let starts = std::iter::successors(first.flatten(), |start| self.periods.next(*start));
        starts
            .take_while(move |start| *start < end)
            .filter_map(|start| self.beginning(start).ok())
    }

    /// The table of the period that begins at `start`.
    fn beginning(&self, start: Timestamp) -> Result<PeriodTable, SegmentError> {
        let mut label = Vec::new();
        self.periods.encode_start(start, &mut label)?;
        let label = String::from_utf8_lossy(&label);
        Ok(PeriodTable {
            table: [&*self.before, &label, &*self.after].concat(),
            start,
            end: self.periods.next(start),
        })
    }

    /// Why rows with this key cannot be in such tables, and what to declare instead.
    #[must_use]
    pub fn refusal(&self, key: &KeyLayout) -> Option<&'static str> {
        if key.time_segment().is_none() {
            return Some("tables by period go by the event's time, which the key has not");
        }
        if let Some(reason) = self.periods.refusal() {
            return Some(reason);
        }
        let bucket = key.bucket()?;
        let fits = bucket.span.lies_in(self.periods.span) && bucket.zone == self.periods.zone;
        (!fits).then_some(
            "the row of a bucket lies in one table: write a period that the bucket fits into, in the bucket's zone",
        )
    }
}

impl TableName {
    /// The table's ID, if there is one table.
    #[must_use]
    pub fn fixed(&self) -> Option<&str> {
        match self {
            Self::Fixed(table) => Some(table),
            Self::ByPeriod(_) => None,
        }
    }

    /// The same, without a borrow of this value.
    pub(crate) fn fixed_id(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::Fixed(table) => Some(table.clone()),
            Self::ByPeriod(_) => None,
        }
    }

    /// The ID of the table, or of one of the tables by period, whether or not that exists.
    pub(crate) fn one_of_them(&self) -> Cow<'_, str> {
        let tables = match self {
            Self::Fixed(table) => return Cow::Borrowed(table),
            Self::ByPeriod(tables) => tables,
        };
        // Numbered periods may begin later than others, and no label names a time before 1970.
        let first = match &tables.periods.label {
            BucketLabel::Counted { origin, .. } | BucketLabel::Units { origin, .. } => *origin,
            _ => Timestamp::UNIX_EPOCH,
        };
        let in_2000 = Timestamp::from_seconds(946_684_800);
        let table = tables.holding(first.max(in_2000));
        Cow::Owned(table.map_or_else(|_| tables.to_string(), |table| table.table))
    }

    /// The tables, if there is one for each period.
    #[must_use]
    pub const fn by_period(&self) -> Option<&PeriodTables> {
        match self {
            Self::Fixed(_) => None,
            Self::ByPeriod(tables) => Some(tables),
        }
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(table) => f.write_str(table),
            Self::ByPeriod(tables) => tables.fmt(f),
        }
    }
}

impl fmt::Display for PeriodTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            before,
            field,
            periods,
            after,
        } = self;
        write!(f, "{before}{{{field}:{periods}}}{after}")
    }
}

impl PartialEq<str> for TableName {
    fn eq(&self, other: &str) -> bool {
        match self {
            Self::Fixed(table) => table == other,
            Self::ByPeriod(tables) => format!("{tables}") == other,
        }
    }
}

impl PartialEq<&str> for TableName {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl From<&'static str> for TableName {
    fn from(table: &'static str) -> Self {
        Self::Fixed(table.into())
    }
}
