//! What the tables lack compared to the models.

pub(super) mod proto;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::iter;
use std::process::ExitCode;

use bigtable_model::dynamic::AnyModel;
use bigtable_model::rollup;
use bigtable_model::schema::{ApplyOptions, ModelSchema, TableChange, TableDiff, WantedTable};
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
    let chosen = models.named(&options.models)?;
    let bundles = match options.schema_bundles {
        true => bundles(models, &chosen)?,
        false => Vec::new(),
    };
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
    let diffs = differences(db, chosen).await?;
    for family in &options.drop_family {
        let mut all = diffs.iter().flat_map(|diff| &diff.differences);
        if !all.any(|one| one.family() == Some(family)) {
            return Err(Failure::new(format_args!(
                "no table has a family \"{family}\" that the models lack"
            )));
        }
    }
    // All of them are checked before the first one is changed.
    let mut changes = Vec::new();
    for diff in &diffs {
        changes.push(diff.changes(&allowed(diff))?);
    }
    let mut with_bundles = Vec::new();
    for (diff, added) in bundles {
        let changes = diff.changes(&added)?;
        with_bundles.push((diff, added, changes));
    }
    for (diff, changes) in diffs.iter().zip(changes) {
        println!("{diff}");
        if !changes.is_empty() && !options.dry_run {
            db.apply(diff, &allowed(diff)).await?;
            println!("  changed");
        }
    }
    // Last: a backend without SQL refuses them.
    for (diff, added, changes) in with_bundles {
        for change in changes {
            if let TableChange::SchemaBundle(bundle) = change {
                println!("table {}: schema bundle {}", diff.table, bundle.id);
            }
        }
        if !options.dry_run {
            db.apply(&diff, &added).await?;
            println!("  created or replaced");
        }
    }
    Ok(())
}

/// The schema bundles of the models whose events are messages, by table: as options for tables that
/// lack nothing else.
fn bundles(
    models: &Models,
    chosen: &[&AnyModel],
) -> Result<Vec<(TableDiff, ApplyOptions)>, Failure> {
    let mut tables = BTreeMap::<String, ApplyOptions>::new();
    for (model, bundle) in proto::bundles(models, chosen)? {
        let table = own_table(model.schema())?.schema.table;
        let added = tables.remove(&table).unwrap_or_default();
        tables.insert(table, added.add_schema_bundle(bundle));
    }
    let of = |(table, added)| {
        let equal = TableDiff {
            table,
            row_key_schema: None,
            differences: Vec::new(),
        };
        (equal, added)
    };
    Ok(tables.into_iter().map(of).collect())
}

/// The table of a model. Of tables by period, it is today's.
fn own_table(schema: &ModelSchema) -> Result<WantedTable, Failure> {
    Ok(match schema.table.fixed() {
        Some(_) => WantedTable::of(schema),
        None => WantedTable::of_now(schema)?,
    })
}

/// The tables of the models and of their roll-ups, each once.
pub(super) fn wanted(models: Vec<&AnyModel>) -> Result<Vec<WantedTable>, Failure> {
    let mut tables = BTreeMap::<String, WantedTable>::new();
    for model in models {
        let schema = model.schema();
        let own = own_table(schema)?;
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
