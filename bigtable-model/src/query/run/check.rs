//! Checks that the keys of rows match the selections of segments.

use std::ops::RangeBounds;

use crate::Error;
use crate::data::RowFilter;
use crate::error::QueryError;
use crate::key::{ByteRange, KeyLayout};
use crate::model::Schema;
use crate::query::SegmentSelection;
use crate::query::plan::asked::{Asked, Asks};
use crate::query::plan::pattern;
use crate::query::plan::united::refused;

/// Compares keys with the selections.
#[derive(Debug)]
pub(crate) struct KeyCheck {
    rows: Tests,
    /// For the keys of events, if they are more than those of rows.
    events: Option<Tests>,
}

/// One test for each of the first segments of a key.
#[derive(Debug)]
struct Tests {
    layout: KeyLayout,
    tests: Vec<Test>,
}

#[derive(Debug)]
enum Test {
    All,
    /// Ascending values.
    In(Vec<Vec<u8>>),
    Between(ByteRange),
}

impl KeyCheck {
    /// `None` if nothing is selected.
    pub(crate) fn new(
        schema: &Schema,
        segments: &[SegmentSelection],
    ) -> Result<Option<Self>, Error> {
        if segments.is_empty() {
            return Ok(None);
        }
        let tests = |asks: Result<Asks<'_>, QueryError>| {
            asks.map(Tests::new)
                .map_err(|source| refused(schema, source))
        };
        let events = match schema.key.has_ties_in_cells() {
            true => Some(tests(Asks::of(&schema.key, segments))?),
            false => None,
        };
        let rows = tests(Asks::of_rows(&schema.key.of_rows(), segments))?;
        Ok(Some(Self { rows, events }))
    }

    /// A filter of the server for keys that match, and for some that do not; `None` if it would let
    /// all through.
    pub(crate) fn pattern(
        schema: &Schema,
        segments: &[SegmentSelection],
    ) -> Result<Option<RowFilter>, Error> {
        let layout = schema.key.of_rows();
        let asks = Asks::of_rows(&layout, segments).map_err(|source| refused(schema, source))?;
        Ok(pattern::keys(asks))
    }

    /// Whether the key of a row matches. A key of another layout is let through, so that it is
    /// reported.
    pub(crate) fn lets_through(&self, key: &[u8]) -> bool {
        self.rows.let_through(key)
    }

    /// The same for the key of an event in a row that matches.
    pub(crate) fn lets_event_through(&self, key: &[u8]) -> bool {
        let mut events = self.events.iter();
        events.all(|events| events.let_through(key))
    }
}

impl Tests {
    fn new(asks: Asks<'_>) -> Self {
        let layout = asks.key.clone();
        let tests = asks.segments.into_iter().map(|asked| match asked {
            Asked::Points(mut points) => {
                points.sort_unstable();
                Test::In(points)
            }
            Asked::Between(range) => Test::Between(range),
            // Events are compared by their times, not by their buckets.
            Asked::Buckets(buckets) => buckets.range.map_or(Test::All, Test::Between),
            Asked::Open | Asked::Salt | Asked::Endless => Test::All,
        });
        Self {
            tests: tests.collect(),
            layout,
        }
    }

    fn let_through(&self, key: &[u8]) -> bool {
        let layout = &self.layout;
        let Ok(mut reader) = layout.reader(key) else {
            return true;
        };
        for (at, (segment, test)) in layout.segments.iter().zip(&self.tests).enumerate() {
            if segment.is_absent() {
                continue;
            }
            let rest = reader.rest();
            let Ok(bytes) = reader.segment(segment, layout.is_last(at)) else {
                return true;
            };
            let matches = match test {
                Test::All => true,
                Test::In(points) => points
                    .binary_search_by(|point| point.as_slice().cmp(bytes))
                    .is_ok(),
                Test::Between((start, end)) => {
                    let start = start.as_ref().map(Vec::as_slice);
                    let end = end.as_ref().map(Vec::as_slice);
                    RangeBounds::<[u8]>::contains(&(start, end), rest)
                }
            };
            if !matches {
                return false;
            }
        }
        true
    }
}
