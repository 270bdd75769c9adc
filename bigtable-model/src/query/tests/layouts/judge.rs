//! Which events a query selects, which rows can hold one, and which refusals are due.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Bound;

use proptest::prelude::*;

use super::world::World;
use crate::key::{SegmentRole, SegmentValue};
use crate::query::{Order, Plan, ReadsMore, SegmentSelection, Selection};
use crate::{Error, QueryError, Timestamp};

impl World {
    pub(super) fn matches(&self, selection: &Selection, values: &[SegmentValue]) -> bool {
        let asked = self
            .schema
            .key
            .valued()
            .zip(&selection.segments)
            .zip(values);
        asked
            .into_iter()
            .all(|((_, asked), value)| self.fits(asked, value))
    }

    fn fits(&self, asked: &SegmentSelection, value: &SegmentValue) -> bool {
        match asked {
            SegmentSelection::Values(values) => values.iter().any(|one| match one {
                SegmentValue::Time(time) => {
                    SegmentValue::Time(floor(*time, self.drawn.grid(self.schema))) == *value
                }
                one => one == value,
            }),
            SegmentSelection::Range(start, end) => {
                let above = match start {
                    Bound::Unbounded => true,
                    Bound::Included(start) => natural(value, start).is_ge(),
                    Bound::Excluded(start) => natural(value, start).is_gt(),
                };
                above
                    && match end {
                        Bound::Unbounded => true,
                        Bound::Included(end) => natural(value, end).is_le(),
                        Bound::Excluded(end) => natural(value, end).is_lt(),
                    }
            }
            SegmentSelection::Prefix(prefix) => {
                matches!(value, SegmentValue::String(text) if text.starts_with(prefix))
            }
        }
    }

    /// No row is read twice, and none that can't hold a match but for the reasons that are announced.
    pub(super) fn check_rows(
        &self,
        selection: &Selection,
        plan: &Plan,
    ) -> Result<(), TestCaseError> {
        let announced = plan.reasons.iter().any(|reason| {
            matches!(
                reason,
                ReadsMore::UnsortedLabels { .. } | ReadsMore::Compared { .. }
            )
        });
        let rows = self.events.iter().map(|event| (&event.table, &event.key));
        let rows: BTreeSet<(&String, &Vec<u8>)> = rows.collect();
        for (table, key) in rows {
            let parts = plan.scans.iter().flat_map(|scan| &scan.parts);
            let of_table = parts.filter(|part| part.table == *table);
            let reads = of_table.filter(|rows| rows.contains(key)).count();
            prop_assert!(reads <= 1, "{} is read {} times", key.escape_ascii(), reads);
            if reads == 1 && !announced {
                prop_assert!(
                    self.can_hold(selection, key),
                    "{} is read: {:?}\n{:?}\n{:?}",
                    key.escape_ascii(),
                    self.schema,
                    selection,
                    plan
                );
            }
        }
        for rows in plan.scans.iter().flat_map(|scan| &scan.parts) {
            prop_assert!(rows.keys.is_sorted());
            prop_assert!(
                rows.ranges.iter().all(|range| !range.is_empty()),
                "{:?}",
                rows
            );
        }
        Ok(())
    }

    /// Whether a row with this key could hold an event that matches.
    fn can_hold(&self, selection: &Selection, key: &[u8]) -> bool {
        let values = self.schema.key.decode(key).unwrap();
        let asked = self
            .schema
            .key
            .valued()
            .zip(&selection.segments)
            .zip(&values);
        asked.into_iter().all(|(((_, segment), asked), value)| {
            let bucket = self.schema.key.bucket();
            match (segment.role, bucket, value) {
                (SegmentRole::Bucket, Some(bucket), SegmentValue::Time(start)) => {
                    let end = match bucket.is_endless() {
                        true => None,
                        false => bucket.next(*start),
                    };
                    let first = (!bucket.is_endless()).then_some(*start);
                    self.overlaps(asked, first, end)
                }
                _ => self.fits(asked, value),
            }
        })
    }

