//! Tables and families on Google's emulator.

use std::time::Duration;

use bigtable_model::Code;
use bigtable_model::data::{
    AggregateKind, FamilyChange, FamilySchema, GcRule, Mutation, RowDeletion, TableSchema,
};

use crate::fixture::{Fixture, TABLE, all};

fn rule(rule: GcRule) -> FamilySchema {
    FamilySchema {
        gc_rule: Some(rule),
        aggregate: None,
    }
}

fn aggregate(kind: AggregateKind) -> FamilySchema {
    FamilySchema {
        gc_rule: None,
        aggregate: Some(kind),
    }
}

fn schema(table: &str, families: Vec<(&str, FamilySchema)>) -> TableSchema {
    let families = families.into_iter();
    TableSchema {
        table: table.to_owned(),
        families: families.map(|(name, one)| (name.to_owned(), one)).collect(),
        ..TableSchema::default()
    }
}

#[tokio::test]
async fn a_table_comes_back_as_it_was_created() {
    let Some(fixture) = Fixture::without_table() else {
        return;
    };
    let age = GcRule::MaxAge(Duration::from_millis(90_000_500));
    let both = vec![GcRule::MaxVersions(3), age.clone()];
    let wanted = schema(
        "metrics",
        vec![
            ("keep", FamilySchema::default()),
            ("versions", rule(GcRule::MaxVersions(1))),
            ("age", rule(age)),
            ("any", rule(GcRule::Union(both.clone().into()))),
            ("each", rule(GcRule::Intersection(both.into()))),
            ("sum", aggregate(AggregateKind::Sum)),
            ("min", aggregate(AggregateKind::Min)),
            ("max", aggregate(AggregateKind::Max)),
        ],
    );
    let backend = &fixture.backend;
    let splits = vec!["h".into(), "q".into()];
    backend
        .tables()
        .create(wanted.clone(), splits)
        .await
        .unwrap();
    assert_eq!(backend.tables().get("metrics").await, Ok(wanted.clone()));
    let again = backend.tables().create(wanted, Vec::new()).await;
    assert_eq!(again.unwrap_err().code, Code::AlreadyExists);
}

#[tokio::test]
async fn tables_are_listed_and_deleted() {
    let Some(fixture) = Fixture::without_table() else {
        return;
    };
    let backend = &fixture.backend;
    assert_eq!(backend.tables().list().await, Ok(Vec::new()));
    for table in ["b", "a", "c"] {
        let created = backend.tables().create(schema(table, vec![]), vec![]).await;
        created.unwrap();
    }
    assert_eq!(backend.tables().list().await.unwrap(), ["a", "b", "c"]);
    backend.tables().delete("b").await.unwrap();
    assert_eq!(backend.tables().list().await.unwrap(), ["a", "c"]);
    for missing in [
        backend.tables().delete("b").await.map(drop),
        backend.tables().get("b").await.map(drop),
        backend.sample_row_keys("b").await.map(drop),
        backend.tables().drop_rows("b", RowDeletion::All).await,
    ] {
        assert_eq!(missing.unwrap_err().code, Code::NotFound);
    }
}

#[tokio::test]
async fn families_are_created_changed_and_dropped() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    let changes = vec![
        FamilyChange::Create("h".to_owned(), rule(GcRule::MaxVersions(5))),
        FamilyChange::Update("f".to_owned(), rule(GcRule::MaxVersions(2))),
        FamilyChange::Drop("g".to_owned()),
    ];
    let wanted = schema(
        TABLE,
        vec![
            ("f", rule(GcRule::MaxVersions(2))),
            ("h", rule(GcRule::MaxVersions(5))),
        ],
    );
    let backend = &fixture.backend;
    let changed = backend.tables().modify_families(TABLE, changes).await;
    assert_eq!(changed, Ok(wanted.clone()));
    assert_eq!(backend.tables().get(TABLE).await, Ok(wanted));
    let again = vec![FamilyChange::Create(
        "h".to_owned(),
        FamilySchema::default(),
    )];
    let refused = backend
        .tables()
        .modify_families(TABLE, again)
        .await
        .unwrap_err();
    assert_eq!(refused.code, Code::AlreadyExists);
}

#[tokio::test]
async fn rows_are_dropped_by_prefix_or_all() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    fixture.fill(["a1", "a2", "b1", "c"]).await;
    let backend = &fixture.backend;
    let prefix = RowDeletion::Prefix("a".into());
    backend.tables().drop_rows(TABLE, prefix).await.unwrap();
    assert_eq!(fixture.keys(all()).await, ["b1", "c"]);
    backend
        .tables()
        .drop_rows(TABLE, RowDeletion::All)
        .await
        .unwrap();
    assert_eq!(fixture.keys(all()).await, [] as [&str; 0]);
}

/// The emulator's minimum and maximum families keep the last input instead, so only sums are tested
/// here.
#[tokio::test]
async fn aggregates_add_what_is_added_and_merged() {
    let Some(fixture) = Fixture::without_table() else {
        return;
    };
    let families = vec![("sum", aggregate(AggregateKind::Sum))];
    let created = (fixture.backend)
        .tables()
        .create(schema(TABLE, families), vec![]);
    created.await.unwrap();
    for input in [7, -2, 4] {
        let add = Mutation::AddToCell {
            family: "sum".into(),
            qualifier: "q".into(),
            timestamp_micros: 5000,
            input,
        };
        fixture.write("k", vec![add]).await.unwrap();
    }
    let merge = Mutation::MergeToCell {
        family: "sum".into(),
        qualifier: "q".into(),
        timestamp_micros: 5000,
        input: 1i64.to_be_bytes().to_vec().into(),
    };
    fixture.write("k", vec![merge]).await.unwrap();
    let rows = fixture.read(all()).await.unwrap();
    assert_eq!(rows[0].cells.len(), 1);
    assert_eq!(rows[0].cells[0].timestamp_micros, 5000);
    assert_eq!(rows[0].cells[0].value, 10i64.to_be_bytes().as_slice());
}
