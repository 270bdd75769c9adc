//! The tables of a model's events and rows.

use std::borrow::Cow;

use super::{ModelSchema, PeriodTable, TableName, foreign};
use crate::key::{KeyError, SegmentError, SegmentValue};
use crate::{Error, Timestamp};

impl ModelSchema {
    /// The ID of the table of events with this time: [`Model::time`](crate::Model::time) of an
    /// event, [`ModelKey::time`](super::ModelKey::time) of a key. For a model with one table this
    /// allocates nothing.
    ///
    /// # Errors
    /// [`Error::Key`] if tables are by period and the time has no table: before 1970, after 9999,
    /// or `None`.
    pub fn table_of(&self, time: Option<Timestamp>) -> Result<Cow<'_, str>, Error> {
        match &self.table {
            TableName::Fixed(table) => Ok(Cow::Borrowed(table)),
            TableName::ByPeriod(tables) => {
                let table = self.period_table(time, |time| tables.at(time))?;
                Ok(Cow::Owned(table.table))
            }
        }
    }

    /// The table of a row, by the time in its key.
    ///
    /// # Errors
    /// [`Error::ForeignKey`] if the key has no time, [`Error::Key`] for a time outside all periods.
    pub(crate) fn table_of_row(&self, key: &[u8]) -> Result<Cow<'_, str>, Error> {
        match &self.table {
            TableName::Fixed(table) => Ok(Cow::Borrowed(table)),
            TableName::ByPeriod(tables) => {
                let time = self.time_of_row(key)?;
                let table = self.period_table(time, |time| tables.holding(time))?;
                Ok(Cow::Owned(table.table))
            }
        }
    }

    /// The event's time in a key, or the start of its bucket, which is in the same period.
    pub(crate) fn time_of_row(&self, key: &[u8]) -> Result<Option<Timestamp>, Error> {
        let time = self.key.time_of(key);
        time.map_err(|source| foreign(self, key, source))
    }

    /// The table that `find` returns for events with this time.
    pub(crate) fn period_table(
        &self,
        time: Option<Timestamp>,
        find: impl FnOnce(Timestamp) -> Result<PeriodTable, SegmentError>,
    ) -> Result<PeriodTable, Error> {
        let found = match (self.stored_time(time), self.key.time_segment()) {
            (Some(time), Some((_, segment))) => find(time).map_err(|source| KeyError::Segment {
                segment: segment.name.clone(),
                source,
            }),
            _ => Err(KeyError::Layout {
                reason: "tables by period go by the event's time, which there is none of",
            }),
        };
        found.map_err(|source| Error::Key {
            table: self.table.to_string(),
            key: match (time, self.key.time_segment()) {
                (Some(time), Some((_, segment))) => format!("{}={time}", segment.name),
                _ => "an event without a time".to_owned(),
            },
            source,
        })
    }

    /// Refuses a time on a day that no table by period can hold.
    pub(crate) fn check_period(&self, time: Option<Timestamp>) -> Result<(), KeyError> {
        let TableName::ByPeriod(tables) = &self.table else {
            return Ok(());
        };
        let Some((_, segment)) = self.key.time_segment() else {
            return Ok(());
        };
        let time = time.map(|time| segment.stored_time(time));
        let checked = time.map_or(Ok(()), |time| tables.periods.check_day(time));
        checked.map_err(|source| KeyError::Segment {
            segment: segment.name.clone(),
            source,
        })
    }

    /// An event's stored time: rounded down with `truncate`.
    pub(crate) fn stored_time(&self, time: Option<Timestamp>) -> Option<Timestamp> {
        let (_, segment) = self.key.time_segment()?;
        time.map(|time| segment.stored_time(time))
    }

    /// The same for a queried value; `None` if it is not a time.
    pub(crate) fn stored_value(&self, value: &SegmentValue) -> Option<Timestamp> {
        match value {
            SegmentValue::Time(time) => self.stored_time(Some(*time)),
            _ => None,
        }
    }

    /// How errors name the table of events with this time: by its ID, or by the template if there
    /// is no table.
    #[cold]
    pub(crate) fn table_in_errors(&self, time: Option<Timestamp>) -> String {
        match self.table_of(time) {
            Ok(table) => table.into_owned(),
            Err(_) => self.table.to_string(),
        }
    }
}
