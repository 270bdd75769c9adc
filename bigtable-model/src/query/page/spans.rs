//! The periods of the tables that a query's first page found.

use super::token::{take, take_time};
use crate::Timestamp;
use crate::error::{Error, QueryError};
use crate::model::{ModelSchema, PeriodTable, PeriodTables};
use crate::query::Selection;
use crate::query::plan::tables::in_times_of;
use crate::send::MOST_TABLES;

/// The maximum number of spans in a token. If there are more, or more tables than an instance can
/// have, the next page lists the tables again.
const MOST: usize = 8;

/// Ascending spans of time in which every period had its table: from the first time to before the
/// second.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Spans(Vec<(Timestamp, Timestamp)>);

impl Spans {
    /// The spans of the listed tables that hold times of a query; `None` if there are too many for
    /// a token, and for events with several sources: if tables of the model's own were left out,
    /// events that they hide in other sources would reappear.
    pub(super) fn of(schema: &ModelSchema, selection: &Selection, live: &[String]) -> Option<Self> {
        if schema.is_united() {
            return None;
        }
        let tables = schema.table.by_period()?;
        let found = in_times_of(schema, tables, selection, live);
        if found.len() > MOST_TABLES {
            return None;
        }
        let mut spans: Vec<(Timestamp, Timestamp)> = Vec::new();
        for PeriodTable { start, end, .. } in found {
            let end = end.unwrap_or(Timestamp::MAX);
            match spans.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => spans.push((start, end)),
            }
        }
        (1..=MOST).contains(&spans.len()).then_some(Self(spans))
    }

    /// The IDs of the tables; `None` for a model with one table.
    pub(super) fn tables(&self, schema: &ModelSchema) -> Result<Option<Vec<String>>, Error> {
        let Some(tables) = schema.table.by_period() else {
            return Ok(None);
        };
        let found: Vec<_> = self.periods(tables).take(MOST_TABLES + 1).collect();
        match found.len() > MOST_TABLES {
            false => Ok(Some(found)),
            // No page returns such a token.
            true => Err(Error::Query {
                table: schema.table.to_string(),
                source: QueryError::PageToken {
                    reason: "it is of more tables than an instance has",
                },
            }),
        }
    }

    fn periods(&self, tables: &PeriodTables) -> impl Iterator<Item = String> {
        let spans = self.0.iter();
        let periods = spans.flat_map(|(start, end)| tables.between(*start, *end));
        periods.map(|period| period.table)
    }

    /// Appends their number and their ends.
    pub(super) fn write(spans: Option<&Self>, bytes: &mut Vec<u8>) {
        let spans = spans.map_or(&[][..], |spans| &spans.0);
        bytes.push(u8::try_from(spans.len()).unwrap_or_default());
        for (start, end) in spans {
            bytes.extend_from_slice(&start.as_micros().to_be_bytes());
            bytes.extend_from_slice(&end.as_micros().to_be_bytes());
        }
    }

    /// Reads the output of [`write`](Spans::write) from the front; `None` for anything else.
    #[allow(clippy::option_option, reason = "two things can be absent")]
    pub(super) fn read(bytes: &mut &[u8]) -> Option<Option<Self>> {
        let [count] = take(bytes)?;
        let spans: Option<Vec<_>> = (0..count)
            .map(|_| Some((take_time(bytes)?, take_time(bytes)?)))
            .collect();
        let spans = spans?;
        match spans.len() {
            0 => Some(None),
            1..=MOST => Some(Some(Self(spans))),
            _ => None,
        }
    }

    #[cfg(test)]
    pub(super) fn any() -> impl proptest::prelude::Strategy<Value = Self> {
        use proptest::prelude::*;
        let time = || any::<i64>().prop_map(Timestamp::from_micros);
        prop::collection::vec((time(), time()), 1..=MOST).prop_map(Self)
    }
}
