//! The request of changes that the server computes from the row's values.

use crate::data::{ReadModifyWriteRow, ReadModifyWriteRule, Row, RuleAction};
use crate::model::shared;
use crate::{Error, Timestamp};

use super::EventWriter;

/// A read-modify-write ready to be sent, and how to read its answer.
#[derive(Debug)]
pub(crate) struct Modification {
    pub(crate) request: ReadModifyWriteRow,
    /// The column of each rule.
    pub(in crate::model) columns: Vec<usize>,
    /// The event's time, if rows hold many.
    pub(crate) time: Option<Timestamp>,
}

impl Modification {
    /// Whether a row has a new cell of each changed column.
    pub(crate) fn is_answered_by(&self, row: &Row) -> bool {
        let mut rules = self.request.rules.iter();
        rules.all(|rule| row.column(&rule.family, &rule.qualifier).next().is_some())
    }
}

impl EventWriter {
    pub(in crate::model) fn modification(
        mut self,
        rules: Vec<(usize, RuleAction)>,
    ) -> Result<Modification, Error> {
        let schema = self.schema.clone();
        if rules.is_empty() {
            return Err(Error::EmptyUpdate {
                table: schema.table_in_errors(self.time),
                key: self.described_key(),
            });
        }
        let table = schema.table_of(self.time)?.into_owned();
        let target = self.target()?;
        let offset = self.bytes.get(target.offset.clone()).unwrap_or_default();
        let mut columns = Vec::with_capacity(rules.len());
        let mut changes = Vec::with_capacity(rules.len());
        for (index, action) in rules {
            let Some(column) = schema.columns.get(index) else {
                continue;
            };
            let name = column.qualifier.as_bytes();
            let qualifier = schema.in_layout().qualifier(name, offset);
            columns.push(index);
            changes.push(ReadModifyWriteRule {
                family: shared(&column.family),
                qualifier,
                action,
            });
        }
        let time = target.time_in_row;
        self.bytes.truncate(self.key_len);
        let request = ReadModifyWriteRow {
            table,
            key: self.bytes.into(),
            rules: changes,
        };
        Ok(Modification {
            request,
            columns,
            time,
        })
    }
}
