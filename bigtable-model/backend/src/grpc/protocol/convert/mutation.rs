use bytes::Bytes;

use super::{family_name, invalid};
use crate::Status;
use crate::data::{Mutation, ReadModifyWriteRule, RowMutations, RuleAction};
use crate::grpc::protocol::wire;

impl From<Mutation> for wire::Mutation {
    fn from(mutation: Mutation) -> Self {
        Self {
            kind: Some(mutation.into()),
        }
    }
}

impl From<Mutation> for wire::MutationKind {
    fn from(mutation: Mutation) -> Self {
        match mutation {
            Mutation::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value,
            } => Self::SetCell(wire::SetCell {
                family_name: family.into_bytes(),
                column_qualifier: qualifier,
                timestamp_micros,
                value,
            }),
            Mutation::AddToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            } => Self::AddToCell(wire::AddToCell {
                family_name: family.into_bytes(),
                column_qualifier: Some(raw(qualifier)),
                timestamp: Some(timestamp(timestamp_micros)),
                input: Some(value(wire::ValueKind::IntValue(input))),
            }),
            Mutation::MergeToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            } => Self::MergeToCell(wire::MergeToCell {
                family_name: family.into_bytes(),
                column_qualifier: Some(raw(qualifier)),
                timestamp: Some(timestamp(timestamp_micros)),
                input: Some(raw(input)),
            }),
            Mutation::DeleteFromColumn {
                family,
                qualifier,
                start_micros,
                end_micros,
            } => Self::DeleteFromColumn(wire::DeleteFromColumn {
                family_name: family.into_bytes(),
                column_qualifier: qualifier,
                time_range: time_range(start_micros, end_micros),
            }),
            Mutation::DeleteFromFamily { family } => {
                Self::DeleteFromFamily(wire::DeleteFromFamily {
                    family_name: family.into_bytes(),
                })
            }
            Mutation::DeleteFromRow => Self::DeleteFromRow(wire::DeleteFromRow {}),
        }
    }
}

/// Without a range, the whole column is meant.
fn time_range(start_micros: i64, end_micros: i64) -> Option<wire::TimestampRange> {
    (start_micros != 0 || end_micros != 0).then_some(wire::TimestampRange {
        start_timestamp_micros: start_micros,
        end_timestamp_micros: end_micros,
    })
}

fn value(kind: wire::ValueKind) -> wire::Value {
    wire::Value {
        r#type: None,
        kind: Some(kind),
    }
}

fn raw(bytes: Bytes) -> wire::Value {
    value(wire::ValueKind::RawValue(bytes))
}

fn timestamp(micros: i64) -> wire::Value {
    value(wire::ValueKind::RawTimestampMicros(micros))
}

impl TryFrom<wire::Mutation> for Mutation {
    type Error = Status;

    fn try_from(mutation: wire::Mutation) -> Result<Self, Status> {
        Ok(match mutation.kind {
            None => return Err(invalid("a mutation says nothing to do")),
            Some(wire::MutationKind::SetCell(set)) => Self::SetCell {
                family: family_name(set.family_name)?,
                qualifier: set.column_qualifier,
                timestamp_micros: set.timestamp_micros,
                value: set.value,
            },
            Some(wire::MutationKind::AddToCell(add)) => Self::AddToCell {
                family: family_name(add.family_name)?,
                qualifier: from_raw(add.column_qualifier, "qualifier")?,
                timestamp_micros: from_timestamp(add.timestamp)?,
                input: from_int(add.input)?,
            },
            Some(wire::MutationKind::MergeToCell(merge)) => Self::MergeToCell {
                family: family_name(merge.family_name)?,
                qualifier: from_raw(merge.column_qualifier, "qualifier")?,
                timestamp_micros: from_timestamp(merge.timestamp)?,
                input: from_raw(merge.input, "input")?,
            },
            Some(wire::MutationKind::DeleteFromColumn(delete)) => {
                let range = delete.time_range.unwrap_or_default();
                Self::DeleteFromColumn {
                    family: family_name(delete.family_name)?,
                    qualifier: delete.column_qualifier,
                    start_micros: range.start_timestamp_micros,
                    end_micros: range.end_timestamp_micros,
                }
            }
            Some(wire::MutationKind::DeleteFromFamily(delete)) => Self::DeleteFromFamily {
                family: family_name(delete.family_name)?,
            },
            Some(wire::MutationKind::DeleteFromRow(_)) => Self::DeleteFromRow,
        })
    }
}

fn from_raw(value: Option<wire::Value>, what: &str) -> Result<Bytes, Status> {
    match value.and_then(|value| value.kind) {
        Some(wire::ValueKind::RawValue(bytes) | wire::ValueKind::BytesValue(bytes)) => Ok(bytes),
        _ => Err(invalid(format!(
            "the {what} of an aggregate mutation is not a raw value"
        ))),
    }
}

fn from_timestamp(value: Option<wire::Value>) -> Result<i64, Status> {
    match value.and_then(|value| value.kind) {
        Some(wire::ValueKind::RawTimestampMicros(micros)) => Ok(micros),
        _ => Err(invalid(
            "the timestamp of an aggregate mutation is not a raw timestamp",
        )),
    }
}

fn from_int(value: Option<wire::Value>) -> Result<i64, Status> {
    match value.and_then(|value| value.kind) {
        Some(wire::ValueKind::IntValue(input)) => Ok(input),
        _ => Err(invalid("the input of AddToCell is not an integer")),
    }
}

impl From<RowMutations> for wire::MutateRowsEntry {
    fn from(row: RowMutations) -> Self {
        Self {
            row_key: row.key,
            mutations: row.mutations.into_iter().map(Into::into).collect(),
            idempotency: None,
        }
    }
}

impl TryFrom<wire::MutateRowsEntry> for RowMutations {
    type Error = Status;

    fn try_from(entry: wire::MutateRowsEntry) -> Result<Self, Status> {
        Ok(Self {
            key: entry.row_key,
            mutations: (entry.mutations.into_iter())
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl From<ReadModifyWriteRule> for wire::ReadModifyWriteRule {
    fn from(rule: ReadModifyWriteRule) -> Self {
        Self {
            family_name: rule.family.into_bytes(),
            column_qualifier: rule.qualifier,
            rule: Some(match rule.action {
                RuleAction::Append(value) => wire::RuleKind::AppendValue(value),
                RuleAction::Increment(amount) => wire::RuleKind::IncrementAmount(amount),
            }),
        }
    }
}

impl TryFrom<wire::ReadModifyWriteRule> for ReadModifyWriteRule {
    type Error = Status;

    fn try_from(rule: wire::ReadModifyWriteRule) -> Result<Self, Status> {
        Ok(Self {
            family: family_name(rule.family_name)?,
            qualifier: rule.column_qualifier,
            action: match rule.rule {
                Some(wire::RuleKind::AppendValue(value)) => RuleAction::Append(value),
                Some(wire::RuleKind::IncrementAmount(amount)) => RuleAction::Increment(amount),
                None => return Err(invalid("a rule neither appends nor increments")),
            },
        })
    }
}
