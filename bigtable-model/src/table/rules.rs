//! Compares which cells garbage-collection rules delete.

use crate::data::GcRule;

/// The effect on a family's cells if one rule replaces another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleChange {
    /// Both delete the same cells, however they are written.
    Same,
    /// Every cell that was kept is kept, and others too.
    KeepsMore,
    /// Cells may be deleted that were kept.
    MayDelete,
}

/// Compares a family's rule with its replacement; `None` keeps every cell.
///
/// The answer is exact: it is `KeepsMore` or `Same` whenever that is true.
///
/// ```
/// use std::time::Duration;
/// use bigtable_model::data::GcRule;
/// use bigtable_model::schema::{RuleChange, compare_rules};
///
/// let newest = GcRule::MaxVersions(1);
/// let month = GcRule::MaxAge(Duration::from_secs(30 * 86_400));
/// let either = GcRule::Union(vec![newest.clone(), month.clone()].into());
/// let both = GcRule::Intersection(vec![newest.clone(), month].into());
/// assert_eq!(compare_rules(Some(&either), Some(&newest)), RuleChange::KeepsMore);
/// assert_eq!(compare_rules(Some(&newest), Some(&both)), RuleChange::KeepsMore);
/// assert_eq!(compare_rules(Some(&both), Some(&either)), RuleChange::MayDelete);
/// assert_eq!(compare_rules(None, Some(&newest)), RuleChange::MayDelete);
/// ```
#[must_use]
pub fn compare_rules(have: Option<&GcRule>, want: Option<&GcRule>) -> RuleChange {
    let deleted = |rule: Option<&GcRule>| rule.map_or_else(Deleted::default, Deleted::by);
    let (have, want) = (deleted(have), deleted(want));
    if have == want {
        RuleChange::Same
    } else if have.covers(&want) {
        RuleChange::KeepsMore
    } else {
        RuleChange::MayDelete
    }
}

/// The cells that a rule deletes.
///
/// A rule depends on two numbers: how many cells of the column are newer, and the cell's age. If it
/// deletes a cell, it also deletes a cell with more of either. Such a set is described by its
/// corners: it contains the cells that have at least as much of both as one corner.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Deleted {
    /// No corner covers another; ordered by the number of versions.
    corners: Vec<Corner>,
}

/// The cells with at least this many newer ones, and over an age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Corner {
    /// How many cells of the column are newer.
    pub(crate) newer: u64,
    /// The age in microseconds that a cell must exceed; `None` for any age, even of a cell in the
    /// future.
    pub(crate) over: Option<u128>,
}

impl Corner {
    const EVERY_CELL: Self = Self {
        newer: 0,
        over: None,
    };

    /// Whether every cell in `other` is in this corner.
    fn covers(self, other: Self) -> bool {
        self.newer <= other.newer && self.over <= other.over
    }

    /// The corner of the cells that both cover.
    fn and(self, other: Self) -> Self {
        Self {
            newer: self.newer.max(other.newer),
            over: self.over.max(other.over),
        }
    }
}

impl Deleted {
    pub(crate) fn by(rule: &GcRule) -> Self {
        let corners = match rule {
            GcRule::MaxVersions(kept) => {
                let newer = u64::try_from(*kept);
                let corner = newer.map(|newer| Corner {
                    newer,
                    ..Corner::EVERY_CELL
                });
                corner.into_iter().collect()
            }
            GcRule::MaxAge(age) => vec![Corner {
                over: Some(age.as_micros()),
                ..Corner::EVERY_CELL
            }],
            GcRule::Union(rules) => rules
                .iter()
                .flat_map(|rule| Self::by(rule).corners)
                .collect(),
            GcRule::Intersection(rules) => {
                let all = rules.iter().map(Self::by).reduce(|all, one| all.and(&one));
                all.unwrap_or_default().corners
            }
        };
        Self::of(corners)
    }

    /// The corners; each adds cells to those of the others.
    pub(crate) fn into_corners(self) -> Vec<Corner> {
        self.corners
    }

    /// Leaves out corners that others cover.
    fn of(mut corners: Vec<Corner>) -> Self {
        corners.sort_unstable();
        let mut outer: Vec<Corner> = Vec::new();
        for corner in corners {
            // Of the corners with at most as many newer cells, the last one kept has the lowest
            // age.
            if outer.last().is_none_or(|last| !last.covers(corner)) {
                outer.push(corner);
            }
        }
        Self { corners: outer }
    }

    fn and(&self, other: &Self) -> Self {
        let pairs = self
            .corners
            .iter()
            .flat_map(|one| other.corners.iter().map(|two| one.and(*two)));
        Self::of(pairs.collect())
    }

    fn covers(&self, other: &Self) -> bool {
        let mut others = other.corners.iter();
        others.all(|inner| self.corners.iter().any(|outer| outer.covers(*inner)))
    }
}
