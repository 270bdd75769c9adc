use std::collections::BTreeSet;
use std::ops::{Bound, RangeBounds};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::ConditionError;
use crate::data::ByteRange;
use crate::model::{ColumnId, EventCells, ModelSchema};

/// A condition as data. Values are the bytes that a cell holds.
///
/// ```
/// use bigtable_model::condition::{ColumnId, ColumnTest};
///
/// let (bid, cpu) = (ColumnId::Declared(0), ColumnId::Entry(0, "cpu".into()));
/// let no_cpu = ColumnTest::Present(cpu).negate();
/// let test = ColumnTest::OneOf(bid.clone(), vec!["a".into()]).and(no_cpu);
/// assert!(test.holds(true, &|column| (*column == bid).then_some(b"a")));
/// assert_eq!(test.columns().len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ColumnTest {
    /// The event exists.
    Exists,
    /// It has some column of the model: the presence column, another column, or a run-time column.
    AnyColumn,
    /// It has the column.
    Present(ColumnId),
    /// It has the column, with one of these values.
    OneOf(ColumnId, Vec<Bytes>),
    /// It has the column, with a value between two others in byte order.
    Within(ColumnId, Bound<Bytes>, Bound<Bytes>),
    /// All of them hold.
    All(Vec<ColumnTest>),
    /// At least one of them holds.
    Any(Vec<ColumnTest>),
    /// It does not hold.
    Not(Box<ColumnTest>),
    /// A value that the column cannot hold, reported when the condition is used.
    Refused {
        /// The column.
        column: ColumnId,
        /// Why.
        reason: String,
    },
}

impl ColumnTest {
    /// The column holds bytes in one of these ranges.
    pub(crate) fn in_ranges(column: &ColumnId, ranges: Vec<ByteRange>) -> Self {
        let within = |(start, end)| Self::Within(column.clone(), start, end);
        let mut tests: Vec<_> = ranges.into_iter().map(within).collect();
        match tests.len() {
            0 => Self::OneOf(column.clone(), Vec::new()),
            1 => tests.remove(0),
            _ => Self::Any(tests),
        }
    }

    /// Both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let tests = [self, other].into_iter().flat_map(|test| match test {
            Self::All(tests) => tests,
            one => vec![one],
        });
        Self::All(tests.collect())
    }

    /// One of them holds, or both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let tests = [self, other].into_iter().flat_map(|test| match test {
            Self::Any(tests) => tests,
            one => vec![one],
        });
        Self::Any(tests.collect())
    }

    /// It does not hold.
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Self::Not(test) => *test,
            test => Self::Not(Box::new(test)),
        }
    }

    /// The columns that it compares.
    #[must_use]
    pub fn columns(&self) -> BTreeSet<&ColumnId> {
        let mut columns = BTreeSet::new();
        self.visit(&mut |test| match test {
            Self::Present(column) | Self::OneOf(column, _) | Self::Within(column, ..) => {
                columns.insert(column);
            }
            _ => {}
        });
        columns
    }

    /// Whether it holds for an event, existing or not, with these column values. The set of columns
    /// is not known here: an existing event has some, and a missing one is taken to have none.
    #[must_use]
    pub fn holds<'a>(&self, exists: bool, value: &impl Fn(&ColumnId) -> Option<&'a [u8]>) -> bool {
        match self {
            Self::Exists | Self::AnyColumn => exists,
            Self::Present(column) => value(column).is_some(),
            Self::OneOf(column, values) => {
                value(column).is_some_and(|one| values.iter().any(|value| value == one))
            }
            Self::Within(column, start, end) => value(column).is_some_and(|one| {
                let [start, end] = [start, end].map(|bound| bound.as_ref().map(|bytes| &**bytes));
                RangeBounds::<[u8]>::contains(&(start, end), one)
            }),
            Self::All(tests) => tests.iter().all(|test| test.holds(exists, value)),
            Self::Any(tests) => tests.iter().any(|test| test.holds(exists, value)),
            Self::Not(test) => !test.holds(exists, value),
            Self::Refused { .. } => false,
        }
    }

    /// Whether it holds for an event that was found.
    pub(crate) fn holds_of(&self, cells: &EventCells<'_>) -> bool {
        self.holds(true, &|column| cells.value_of(column))
    }

    /// Whether it holds for an event that does not exist.
    pub(crate) fn holds_of_none(&self) -> bool {
        self.holds(false, &|_| None)
    }

    /// Refuses values that their columns cannot hold, and columns that the model does not have.
    pub(crate) fn check(&self, schema: &ModelSchema) -> Result<(), ConditionError> {
        let mut refused = None;
        self.visit(&mut |test| {
            if refused.is_none() {
                refused = test.refusal(schema);
            }
        });
        refused.map_or(Ok(()), Err)
    }

    fn refusal(&self, schema: &ModelSchema) -> Option<ConditionError> {
        let (column, reason) = match self {
            Self::Present(column) | Self::OneOf(column, _) | Self::Within(column, ..) => {
                (column, None)
            }
            Self::Refused { column, reason } => (column, Some(reason)),
            _ => return None,
        };
        let (id, column) = (column, column.shown(schema));
        let declared = id
            .declared()
            .map(|index| (index, schema.columns.get(index)));
        match (declared, reason) {
            (Some((index, None)), _) => Some(ConditionError::UnknownColumn {
                index,
                columns: schema.columns.len(),
            }),
            (Some((_, Some(declared))), _) if declared.copy_of.is_some() => {
                Some(ConditionError::OfKey { column })
            }
            (None, _) if id.names(schema).is_none() => Some(ConditionError::NotOfMap { column }),
            (_, Some(reason)) => Some(ConditionError::Value {
                column,
                reason: reason.clone(),
            }),
            (_, None) => None,
        }
    }

    fn visit<'t>(&'t self, see: &mut impl FnMut(&'t Self)) {
        see(self);
        match self {
            Self::All(tests) | Self::Any(tests) => tests.iter().for_each(|test| test.visit(see)),
            Self::Not(test) => test.visit(see),
            _ => {}
        }
    }
}
