//! Which of two garbage-collection rules deletes more.

use crate::data::GcRule;

/// What becomes of a family's cells when one rule takes the place of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleChange {
    /// Both delete the same cells, however they are written.
    Same,
    /// Every cell that was kept is kept, and others are too.
    KeepsMore,
    /// Cells may be deleted that were kept.
    MayDelete,
}

/// Compares the rule that a family has with one that is to take its place; none keeps every cell.
///
/// The answer is exact: `KeepsMore` and `Same` are said of all rules of which they are true.
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
/// What a rule says of a cell depends on two numbers, how many cells of its column are newer and
/// how old it is, and a cell with more of either is deleted where one with less is. Such a set is
/// told by its corners: it holds the cells that have as much as one of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Deleted {
    /// None as much as another; by the number of versions.
    corners: Vec<Corner>,
}

/// The cells of which so many are newer, or more, and that are over an age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Corner {
    /// How many cells of the column are newer.
    pub(crate) newer: u64,
    /// The age in microseconds that a cell is over; none is any age, also that of a cell from the
    /// future.
    pub(crate) over: Option<u128>,
}

impl Corner {
    const EVERY_CELL: Self = Self {
        newer: 0,
        over: None,
    };

    /// Whether each cell with as much as `other` has as much as this.
    fn covers(self, other: Self) -> bool {
        self.newer <= other.newer && self.over <= other.over
    }

    /// Where the cells begin that have as much as both.
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

    /// The corners, of which each adds cells to those of the others.
    pub(crate) fn into_corners(self) -> Vec<Corner> {
        self.corners
    }

    /// Leaves out the corners that others cover.
    fn of(mut corners: Vec<Corner>) -> Self {
        corners.sort_unstable();
        let mut outer: Vec<Corner> = Vec::new();
        for corner in corners {
            // Of those with as few newer cells or fewer, the last one kept has the lowest age.
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
