//! Many rows in one call.

use super::cases;
use crate::Code;
use crate::data::Mutation;
use crate::testing::expect::{CaseResult, expect_code, expect_eq};
use crate::testing::scratch::{Scratch, entry, set};

cases! { "bulk":
    every_entry_has_an_outcome,
    entries_of_one_row_are_all_applied,
    an_entry_applies_in_order,
    unknown_family_fails_every_entry,
    bad_timestamp_fails_the_request,
    empty_key_fails_the_request,
    entry_without_mutations_fails_the_request,
    no_entries_are_refused,
}

async fn every_entry_has_an_outcome(t: &Scratch<'_>) -> CaseResult {
    let keys = ["c", "a", "b"];
    let rows = keys.map(|key| entry(key, vec![set("f", "q", 1_000, key)]));
    let outcomes = t.mutate_rows(rows.to_vec()).await?;
    expect_eq("outcomes", &outcomes, &vec![Ok(()), Ok(()), Ok(())])?;
    for key in keys {
        t.expect_cells(key, &[&format!("f:q@1={key}")]).await?;
    }
    Ok(())
}

async fn entries_of_one_row_are_all_applied(t: &Scratch<'_>) -> CaseResult {
    let rows = ["a", "b", "c"].map(|name| entry("r", vec![set("f", name, 1_000, name)]));
    let outcomes = t.mutate_rows(rows.to_vec()).await?;
    expect_eq("outcomes", &outcomes, &vec![Ok(()), Ok(()), Ok(())])?;
    t.expect_cells("r", &["f:a@1=a", "f:b@1=b", "f:c@1=c"])
        .await
}

async fn an_entry_applies_in_order(t: &Scratch<'_>) -> CaseResult {
    let family = "f".into();
    let mutations = vec![
        set("f", "a", 1_000, "a"),
        Mutation::DeleteFromFamily { family },
        set("f", "b", 1_000, "b"),
    ];
    t.mutate_rows(vec![entry("r", mutations)]).await?;
    t.expect_cells("r", &["f:b@1=b"]).await
}

async fn unknown_family_fails_every_entry(t: &Scratch<'_>) -> CaseResult {
    let good = entry("a", vec![set("f", "q", 1_000, "v")]);
    let bad = entry("b", vec![set("absent", "q", 1_000, "v")]);
    let outcomes = t.mutate_rows(vec![good, bad]).await?;
    let codes: Vec<_> = outcomes
        .into_iter()
        .map(|outcome| outcome.err().map(|status| status.code))
        .collect();
    let expected = vec![Some(Code::NotFound), Some(Code::NotFound)];
    expect_eq("codes of the entries", &codes, &expected)?;
    t.expect_cells("a", &[]).await
}

async fn bad_timestamp_fails_the_request(t: &Scratch<'_>) -> CaseResult {
    let good = entry("a", vec![set("f", "q", 1_000, "v")]);
    let bad = entry("b", vec![set("f", "q", 1_001, "v")]);
    let outcomes = t.mutate_rows(vec![good, bad]).await;
    expect_code("microseconds", outcomes, Code::InvalidArgument)?;
    t.expect_cells("a", &[]).await
}

async fn empty_key_fails_the_request(t: &Scratch<'_>) -> CaseResult {
    let good = entry("a", vec![set("f", "q", 1_000, "v")]);
    let bad = entry("", vec![set("f", "q", 1_000, "v")]);
    let outcomes = t.mutate_rows(vec![good, bad]).await;
    expect_code("empty key", outcomes, Code::InvalidArgument)?;
    t.expect_cells("a", &[]).await
}

async fn entry_without_mutations_fails_the_request(t: &Scratch<'_>) -> CaseResult {
    let good = entry("a", vec![set("f", "q", 1_000, "v")]);
    let outcomes = t.mutate_rows(vec![good, entry("b", Vec::new())]).await;
    expect_code("no mutations", outcomes, Code::InvalidArgument)?;
    t.expect_cells("a", &[]).await
}

async fn no_entries_are_refused(t: &Scratch<'_>) -> CaseResult {
    let outcomes = t.mutate_rows(Vec::new()).await;
    expect_code("no entries", outcomes, Code::InvalidArgument)
}
