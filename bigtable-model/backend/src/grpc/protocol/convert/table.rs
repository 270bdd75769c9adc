use std::borrow::Cow;
use std::time::Duration;

use super::invalid;
use crate::data::{AggregateKind, FamilyChange, FamilySchema, GcRule, TableSchema};
use crate::grpc::protocol::names;
use crate::grpc::protocol::wire::{
    self, Aggregate, Aggregator, Empty, GcRuleKind, Int64EncodingKind, ModificationKind, TypeKind,
};
use crate::{Code, Status};

impl From<FamilySchema> for wire::ColumnFamily {
    fn from(family: FamilySchema) -> Self {
        Self {
            gc_rule: family.gc_rule.map(Into::into),
            value_type: family.aggregate.map(Into::into),
        }
    }
}

impl TryFrom<wire::ColumnFamily> for FamilySchema {
    type Error = Status;

    fn try_from(family: wire::ColumnFamily) -> Result<Self, Status> {
        let rule = family.gc_rule.and_then(|rule| rule.rule);
        Ok(Self {
            gc_rule: rule.map(TryInto::try_into).transpose()?,
            aggregate: family.value_type.and_then(aggregate_kind),
        })
    }
}

/// The field of the table's name has its ID.
impl From<TableSchema> for wire::Table {
    fn from(schema: TableSchema) -> Self {
        let families = schema.families.into_iter();
        Self {
            name: schema.table,
            column_families: families.map(Into::into).collect(),
            granularity: 0,
            row_key_schema: schema.row_key_schema.map(Into::into),
        }
    }
}

impl TryFrom<wire::Table> for TableSchema {
    type Error = Status;

    fn try_from(table: wire::Table) -> Result<Self, Status> {
        let families = table.column_families.into_iter();
        let families = families.map(|entry| Ok((entry.name, entry.family.try_into()?)));
        Ok(Self {
            table: names::table_id(&table.name).to_owned(),
            families: families.collect::<Result<_, Status>>()?,
            row_key_schema: table.row_key_schema.map(Into::into),
        })
    }
}

impl From<(String, FamilySchema)> for wire::FamilyEntry {
    fn from((name, family): (String, FamilySchema)) -> Self {
        let family = family.into();
        Self { name, family }
    }
}

impl From<GcRule> for wire::GcRule {
    fn from(rule: GcRule) -> Self {
        Self {
            rule: Some(match rule {
                GcRule::MaxVersions(count) => GcRuleKind::MaxNumVersions(count),
                GcRule::MaxAge(age) => GcRuleKind::MaxAge(age.into()),
                GcRule::Union(rules) => GcRuleKind::Union(members(rules)),
                GcRule::Intersection(rules) => GcRuleKind::Intersection(members(rules)),
            }),
        }
    }
}

fn members(rules: Cow<'static, [GcRule]>) -> wire::GcRules {
    let rules = rules.into_owned().into_iter();
    wire::GcRules {
        rules: rules.map(Into::into).collect(),
    }
}

impl TryFrom<GcRuleKind> for GcRule {
    type Error = Status;

    fn try_from(kind: GcRuleKind) -> Result<Self, Status> {
        Ok(match kind {
            GcRuleKind::MaxNumVersions(count) => Self::MaxVersions(count),
            GcRuleKind::MaxAge(age) => Self::MaxAge(
                age.to_std()
                    .ok_or_else(|| invalid("the age of a garbage-collection rule is negative"))?,
            ),
            GcRuleKind::Union(rules) => Self::Union(from_members(rules)?),
            GcRuleKind::Intersection(rules) => Self::Intersection(from_members(rules)?),
        })
    }
}

fn from_members(rules: wire::GcRules) -> Result<Cow<'static, [GcRule]>, Status> {
    let kinds = rules.rules.into_iter().map(|rule| {
        let kind = rule.rule;
        kind.ok_or_else(|| invalid("a member of a garbage-collection rule is empty"))?
            .try_into()
    });
    kinds.collect()
}

