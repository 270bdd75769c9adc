//! What deletes remove and keep.

use bytes::Bytes;

use super::cases;
use crate::Code;
use crate::data::Mutation;
use crate::testing::expect::{CaseResult, expect_code, expect_eq};
use crate::testing::scratch::{Scratch, set};

cases! { "deletes":
    a_column,
    a_range_of_a_column_is_half_open,
    a_range_without_end,
    an_inverted_range_is_refused,
    an_empty_range_is_refused,
    a_family,
    a_row,
    a_row_without_cells_is_no_row,
    what_is_not_there,
    an_unknown_family_is_refused,
}

fn column(qualifier: &'static str, start_micros: i64, end_micros: i64) -> Mutation {
    Mutation::DeleteFromColumn {
        family: "f".into(),
        qualifier: Bytes::from_static(qualifier.as_bytes()),
        start_micros,
        end_micros,
    }
}

async fn four_versions(t: &Scratch<'_>) -> CaseResult {
    let times = [1_000, 2_000, 3_000, 4_000];
    let writes = times.map(|time| set("f", "q", time, "v")).to_vec();
    Ok(t.mutate("r", writes).await?)
}

async fn a_column(t: &Scratch<'_>) -> CaseResult {
    four_versions(t).await?;
    t.mutate("r", vec![set("f", "p", 1_000, "v"), column("q", 0, 0)])
        .await?;
    t.expect_cells("r", &["f:p@1=v"]).await
}

async fn a_range_of_a_column_is_half_open(t: &Scratch<'_>) -> CaseResult {
    four_versions(t).await?;
    t.mutate("r", vec![column("q", 2_000, 4_000)]).await?;
    t.expect_cells("r", &["f:q@4=v", "f:q@1=v"]).await
}

async fn a_range_without_end(t: &Scratch<'_>) -> CaseResult {
    four_versions(t).await?;
    t.mutate("r", vec![column("q", 3_000, 0)]).await?;
    t.expect_cells("r", &["f:q@2=v", "f:q@1=v"]).await
}

async fn an_inverted_range_is_refused(t: &Scratch<'_>) -> CaseResult {
    four_versions(t).await?;
    let got = t.mutate("r", vec![column("q", 3_000, 2_000)]).await;
    expect_code("[3 ms, 2 ms)", got, Code::InvalidArgument)
}

async fn an_empty_range_is_refused(t: &Scratch<'_>) -> CaseResult {
    four_versions(t).await?;
    let got = t.mutate("r", vec![column("q", 2_000, 2_000)]).await;
    expect_code("[2 ms, 2 ms)", got, Code::InvalidArgument)
}

async fn a_family(t: &Scratch<'_>) -> CaseResult {
    let writes = vec![
        set("f", "a", 1_000, "v"),
        set("f", "b", 1_000, "v"),
        set("g", "a", 1_000, "v"),
    ];
    t.mutate("r", writes).await?;
    let family = "f".into();
    t.mutate("r", vec![Mutation::DeleteFromFamily { family }])
        .await?;
    t.expect_cells("r", &["g:a@1=v"]).await
}

async fn a_row(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["a", "b", "c"]).await?;
    t.mutate("b", vec![Mutation::DeleteFromRow]).await?;
    let keys = t.keys(t.request()).await?;
    expect_eq("keys", &keys, &vec!["a".to_owned(), "c".to_owned()])
}

async fn a_row_without_cells_is_no_row(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["a", "b"]).await?;
    t.mutate("b", vec![column("q", 0, 0)]).await?;
    let keys = t.keys(t.request()).await?;
    expect_eq("keys", &keys, &vec!["a".to_owned()])
}

async fn what_is_not_there(t: &Scratch<'_>) -> CaseResult {
    let family = "f".into();
    let deletes = vec![
        column("q", 0, 0),
        Mutation::DeleteFromFamily { family },
        Mutation::DeleteFromRow,
    ];
    t.mutate("r", deletes).await?;
    t.expect_cells("r", &[]).await
}

async fn an_unknown_family_is_refused(t: &Scratch<'_>) -> CaseResult {
    let family = "absent".into();
    let got = t
        .mutate("r", vec![Mutation::DeleteFromFamily { family }])
        .await;
    expect_code("DeleteFromFamily", got, Code::NotFound)
}
