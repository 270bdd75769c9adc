//! Many rows in one call.

use super::cases;
use crate::Code;
use crate::data::{EncodedEntry, EntryBatch, Mutation};
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
    encoded_entries_are_written,
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

/// Mutations of several kinds, a value long enough to be shared, and an entry with a later
/// addition.
async fn encoded_entries_are_written(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["r", "s", "t", "u"]).await?;
    let family = || "f".into();
    let from_column = |start_micros, end_micros| Mutation::DeleteFromColumn {
        family: family(),
        qualifier: "q".into(),
        start_micros,
        end_micros,
    };
    let mut long = set("f", "long", 2_000, "");
    if let Mutation::SetCell { value, .. } = &mut long {
        *value = vec![b'v'; EncodedEntry::WORTH_SHARING].into();
    }
    let rows = [
        entry("r", vec![from_column(0, 0), set("f", "a", 1_000, "")]),
        entry("s", vec![from_column(1_000, 2_000), set("f", "b", 0, "0")]),
        entry("t", vec![Mutation::DeleteFromFamily { family: family() }]),
        entry("u", vec![Mutation::DeleteFromRow, long]),
        entry(
            "v",
            vec![set("f", "c", 1_000, "1"), set("f", "c", 2_000, "2")],
        ),
    ];
    let mut entries: EntryBatch = rows.iter().collect();
    let added = entry("r", vec![set("f", "d", 3_000, "3")]);
    entries.extend_entry(0, &EncodedEntry::from(&added));
    let outcomes = t.db.mutate_rows(&t.table, entries.into()).await?;
    expect_eq("outcomes", &outcomes, &vec![Ok(()); 5])?;
    t.expect_cells("r", &["f:a@1=", "f:d@3=3"]).await?;
    t.expect_cells("s", &["f:b@0=0"]).await?;
    t.expect_cells("t", &[]).await?;
    let long = format!("f:long@2={}", "v".repeat(EncodedEntry::WORTH_SHARING));
    t.expect_cells("u", &[&long]).await?;
    t.expect_cells("v", &["f:c@2=2", "f:c@1=1"]).await
}
