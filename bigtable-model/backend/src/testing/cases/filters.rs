//! What each filter lets through, and which filters are refused.

use std::ops::Bound;

use bytes::Bytes;
use futures::TryStreamExt as _;

use super::cases;
use crate::data::{ReadRows, RowFilter};
use crate::testing::expect::{CaseResult, expect, expect_code, expect_eq, shown};
use crate::testing::scratch::{Scratch, set, strings};
use crate::{Code, Status};

cases! { "filters":
    pass_and_block,
    families_and_qualifiers,
    qualifier_range,
    value_range,
    time_range,
    value_bitmask,
    cells_per_column,
    cells_per_row,
    strip_and_label,
    chain_narrows,
    interleave_keeps_duplicates,
    limits_count_duplicates,
    condition_chooses_for_the_row,
    condition_without_a_branch_is_empty,
    sink_goes_to_the_output,
    row_key_regex,
    row_sample,
    rows_without_cells_are_left_out,
    invalid_filters_are_refused_over_an_empty_table,
    sink_in_a_condition_is_refused,
    two_labels_on_a_path_are_refused,
    label_over_15_characters_is_refused,
    family_regex_with_colon_is_refused,
    time_range_in_microseconds_is_refused,
    a_filter_over_20_levels_is_refused,
    a_filter_over_20_kib_is_refused,
    absent_family_in_a_range_is_not_found,
}

/// A single family, so the order of cells is specified.
async fn fill(t: &Scratch<'_>) -> Result<(), Status> {
    let writes = vec![
        set("f", "a", 1_000, "1"),
        set("f", "a", 2_000, "2"),
        set("f", "a", 3_000, "3"),
        set("f", "b", 2_000, "4"),
        set("f", "c", 1_000, "55"),
    ];
    t.mutate("r", writes).await
}

const ALL: [&str; 5] = ["f:a@3=3", "f:a@2=2", "f:a@1=1", "f:b@2=4", "f:c@1=55"];

