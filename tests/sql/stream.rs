//! The stream: how batches are split, when rows are returned, what a reset discards.

use std::time::Duration;

use bigtable_model::Backend;
use bigtable_model::backend::sql::SqlParameters;
use futures::StreamExt;

use crate::answers::{Part, checksum, hasty, names, plain, rows, text, texts, unavailable};
use crate::scripted::{Scripted, Step};

/// The result of a stream of these messages.
async fn stream<const N: usize>(parts: [Part; N]) -> Vec<String> {
    let (server, backend) = Scripted::start().await;
    server.prepares(texts("plan"));
    server.executes(parts);
    let names = names(&backend).await.unwrap();
    assert_eq!(server.counts(), (1, 1));
    names
}

#[tokio::test]
async fn a_stream_without_messages_is_a_success_without_rows() {
    assert!(stream([]).await.is_empty());
}

#[tokio::test]
async fn a_batch_may_be_cut_in_the_middle_of_a_value() {
    let data = rows(vec![text("hello"), text("world")]);
    let (first, second) = data.split_at(4);
    let (second, third) = second.split_at(3);
    let found = stream([
        Part::new().reset().data(first),
        Part::new().data(second),
        Part::new().data(third).checksum(checksum(&data)).token("t"),
    ]);
    assert_eq!(found.await, ["hello", "world"]);
}

#[tokio::test]
async fn checksum_and_token_may_come_in_messages_of_their_own() {
    let data = rows(vec![text("a")]);
    let found = stream([
        Part::new().reset(),
        Part::new().data(&data),
        Part::new().checksum(checksum(&data)),
        Part::new().token("t"),
    ]);
    assert_eq!(found.await, ["a"]);
}

#[tokio::test]
async fn several_batches_follow_and_may_have_one_token() {
    let found = stream([
        Part::new().reset().batch(vec![text("a")]).token("t"),
        Part::new()
            .reset()
            .batch(vec![text("b"), text("c")])
            .token("t"),
        Part::new().reset().batch(vec![text("d")]),
        Part::new().reset().batch(vec![text("e")]).token("u"),
    ]);
    // A reset discards rows that wait for a token.
    assert_eq!(found.await, ["a", "b", "c", "e"]);
}

/// The checksum of no bytes is 0, which differs from a missing one.
#[tokio::test]
async fn a_batch_may_be_empty() {
    let found = stream([
        Part::new().reset().checksum(0).token("t"),
        Part::new().reset().data(b"").checksum(0),
        Part::new().batch(vec![text("a")]),
        Part::new().token("u"),
    ]);
    assert_eq!(found.await, ["a"]);
}

#[tokio::test]
async fn batches_without_a_token_between_them_come_with_the_next_one() {
    let found = stream([
        Part::new().reset().batch(vec![text("a")]),
        Part::new().batch(vec![text("b")]),
        Part::new().token("t"),
    ]);
    assert_eq!(found.await, ["a", "b"]);
}

#[tokio::test]
async fn a_reset_drops_the_batch_under_way() {
    let found = stream([
        Part::new().reset().batch(vec![text("kept")]).token("t"),
        Part::new().reset().data(b"half of a batch"),
        Part::new().reset().batch(vec![text("anew")]).token("u"),
    ]);
    assert_eq!(found.await, ["kept", "anew"]);
}

#[tokio::test]
async fn of_tokens_without_data_the_last_one_counts() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("plan"));
    let parts = [
        Part::new().reset().batch(vec![text("a")]).token("1"),
        Part::new().token("2"),
        Part::new().token("3"),
    ];
    let mut script: Vec<_> = parts.map(Step::from).into();
    script.push(unavailable());
    server.execute.script(script);
    server.executes([Part::new().reset().batch(vec![text("b")]).token("4")]);
    assert_eq!(names(&backend).await.unwrap(), ["a", "b"]);
    assert_eq!(server.execute.messages()[1].resume_token, "3");
}

#[tokio::test]
async fn rows_are_handed_out_at_a_token_and_not_before() {
    let (server, backend) = Scripted::start().await;
    server.prepares(texts("plan"));
    server.execute.script([
        Part::new().batch(vec![text("a")]).token("t").into(),
        Part::new().batch(vec![text("b")]).into(),
        Step::Hang,
    ]);
    let plan = backend.sql_service().prepare(&plain()).await.unwrap();
    let mut rows = backend.sql_service().execute(&plan, SqlParameters::new());
    // The first one arrives while the stream is in progress.
    rows.next().await.unwrap().unwrap();
    let second = tokio::time::timeout(Duration::from_millis(300), rows.next());
    assert!(second.await.is_err(), "no token has released it");
}
