//! Single-row writes.

use bytes::Bytes;

use super::cases;
use crate::Code;
use crate::data::{Mutation, RowMutations, SERVER_TIME};
use crate::testing::expect::{CaseResult, expect, expect_code, expect_eq};
use crate::testing::scratch::{Scratch, set};

cases! { "writes":
    a_written_cell_is_read,
    bytes_come_back_as_they_were,
    columns_are_ordered_by_bytes,
    versions_come_newest_first,
    same_timestamp_replaces,
    timestamp_zero_is_a_time,
    largest_timestamp_is_accepted,
    empty_qualifier_and_value,
    server_time_is_whole_milliseconds,
    server_times_of_one_request_collapse,
    mutations_apply_in_order,
    a_failing_mutation_leaves_no_trace,
    families_are_apart,
}

async fn a_written_cell_is_read(t: &Scratch<'_>) -> CaseResult {
    t.mutate("r", vec![set("f", "q", 1_000, "v")]).await?;
    t.expect_cells("r", &["f:q@1=v"]).await?;
    t.expect_cells("s", &[]).await
}

async fn bytes_come_back_as_they_were(t: &Scratch<'_>) -> CaseResult {
    let bytes: Bytes = (0..=u8::MAX).collect();
    let row = RowMutations {
        key: bytes.clone(),
        mutations: vec![Mutation::SetCell {
            family: "f".into(),
            qualifier: bytes.clone(),
            timestamp_micros: 1_000,
            value: bytes.clone(),
        }],
    };
    t.db.mutate_row(&t.table, row).await?;
    let rows = t.read(t.request()).await?;
    let got: Vec<_> = rows
        .iter()
        .flat_map(|row| {
            row.cells
                .iter()
                .map(|cell| (&row.key, &cell.qualifier, &cell.value))
        })
        .collect();
    expect_eq(
        "key, qualifier and value",
        &got,
        &vec![(&bytes, &bytes, &bytes)],
    )
}

async fn columns_are_ordered_by_bytes(t: &Scratch<'_>) -> CaseResult {
    let names = ["b", "a", "B", "", "aa", "\u{e9}"];
    let writes = names.map(|name| set("f", name, 1_000, "v")).to_vec();
    t.mutate("r", writes).await?;
    let expected = [
        "f:@1=v",
        "f:B@1=v",
        "f:a@1=v",
        "f:aa@1=v",
        "f:b@1=v",
        "f:\\xc3\\xa9@1=v",
    ];
    t.expect_cells("r", &expected).await
}

async fn versions_come_newest_first(t: &Scratch<'_>) -> CaseResult {
    for (time, value) in [(2_000, "b"), (1_000, "a"), (3_000, "c")] {
        t.mutate("r", vec![set("f", "q", time, value)]).await?;
    }
    t.expect_cells("r", &["f:q@3=c", "f:q@2=b", "f:q@1=a"])
        .await
}

async fn same_timestamp_replaces(t: &Scratch<'_>) -> CaseResult {
    t.mutate("r", vec![set("f", "q", 1_000, "a")]).await?;
    t.mutate("r", vec![set("f", "q", 1_000, "b")]).await?;
    t.expect_cells("r", &["f:q@1=b"]).await
}

async fn timestamp_zero_is_a_time(t: &Scratch<'_>) -> CaseResult {
    t.mutate("r", vec![set("f", "q", 0, "a")]).await?;
    t.expect_cells("r", &["f:q@0=a"]).await
}

async fn largest_timestamp_is_accepted(t: &Scratch<'_>) -> CaseResult {
    let largest = 9_223_372_036_854_775_000;
    t.mutate("r", vec![set("f", "q", largest, "a")]).await?;
    t.expect_cells("r", &["f:q@9223372036854775=a"]).await
}

async fn empty_qualifier_and_value(t: &Scratch<'_>) -> CaseResult {
    t.mutate("r", vec![set("f", "", 1_000, "")]).await?;
    t.expect_cells("r", &["f:@1="]).await
}

async fn server_time_is_whole_milliseconds(t: &Scratch<'_>) -> CaseResult {
    t.mutate("r", vec![set("f", "q", SERVER_TIME, "v")]).await?;
    let rows = t.read(t.request()).await?;
    let times: Vec<_> = rows
        .iter()
        .flat_map(|row| &row.cells)
        .map(|cell| cell.timestamp_micros)
        .collect();
    expect_eq("number of cells", &times.len(), &1)?;
    let whole = times.iter().all(|time| *time >= 0 && time % 1_000 == 0);
    expect(&format!("whole milliseconds, not {times:?}"), whole)
}

async fn server_times_of_one_request_collapse(t: &Scratch<'_>) -> CaseResult {
    let writes = vec![
        set("f", "q", SERVER_TIME, "a"),
        set("f", "q", SERVER_TIME, "b"),
    ];
    t.mutate("r", writes).await?;
    let rows = t.read(t.request()).await?;
    let values: Vec<_> = rows
        .iter()
        .flat_map(|row| &row.cells)
        .map(|cell| cell.value.clone())
        .collect();
    expect_eq("values", &values, &vec![Bytes::from_static(b"b")])
}

async fn mutations_apply_in_order(t: &Scratch<'_>) -> CaseResult {
    t.mutate("r", vec![set("f", "old", 1_000, "a")]).await?;
    let writes = vec![
        set("f", "lost", 1_000, "a"),
        Mutation::DeleteFromRow,
        set("f", "kept", 1_000, "b"),
    ];
    t.mutate("r", writes).await?;
    t.expect_cells("r", &["f:kept@1=b"]).await
}

async fn a_failing_mutation_leaves_no_trace(t: &Scratch<'_>) -> CaseResult {
    let writes = vec![set("f", "q", 1_000, "a"), set("absent", "q", 1_000, "b")];
    expect_code(
        "unknown family",
        t.mutate("r", writes).await,
        Code::NotFound,
    )?;
    t.expect_cells("r", &[]).await
}

async fn families_are_apart(t: &Scratch<'_>) -> CaseResult {
    t.mutate(
        "r",
        vec![set("g", "q", 1_000, "b"), set("f", "q", 1_000, "a")],
    )
    .await?;
    let mut got = t.cells("r").await?;
    // The order of families is unspecified.
    got.sort();
    expect_eq(
        "cells",
        &got,
        &vec!["f:q@1=a".to_owned(), "g:q@1=b".to_owned()],
    )
}