    /// Whether a time on the grid between two others is asked for.
    fn overlaps(
        &self,
        asked: &SegmentSelection,
        first: Option<Timestamp>,
        end: Option<Timestamp>,
    ) -> bool {
        let grid = self.drawn.grid(self.schema);
        let within = |time: Timestamp| {
            first.is_none_or(|first| first <= time) && end.is_none_or(|end| time < end)
        };
        let on_grid =
            |time: Timestamp, step| floor(Timestamp::from_micros(time.as_micros() + step), grid);
        let bounds = match asked {
            SegmentSelection::Values(values) => values.clone(),
            SegmentSelection::Range(start, end) => [start, end]
                .into_iter()
                .filter_map(|bound| match bound {
                    Bound::Included(time) | Bound::Excluded(time) => Some(time.clone()),
                    Bound::Unbounded => None,
                })
                .collect(),
            SegmentSelection::Prefix(_) => Vec::new(),
        };
        // The asked times nearest to each bound, and the first and last of the span.
        let near = bounds.iter().flat_map(|bound| match bound {
            SegmentValue::Time(time) => [-grid, 0, grid].map(|step| on_grid(*time, step)).to_vec(),
            _ => Vec::new(),
        });
        let ends = first.map(|first| on_grid(first, grid - 1)).into_iter();
        let ends = ends.chain(end.map(|end| on_grid(end, -1)));
        let mut candidates = near
            .chain(ends)
            .chain((first.is_none() && end.is_none()).then(Timestamp::default));
        candidates.any(|time| within(time) && self.fits(asked, &SegmentValue::Time(time)))
    }

    pub(super) fn check_refusal(
        &self,
        selection: &Selection,
        error: &Error,
    ) -> Result<(), TestCaseError> {
        let Error::Query { source, .. } = error else {
            return Err(TestCaseError::fail(format!("{error:?}")));
        };
        let asked: Vec<_> = self.schema.key.valued().zip(&selection.segments).collect();
        let is_bounded = |asked: &SegmentSelection| match asked {
            SegmentSelection::Range(start, end) => {
                *start != Bound::Unbounded && *end != Bound::Unbounded
            }
            _ => true,
        };
        let bounded = |role: SegmentRole| {
            let mut asked = asked.iter();
            asked.any(|((_, segment), asked)| segment.role == role && is_bounded(asked))
        };
        let open_time = !bounded(SegmentRole::Bucket);
        let identifiers = self.schema.key.valued();
        let identifiers = identifiers
            .filter(|(_, one)| one.role == SegmentRole::Identifier)
            .count();
        let fixed = asked.iter().filter(|((_, one), asked)| {
            one.role == SegmentRole::Identifier && matches!(asked, SegmentSelection::Values(_))
        });
        let times_asked = asked.iter().any(|((_, one), asked)| {
            one.role != SegmentRole::Identifier && matches!(asked, SegmentSelection::Values(_))
        });
        let legitimate = match source {
            QueryError::FullScan { .. } => !selection.full_scan,
            QueryError::OpenTime { .. } => open_time,
            QueryError::OpenPeriods { .. } => {
                let by_period = self.schema.table.by_period().is_some();
                by_period && open_time && !bounded(SegmentRole::Time)
            }
            QueryError::Closed { .. } => selection.full_scan && selection.order == Order::Time,
            QueryError::NoTimeOrder { .. } => fixed.count() < identifiers,
            QueryError::TooManyCombinations { combinations } => *combinations > 100_000,
            QueryError::TooManyScans { scans, .. } => *scans > 1_000,
            // A time before 1970, or before the first label.
            QueryError::Key(_) => times_asked,
            _ => false,
        };
        prop_assert!(
            legitimate,
            "{:?}: {:?} {:?}",
            source,
            self.schema,
            selection
        );
        Ok(())
    }
}

fn natural(a: &SegmentValue, b: &SegmentValue) -> Ordering {
    match (a, b) {
        (SegmentValue::String(a), SegmentValue::String(b)) => a.cmp(b),
        (SegmentValue::Unsigned(a), SegmentValue::Unsigned(b)) => a.cmp(b),
        (SegmentValue::Time(a), SegmentValue::Time(b)) => a.cmp(b),
        other => panic!("{other:?}"),
    }
}

pub(super) fn floor(time: Timestamp, grid: i64) -> Timestamp {
    let micros = time.as_micros();
    Timestamp::from_micros(micros - micros.rem_euclid(grid))
}
