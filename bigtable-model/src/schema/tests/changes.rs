use futures::TryStreamExt;
use futures::executor::block_on;

use super::wanted::mixed;
use super::*;
use crate::data::{FamilyChange, Mutation, ReadRows, RowMutations};
use crate::schema::{
    ApplyOptions, RuleChange, Safety, SchemaError, TableChange, TableDiff, WantedTable,
    compare_rules,
};
use crate::{Backend, BackendExt, Error, MemoryBackend, Timestamp};

fn without(diff: TableDiff, safety: Safety) -> TableDiff {
    let mut diff = diff;
    diff.differences.retain(|one| one.safety() != safety);
    diff
}

#[test]
fn everything_is_judged_before_anything_is_done() {
    let (_, _, diff) = mixed();
    let anything = ApplyOptions::new().allow_unsafe(true);
    let refused = diff.changes(&anything).unwrap_err();
    assert!(matches!(&refused, SchemaError::Fixed { differences, .. } if differences.len() == 1));
    let diff = without(diff, Safety::Fixed);
    let refused = diff.changes(&ApplyOptions::new()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "table t: the changes may delete cells: allow them with `ApplyOptions::allow_unsafe`, or remove these differences
  family \"tighter\" keeps every cell; wanted: deletes cells older than 7d (unsafe: cells may go that are kept today)"
    );
    let create = FamilyChange::Create("gone".to_owned(), family(versions(1)));
    let loosen = FamilyChange::Update("looser".to_owned(), family(days(30)));
    let tighten = FamilyChange::Update("tighter".to_owned(), family(days(7)));
    let safe = vec![create, loosen];
    let all = [safe.clone(), vec![tighten]].concat();
    assert_eq!(
        diff.changes(&anything),
        Ok(vec![TableChange::Families(all)])
    );
    let diff = without(diff, Safety::Unsafe);
    let change = diff.changes(&ApplyOptions::new());
    assert_eq!(change, Ok(vec![TableChange::Families(safe)]));
    let diff = without(diff, Safety::Safe);
    assert_eq!(diff.differences.len(), 1);
    assert_eq!(diff.changes(&ApplyOptions::new()), Ok(Vec::new()));
}

#[test]
fn a_family_is_dropped_by_its_name_only() {
    let (_, _, diff) = mixed();
    let diff = without(without(diff, Safety::Fixed), Safety::Unsafe);
    let diff = without(diff, Safety::Safe);
    let change = diff.changes(&ApplyOptions::new().drop_family("other"));
    let dropped = FamilyChange::Drop("other".to_owned());
    assert_eq!(change, Ok(vec![TableChange::Families(vec![dropped])]));
    for not_unknown in ["fine", "looser", "nowhere"] {
        let refused = diff.changes(&ApplyOptions::new().drop_family(not_unknown));
        let family = not_unknown.to_owned();
        let table = "t".to_owned();
        assert_eq!(refused, Err(SchemaError::NotUnknown { table, family }));
    }
}

fn on_memory(have: Option<&TableSchema>) -> MemoryBackend {
    let db = MemoryBackend::new();
    if let Some(have) = have {
        block_on(db.tables().create(have.clone(), Vec::new())).unwrap();
    }
    db
}

#[test]
fn what_is_applied_agrees() {
    let (have, wanted, diff) = mixed();
    let diff = without(diff, Safety::Fixed);
    let db = on_memory(Some(&have));
    let refused = block_on(db.apply(&diff, &ApplyOptions::new())).unwrap_err();
    assert!(matches!(refused, Error::Schema(SchemaError::Unsafe { .. })));
    assert_eq!(
        block_on(db.tables().get("t")),
        Ok(have),
        "nothing is half done"
    );
    let options = ApplyOptions::new().allow_unsafe(true).drop_family("other");
    block_on(db.apply(&diff, &options)).unwrap();
    let left = block_on(wanted.diff_on(&db)).unwrap();
    let left: Vec<_> = left.differences.iter().map(|one| one.family()).collect();
    assert_eq!(left, [Some("kind")]);
}

