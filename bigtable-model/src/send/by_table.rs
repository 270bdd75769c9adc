//! Values collected for each of a model's tables.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::model::{ModelSchema, Schema, TableName};
use crate::{Error, Timestamp};

/// A value for each table to which events go.
#[derive(Debug, Default)]
pub(crate) struct ByTable<T> {
    /// The value for a model with one table.
    fixed: T,
    /// The values by the beginnings of the tables' periods.
    periods: BTreeMap<Timestamp, InPeriod<T>>,
}

#[derive(Debug, Default)]
struct InPeriod<T> {
    table: String,
    end: Option<Timestamp>,
    gathered: T,
}

impl<T: Default> ByTable<T> {
    /// The table of a row with this key, and its value. The table's name is made once for each
    /// period.
    pub(crate) fn at<'a>(
        &'a mut self,
        schema: &'a Schema,
        key: &[u8],
    ) -> Result<(&'a str, &'a mut T), Error> {
        let tables = match &schema.table {
            TableName::Fixed(table) => return Ok((table, &mut self.fixed)),
            TableName::ByPeriod(tables) => tables,
        };
        let time = schema.time_of_row(key)?;
        let InPeriod {
            table, gathered, ..
        } = match self.known(schema, time) {
            Some(start) => self.periods.entry(start).or_default(),
            None => {
                let period = schema.period_table(time, |time| tables.holding(time))?;
                let begun = self.periods.entry(period.start).or_default();
                (begun.table, begun.end) = (period.table, period.end);
                begun
            }
        };
        Ok((table, gathered))
    }

    /// The beginning of the period of a time, if its table is known.
    fn known(&self, schema: &ModelSchema, time: Option<Timestamp>) -> Option<Timestamp> {
        let time = schema.stored_time(time)?;
        let (start, period) = self.periods.range(..=time).next_back()?;
        period.end.is_none_or(|end| time < end).then_some(*start)
    }

    /// How many tables by period there are.
    pub(crate) fn len(&self) -> usize {
        self.periods.len()
    }

    /// Removes the value with the greatest size, with its table.
    pub(crate) fn take_largest(&mut self, size: impl Fn(&T) -> usize) -> Option<(String, T)> {
        let largest = self
            .periods
            .iter()
            .max_by_key(|(_, one)| size(&one.gathered));
        let start = *largest?.0;
        let period = self.periods.remove(&start)?;
        Some((period.table, period.gathered))
    }

    /// Removes the value of the oldest table that has one.
    pub(crate) fn take_any(
        &mut self,
        schema: &Schema,
        has_some: impl Fn(&T) -> bool,
    ) -> Option<(Cow<'static, str>, T)> {
        if let Some(table) = schema.table.fixed_id().filter(|_| has_some(&self.fixed)) {
            return Some((table, std::mem::take(&mut self.fixed)));
        }
        while let Some((_, period)) = self.periods.pop_first() {
            if has_some(&period.gathered) {
                return Some((Cow::Owned(period.table), period.gathered));
            }
        }
        None
    }
}
