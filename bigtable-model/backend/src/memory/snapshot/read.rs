//! Tables from blocks. Nothing in them is trusted: a file may be made by hand, with valid
//! checksums.
//!
//! It is written by hand and not with serde, whose formats would replace little of it: rows go
//! between the store and the file one by one, in no more memory than a row takes, and a length that
//! a file claims reserves nothing; nested rules are refused before they exhaust the stack; rows out
//! of order, columns whose family the table lacks, and duplicates are refused too. The blocks with
//! their checksums would be needed all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use bytestring::ByteString;

use super::blocks::BlockReader;
use super::error::{Damage, RULE_LEVELS};
use crate::data::{AggregateKind, FamilySchema, GcRule};
use crate::memory::store::row::{ColumnName, StoredRow};
use crate::memory::store::tokens::Tokens;
use crate::memory::store::{Content, Families, Table};

pub(super) fn tables<R: Read>(
    input: &mut BlockReader<R>,
) -> Result<BTreeMap<String, Arc<Table>>, Damage> {
    let mut tables = BTreeMap::new();
    while input.flag("whether another table follows")? {
        let id = input.text("the ID of a table")?;
        let content = content(input)?;
        let table = Table::new(id.clone(), content);
        if tables.insert(id.clone(), Arc::new(table)).is_some() {
            return Err(input.damage(format!("the table {id} is there twice")));
        }
    }
    Ok(tables)
}

fn content<R: Read>(input: &mut BlockReader<R>) -> Result<Content, Damage> {
    let modified = input.flag("whether families were modified")?;
    let families = families(input)?;
    let mut splits = BTreeSet::new();
    for _ in 0..input.count()? {
        splits.insert(input.bytes()?);
    }
    let names: Vec<_> = families.keys().cloned().collect();
    let mut rows = BTreeMap::<Bytes, _>::new();
    for _ in 0..input.count()? {
        let key = input.bytes()?;
        let row = row(input, key.clone(), &names)?;
        if rows.last_key_value().is_some_and(|(last, _)| *last >= key) {
            return Err(input.damage("the rows are not in the order of their keys"));
        }
        rows.insert(key, Arc::new(row));
    }
    let tokens = tokens(input)?;
    Ok(Content {
        families: Arc::new(families),
        rows,
        splits,
        modified,
        tokens,
        ..Content::default()
    })
}

fn tokens<R: Read>(input: &mut BlockReader<R>) -> Result<Tokens, Damage> {
    let mut tokens = Tokens::default();
    for _ in 0..input.count()? {
        let until = i64::from_le_bytes(input.array()?);
        if !tokens.restore(until, &input.bytes()?) {
            return Err(input.damage("the token of a write is there twice"));
        }
    }
    Ok(tokens)
}

fn families<R: Read>(input: &mut BlockReader<R>) -> Result<Families, Damage> {
    let mut families = Families::new();
    for _ in 0..input.count()? {
        let name = input.text("the name of a family")?;
        let schema = FamilySchema {
            gc_rule: rule(input, RULE_LEVELS)?,
            aggregate: aggregate(input)?,
        };
        if families.insert(name.clone().into(), schema).is_some() {
            return Err(input.damage(format!("the family {name} is there twice")));
        }
    }
    Ok(families)
}

fn row<R: Read>(
    input: &mut BlockReader<R>,
    key: Bytes,
    families: &[ByteString],
) -> Result<StoredRow, Damage> {
    let mut row = StoredRow::new(key);
    for _ in 0..input.count()? {
        let family = usize::try_from(input.count()?).ok();
        let family = family.and_then(|index| families.get(index)).cloned();
        let family = family.ok_or_else(|| input.damage("a column has a family its table lacks"))?;
        let name = ColumnName {
            family,
            qualifier: input.bytes()?,
        };
        for _ in 0..input.count()? {
            let timestamp = i64::from_le_bytes(input.array()?);
            row.set(name.clone(), timestamp, input.bytes()?);
        }
    }
    if row.is_empty() {
        return Err(input.damage("a row has no cells"));
    }
    Ok(row)
}

