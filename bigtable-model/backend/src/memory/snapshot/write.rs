//! The contents of the blocks: tables, written one after another.
//!
//! Counts and lengths are LEB128 (7 bits a byte, the lowest first), `bytes` are a length and so
//! many bytes.
//!
//! - tables: for each 1, table; at the end 0.
//! - table: ID in bytes, 1 if its families were ever modified or else 0, families, splits, rows,
//!   tokens.
//! - families: count; for each in order its name in bytes, rule, aggregate (0 none, 1 sum, 2 min,
//!   3 max).
//! - rule: 0 none; 1, number of versions in 4 bytes; 2, seconds in 8 bytes, nanoseconds in 4;
//!   3 union, 4 intersection: count, rules.
//! - splits: count, bytes each.
//! - rows: count; for each in order its key in bytes, count of columns, columns.
//! - tokens: count; for each by time the last time at which it is needed in 8 bytes, in
//!   microseconds, row and token in bytes.
//! - column: index of its family, qualifier in bytes, count of versions; for each, oldest first, its
//!   timestamp in 8 bytes, value in bytes.

use std::io::{self, Write};
use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;

use super::blocks::BlockWriter;
use super::error::{RULE_LEVELS, Unwritten};
use crate::data::{AggregateKind, GcRule};
use crate::memory::store::row::StoredRow;
use crate::memory::store::{Families, Table};

fn is_shallow(rule: &GcRule, levels: usize) -> bool {
    match rule {
        GcRule::MaxVersions(_) | GcRule::MaxAge(_) => true,
        GcRule::Union(rules) | GcRule::Intersection(rules) => {
            levels > 0 && rules.iter().all(|rule| is_shallow(rule, levels - 1))
        }
    }
}

pub(super) fn tables<W: Write>(
    out: &mut BlockWriter<W>,
    tables: &[Arc<Table>],
    now: i64,
) -> Result<(), Unwritten> {
    for table in tables {
        // A table deleted meanwhile is not saved.
        if let Some(moment) = Moment::of(table, now) {
            moment.check_rules(&table.id)?;
            out.put(&[1])?;
            moment.write(out, &table.id)?;
        }
    }
    Ok(out.put(&[0])?)
}

/// A table at one moment. Rows are shared with the table: a later write changes a copy.
struct Moment {
    modified: bool,
    families: Arc<Families>,
    splits: Vec<Bytes>,
    rows: Vec<(Bytes, Arc<StoredRow>)>,
    /// The tokens of writes that may be repeated, each with the last time at which its write may
    /// be.
    tokens: Vec<(i64, Arc<[u8]>)>,
}

impl Moment {
    fn of(table: &Table, now: i64) -> Option<Self> {
        let content = table.read().ok()?;
        let rows = content.rows.iter();
        let tokens = content.tokens.needed(now);
        Some(Self {
            modified: content.modified,
            families: Arc::clone(&content.families),
            splits: content.splits.iter().cloned().collect(),
            rows: rows.map(|(key, row)| (key.clone(), row.clone())).collect(),
            tokens: tokens.map(|(until, name)| (until, name.clone())).collect(),
        })
    }

    /// Refuses rules that could not be read back.
    fn check_rules(&self, table: &str) -> Result<(), Unwritten> {
        for (family, schema) in &*self.families {
            let rule = schema.gc_rule.as_ref();
            if rule.is_some_and(|rule| !is_shallow(rule, RULE_LEVELS)) {
                return Err(Unwritten::RuleTooDeep {
                    table: table.to_owned(),
                    family: family.to_string(),
                });
            }
        }
        Ok(())
    }

    fn write<W: Write>(self, out: &mut BlockWriter<W>, id: &str) -> io::Result<()> {
        bytes(out, id.as_bytes())?;
        out.put(&[u8::from(self.modified)])?;
        count(out, self.families.len())?;
        for (name, schema) in &*self.families {
            bytes(out, name.as_bytes())?;
            match &schema.gc_rule {
                None => out.put(&[0])?,
                Some(given) => rule(out, given)?,
            }
            out.put(&[aggregate(schema.aggregate)])?;
        }
        count(out, self.splits.len())?;
        for split in &self.splits {
            bytes(out, split)?;
        }
        let names: Vec<_> = self.families.keys().cloned().collect();
        count(out, self.rows.len())?;
        // Written rows are dropped, so later writes change them in place again.
        for (key, stored) in self.rows {
            bytes(out, &key)?;
            row(out, &stored, &names)?;
        }
        count(out, self.tokens.len())?;
        for (until, name) in &self.tokens {
            out.put(&until.to_le_bytes())?;
            bytes(out, name)?;
        }
        Ok(())
    }
}

fn row<W: Write>(
    out: &mut BlockWriter<W>,
    stored: &StoredRow,
    families: &[ByteString],
) -> io::Result<()> {
    count(out, stored.columns().count())?;
    for (name, versions) in stored.columns() {
        let family = families.binary_search(&name.family);
        let family = family.map_err(|_| io::Error::other("a row has a family its table lacks"))?;
        count(out, family)?;
        bytes(out, &name.qualifier)?;
        count(out, versions.len())?;
        for version in versions.iter() {
            out.put(&version.timestamp.to_le_bytes())?;
            bytes(out, version.value)?;
        }
    }
    Ok(())
}

fn rule<W: Write>(out: &mut BlockWriter<W>, given: &GcRule) -> io::Result<()> {
    match given {
        GcRule::MaxVersions(kept) => {
            out.put(&[1])?;
            out.put(&kept.to_le_bytes())
        }
        GcRule::MaxAge(age) => {
            out.put(&[2])?;
            out.put(&age.as_secs().to_le_bytes())?;
            out.put(&age.subsec_nanos().to_le_bytes())
        }
        GcRule::Union(rules) => {
            out.put(&[3])?;
            count(out, rules.len())?;
            rules.iter().try_for_each(|given| rule(out, given))
        }
        GcRule::Intersection(rules) => {
            out.put(&[4])?;
            count(out, rules.len())?;
            rules.iter().try_for_each(|given| rule(out, given))
        }
    }
}

fn aggregate(kind: Option<AggregateKind>) -> u8 {
    match kind {
        None => 0,
        Some(AggregateKind::Sum) => 1,
        Some(AggregateKind::Min) => 2,
        Some(AggregateKind::Max) => 3,
    }
}

fn bytes<W: Write>(out: &mut BlockWriter<W>, given: &[u8]) -> io::Result<()> {
    count(out, given.len())?;
    out.put(given)
}

fn count<W: Write>(out: &mut BlockWriter<W>, count: usize) -> io::Result<()> {
    let mut rest = count as u64;
    loop {
        let [low, ..] = rest.to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            return out.put(&[low]);
        }
        out.put(&[low | 0x80])?;
    }
}
