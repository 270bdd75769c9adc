//! Cells that a garbage-collection rule deletes, although they are still stored.

use std::time::Duration;

use bytes::BytesMut;

use super::stamps::{self, floor};
use crate::Timestamp;
use crate::data::RowFilter;
use crate::model::{FamilyRule, ModelSchema};
use crate::re2::any_of;
use crate::table::{Corner, Deleted};

impl ModelSchema {
    /// Whether a rule deletes cells from which events are read.
    pub(crate) fn expires(&self) -> bool {
        self.expiring().next().is_some()
    }

    /// The families that have such rules.
    pub(crate) fn expiring(&self) -> impl Iterator<Item = &str> {
        let families = self.gc_rules.iter().map(|one| &*one.family);
        families.filter(|family| !self.deleted(family).is_empty())
    }

    /// Lets through the cells that the model's rules keep at a time; `None` if they keep
    /// everything. It comes before all other filters, which then see only cells that have not
    /// expired.
    pub(crate) fn unexpired(&self, now: Timestamp) -> Option<RowFilter> {
        let mut groups: Vec<(Vec<RowFilter>, Vec<&str>)> = Vec::new();
        for family in self.families() {
            let deleted = self.deleted(family);
            let kept: Vec<_> = deleted.iter().filter_map(|one| kept(*one, now)).collect();
            match groups.iter_mut().find(|(known, _)| *known == kept) {
                Some((_, families)) => families.push(family),
                None => groups.push((kept, vec![family])),
            }
        }
        if let [(kept, _)] = &mut groups[..] {
            return RowFilter::chain(std::mem::take(kept));
        }
        RowFilter::interleave(groups.into_iter().filter_map(|(kept, families)| {
            let mut pattern = BytesMut::new();
            any_of(
                families.iter().map(|name| name.as_bytes()),
                "",
                &mut pattern,
            );
            let pattern = String::from_utf8_lossy(&pattern).into_owned();
            let families = RowFilter::FamilyRegex(pattern);
            RowFilter::chain([families].into_iter().chain(kept))
        }))
    }

    /// The rule by which an event of this time has expired, so that no query finds it even if it is
    /// written now. `None` also if its cells have the time of the write.
    pub(crate) fn rule_against(
        &self,
        time: Option<Timestamp>,
        now: Timestamp,
    ) -> Option<&FamilyRule> {
        if self.gc_rules.is_empty() || self.is_stamped_by_clock() {
            return None;
        }
        let (family, _) = self.presence_names()?;
        let rule = self.gc_rules.iter().find(|one| one.family == family)?;
        let stamp = floor(time?.as_micros()).max(0);
        self.is_too_old(family, stamp, now).then_some(rule)
    }

    /// Whether a rule deletes cells by age.
    pub(crate) fn ages(&self) -> bool {
        self.kept_from(Timestamp::MAX).is_some()
    }

    /// The first timestamp of a cell that no rule deletes by age at a time; `None` if no rule
    /// deletes by age. A rule that spares the newest versions counts if events are versions.
    pub(crate) fn kept_from(&self, now: Timestamp) -> Option<i64> {
        let families = self.gc_rules.iter();
        let corners = families.flat_map(|one| self.deleted(&one.family));
        let youngest = corners.filter_map(|corner| corner.over).min();
        youngest.map(|age| first_kept(age, now))
    }

    /// Whether a rule deletes events by number, at any age.
    pub(crate) fn deletes_by_number(&self) -> bool {
        let mut families = self.gc_rules.iter();
        families.any(|one| {
            let mut corners = self.deleted(&one.family).into_iter();
            corners.any(|corner| corner.over.is_none())
        })
    }