impl From<Duration> for wire::Duration {
    /// Durations longer than the protocol can hold, some 292 billion years, become its largest.
    fn from(duration: Duration) -> Self {
        Self {
            seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
            nanos: i32::try_from(duration.subsec_nanos()).unwrap_or(0),
        }
    }
}

impl wire::Duration {
    /// `None` if it is negative.
    pub(crate) fn to_std(self) -> Option<Duration> {
        let seconds = Duration::from_secs(u64::try_from(self.seconds).ok()?);
        let nanos = Duration::from_nanos(u64::try_from(self.nanos).ok()?);
        seconds.checked_add(nanos)
    }
}

impl From<AggregateKind> for wire::Type {
    fn from(kind: AggregateKind) -> Self {
        let input = Self {
            kind: Some(TypeKind::Int64(wire::Int64Type {
                encoding: Some(wire::Int64Encoding {
                    kind: Some(Int64EncodingKind::BigEndianBytes(Empty {})),
                }),
            })),
        };
        let aggregator = match kind {
            AggregateKind::Sum => Aggregator::Sum(Empty {}),
            AggregateKind::Min => Aggregator::Min(Empty {}),
            AggregateKind::Max => Aggregator::Max(Empty {}),
        };
        Self {
            kind: Some(TypeKind::Aggregate(Box::new(Aggregate {
                input_type: Some(Box::new(input)),
                state_type: None,
                aggregator: Some(aggregator),
            }))),
        }
    }
}

/// `None` for a type that [`AggregateKind`] does not name, such as a count of distinct values.
fn aggregate_kind(value_type: wire::Type) -> Option<AggregateKind> {
    match value_type.kind? {
        TypeKind::Int64(_) => None,
        TypeKind::Aggregate(aggregate) => match aggregate.aggregator? {
            Aggregator::Sum(_) => Some(AggregateKind::Sum),
            Aggregator::Min(_) => Some(AggregateKind::Min),
            Aggregator::Max(_) => Some(AggregateKind::Max),
            Aggregator::HllppUniqueCount(_) => None,
        },
    }
}

impl From<FamilyChange> for wire::Modification {
    fn from(change: FamilyChange) -> Self {
        let (id, kind) = match change {
            FamilyChange::Create(id, family) => (id, ModificationKind::Create(family.into())),
            // Without a mask the server takes only the rule; the type of a family cannot change.
            FamilyChange::Update(id, family) => {
                let rule = family.gc_rule.map(Into::into);
                (
                    id,
                    ModificationKind::Update(wire::ColumnFamily {
                        gc_rule: rule,
                        value_type: None,
                    }),
                )
            }
            FamilyChange::Drop(id) => (id, ModificationKind::Drop(true)),
        };
        Self {
            id,
            kind: Some(kind),
            update_mask: None,
        }
    }
}

impl TryFrom<wire::Modification> for FamilyChange {
    type Error = Status;

    fn try_from(modification: wire::Modification) -> Result<Self, Status> {
        let id = modification.id;
        Ok(match modification.kind {
            Some(ModificationKind::Create(family)) => Self::Create(id, family.try_into()?),
            Some(ModificationKind::Update(family)) => {
                check_mask(modification.update_mask)?;
                Self::Update(id, family.try_into()?)
            }
            Some(ModificationKind::Drop(true)) => Self::Drop(id),
            Some(ModificationKind::Drop(false)) | None => {
                return Err(invalid(format!("the change of family {id} says nothing")));
            }
        })
    }
}

/// An update without a mask means the garbage-collection rule: nothing else of a family can change.
fn check_mask(mask: Option<wire::FieldMask>) -> Result<(), Status> {
    let paths = mask.unwrap_or_default().paths;
    match paths.iter().find(|path| *path != "gc_rule") {
        None => Ok(()),
        Some(path) if path == "value_type" => Err(Status::new(
            Code::Unimplemented,
            "the value_type of a family cannot be updated: leave it as it is, since types other than aggregates change nothing about what is stored, or create another family with the aggregate",
        )),
        Some(path) => Err(invalid(format!(
            "\"{path}\" of a family cannot be updated, only \"gc_rule\" can"
        ))),
    }
}
