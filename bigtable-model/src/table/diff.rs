use std::fmt;

use serde::{Deserialize, Serialize};

use super::words::Kind;
use super::{RuleChange, WantedTable, compare_rules};
use crate::data::{AggregateKind, FamilySchema, GcRule, RowKeySchema};

/// The family of the cells that packing adds to rows.
pub(crate) const PACKED: &str = "_packed";

/// The family of tombstones, if events have sources other than their own rows.
pub(crate) const TOMBSTONES: &str = "_deleted";

/// How a table differs from what models want. Plain data: [`apply`](crate::BackendExt::apply)
/// ignores a difference that is removed from the list.
///
/// `Display` puts it into words, a line for each difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableDiff {
    /// The table's ID.
    pub table: String,
    /// The table's row key schema when it was compared.
    #[serde(default)]
    pub row_key_schema: Option<RowKeySchema>,
    /// The differences: of the model's families in order of their names, then of others, then of
    /// the row key schema.
    pub differences: Vec<Difference>,
}

/// One way in which a table differs from what models want.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Difference {
    /// The table does not exist.
    MissingTable(WantedTable),
    /// A family does not exist.
    MissingFamily {
        /// Its name.
        family: String,
        /// The wanted family.
        want: FamilySchema,
    },
    /// A family's garbage-collection rule deletes other cells than it should. Rules that delete the
    /// same cells are not a difference, however they are written.
    Rule {
        /// The family.
        family: String,
        /// The table's rule; `None` keeps every cell.
        have: Option<GcRule>,
        /// The wanted rule.
        want: Option<GcRule>,
    },
    /// A family has aggregates of the wrong kind, or plain values instead of aggregates, or vice
    /// versa.
    Aggregate {
        /// The family.
        family: String,
        /// The kind of its cells; `None` for plain values.
        have: Option<AggregateKind>,
        /// The wanted kind.
        want: Option<AggregateKind>,
    },
    /// The table has a family that the model does not have.
    UnknownFamily {
        /// Its name.
        family: String,
        /// The family.
        have: FamilySchema,
    },
    /// The table has a row key schema to which the model's keys do not conform: SQL queries that
    /// select columns of the key may fail.
    RowKeySchema {
        /// The table's schema.
        have: RowKeySchema,
        /// The schema of the model's keys, if Bigtable's encodings can express them.
        keys: Option<RowKeySchema>,
    },
}

/// How safe the change is that removes a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Safety {
    /// It is safe: every cell that is now kept stays.
    Safe,
    /// It may delete cells that are now kept. It is made only if that is allowed.
    Unsafe,
    /// It is impossible: the kind of a family's cells is fixed when it is created.
    Fixed,
    /// Nothing is changed unless it is named: a family that the model does not have may belong to
    /// another program, and a row key schema makes queries fail on keys of another form.
    LeftAlone,
}

impl TableDiff {
    /// Whether the table is as wanted. Families that the model does not have do not matter, nor
    /// does a row key schema.
    #[must_use]
    pub fn agrees(&self) -> bool {
        let mut differences = self.differences.iter();
        differences.all(|one| one.safety() == Safety::LeftAlone)
    }
}

impl Difference {
    /// How safe the change is that removes it.
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

    /// The family that differs; `None` if the table is missing, or for the row key schema.
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
                if family == PACKED {
                    f.write_str(", and finds no events of packed rows: declare `pack(...)`")?;
                }
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

/// A family with a rule, to describe which cells it deletes.
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
            Self::Fixed => "cannot be changed",
            Self::LeftAlone => "left alone",
        })
    }
}
