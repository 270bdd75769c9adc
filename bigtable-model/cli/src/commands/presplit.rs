//! A table that is split before its first write.

use std::collections::BTreeSet;
use std::fs;

use bigtable_model::Backend;
use bigtable_model::data::{FamilySchema, TableSchema};
use bytes::Bytes;

use super::tables::sampled;
use crate::args::Presplit;
use crate::failure::{Doing as _, Failure};
use crate::text;

/// How many rows of another table are read for its keys.
const SAMPLED: usize = 10_000;

pub(super) async fn run(db: &dyn Backend, options: &Presplit) -> Result<(), Failure> {
    let mut schema = match &options.like {
        Some(table) => db.tables().get(table).await?,
        None => TableSchema::default(),
    };
    schema.table.clone_from(&options.table);
    for family in &options.family {
        schema
            .families
            .insert(family.clone(), FamilySchema::default());
    }
    if schema.families.is_empty() {
        return Err(Failure::new(
            "a table has families: write `--family NAME`, or `--like TABLE`",
        ));
    }
    let mut splits = given(options)?;
    if let Some(table) = &options.like {
        let parts = options.parts.ok_or_else(|| {
            Failure::new("`--like` gives the keys, and `--parts` how many parts of them there are")
        })?;
        let rows = sampled(db, table, SAMPLED).await?;
        splits.extend(even(rows.into_iter().map(|row| row.key).collect(), parts)?);
    }
    if splits.is_empty() {
        return Err(Failure::new(
            "no key to split at: write `--at KEY`, `--keys FILE` or `--like TABLE`",
        ));
    }
    let splits: Vec<Bytes> = splits.into_iter().collect();
    db.tables().create(schema, splits.clone()).await?;
    println!(
        "{} is created in {}, split at",
        options.table,
        text::counted(u64::try_from(splits.len())? + 1, "part")
    );
    for key in &splits {
        println!("  {}", text::of_bytes(key));
    }
    Ok(())
}

/// The keys of the options.
fn given(options: &Presplit) -> Result<BTreeSet<Bytes>, Failure> {
    let named = options
        .at
        .iter()
        .map(|key| text::to_bytes(key).doing(|| format!("`--at {key}`")));
    let mut splits = named.collect::<Result<BTreeSet<_>, _>>()?;
    if let Some(path) = &options.keys {
        let text = fs::read_to_string(path).doing(|| path.display().to_string())?;
        let lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.is_empty());
        let keys = lines.map(|(at, line)| {
            text::to_bytes(line).doing(|| format!("line {} of {}", at + 1, path.display()))
        });
        let keys = keys.collect::<Result<BTreeSet<_>, _>>()?;
        match options.parts {
            Some(parts) => splits.extend(even(keys, parts)?),
            None => splits.extend(keys),
        }
    }
    match splits.iter().any(Bytes::is_empty) {
        true => Err(Failure::new("a table is not split at the empty key")),
        false => Ok(splits),
    }
}

/// Keys between parts with equally many of a sample.
fn even(sample: BTreeSet<Bytes>, parts: u32) -> Result<Vec<Bytes>, Failure> {
    let keys: Vec<Bytes> = sample.into_iter().collect();
    let parts = usize::try_from(parts)?;
    if keys.len() < parts {
        return Err(Failure::new(format_args!(
            "{} are too few for {parts} parts",
            text::counted(u64::try_from(keys.len())?, "key")
        )));
    }
    let splits = (1..parts).filter_map(|part| keys.get(part * keys.len() / parts).cloned());
    Ok(splits.collect())
}