#[test]
fn a_missing_table_is_created_once() {
    let wanted = WantedTable::of(&ModelSchema {
        key: salted("P", Some((0, 3))),
        ..model([("a", Some(versions(1)))])
    });
    let db = on_memory(None);
    let diff = block_on(wanted.diff_on(&db)).unwrap();
    block_on(db.apply(&diff, &ApplyOptions::new())).unwrap();
    assert!(block_on(wanted.diff_on(&db)).unwrap().agrees());
    let samples = block_on(db.sample_row_keys("t")).unwrap();
    let samples: Vec<_> = samples.into_iter().map(|sample| sample.key).collect();
    assert_eq!(samples, ["P#1", "P#2", ""]);
    let again = block_on(db.apply(&diff, &ApplyOptions::new())).unwrap_err();
    assert!(matches!(
        again,
        Error::Schema(SchemaError::Changed { family: None, .. })
    ));
}

#[test]
fn a_comparison_that_is_old_is_refused() {
    let wanted = WantedTable::of(&model([("a", Some(days(30))), ("b", None)]));
    let db = on_memory(Some(&table([("a", family(days(7)))])));
    let diff = block_on(wanted.diff_on(&db)).unwrap();
    // Meanwhile someone loosens the rule, so that the change that was safe would tighten it.
    let change = FamilyChange::Update("a".to_owned(), family(days(90)));
    let now = block_on(db.tables().modify_families("t", vec![change])).unwrap();
    let refused = block_on(db.apply(&diff, &ApplyOptions::new())).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "table t has changed since it was compared, in family \"a\": compare it again"
    );
    assert_eq!(block_on(db.tables().get("t")), Ok(now));
    block_on(db.tables().delete("t")).unwrap();
    let refused = block_on(db.apply(&diff, &ApplyOptions::new())).unwrap_err();
    assert!(matches!(
        refused,
        Error::Schema(SchemaError::Changed { .. })
    ));
}

#[test]
fn ensuring_leaves_alone_what_is_there() {
    let wanted = WantedTable::of(&model([("a", Some(days(30))), ("b", Some(versions(1)))]));
    let have = table([("a", family(days(7))), ("c", family(None))]);
    let db = on_memory(Some(&have));
    block_on(wanted.ensure(&db)).unwrap();
    let now = block_on(db.tables().get("t")).unwrap();
    let expected = table([
        ("a", family(days(7))),
        ("b", family(versions(1))),
        ("c", family(None)),
    ]);
    assert_eq!(now, expected);
}

/// A safe change deletes nothing that the previous rule would have kept, as the memory backend
/// collects garbage.
#[test]
fn a_safe_change_deletes_nothing() {
    let rules = [
        None,
        Some(versions(1)),
        Some(versions(3)),
        Some(age(25)),
        Some(age(55)),
        Some(either([versions(2), age(45)])),
        Some(both([versions(2), age(45)])),
        Some(both([versions(1), either([versions(4), age(25)])])),
    ];
    let mut seen = 0;
    for have in &rules {
        for want in &rules {
            if compare_rules(have.as_ref(), want.as_ref()) != RuleChange::KeepsMore {
                continue;
            }
            seen += 1;
            assert_eq!(
                after_gc(have.clone(), None),
                after_gc(have.clone(), Some(want.clone()))
            );
        }
    }
    assert!(seen > 10, "{seen}");
}

/// How many of nine cells, one each 10 ms, are left after garbage collection by a rule, and then by
/// another.
fn after_gc(rule: Option<GcRule>, then: Option<Option<GcRule>>) -> usize {
    let db = on_memory(Some(&table([("f", family(rule))])));
    let cell = |tens: i64| Mutation::SetCell {
        family: "f".into(),
        qualifier: "q".into(),
        timestamp_micros: tens * 10_000,
        value: "v".into(),
    };
    let row = RowMutations {
        key: "r".into(),
        mutations: (1..=9).map(cell).collect(),
    };
    block_on(db.mutate_row("t", row)).unwrap();
    db.run_gc(Timestamp::from_millis(100));
    if let Some(rule) = then {
        let change = FamilyChange::Update("f".to_owned(), family(rule));
        block_on(db.tables().modify_families("t", vec![change])).unwrap();
        db.run_gc(Timestamp::from_millis(100));
    }
    let request = ReadRows {
        table: "t".to_owned(),
        ..ReadRows::default()
    };
    let rows: Vec<_> = block_on(db.read_rows(request).rows().try_collect()).unwrap();
    rows.iter().map(|row| row.cells.len()).sum()
}
