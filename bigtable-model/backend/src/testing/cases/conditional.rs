//! CheckAndMutateRow and ReadModifyWriteRow.

use bytes::Bytes;
use futures::future::{join_all, try_join_all};

use super::cases;
use crate::Code;
use crate::data::{CheckAndMutateRow, Mutation, ReadModifyWriteRule, RowFilter, RuleAction};
use crate::testing::expect::{CaseResult, expect, expect_code, expect_eq};
use crate::testing::scratch::{Scratch, set};

cases! { "conditional":
    no_predicate_asks_for_the_row,
    the_predicate_chooses,
    a_row_that_is_not_there_never_matches,
    one_list_may_be_empty,
    no_mutations_are_refused,
    a_failing_branch_leaves_no_trace,
    check_refuses_an_empty_key,
    increment_begins_at_zero,
    increment_wraps,
    increment_refuses_other_lengths,
    append_begins_empty,
    rules_apply_in_order,
    a_failing_rule_leaves_no_trace,
    result_has_the_new_cells_only,
    new_cell_is_not_older_than_the_newest,
    modify_refuses_an_unknown_family,
    modify_refuses_an_empty_key,
    modify_refuses_no_rules,
    concurrent_increments_add_up,
    one_of_concurrent_checks_wins,
    the_predicate_is_checked,
}

fn branches(mut request: CheckAndMutateRow) -> CheckAndMutateRow {
    request.if_true = vec![set("f", "true", 1_000, "v")];
    request.if_false = vec![set("f", "false", 1_000, "v")];
    request
}

async fn no_predicate_asks_for_the_row(t: &Scratch<'_>) -> CaseResult {
    let matched =
        t.db.check_and_mutate_row(branches(t.check("r", None)))
            .await?;
    expect_eq("matched without the row", &matched, &false)?;
    let matched =
        t.db.check_and_mutate_row(branches(t.check("r", None)))
            .await?;
    expect_eq("matched with the row", &matched, &true)?;
    t.expect_cells("r", &["f:false@1=v", "f:true@1=v"]).await
}

async fn the_predicate_chooses(t: &Scratch<'_>) -> CaseResult {
    t.mutate("r", vec![set("f", "q", 1_000, "5")]).await?;
    for (value, expected) in [("4", false), ("5", true)] {
        let predicate = RowFilter::ValueRegex(Bytes::from_static(value.as_bytes()));
        let request = branches(t.check("r", Some(predicate)));
        let matched = t.db.check_and_mutate_row(request).await?;
        expect_eq(&format!("matched value {value}"), &matched, &expected)?;
    }
    t.expect_cells("r", &["f:false@1=v", "f:q@1=5", "f:true@1=v"])
        .await
}

async fn a_row_that_is_not_there_never_matches(t: &Scratch<'_>) -> CaseResult {
    let request = branches(t.check("r", Some(RowFilter::PassAll)));
    let matched = t.db.check_and_mutate_row(request).await?;
    expect_eq("matched", &matched, &false)
}

async fn one_list_may_be_empty(t: &Scratch<'_>) -> CaseResult {
    let mut request = branches(t.check("r", None));
    request.if_false.clear();
    let matched = t.db.check_and_mutate_row(request).await?;
    expect_eq("matched", &matched, &false)?;
    t.expect_cells("r", &[]).await
}

async fn no_mutations_are_refused(t: &Scratch<'_>) -> CaseResult {
    let got = t.db.check_and_mutate_row(t.check("r", None)).await;
    expect_code("neither list", got, Code::InvalidArgument)
}

async fn a_failing_branch_leaves_no_trace(t: &Scratch<'_>) -> CaseResult {
    let mut request = branches(t.check("r", None));
    request.if_false.push(set("absent", "q", 1_000, "v"));
    let got = t.db.check_and_mutate_row(request).await;
    expect_code("unknown family", got, Code::NotFound)?;
    t.expect_cells("r", &[]).await
}

async fn check_refuses_an_empty_key(t: &Scratch<'_>) -> CaseResult {
    let got = t.db.check_and_mutate_row(branches(t.check("", None))).await;
    expect_code("empty key", got, Code::InvalidArgument)
}

fn rule(qualifier: &'static str, action: RuleAction) -> ReadModifyWriteRule {
    ReadModifyWriteRule {
        family: "f".into(),
        qualifier: Bytes::from_static(qualifier.as_bytes()),
        action,
    }
}

fn append(text: &'static str) -> RuleAction {
    RuleAction::Append(Bytes::from_static(text.as_bytes()))
}

async fn modify(
    t: &Scratch<'_>,
    rules: Vec<ReadModifyWriteRule>,
) -> Result<Vec<(Bytes, Bytes)>, crate::Status> {
    let row = t.modify("r", rules).await?;
    let cells = row.cells.into_iter();
    Ok(cells.map(|cell| (cell.qualifier, cell.value)).collect())
}

fn number(qualifier: &'static str, number: i64) -> (Bytes, Bytes) {
    let value = Bytes::copy_from_slice(&number.to_be_bytes());
    (Bytes::from_static(qualifier.as_bytes()), value)
}

