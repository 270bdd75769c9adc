//! Writes that Bigtable refuses, with their codes.

use bytes::Bytes;

use super::cases;
use crate::Code;
use crate::data::{Mutation, RowMutations};
use crate::testing::expect::{CaseResult, expect, expect_code};
use crate::testing::scratch::{Scratch, entry, set};

cases! { "refusals":
    unknown_family,
    unknown_family_in_words,
    timestamp_in_microseconds,
    timestamp_in_microseconds_in_words,
    negative_timestamp,
    timestamp_too_large,
    empty_key,
    no_mutations,
    key_over_4_kib,
    qualifier_over_16_kib,
    too_many_mutations,
    a_refused_row_is_not_half_applied,
}

async fn unknown_family(t: &Scratch<'_>) -> CaseResult {
    let got = t.mutate("r", vec![set("absent", "q", 1_000, "v")]).await;
    expect_code("family absent", got, Code::NotFound)
}

async fn unknown_family_in_words(t: &Scratch<'_>) -> CaseResult {
    let got = t.mutate("r", vec![set("absent", "q", 1_000, "v")]).await;
    let words = "Requested column family not found.";
    let said = got
        .as_ref()
        .is_err_and(|status| status.message.contains(words));
    expect(&format!("{words:?} is said, not {got:?}"), said)
}

async fn timestamp_in_microseconds(t: &Scratch<'_>) -> CaseResult {
    let got = t.mutate("r", vec![set("f", "q", 1_001, "v")]).await;
    expect_code("1,001 us", got, Code::InvalidArgument)
}

async fn timestamp_in_microseconds_in_words(t: &Scratch<'_>) -> CaseResult {
    let got = t.mutate("r", vec![set("f", "q", 1_001, "v")]).await;
    let words = "Timestamp granularity mismatch.";
    let said = got
        .as_ref()
        .is_err_and(|status| status.message.contains(words));
    expect(&format!("{words:?} is said, not {got:?}"), said)
}

async fn negative_timestamp(t: &Scratch<'_>) -> CaseResult {
    let got = t.mutate("r", vec![set("f", "q", -1_000, "v")]).await;
    expect_code("-1 ms", got, Code::InvalidArgument)
}

async fn timestamp_too_large(t: &Scratch<'_>) -> CaseResult {
    let got = t.mutate("r", vec![set("f", "q", i64::MAX, "v")]).await;
    expect_code("i64::MAX", got, Code::InvalidArgument)
}

async fn empty_key(t: &Scratch<'_>) -> CaseResult {
    let got = t.mutate("", vec![set("f", "q", 1_000, "v")]).await;
    expect_code("no bytes of key", got, Code::InvalidArgument)
}

async fn no_mutations(t: &Scratch<'_>) -> CaseResult {
    expect_code(
        "an empty entry",
        t.mutate("r", Vec::new()).await,
        Code::InvalidArgument,
    )
}

async fn key_over_4_kib(t: &Scratch<'_>) -> CaseResult {
    for (len, fits) in [(4_096, true), (4_097, false)] {
        let row = RowMutations {
            key: Bytes::from(vec![b'k'; len]),
            ..entry("", vec![set("f", "q", 1_000, "v")])
        };
        let got = t.db.mutate_row(&t.table, row).await;
        if fits {
            got?;
        } else {
            expect_code("4,097 bytes", got, Code::InvalidArgument)?;
        }
    }
    Ok(())
}

async fn qualifier_over_16_kib(t: &Scratch<'_>) -> CaseResult {
    for (len, fits) in [(16_384, true), (16_385, false)] {
        let write = Mutation::SetCell {
            family: "f".into(),
            qualifier: Bytes::from(vec![b'q'; len]),
            timestamp_micros: 1_000,
            value: Bytes::new(),
        };
        let got = t.mutate("r", vec![write]).await;
        if fits {
            got?;
        } else {
            expect_code("16,385 bytes", got, Code::InvalidArgument)?;
        }
    }
    Ok(())
}

async fn too_many_mutations(t: &Scratch<'_>) -> CaseResult {
    let got = t.mutate("r", vec![Mutation::DeleteFromRow; 100_001]).await;
    expect_code("100,001 mutations", got, Code::InvalidArgument)
}

async fn a_refused_row_is_not_half_applied(t: &Scratch<'_>) -> CaseResult {
    t.mutate("r", vec![set("f", "q", 1_000, "old")]).await?;
    let writes = vec![
        set("f", "q", 1_000, "new"),
        Mutation::DeleteFromRow,
        set("f", "q", 1_001, "bad"),
    ];
    let got = t.mutate("r", writes).await;
    expect("the bad timestamp is refused", got.is_err())?;
    t.expect_cells("r", &["f:q@1=old"]).await
}
