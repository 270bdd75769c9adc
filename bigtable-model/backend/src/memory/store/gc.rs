//! Garbage collection: which cells a family's rule would delete.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytestring::ByteString;

use crate::Status;
use crate::data::{FamilySchema, GcRule};
use crate::memory::Profile;
use crate::memory::refusal::invalid;
use crate::memory::store::Content;
use crate::memory::store::row::{StoredRow, VersionRef};

/// Deletes what the rules of a table's families delete at `now`.
pub(in crate::memory) fn run(content: &mut Content, now: i64, profile: Profile) {
    if profile == Profile::Emulator && !content.modified {
        return;
    }
    let families = &content.families;
    content.rows.retain(|_, row| {
        collect(row, families, now, profile);
        !row.is_empty()
    });
}

/// Deletes the expired cells of one row; the row is copied only if it is shared and has one.
pub(in crate::memory) fn collect(
    row: &mut Arc<StoredRow>,
    families: &BTreeMap<ByteString, FamilySchema>,
    now: i64,
    profile: Profile,
) {
    let expired = |family: &str, newer: usize, version: VersionRef<'_>| {
        let rule = families
            .get(family)
            .and_then(|schema| schema.gc_rule.as_ref());
        rule.is_some_and(|rule| deletes(rule, newer, version.timestamp, now, profile))
    };
    let any = row.columns().any(|(name, versions)| {
        let newest_first = versions.iter().rev().enumerate();
        let mut versions = newest_first;
        versions.any(|(newer, version)| expired(&name.family, newer, version))
    });
    if any {
        Arc::make_mut(row).retain(|name, newer, version| !expired(&name.family, newer, version));
    }
}

/// Whether a rule deletes a cell with `newer` newer cells in its column.
fn deletes(rule: &GcRule, newer: usize, timestamp: i64, now: i64, profile: Profile) -> bool {
    let part = |rule: &GcRule| deletes(rule, newer, timestamp, now, profile);
    match rule {
        GcRule::MaxVersions(kept) => usize::try_from(*kept).is_ok_and(|kept| newer >= kept),
        GcRule::MaxAge(age) => {
            let age = i64::try_from(age.as_micros()).unwrap_or(i64::MAX);
            timestamp < now.saturating_sub(age)
        }
        GcRule::Union(rules) => rules.iter().any(part),
        GcRule::Intersection(_) if profile == Profile::Emulator => false,
        GcRule::Intersection(rules) => !rules.is_empty() && rules.iter().all(part),
    }
}

/// Refuses a rule that the service refuses.
pub(in crate::memory) fn check(rule: &GcRule) -> Result<(), Status> {
    match rule {
        GcRule::MaxVersions(kept) if *kept < 1 => Err(invalid(format!(
            "max_num_versions must be positive, not {kept}"
        ))),
        GcRule::MaxAge(age) if age.as_millis() < 1 => {
            Err(invalid("max_age must be at least 1 millisecond"))
        }
        GcRule::Union(rules) | GcRule::Intersection(rules) if rules.is_empty() => Err(invalid(
            "a union or an intersection of garbage-collection rules needs a rule",
        )),
        GcRule::Union(rules) | GcRule::Intersection(rules) => rules.iter().try_for_each(check),
        GcRule::MaxVersions(_) | GcRule::MaxAge(_) => Ok(()),
    }
}