fn bytes(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

fn qualifier(regex: &'static str) -> RowFilter {
    RowFilter::QualifierRegex(bytes(regex))
}

fn value(regex: &'static str) -> RowFilter {
    RowFilter::ValueRegex(bytes(regex))
}

fn label(label: &str) -> RowFilter {
    RowFilter::Label(label.to_owned())
}

async fn pass_and_block(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    t.expect_filtered("r", RowFilter::PassAll, &ALL).await?;
    t.expect_filtered("r", RowFilter::BlockAll, &[]).await
}

async fn families_and_qualifiers(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    t.mutate("r", vec![set("g", "a", 1_000, "6")]).await?;
    let family = RowFilter::FamilyRegex("g|h".to_owned());
    t.expect_filtered("r", family, &["g:a@1=6"]).await?;
    let chain = [RowFilter::FamilyRegex("f".to_owned()), qualifier("b|c")];
    t.expect_filtered(
        "r",
        RowFilter::Chain(chain.to_vec()),
        &["f:b@2=4", "f:c@1=55"],
    )
    .await
}

async fn qualifier_range(t: &Scratch<'_>) -> CaseResult {
    use Bound::{Excluded, Included, Unbounded};
    fill(t).await?;
    let newest = |start: Bound<&'static str>, end: Bound<&'static str>| {
        let range = RowFilter::QualifierRange {
            family: "f".to_owned(),
            start: start.map(bytes),
            end: end.map(bytes),
        };
        RowFilter::Chain(vec![range, RowFilter::CellsPerColumnLimit(1)])
    };
    for (filter, expected) in [
        (
            newest(Included("a"), Included("b")),
            ["f:a@3=3", "f:b@2=4"].as_slice(),
        ),
        (newest(Excluded("a"), Unbounded), &["f:b@2=4", "f:c@1=55"]),
        (newest(Unbounded, Excluded("b")), &["f:a@3=3"]),
        (newest(Excluded("a"), Excluded("b")), &[]),
    ] {
        t.expect_filtered("r", filter, expected).await?;
    }
    Ok(())
}

async fn value_range(t: &Scratch<'_>) -> CaseResult {
    use Bound::{Excluded, Included, Unbounded};
    fill(t).await?;
    for (start, end, expected) in [
        (
            Included("2"),
            Included("4"),
            ["f:a@3=3", "f:a@2=2", "f:b@2=4"].as_slice(),
        ),
        (Excluded("2"), Excluded("4"), &["f:a@3=3"]),
        (Excluded("4"), Unbounded, &["f:c@1=55"]),
        (Unbounded, Excluded("2"), &["f:a@1=1"]),
    ] {
        let range = RowFilter::ValueRange {
            start: start.map(bytes),
            end: end.map(bytes),
        };
        t.expect_filtered("r", range, expected).await?;
    }
    Ok(())
}

fn times(start_micros: i64, end_micros: i64) -> RowFilter {
    RowFilter::TimestampRange {
        start_micros,
        end_micros,
    }
}

async fn time_range(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    t.expect_filtered("r", times(2_000, 3_000), &["f:a@2=2", "f:b@2=4"])
        .await?;
    t.expect_filtered("r", times(3_000, 0), &["f:a@3=3"])
        .await?;
    t.expect_filtered("r", times(0, 2_000), &["f:a@1=1", "f:c@1=55"])
        .await
}

async fn value_bitmask(t: &Scratch<'_>) -> CaseResult {
    // '1' is 0x31, '2' 0x32, '3' 0x33, '4' 0x34; "55" has another length.
    fill(t).await?;
    let mask = RowFilter::ValueBitmask(Bytes::from_static(&[0x02]));
    t.expect_filtered("r", mask, &["f:a@3=3", "f:a@2=2"]).await
}

async fn cells_per_column(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let expected = ["f:a@3=3", "f:a@2=2", "f:b@2=4", "f:c@1=55"];
    t.expect_filtered("r", RowFilter::CellsPerColumnLimit(2), &expected)
        .await
}

async fn cells_per_row(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let limit = RowFilter::CellsPerRowLimit(2);
    t.expect_filtered("r", limit, &["f:a@3=3", "f:a@2=2"])
        .await?;
    let offset = RowFilter::CellsPerRowOffset(3);
    t.expect_filtered("r", offset, &["f:b@2=4", "f:c@1=55"])
        .await?;
    t.expect_filtered("r", RowFilter::CellsPerRowOffset(0), &ALL)
        .await?;
    t.expect_filtered("r", RowFilter::CellsPerRowOffset(5), &[])
        .await
}

async fn strip_and_label(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let chain = RowFilter::Chain(vec![qualifier("b"), label("l-1"), RowFilter::StripValue]);
    t.expect_filtered("r", chain, &["f:b@2=#l-1"]).await
}

async fn chain_narrows(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let newest_then_value = vec![RowFilter::CellsPerColumnLimit(1), value("[12]")];
    t.expect_filtered("r", RowFilter::Chain(newest_then_value), &[])
        .await?;
    let value_then_newest = vec![value("[12]"), RowFilter::CellsPerColumnLimit(1)];
    t.expect_filtered("r", RowFilter::Chain(value_then_newest), &["f:a@2=2"])
        .await
}

async fn interleave_keeps_duplicates(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let filters = vec![qualifier("c|b"), qualifier("b"), times(1_000, 2_000)];
    let expected = ["f:a@1=1", "f:b@2=4", "f:b@2=4", "f:c@1=55", "f:c@1=55"];
    t.expect_filtered("r", RowFilter::Interleave(filters), &expected)
        .await
}

async fn limits_count_duplicates(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let twice = RowFilter::Interleave(vec![qualifier("b"), qualifier("b|c")]);
    let one = RowFilter::Chain(vec![twice, RowFilter::CellsPerColumnLimit(1)]);
    t.expect_filtered("r", one, &["f:b@2=4", "f:c@1=55"]).await
}

fn condition(
    predicate: RowFilter,
    if_true: Option<RowFilter>,
    if_false: Option<RowFilter>,
) -> RowFilter {
    RowFilter::Condition {
        predicate: Box::new(predicate),
        if_true: if_true.map(Box::new),
        if_false: if_false.map(Box::new),
    }
}

async fn condition_chooses_for_the_row(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    for (regex, expected) in [("55", ["f:b@2=4"].as_slice()), ("66", &["f:c@1=55"])] {
        let branches = (Some(qualifier("b")), Some(qualifier("c")));
        let filter = condition(value(regex), branches.0, branches.1);
        t.expect_filtered("r", filter, expected).await?;
    }
    Ok(())
}

async fn condition_without_a_branch_is_empty(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let when_false = condition(value("55"), None, Some(RowFilter::PassAll));
    t.expect_filtered("r", when_false, &[]).await?;
    let when_true = condition(value("66"), Some(RowFilter::PassAll), None);
    t.expect_filtered("r", when_true, &[]).await
}

async fn sink_goes_to_the_output(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let sunk = RowFilter::Chain(vec![qualifier("c"), label("s"), RowFilter::Sink]);
    let both = RowFilter::Interleave(vec![RowFilter::PassAll, sunk]);
    let filter = RowFilter::Chain(vec![both, qualifier("b")]);
    t.expect_filtered("r", filter, &["f:b@2=4", "f:c@1=55#s"])
        .await
}

async fn row_key_regex(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["a1", "a2", "b1"]).await?;
    let request = ReadRows {
        filter: Some(RowFilter::RowKeyRegex(bytes("a.|.2"))),
        ..t.request()
    };
    let keys = t.keys(request).await?;
    expect_eq("keys", &keys, &strings(&["a1", "a2"]))
}

