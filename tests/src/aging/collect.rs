//! Garbage collection that is half done: a server deletes expired cells when it gets to them, some
//! sooner than others, and also some columns of a row before the others.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use bigtable_model::Backend;
use bigtable_model::data::{EntryBatch, GcRule, Mutation, ReadRows, RowMutations};
use futures::TryStreamExt as _;

/// Deletes some of the cells that the rules of all tables delete at a time in milliseconds; `draw`
/// says which.
///
/// # Panics
/// If the backend refuses a call.
pub async fn collect_some(db: &dyn Backend, now: i64, draw: &mut (dyn FnMut() -> bool + Send)) {
    for table in db.tables().list().await.unwrap() {
        if draw() {
            continue;
        }
        let families = db.tables().get(&table).await.unwrap().families;
        let all = ReadRows {
            table: table.clone(),
            ..ReadRows::default()
        };
        let rows: Vec<_> = db.read_rows(all).rows().try_collect().await.unwrap();
        let mut writes = Vec::new();
        for row in rows {
            let mut mutations = Vec::new();
            let (mut column, mut newer) = (None, 0);
            for cell in &row.cells {
                let name = (cell.family.clone(), cell.qualifier.clone());
                newer = match column.as_ref() == Some(&name) {
                    true => newer + 1,
                    false => 0,
                };
                column = Some(name);
                let rule = families[&*cell.family].gc_rule.as_ref();
                let age = now * 1_000 - cell.timestamp_micros;
                if rule.is_some_and(|rule| deletes(rule, newer, age)) && draw() {
                    mutations.push(Mutation::DeleteFromColumn {
                        family: cell.family.clone(),
                        qualifier: cell.qualifier.clone(),
                        start_micros: cell.timestamp_micros,
                        end_micros: cell.timestamp_micros + 1_000,
                    });
                }
            }
            if !mutations.is_empty() && (draw() || draw()) {
                let key = row.key.clone();
                writes.push(RowMutations { key, mutations });
            }
        }
        if !writes.is_empty() {
            for outcome in db
                .mutate_rows(&table, EntryBatch::of(writes))
                .await
                .unwrap()
            {
                outcome.unwrap();
            }
        }
    }
}

fn deletes(rule: &GcRule, newer: usize, age: i64) -> bool {
    match rule {
        GcRule::MaxVersions(kept) => newer >= usize::try_from(*kept).unwrap(),
        GcRule::MaxAge(most) => age > i64::try_from(most.as_micros()).unwrap(),
        GcRule::Union(rules) => rules.iter().any(|rule| deletes(rule, newer, age)),
        GcRule::Intersection(rules) => rules.iter().all(|rule| deletes(rule, newer, age)),
    }
}
