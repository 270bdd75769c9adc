use std::fmt;

use serde::{Deserialize, Serialize};

use super::words::Kind;
use super::{RuleChange, WantedTable, compare_rules};
use crate::data::{AggregateKind, FamilySchema, GcRule, RowKeySchema};

/// What a table has otherwise than models want it. Plain data: a difference taken out of the list
/// is left as it is by [`apply`](crate::BackendExt::apply).
///
/// `Display` says it in words, a line for each difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableDiff {
    /// The table's ID.
    pub table: String,
    /// The table's row key schema when it was compared.
    #[serde(default)]
    pub row_key_schema: Option<RowKeySchema>,
    /// The differences: of families that the model has in order of their names, then of others,
    /// then of the row key schema.
    pub differences: Vec<Difference>,
}

/// One thing that a table has otherwise than models want it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Difference {
    /// There is no such table.
    MissingTable(WantedTable),
    /// A family is not there.
    MissingFamily {
        /// Its name.
        family: String,
        /// How it is wanted.
        want: FamilySchema,
    },
    /// A family's garbage-collection rule deletes other cells than it should. Rules that are
    /// written otherwise and delete the same are no difference.
    Rule {
        /// The family.
        family: String,
        /// What the table has; none keeps every cell.
        have: Option<GcRule>,
        /// What is wanted.
        want: Option<GcRule>,
    },
    /// A family holds aggregates of another kind than it should, or plain values where it should
    /// hold aggregates, or the other way round.
    Aggregate {
        /// The family.
        family: String,
        /// What its cells are; none is plain values.
        have: Option<AggregateKind>,
        /// What they should be.
        want: Option<AggregateKind>,
    },
    /// A family is there that the model does not have.
    UnknownFamily {
        /// Its name.
        family: String,
        /// How it is.
        have: FamilySchema,
    },
    /// The table has a row key schema of which the model's keys are not: queries in SQL that select
    /// columns of the key may fail.
    RowKeySchema {
        /// The table's.
        have: RowKeySchema,
        /// What the model's keys are of, if Bigtable's encodings have them.
        keys: Option<RowKeySchema>,
    },
}

/// What is to be feared of making a table as it is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Safety {
    /// Nothing: every cell that is kept today is kept.
    Safe,
    /// Cells may be deleted that are kept today. It is done only when it is allowed.
    Unsafe,
    /// It can't be done: what a family's cells are is settled when it is created.
    Fixed,
    /// Nothing is done unless it is named: what the model does not have may be somebody else's, and
    /// a row key schema makes queries fail that meet keys of another form.
    LeftAlone,
}

impl TableDiff {
    /// Whether the table is as it is wanted. Families that the model does not have are no matter,
    /// and neither is a row key schema.
    #[must_use]
    pub fn agrees(&self) -> bool {
        let mut differences = self.differences.iter();
        differences.all(|one| one.safety() == Safety::LeftAlone)
    }
}

impl Difference {
    /// What is to be feared of the change that removes it.
    #[must_use]
    pub fn safety(&self) -> Safety {
        match self {
            Self::MissingTable(_) | Self::MissingFamily { .. } => Safety::Safe,
            Self::Rule { have, want, .. } => match compare_rules(have.as_ref(), want.as_ref()) {
                RuleChange::Same | RuleChange::KeepsMore => Safety::Safe,
                RuleChange::MayDelete => Safety::Unsafe,
            },
            Self::Aggregate { .. } => Safety::Fixed,
            Self::UnknownFamily { .. } | Self::RowKeySchema { .. } => Safety::LeftAlone,
        }
    }

    /// The family that differs; none where the table is missing or it is the row key schema.
    #[must_use]
    pub fn family(&self) -> Option<&str> {
        match self {
            Self::MissingTable(_) | Self::RowKeySchema { .. } => None,
            Self::MissingFamily { family, .. }
            | Self::Rule { family, .. }
            | Self::Aggregate { family, .. }
            | Self::UnknownFamily { family, .. } => Some(family),
        }
    }
}

impl fmt::Display for TableDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = &self.table;
        match self.agrees() {
            true => write!(f, "table {table} is as the model wants it")?,
            false => write!(f, "table {table} is not as the model wants it:")?,
        }
        let mut lines = self.differences.iter();
        lines.try_for_each(|one| write!(f, "\n  {one}"))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingTable(wanted) => missing_table(wanted, f)?,
            Self::MissingFamily { family, want } => {
                write!(f, "family \"{family}\" is missing; wanted: {}", want)?;
            }
            Self::Rule { family, have, want } => {
                write!(f, "family \"{family}\" {}; wanted: ", plain(have))?;
                match (have, want) {
                    (Some(_), Some(want)) => write!(f, "{want}")?,
                    _ => write!(f, "{}", plain(want))?,
                }
            }
            Self::Aggregate { family, have, want } => {
                let (have, want) = (Kind(*have), Kind(*want));
                write!(f, "family \"{family}\" holds {have}; wanted: {want}")?;
            }
            Self::UnknownFamily { family, have } => {
                write!(f, "family \"{family}\" {have}; the model does not have it")?;
            }
            Self::RowKeySchema { have, keys } => {
                write!(f, "the row key schema is {have}; the model's keys ")?;
                match keys {
                    Some(keys) => write!(f, "are of {keys}")?,
                    None => f.write_str("have no form of Bigtable's own")?,
                }
            }
        }
        write!(f, " ({})", self.safety())
    }
}

/// A family with a rule, in words what becomes of its cells.
fn plain(rule: &Option<GcRule>) -> FamilySchema {
    FamilySchema {
        gc_rule: rule.clone(),
        aggregate: None,
    }
}

fn missing_table(wanted: &WantedTable, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "the table is missing; wanted: ")?;
    for (index, (name, family)) in wanted.schema.families.iter().enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        write!(f, "{comma}family \"{name}\" that {}", family)?;
    }
    match wanted.splits.len() {
        0 => Ok(()),
        splits => write!(f, ", split into {}", splits + 1),
    }
}

impl fmt::Display for Safety {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe: cells may go that are kept today",
            Self::Fixed => "can't be changed",
            Self::LeftAlone => "left alone",
        })
    }
}
