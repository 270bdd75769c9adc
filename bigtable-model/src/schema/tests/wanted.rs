use super::*;
use crate::data::AggregateKind;
use crate::schema::{Difference, Safety, SchemaError, TableDiff, WantedTable};

#[test]
fn a_salt_in_front_splits_a_table_where_shards_begin() {
    let splits = |prefix, salt| {
        let model = ModelSchema {
            key: salted(prefix, salt),
            ..model([("f", None)])
        };
        WantedTable::of(&model).splits
    };
    assert_eq!(splits("", Some((0, 3))), ["1", "2"]);
    assert_eq!(splits("P", Some((0, 3))), ["P#1", "P#2"]);
    let two_digits = splits("", Some((0, 11)));
    assert_eq!(two_digits.len(), 10);
    assert_eq!((&*two_digits[0], &*two_digits[9]), (&b"01"[..], &b"10"[..]));
    assert_eq!(splits("", Some((1, 3))), [] as [&str; 0], "after a segment");
    assert_eq!(splits("P", None), [] as [&str; 0]);
}

/// A key is in the part of its own shard.
#[test]
fn keys_of_a_shard_are_between_its_splits() {
    let key = salted("P", Some((0, 12)));
    let model = ModelSchema {
        key: key.clone(),
        ..model([("f", None)])
    };
    let splits = WantedTable::of(&model).splits;
    let mut parts = std::collections::BTreeSet::new();
    for number in 0..1000 {
        let mut bytes = Vec::new();
        let value = crate::key::SegmentValue::String(number.to_string());
        key.encode(&[value], &mut bytes).unwrap();
        let shard: usize = std::str::from_utf8(&bytes[2..4]).unwrap().parse().unwrap();
        let part = splits.partition_point(|split| **split <= *bytes);
        assert_eq!(part, shard);
        parts.insert(part);
    }
    assert_eq!(parts.len(), 12);
}

#[test]
fn families_have_the_rules_of_the_model() {
    let wanted = WantedTable::of(&model([("a", None), ("b", Some(days(30)))]));
    let schema = table([("a", family(None)), ("b", family(days(30)))]);
    assert_eq!(wanted.schema, schema);
    let renamed = wanted.clone().named("T_20260501");
    assert_eq!(renamed.schema.table, "T_20260501");
    assert_eq!(renamed.schema.families, wanted.schema.families);
}

#[test]
fn models_that_share_a_table_are_joined() {
    let one = ModelSchema {
        key: salted("", Some((0, 2))),
        ..model([("a", Some(either([versions(2), days(1)]))), ("b", None)])
    };
    let other = ModelSchema {
        key: salted("", Some((0, 3))),
        // The same cells, written differently.
        ..model([
            ("a", Some(either([days(1), versions(2), versions(5)]))),
            ("c", Some(days(1))),
        ])
    };
    let elsewhere = ModelSchema {
        table: "elsewhere".into(),
        ..model([("a", None)])
    };
    let tables = WantedTable::of_models([&one, &elsewhere, &other]).unwrap();
    assert_eq!(tables.len(), 2);
    assert_eq!(tables[0].schema.table, "elsewhere");
    let families: Vec<_> = tables[1].schema.families.keys().collect();
    assert_eq!(families, ["a", "b", "c"]);
    assert_eq!(tables[1].splits, ["1", "2"]);
}

#[test]
fn a_conflict_of_rules_is_named() {
    let one = model([("a", Some(versions(2))), ("b", None)]);
    let other = model([("b", Some(days(1)))]);
    let refused = WantedTable::of_models([&one, &other]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "table t: one model's family \"b\" keeps every cell, another's deletes cells older than 1d: give both the same rule"
    );
    let mut wanted = WantedTable::of(&one);
    let before = wanted.clone();
    assert_eq!(wanted.join(WantedTable::of(&other)), Err(refused));
    assert_eq!(wanted, before);
    let elsewhere = WantedTable {
        schema: TableSchema::default(),
        splits: Vec::new(),
        row_keys: None,
    };
    let refused = wanted.join(elsewhere).unwrap_err();
    assert!(matches!(refused, SchemaError::TwoTables { .. }));
}

fn sums(rule: impl Into<Option<GcRule>>) -> FamilySchema {
    FamilySchema {
        aggregate: Some(AggregateKind::Sum),
        ..family(rule)
    }
}

/// One difference of each sort.
pub(super) fn mixed() -> (TableSchema, WantedTable, TableDiff) {
    let wanted = model([
        ("fine", Some(either([versions(1), days(1)]))),
        ("gone", Some(versions(1))),
        ("kind", None),
        ("looser", Some(days(30))),
        ("tighter", Some(days(7))),
    ]);
    let have = table([
        ("fine", family(either([days(1), versions(1)]))),
        ("kind", sums(None)),
        ("looser", family(days(7))),
        ("other", family(days(1))),
        ("tighter", family(None)),
    ]);
    let wanted = WantedTable::of(&wanted);
    let diff = wanted.diff(Some(&have));
    (have, wanted, diff)
}

#[test]
fn each_difference_is_named_with_its_safety() {
    let (_, _, diff) = mixed();
    let sorts: Vec<_> = diff
        .differences
        .iter()
        .map(|one| (one.family().unwrap(), one.safety()))
        .collect();
    assert_eq!(
        sorts,
        [
            ("gone", Safety::Safe),
            ("kind", Safety::Fixed),
            ("looser", Safety::Safe),
            ("tighter", Safety::Unsafe),
            ("other", Safety::LeftAlone),
        ]
    );
    assert!(!diff.agrees());
    assert_eq!(
        diff.to_string(),
        r#"table t is not as the model wants it:
  family "gone" is missing; wanted: deletes cells beyond the newest version (safe)
  family "kind" holds sums; wanted: plain values (cannot be changed)
  family "looser" deletes cells older than 7d; wanted: older than 30d (safe)
  family "tighter" keeps every cell; wanted: deletes cells older than 7d (unsafe: cells may go that are kept today)
  family "other" deletes cells older than 1d; the model does not have it (left alone)"#
    );
}

#[test]
fn a_missing_table_is_one_difference() {
    let wanted = ModelSchema {
        key: salted("", Some((0, 4))),
        ..model([("a", None), ("b", Some(days(30)))])
    };
    let wanted = WantedTable::of(&wanted);
    let diff = wanted.diff(None);
    assert_eq!(diff.differences, [Difference::MissingTable(wanted)]);
    assert_eq!(
        diff.to_string(),
        r#"table t is not as the model wants it:
  the table is missing; wanted: family "a" that keeps every cell, family "b" that deletes cells older than 30d, split into 4 (safe)"#
    );
}

#[test]
fn a_table_with_more_families_agrees() {
    let have = table([("a", family(None)), ("more", sums(versions(1)))]);
    let diff = WantedTable::of(&model([("a", None)])).diff(Some(&have));
    assert!(diff.agrees());
    assert_eq!(
        diff.to_string(),
        "table t is as the model wants it\n  family \"more\" of sums, deletes cells beyond the newest version; the model does not have it (left alone)"
    );
    let none = WantedTable::of(&model([("a", None), ("more", None)]))
        .diff(Some(&table([("a", family(None)), ("more", family(None))])));
    assert_eq!(none.differences, []);
}

#[test]
#[cfg(feature = "json")]
fn differences_are_data() {
    let (_, wanted, diff) = mixed();
    let text = serde_json::to_string(&(&wanted, &diff)).unwrap();
    let back: (WantedTable, TableDiff) = serde_json::from_str(&text).unwrap();
    assert_eq!(back, (wanted, diff));
}
