//! Checks that the keys of rows match the selections of segments.

use std::ops::RangeBounds;

use crate::Error;
use crate::data::RowFilter;
use crate::key::ByteRange;
use crate::model::Schema;
use crate::query::SegmentSelection;
use crate::query::plan::asked::{Asked, Asks};
use crate::query::plan::pattern;
use crate::query::plan::united::refused;

/// Compares keys with the selections.
#[derive(Debug)]
pub(crate) struct KeyCheck {
    schema: Schema,
    /// One test for each of the first segments.
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
        let asks = Asks::of(&schema.key, segments).map_err(|source| refused(schema, source))?;
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
        Ok(Some(Self {
            schema: schema.clone(),
            tests: tests.collect(),
        }))
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

    /// Whether a key matches. A key of another layout is let through, so that it is reported.
    pub(crate) fn lets_through(&self, key: &[u8]) -> bool {
        let Ok(mut reader) = self.schema.key.reader(key) else {
            return true;
        };
        for (at, (segment, test)) in self.schema.key.segments.iter().zip(&self.tests).enumerate() {
            if segment.is_absent() {
                continue;
            }
            let rest = reader.rest();
            let Ok(bytes) = reader.segment(segment, self.schema.key.is_last(at)) else {
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