fn rule<R: Read>(input: &mut BlockReader<R>, levels: usize) -> Result<Option<GcRule>, Damage> {
    let rule = match input.byte()? {
        0 => return Ok(None),
        1 => GcRule::MaxVersions(i32::from_le_bytes(input.array()?)),
        2 => {
            let seconds = u64::from_le_bytes(input.array()?);
            let nanos = u32::from_le_bytes(input.array()?);
            if nanos >= 1_000_000_000 {
                return Err(input.damage("an age has a second's worth of nanoseconds"));
            }
            GcRule::MaxAge(Duration::new(seconds, nanos))
        }
        3 => GcRule::Union(rules(input, levels)?.into()),
        4 => GcRule::Intersection(rules(input, levels)?.into()),
        other => return Err(input.damage(format!("{other} is no garbage-collection rule"))),
    };
    Ok(Some(rule))
}

fn rules<R: Read>(input: &mut BlockReader<R>, levels: usize) -> Result<Vec<GcRule>, Damage> {
    let Some(levels) = levels.checked_sub(1) else {
        return Err(input.damage("a garbage-collection rule has too many levels"));
    };
    let mut rules = Vec::new();
    for _ in 0..input.count()? {
        let rule = rule(input, levels)?;
        rules.push(rule.ok_or_else(|| input.damage("a rule within a rule is missing"))?);
    }
    Ok(rules)
}

fn aggregate<R: Read>(input: &mut BlockReader<R>) -> Result<Option<AggregateKind>, Damage> {
    Ok(match input.byte()? {
        0 => None,
        1 => Some(AggregateKind::Sum),
        2 => Some(AggregateKind::Min),
        3 => Some(AggregateKind::Max),
        other => return Err(input.damage(format!("{other} is no kind of aggregate"))),
    })
}

impl<R: Read> BlockReader<R> {
    fn byte(&mut self) -> Result<u8, Damage> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    fn flag(&mut self, what: &str) -> Result<bool, Damage> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.damage(format!("{other} does not say {what}"))),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let mut array = [0; N];
        let mut rest = array.as_mut_slice();
        while !rest.is_empty() {
            let some = self.some(rest.len())?;
            let (now, later) = rest.split_at_mut(some.len());
            now.copy_from_slice(some);
            rest = later;
        }
        Ok(array)
    }

    fn count(&mut self) -> Result<u64, Damage> {
        let mut count = 0_u64;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            let shifted = bits << shift;
            if shifted >> shift != bits {
                break;
            }
            count |= shifted;
            if byte < 0x80 {
                return Ok(count);
            }
        }
        Err(self.damage("a number is too large"))
    }

    /// Grows with the bytes that are read, not with the length that the file states.
    fn bytes(&mut self) -> Result<Bytes, Damage> {
        let length = usize::try_from(self.count()?);
        let mut rest = length.map_err(|_| self.damage("a length is too large"))?;
        let first = self.some_or_none(rest)?;
        rest -= first.len();
        if rest == 0 {
            return Ok(Bytes::copy_from_slice(first));
        }
        let mut bytes = first.to_vec();
        while rest > 0 {
            let some = self.some(rest)?;
            rest -= some.len();
            bytes.extend_from_slice(some);
        }
        Ok(bytes.into())
    }

    fn some_or_none(&mut self, most: usize) -> Result<&[u8], Damage> {
        match most {
            0 => Ok(&[]),
            most => self.some(most),
        }
    }

    fn text(&mut self, what: &str) -> Result<String, Damage> {
        let bytes = self.bytes()?;
        let text = String::from_utf8(bytes.into());
        text.map_err(|_| self.damage(format!("{what} is not UTF-8")))
    }
}
