//! What the tables lack compared to the models.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::iter;
use std::process::ExitCode;

use bigtable_model::dynamic::AnyModel;
use bigtable_model::rollup;
use bigtable_model::schema::{ApplyOptions, TableDiff, WantedTable};
use bigtable_model::{Backend, BackendExt as _};

use crate::args::{Apply, Diff};
use crate::failure::Failure;
use crate::models::Models;

/// The exit code of tables that are not as the models want them.
const DIFFERENT: u8 = 3;

pub(super) async fn diff(
    db: &dyn Backend,
    models: &Models,
    options: &Diff,
) -> Result<ExitCode, Failure> {
    let mut agree = true;
    for diff in differences(db, models.named(&options.models)?).await? {
        agree &= diff.agrees();
        println!("{diff}");
    }
    Ok(match agree || !options.exit_code {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(DIFFERENT),
    })
}

pub(super) async fn apply(
    db: &dyn Backend,
    models: &Models,
    options: &Apply,
) -> Result<(), Failure> {
    let allowed = |diff: &TableDiff| {
        let allowed = ApplyOptions::new().allow_unsafe(options.allow_unsafe);
        let unknown = |family: &&String| {
            let mut families = diff.differences.iter().filter_map(|one| one.family());
            families.any(|one| one == family.as_str())
        };
        let dropped = options.drop_family.iter().filter(unknown);
        dropped.fold(allowed, |allowed, family| {
            allowed.drop_family(family.clone())
        })
    };
    let diffs = differences(db, models.named(&options.models)?).await?;
    for family in &options.drop_family {
        let mut all = diffs.iter().flat_map(|diff| &diff.differences);
        if !all.any(|one| one.family() == Some(family)) {
            return Err(Failure::new(format_args!(
                "no table has a family \"{family}\" that the models lack"
            )));
        }
    }
    // All of them are checked before the first one is changed.
    for diff in &diffs {
        diff.changes(&allowed(diff))?;
    }
    for diff in &diffs {
        println!("{diff}");
        if !diff.agrees() && !options.dry_run {
            db.apply(diff, &allowed(diff)).await?;
            println!("  changed");
        }
    }
    Ok(())
}

/// The tables of the models and of their roll-ups, each once. Of tables by period, it is today's.
pub(super) fn wanted(models: Vec<&AnyModel>) -> Result<Vec<WantedTable>, Failure> {
    let mut tables = BTreeMap::<String, WantedTable>::new();
    for model in models {
        let schema = model.schema();
        let own = match schema.table.fixed() {
            Some(_) => WantedTable::of(schema),
            None => WantedTable::of_now(schema)?,
        };
        for wanted in iter::once(own).chain(schema.rollups.iter().flat_map(rollup::tables)) {
            match tables.entry(wanted.schema.table.clone()) {
                Entry::Vacant(place) => {
                    place.insert(wanted);
                }
                Entry::Occupied(mut place) => place.get_mut().join(wanted)?,
            }
        }
    }
    Ok(tables.into_values().collect())
}

async fn differences(db: &dyn Backend, models: Vec<&AnyModel>) -> Result<Vec<TableDiff>, Failure> {
    let mut diffs = Vec::new();
    for wanted in wanted(models)? {
        diffs.push(wanted.diff_on(db).await?);
    }
    Ok(diffs)
}