    /// The maximum number of cells of each column that the rules keep at any age; `None` if a
    /// family has no such rule.
    pub(crate) fn versions_kept(&self) -> Option<u64> {
        let of_family = |family| {
            let deleted = self.deleted(family);
            let mut numbers = deleted.iter().filter(|one| one.over.is_none());
            numbers.next().map(|one| one.newer)
        };
        let kept: Option<Vec<u64>> = self.families().into_iter().map(of_family).collect();
        kept?.into_iter().max()
    }

    /// Whether cells of a family with this timestamp are deleted, however many there are.
    pub(crate) fn is_too_old(&self, family: &str, timestamp_micros: i64, now: Timestamp) -> bool {
        self.is_deleted_after(0, family, timestamp_micros, now)
    }

    /// Whether cells of a family with this timestamp are deleted if their column has `newer` newer
    /// cells.
    pub(crate) fn is_deleted_after(
        &self,
        newer: u64,
        family: &str,
        timestamp_micros: i64,
        now: Timestamp,
    ) -> bool {
        let mut deleted = self.deleted(family).into_iter();
        deleted.any(|one| {
            let is_old = |age| timestamp_micros < first_kept(age, now);
            newer >= one.newer && one.over.is_none_or(is_old)
        })
    }

    /// The readable cells of a family that its rule deletes. If a column belongs to one event, only
    /// its newest version is read, which stays however many others there are.
    fn deleted(&self, family: &str) -> Vec<Corner> {
        let deleted = self.gc_rule(family).map(Deleted::by).unwrap_or_default();
        let mut corners = deleted.into_corners();
        if self.has_columns_of_its_own() {
            corners.retain(|corner| corner.newer == 0);
        }
        corners
    }
}

/// Lets through the cells that are not deleted; `None` if none is deleted.
fn kept(deleted: Corner, now: Timestamp) -> Option<RowFilter> {
    let newest = match deleted.newer {
        0 => None,
        // No column has more versions.
        newer => Some(RowFilter::CellsPerColumnLimit(i32::try_from(newer).ok()?)),
    };
    let Some(age) = deleted.over else {
        return Some(newest.unwrap_or(RowFilter::BlockAll));
    };
    let (young, old) = stamps::around(first_kept(age, now))?;
    Some(match newest {
        None => young,
        // No cell is let through twice.
        Some(newest) => RowFilter::Interleave(vec![young, RowFilter::Chain(vec![newest, old])]),
    })
}

/// The first timestamp that is not older than `age` microseconds.
fn first_kept(age: u128, now: Timestamp) -> i64 {
    let age = u64::try_from(age).map_or(Duration::MAX, Duration::from_micros);
    stamps::ceil(now.saturating_sub(age).as_micros())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(10_000_500);

    fn corner(newer: u64, over: Option<u128>) -> Option<RowFilter> {
        kept(Corner { newer, over }, NOW)
    }

    fn range(start_micros: i64, end_micros: i64) -> RowFilter {
        RowFilter::TimestampRange {
            start_micros,
            end_micros,
        }
    }

    #[test]
    fn ages_are_ranges_of_whole_milliseconds() {
        assert_eq!(corner(0, Some(1_000_000)), Some(range(9_001_000, 0)));
        assert_eq!(corner(0, Some(1_000_500)), Some(range(9_000_000, 0)));
        assert_eq!(corner(0, Some(0)), Some(range(10_001_000, 0)));
    }

    #[test]
    fn an_age_from_before_1970_deletes_nothing() {
        assert_eq!(corner(0, Some(10_000_500)), None);
        assert_eq!(corner(3, Some(u128::MAX)), None);
    }

    #[test]
    fn numbers_are_limits_and_spare_the_young() {
        let newest = RowFilter::CellsPerColumnLimit(3);
        assert_eq!(corner(3, None), Some(newest.clone()));
        let old = RowFilter::Chain(vec![newest, range(0, 9_001_000)]);
        let both = RowFilter::Interleave(vec![range(9_001_000, 0), old]);
        assert_eq!(corner(3, Some(1_000_000)), Some(both));
        assert_eq!(corner(u64::MAX, None), None);
    }
}