async fn increment_begins_at_zero(t: &Scratch<'_>) -> CaseResult {
    let got = modify(t, vec![rule("n", RuleAction::Increment(5))]).await?;
    expect_eq("first", &got, &vec![number("n", 5)])?;
    let got = modify(t, vec![rule("n", RuleAction::Increment(-7))]).await?;
    expect_eq("second", &got, &vec![number("n", -2)])
}

async fn increment_wraps(t: &Scratch<'_>) -> CaseResult {
    modify(t, vec![rule("n", RuleAction::Increment(i64::MAX))]).await?;
    let got = modify(t, vec![rule("n", RuleAction::Increment(1))]).await?;
    expect_eq("i64::MAX + 1", &got, &vec![number("n", i64::MIN)])
}

async fn increment_refuses_other_lengths(t: &Scratch<'_>) -> CaseResult {
    t.mutate("r", vec![set("f", "n", 1_000, "1234567")]).await?;
    let got = modify(t, vec![rule("n", RuleAction::Increment(1))]).await;
    expect_code("7 bytes", got, Code::FailedPrecondition)
}

async fn append_begins_empty(t: &Scratch<'_>) -> CaseResult {
    modify(t, vec![rule("a", append("x"))]).await?;
    let got = modify(t, vec![rule("a", append("yz"))]).await?;
    let expected = (Bytes::from_static(b"a"), Bytes::from_static(b"xyz"));
    expect_eq("appended twice", &got, &vec![expected])
}

async fn rules_apply_in_order(t: &Scratch<'_>) -> CaseResult {
    let rules = vec![
        rule("b", append("x")),
        rule("a", RuleAction::Increment(1)),
        rule("b", append("y")),
    ];
    let got = modify(t, rules).await?;
    let expected = vec![
        number("a", 1),
        (Bytes::from_static(b"b"), Bytes::from_static(b"xy")),
    ];
    expect_eq("new cells", &got, &expected)
}

async fn a_failing_rule_leaves_no_trace(t: &Scratch<'_>) -> CaseResult {
    t.mutate("r", vec![set("f", "n", 1_000, "v")]).await?;
    let rules = vec![rule("a", append("x")), rule("n", RuleAction::Increment(1))];
    let got = modify(t, rules).await;
    expect("the second rule is refused", got.is_err())?;
    t.expect_cells("r", &["f:n@1=v"]).await
}

async fn result_has_the_new_cells_only(t: &Scratch<'_>) -> CaseResult {
    let writes = vec![set("f", "a", 1_000, "old"), set("f", "other", 1_000, "v")];
    t.mutate("r", writes).await?;
    let got = modify(t, vec![rule("a", append("!"))]).await?;
    let expected = (Bytes::from_static(b"a"), Bytes::from_static(b"old!"));
    expect_eq("new cells", &got, &vec![expected])
}

async fn new_cell_is_not_older_than_the_newest(t: &Scratch<'_>) -> CaseResult {
    // About the year 2255: the stored cell is newer than now, so its time is used and it is
    // replaced.
    let future = 9_000_000_000_000_000;
    t.mutate("r", vec![set("f", "a", future, "old")]).await?;
    modify(t, vec![rule("a", append("!"))]).await?;
    t.expect_cells("r", &["f:a@9000000000000=old!"]).await
}

async fn modify_refuses_an_unknown_family(t: &Scratch<'_>) -> CaseResult {
    let mut unknown = rule("a", append("x"));
    unknown.family = "absent".into();
    expect_code(
        "unknown family",
        modify(t, vec![unknown]).await,
        Code::NotFound,
    )
}

async fn modify_refuses_an_empty_key(t: &Scratch<'_>) -> CaseResult {
    let got = t.modify("", vec![rule("a", append("x"))]).await;
    t.mutate("r", vec![Mutation::DeleteFromRow]).await?;
    expect_code("empty key", got, Code::InvalidArgument)
}

async fn modify_refuses_no_rules(t: &Scratch<'_>) -> CaseResult {
    expect_code(
        "no rules",
        modify(t, Vec::new()).await,
        Code::InvalidArgument,
    )
}

async fn concurrent_increments_add_up(t: &Scratch<'_>) -> CaseResult {
    let one = || modify(t, vec![rule("n", RuleAction::Increment(1))]);
    try_join_all((0..20).map(|_| one())).await?;
    let got = modify(t, vec![rule("n", RuleAction::Increment(0))]).await?;
    expect_eq("sum of 20 increments", &got, &vec![number("n", 20)])
}

async fn one_of_concurrent_checks_wins(t: &Scratch<'_>) -> CaseResult {
    let checks = (0..10).map(|_| t.db.check_and_mutate_row(branches(t.check("r", None))));
    let mut first = 0;
    for matched in join_all(checks).await {
        first += usize::from(!matched?);
    }
    expect_eq("checks that found no row", &first, &1)
}

async fn the_predicate_is_checked(t: &Scratch<'_>) -> CaseResult {
    t.mutate("r", vec![set("f", "q", 1_000, "v")]).await?;
    let predicate = RowFilter::Chain(vec![RowFilter::PassAll]);
    let request = branches(t.check("r", Some(predicate)));
    let got = t.db.check_and_mutate_row(request).await;
    expect_code("a chain of one", got, Code::InvalidArgument)?;
    t.expect_cells("r", &["f:q@1=v"]).await
}
