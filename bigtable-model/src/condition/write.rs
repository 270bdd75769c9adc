//! Writes under a condition.

use super::{ColumnTest, ConditionError, fits, predicate};
use crate::Timestamp;
use crate::data::{CheckAndMutateRow, RowMutations};
use crate::model::{EventPlace, ModelSchema};

/// A write that is made if a condition holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CheckedWrite {
    pub(crate) request: CheckAndMutateRow,
    /// The predicate's result that means that the write was made.
    pub(crate) applied_when: bool,
    /// The event's time, by which errors name it.
    pub(crate) time: Option<Timestamp>,
    /// The condition, for events that no predicate sees.
    pub(crate) test: ColumnTest,
}

impl CheckedWrite {
    /// The write of a row's mutations if the condition holds for the event at `place` in it.
    ///
    /// No filter matches a missing row, so a condition that holds for one is sent negated.
    pub(crate) fn new(
        schema: &ModelSchema,
        test: &ColumnTest,
        place: &EventPlace,
        table: String,
        row: RowMutations,
    ) -> Result<Self, ConditionError> {
        test.check(schema)?;
        let applied_when = !test.holds_of_none();
        let predicate = match applied_when {
            true => predicate(schema, place, test),
            false => predicate(schema, place, &test.clone().negate()),
        };
        fits(&predicate)?;
        let (if_true, if_false) = match applied_when {
            true => (row.mutations, Vec::new()),
            false => (Vec::new(), row.mutations),
        };
        Ok(Self {
            request: CheckAndMutateRow {
                table,
                key: row.key,
                predicate: Some(predicate),
                if_true,
                if_false,
            },
            applied_when,
            time: None,
            test: test.clone(),
        })
    }
}