async fn row_sample(t: &Scratch<'_>) -> CaseResult {
    let keys: Vec<&'static str> = "abcdefghijklmnopqrstuvwxyz"
        .split("")
        .filter(|key| !key.is_empty())
        .collect();
    t.fill(&keys).await?;
    let mut seen = 0;
    for _ in 0..20 {
        let request = ReadRows {
            filter: Some(RowFilter::RowSample(0.5)),
            ..t.request()
        };
        // Each read draws anew.
        seen +=
            t.db.read_rows(request)
                .rows()
                .try_fold(0, async |rows, _| Ok(rows + 1))
                .await?;
    }
    // 520 draws: chance alone does not exceed these bounds.
    expect(
        &format!("about 260 of 520 rows, not {seen}"),
        (160..360).contains(&seen),
    )
}

async fn rows_without_cells_are_left_out(t: &Scratch<'_>) -> CaseResult {
    t.fill(&["a", "b", "c"]).await?;
    let request = ReadRows {
        filter: Some(value("b")),
        ..t.request()
    };
    let keys = t.keys(request).await?;
    expect_eq("keys", &keys, &strings(&["b"]))
}

async fn expect_refused(t: &Scratch<'_>, filter: RowFilter) -> CaseResult {
    let what = shown(&filter);
    let got = t.filtered("r", Some(filter)).await;
    expect_code(&what, got, Code::InvalidArgument)
}

async fn invalid_filters_are_refused_over_an_empty_table(t: &Scratch<'_>) -> CaseResult {
    for filter in [
        RowFilter::Chain(vec![RowFilter::PassAll]),
        RowFilter::Interleave(Vec::new()),
        RowFilter::CellsPerRowLimit(0),
        RowFilter::CellsPerColumnLimit(0),
        RowFilter::RowSample(0.0),
        RowFilter::RowSample(1.0),
        RowFilter::RowSample(f64::NAN),
        value("("),
        label("Upper"),
        label(""),
        RowFilter::Chain(vec![RowFilter::BlockAll, value("[")]),
    ] {
        expect_refused(t, filter).await?;
    }
    Ok(())
}

async fn sink_in_a_condition_is_refused(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    expect_refused(
        t,
        condition(RowFilter::PassAll, Some(RowFilter::Sink), None),
    )
    .await
}

async fn two_labels_on_a_path_are_refused(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    expect_refused(t, RowFilter::Chain(vec![label("a"), label("b")])).await?;
    let apart = RowFilter::Interleave(vec![
        RowFilter::Chain(vec![qualifier("b"), label("a")]),
        RowFilter::Chain(vec![qualifier("c"), label("b")]),
    ]);
    t.expect_filtered("r", apart, &["f:b@2=4#a", "f:c@1=55#b"])
        .await
}

async fn label_over_15_characters_is_refused(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let longest = RowFilter::Chain(vec![qualifier("b"), label("fifteen-letters")]);
    t.expect_filtered("r", longest, &["f:b@2=4#fifteen-letters"])
        .await?;
    expect_refused(t, label("sixteen--letters")).await
}

async fn family_regex_with_colon_is_refused(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    expect_refused(t, RowFilter::FamilyRegex("f:a".to_owned())).await
}

async fn time_range_in_microseconds_is_refused(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    expect_refused(t, times(1_001, 0)).await
}

async fn a_filter_over_20_levels_is_refused(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let nested = |levels: usize| {
        (1..levels).fold(RowFilter::PassAll, |filter, _| {
            RowFilter::Chain(vec![filter, RowFilter::PassAll])
        })
    };
    t.expect_filtered("r", nested(20), &ALL).await?;
    expect_refused(t, nested(21)).await
}

async fn a_filter_over_20_kib_is_refused(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let regex = |len: usize| RowFilter::ValueRegex(Bytes::from(vec![b'a'; len]));
    t.expect_filtered("r", regex(20_400), &[]).await?;
    expect_refused(t, regex(20_480)).await
}

async fn absent_family_in_a_range_is_not_found(t: &Scratch<'_>) -> CaseResult {
    fill(t).await?;
    let filter = RowFilter::QualifierRange {
        family: "absent".to_owned(),
        start: Bound::Unbounded,
        end: Bound::Unbounded,
    };
    let got = t.filtered("r", Some(filter)).await;
    expect_code("qualifier range", got, Code::NotFound)
}
