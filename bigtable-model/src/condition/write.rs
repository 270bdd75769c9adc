//! Writes under a condition.

use super::{ColumnTest, ConditionError, fits, predicate};
use crate::Timestamp;
use crate::data::{CheckAndMutateRow, RowMutations};
use crate::model::{EventPlace, ModelSchema};

/// A write that is made when a condition holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CheckedWrite {
    pub(crate) request: CheckAndMutateRow,
    /// What the predicate answers when the write was made.
    pub(crate) applied_when: bool,
    /// The event's time, by which errors name it.
    pub(crate) time: Option<Timestamp>,
    /// The condition, for events that no predicate sees.
    pub(crate) test: ColumnTest,
}

impl CheckedWrite {
    /// The write of a row's mutations, while the condition holds of the event at `place` in it.
    ///
    /// Of a row that is not there no filter lets anything through, so that a condition which holds
    /// there is sent as its contrary.
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
