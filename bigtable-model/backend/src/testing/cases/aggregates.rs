//! Families whose cells are aggregates.

use bytes::Bytes;

use super::cases;
use crate::data::{AggregateKind, FamilySchema, Mutation, ReadRows, RowMutations, TableSchema};
use crate::testing::expect::{CaseResult, expect_code, expect_eq};
use crate::testing::scratch::{Scratch, set, show};
use crate::{Code, Status};

cases! { "aggregates":
    sum_adds,
    min_and_max_keep_one,
    a_merge_takes_a_state,
    aggregate_family_refuses_set_cell,
    plain_family_refuses_add_to_cell,
}

async fn aggregate_table(t: &Scratch<'_>) -> Result<String, Status> {
    let table = t.new_name();
    let kinds = [
        ("max", AggregateKind::Max),
        ("min", AggregateKind::Min),
        ("sum", AggregateKind::Sum),
    ];
    let families = kinds.map(|(name, kind)| {
        let schema = FamilySchema {
            aggregate: Some(kind),
            ..FamilySchema::default()
        };
        (name.to_owned(), schema)
    });
    let schema = TableSchema {
        table: table.clone(),
        families: families.into(),
        ..TableSchema::default()
    };
    t.db.tables().create(schema, Vec::new()).await?;
    Ok(table)
}

fn add(family: &'static str, input: i64) -> Mutation {
    Mutation::AddToCell {
        family: family.into(),
        qualifier: Bytes::from_static(b"q"),
        timestamp_micros: 1_000,
        input,
    }
}

async fn aggregate(t: &Scratch<'_>, mutations: Vec<Mutation>) -> Result<Vec<String>, Status> {
    let table = aggregate_table(t).await?;
    for mutation in mutations {
        let row = RowMutations {
            key: Bytes::from_static(b"r"),
            mutations: vec![mutation],
        };
        t.db.mutate_row(&table, row).await?;
    }
    let request = ReadRows {
        table,
        ..ReadRows::default()
    };
    let rows = t.read(request).await?;
    Ok(rows.iter().flat_map(|row| &row.cells).map(show).collect())
}

async fn sum_adds(t: &Scratch<'_>) -> CaseResult {
    let got = aggregate(t, vec![add("sum", 5), add("sum", -2), add("sum", 4)]).await?;
    let expected = vec![r"sum:q@1=\x00\x00\x00\x00\x00\x00\x00\x07".to_owned()];
    expect_eq("cells", &got, &expected)
}

async fn min_and_max_keep_one(t: &Scratch<'_>) -> CaseResult {
    let adds = ["min", "max"].map(|family| [5, 3, 4].map(|input| add(family, input)));
    let mut got = aggregate(t, adds.concat()).await?;
    got.sort();
    let expected = vec![
        r"max:q@1=\x00\x00\x00\x00\x00\x00\x00\x05".to_owned(),
        r"min:q@1=\x00\x00\x00\x00\x00\x00\x00\x03".to_owned(),
    ];
    expect_eq("cells", &got, &expected)
}

async fn aggregate_family_refuses_set_cell(t: &Scratch<'_>) -> CaseResult {
    let got = aggregate(t, vec![set("sum", "q", 1_000, "v")]).await;
    expect_code("SetCell", got, Code::InvalidArgument)
}

async fn plain_family_refuses_add_to_cell(t: &Scratch<'_>) -> CaseResult {
    expect_code(
        "AddToCell",
        t.mutate("r", vec![add("f", 1)]).await,
        Code::InvalidArgument,
    )
}

async fn a_merge_takes_a_state(t: &Scratch<'_>) -> CaseResult {
    let merge = Mutation::MergeToCell {
        family: "sum".into(),
        qualifier: Bytes::from_static(b"q"),
        timestamp_micros: 1_000,
        input: Bytes::copy_from_slice(&40_i64.to_be_bytes()),
    };
    let got = aggregate(t, vec![add("sum", 2), merge]).await?;
    expect_eq(
        "cells",
        &got,
        &vec![r"sum:q@1=\x00\x00\x00\x00\x00\x00\x00*".to_owned()],
    )
}
