//! Tables, families, dropped row ranges, sampled keys.

use std::time::Duration;

use bytes::Bytes;

use super::cases;
use crate::Code;
use crate::data::{FamilyChange, FamilySchema, GcRule, RowDeletion, TableSchema};
use crate::testing::expect::{CaseResult, expect, expect_code, expect_eq};
use crate::testing::scratch::{Scratch, schema, set, strings};

cases! { "admin":
    a_table_is_described,
    a_table_is_made_once,
    a_deleted_table_is_gone,
    tables_are_listed_in_order,
    a_table_name_is_checked,
    rules_are_kept,
    a_rule_of_nothing_is_refused,
    families_are_created_and_dropped,
    a_new_family_takes_cells,
    a_dropped_family_takes_its_cells_along,
    families_change_all_or_none,
    an_update_replaces_the_rule,
    drop_by_prefix,
    drop_all,
    drop_by_an_empty_prefix_is_refused,
    samples_are_ordered_and_end_the_table,
    samples_are_one_per_split,
}

async fn a_table_is_described(t: &Scratch<'_>) -> CaseResult {
    let got = t.db.tables().get(&t.table).await?;
    expect_eq("schema", &got, &schema(&t.table, &["f", "g"]))?;
    expect_code(
        "no such table",
        t.db.tables().get(&t.new_name()).await,
        Code::NotFound,
    )
}

async fn a_table_is_made_once(t: &Scratch<'_>) -> CaseResult {
    let got =
        t.db.tables()
            .create(schema(&t.table, &["f"]), Vec::new())
            .await;
    expect_code("second time", got, Code::AlreadyExists)?;
    let got = t.db.tables().get(&t.table).await?;
    expect_eq("schema", &got, &schema(&t.table, &["f", "g"]))
}

async fn a_deleted_table_is_gone(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["a"]).await?;
    t.db.tables().delete(&t.table).await?;
    expect_code("read", t.keys(t.request()).await, Code::NotFound)?;
    expect_code(
        "deleted again",
        t.db.tables().delete(&t.table).await,
        Code::NotFound,
    )?;
    t.db.tables()
        .create(schema(&t.table, &["f"]), Vec::new())
        .await?;
    let keys = t.keys(t.request()).await?;
    expect_eq("keys of the recreated table", &keys, &Vec::new())
}

async fn tables_are_listed_in_order(t: &Scratch<'_>) -> CaseResult {
    let other = t.new_name();
    t.db.tables()
        .create(schema(&other, &["f"]), Vec::new())
        .await?;
    let tables = t.db.tables().list().await?;
    expect(&format!("in order, not {tables:?}"), tables.is_sorted())?;
    let both = tables.contains(&t.table) && tables.contains(&other);
    expect(&format!("with the tables made, not {tables:?}"), both)
}

async fn a_table_name_is_checked(t: &Scratch<'_>) -> CaseResult {
    for name in ["", "a/b", "a b", "-a", ".a", &"a".repeat(51)] {
        let got = t.db.tables().create(schema(name, &["f"]), Vec::new()).await;
        if got.is_ok() {
            t.db.tables().delete(name).await?;
        }
        expect_code(&format!("table {name:?}"), got, Code::InvalidArgument)?;
    }
    Ok(())
}

fn with_rule(rule: GcRule) -> FamilySchema {
    FamilySchema {
        gc_rule: Some(rule),
        aggregate: None,
    }
}

async fn rules_are_kept(t: &Scratch<'_>) -> CaseResult {
    let day = GcRule::MaxAge(Duration::from_secs(86_400));
    let both = vec![GcRule::MaxVersions(3), day.clone()];
    let rules = [
        ("a", GcRule::MaxVersions(1)),
        ("b", day),
        ("c", GcRule::Union(both.clone().into())),
        ("d", GcRule::Intersection(both.into())),
    ];
    let expected = TableSchema {
        table: t.new_name(),
        families: rules
            .map(|(name, rule)| (name.to_owned(), with_rule(rule)))
            .into(),
        ..TableSchema::default()
    };
    t.db.tables().create(expected.clone(), Vec::new()).await?;
    let got = t.db.tables().get(&expected.table).await?;
    expect_eq("schema", &got, &expected)
}

async fn a_rule_of_nothing_is_refused(t: &Scratch<'_>) -> CaseResult {
    for rule in [GcRule::MaxVersions(0), GcRule::MaxAge(Duration::ZERO)] {
        let what = format!("{rule:?}");
        let change = FamilyChange::Create("h".to_owned(), with_rule(rule));
        let got = t.db.tables().modify_families(&t.table, vec![change]).await;
        expect_code(&what, got, Code::InvalidArgument)?;
    }
    Ok(())
}

fn create(name: &str) -> FamilyChange {
    FamilyChange::Create(name.to_owned(), FamilySchema::default())
}

fn remove(name: &str) -> FamilyChange {
    FamilyChange::Drop(name.to_owned())
}

