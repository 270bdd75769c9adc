//! Random conditions on the columns of the events.

use std::ops::Bound;

use bytes::Bytes;
use proptest::prelude::*;

use super::case::{DrawnQuery, drawn_query};
use super::world::{Stored, World};
use crate::condition::ColumnTest;
use crate::query::Selection;

/// A value that an event may have, or a text beside those.
fn value() -> impl Strategy<Value = Bytes> {
    (prop::sample::select(vec!["bid", "ask", "zz"]), 0..30_usize)
        .prop_map(|(name, number)| Bytes::from(format!("{name} {number}")))
}

fn end() -> impl Strategy<Value = Bound<Bytes>> {
    (0..3_usize, value()).prop_map(|(kind, value)| match kind {
        0 => Bound::Included(value),
        1 => Bound::Excluded(value),
        _ => Bound::Unbounded,
    })
}

/// A query, with a condition or without one.
pub(super) fn query_and_condition() -> impl Strategy<Value = DrawnQuery> {
    let condition = prop::option::weighted(0.4, drawn_condition());
    (drawn_query(), condition).prop_map(|(query, condition)| DrawnQuery { condition, ..query })
}

fn drawn_condition() -> impl Strategy<Value = ColumnTest> {
    let column = || 0..2_usize;
    let leaf = prop_oneof![
        Just(ColumnTest::Exists),
        Just(ColumnTest::AnyColumn),
        column().prop_map(ColumnTest::Present),
        (column(), prop::collection::vec(value(), 0..4))
            .prop_map(|(column, values)| ColumnTest::OneOf(column, values)),
        (column(), end(), end())
            .prop_map(|(column, start, end)| ColumnTest::Within(column, start, end)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let several = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            several().prop_map(ColumnTest::All),
            several().prop_map(ColumnTest::Any),
            inner.clone().prop_map(ColumnTest::negate),
        ]
    })
}

impl World {
    /// The condition on columns that the drawn model has.
    pub(super) fn of_columns(&self, test: ColumnTest) -> ColumnTest {
        let last = self.schema.columns.len() - 1;
        let all = |tests: Vec<ColumnTest>| -> Vec<ColumnTest> {
            tests
                .into_iter()
                .map(|test| self.of_columns(test))
                .collect()
        };
        match test {
            ColumnTest::Present(column) => ColumnTest::Present(column.min(last)),
            ColumnTest::OneOf(column, values) => ColumnTest::OneOf(column.min(last), values),
            ColumnTest::Within(column, start, end) => {
                ColumnTest::Within(column.min(last), start, end)
            }
            ColumnTest::All(tests) => ColumnTest::All(all(tests)),
            ColumnTest::Any(tests) => ColumnTest::Any(all(tests)),
            ColumnTest::Not(test) => ColumnTest::Not(Box::new(self.of_columns(*test))),
            other => other,
        }
    }

    /// Whether a selection gives an event.
    pub(super) fn selects(&self, selection: &Selection, event: &Stored) -> bool {
        let value = |column: usize| event.columns.get(column).and_then(Option::as_ref);
        let condition = selection.condition.as_ref();
        self.matches(selection, &event.values)
            && condition.is_none_or(|condition| condition.holds(true, &value))
    }
}
