//! Garbage collection: which cells a family's rule would delete.

use std::collections::btree_map::Entry;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;

use crate::Status;
use crate::data::GcRule;
use crate::memory::Profile;
use crate::memory::check::invalid;
use crate::memory::store::row::{StoredRow, VersionRef};
use crate::memory::store::{Content, Families, Table};

/// Rows whose garbage is collected under one lock.
const AT_ONCE: usize = 256;

/// Deletes what the rules of a table's families delete at `now`, a few rows at a time; fails if the
/// table is deleted meanwhile.
pub(in crate::memory) fn run(table: &Table, now: i64, profile: Profile) -> Result<(), Status> {
    let mut start = Bound::Unbounded;
    loop {
        let content = table.read()?;
        if profile == Profile::Emulator && !content.modified {
            return Ok(());
        }
        let families = &content.families;
        let (mut last, mut garbage) = (None, Vec::new());
        let rows = content
            .rows
            .range::<Bytes, _>((start.as_ref(), Bound::Unbounded));
        for (key, row) in rows.take(AT_ONCE) {
            last = Some(key.clone());
            if has_garbage(row, families, now, profile) {
                garbage.push(key.clone());
            }
        }
        drop(content);
        // A table without garbage is not written to, so it need not be saved again.
        if !garbage.is_empty() {
            let mut content = table.write()?;
            remove(&mut content, garbage, now, profile);
        }
        let Some(last) = last else {
            return Ok(());
        };
        start = Bound::Excluded(last);
        // A thread that waits for the lock gets it before the next rows.
        std::thread::yield_now();
    }
}

/// Deletes the garbage of rows, and rows without a cell left.
fn remove(content: &mut Content, keys: Vec<Bytes>, now: i64, profile: Profile) {
    let Content { families, rows, .. } = content;
    for key in keys {
        if let Entry::Occupied(mut row) = rows.entry(key) {
            collect(row.get_mut(), families, now, profile);
            if row.get().is_empty() {
                row.remove();
            }
        }
    }
}

/// Deletes the expired cells of one row; the row is copied only if it is shared and has one.
pub(in crate::memory) fn collect(
    row: &mut Arc<StoredRow>,
    families: &Families,
    now: i64,
    profile: Profile,
) {
    if has_garbage(row, families, now, profile) {
        Arc::make_mut(row).retain(|name, newer, version| {
            !is_expired(families, &name.family, newer, version, now, profile)
        });
    }
}

fn has_garbage(row: &StoredRow, families: &Families, now: i64, profile: Profile) -> bool {
    row.columns().any(|(name, versions)| {
        let mut newest_first = versions.iter().rev().enumerate();
        newest_first.any(|(newer, version)| {
            is_expired(families, &name.family, newer, version, now, profile)
        })
    })
}

fn is_expired(
    families: &Families,
    family: &str,
    newer: usize,
    version: VersionRef<'_>,
    now: i64,
    profile: Profile,
) -> bool {
    let schema = families.get(family);
    let rule = schema.and_then(|schema| schema.gc_rule.as_ref());
    rule.is_some_and(|rule| deletes(rule, newer, version.timestamp, now, profile))
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