async fn families_are_created_and_dropped(t: &Scratch<'_>) -> CaseResult {
    let got =
        t.db.tables()
            .modify_families(&t.table, vec![create("h"), remove("g")])
            .await?;
    expect_eq("schema returned", &got, &schema(&t.table, &["f", "h"]))?;
    let got = t.db.tables().get(&t.table).await?;
    expect_eq("schema read", &got, &schema(&t.table, &["f", "h"]))
}

async fn a_new_family_takes_cells(t: &Scratch<'_>) -> CaseResult {
    t.db.tables()
        .modify_families(&t.table, vec![create("h")])
        .await?;
    t.mutate("r", vec![set("h", "q", 1_000, "v")]).await?;
    t.expect_cells("r", &["h:q@1=v"]).await
}

async fn a_dropped_family_takes_its_cells_along(t: &Scratch<'_>) -> CaseResult {
    t.mutate(
        "both",
        vec![set("f", "q", 1_000, "v"), set("g", "q", 1_000, "v")],
    )
    .await?;
    t.mutate("one", vec![set("g", "q", 1_000, "v")]).await?;
    t.db.tables()
        .modify_families(&t.table, vec![remove("g")])
        .await?;
    let keys = t.keys(t.request()).await?;
    expect_eq("keys", &keys, &strings(&["both"]))?;
    t.expect_cells("both", &["f:q@1=v"]).await?;
    t.db.tables()
        .modify_families(&t.table, vec![create("g")])
        .await?;
    t.expect_cells("both", &["f:q@1=v"]).await
}

async fn families_change_all_or_none(t: &Scratch<'_>) -> CaseResult {
    let got =
        t.db.tables()
            .modify_families(&t.table, vec![create("h"), create("f")])
            .await;
    expect_code("f is there", got, Code::AlreadyExists)?;
    let got =
        t.db.tables()
            .modify_families(&t.table, vec![create("h"), remove("absent")])
            .await;
    expect_code("absent is not", got, Code::NotFound)?;
    let got = t.db.tables().get(&t.table).await?;
    expect_eq("schema", &got, &schema(&t.table, &["f", "g"]))
}

async fn an_update_replaces_the_rule(t: &Scratch<'_>) -> CaseResult {
    let update =
        |name: &str| FamilyChange::Update(name.to_owned(), with_rule(GcRule::MaxVersions(2)));
    let mut expected = schema(&t.table, &["f", "g"]);
    expected
        .families
        .insert("f".to_owned(), with_rule(GcRule::MaxVersions(2)));
    let got =
        t.db.tables()
            .modify_families(&t.table, vec![update("f")])
            .await?;
    expect_eq("schema", &got, &expected)?;
    let got =
        t.db.tables()
            .modify_families(&t.table, vec![update("absent")])
            .await;
    expect_code("absent", got, Code::NotFound)
}

async fn drop_by_prefix(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["a", "a#1", "a#2", "a$", "b"]).await?;
    let prefix = Bytes::from_static(b"a#");
    t.db.tables()
        .drop_rows(&t.table, RowDeletion::Prefix(prefix))
        .await?;
    let keys = t.keys(t.request()).await?;
    expect_eq("keys", &keys, &strings(&["a", "a$", "b"]))
}

async fn drop_all(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["a", "b"]).await?;
    t.db.tables().drop_rows(&t.table, RowDeletion::All).await?;
    let keys = t.keys(t.request()).await?;
    expect_eq("keys", &keys, &Vec::new())
}

async fn drop_by_an_empty_prefix_is_refused(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["a"]).await?;
    let got =
        t.db.tables()
            .drop_rows(&t.table, RowDeletion::Prefix(Bytes::new()))
            .await;
    expect_code("empty prefix", got, Code::InvalidArgument)?;
    let keys = t.keys(t.request()).await?;
    expect_eq("keys", &keys, &strings(&["a"]))
}

async fn samples_are_ordered_and_end_the_table(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["a", "b", "c"]).await?;
    let samples = t.db.sample_row_keys(&t.table).await?;
    let last = samples.last().map(|sample| sample.key.clone());
    expect_eq("the last key", &last, &Some(Bytes::new()))?;
    let inner = samples.split_last().map_or(&[][..], |(_, inner)| inner);
    let keys: Vec<_> = inner.iter().map(|sample| &sample.key).collect();
    expect(&format!("keys in order, not {keys:?}"), keys.is_sorted())?;
    let offsets: Vec<_> = samples.iter().map(|sample| sample.offset_bytes).collect();
    expect(
        &format!("offsets in order, not {offsets:?}"),
        offsets.is_sorted(),
    )
}

async fn samples_are_one_per_split(t: &Scratch<'_>) -> CaseResult {
    let table = t.new_name();
    let splits = vec![Bytes::from_static(b"m"), Bytes::from_static(b"g")];
    t.db.tables().create(schema(&table, &["f"]), splits).await?;
    let samples = t.db.sample_row_keys(&table).await?;
    let keys: Vec<_> = samples.into_iter().map(|sample| sample.key).collect();
    let expected = ["g", "m", ""].map(Bytes::from);
    expect_eq("keys", &keys, &expected.to_vec())
}
