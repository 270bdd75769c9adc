//! Tables listed by page.

use std::time::{Duration, Instant};

use bigtable_model::backend::grpc::{CallOptions, wire};
use bigtable_model::{Backend, Code};

use crate::scripted::{Scripted, Step};

fn page(tables: &[&str], token: &str) -> Step<wire::ListTablesResponse> {
    let tables = tables.iter().map(|id| wire::Table {
        name: format!("projects/p/instances/i/tables/{id}"),
        ..wire::Table::default()
    });
    Step::Send(wire::ListTablesResponse {
        tables: tables.collect(),
        next_page_token: token.to_owned(),
    })
}

#[tokio::test]
async fn all_pages_are_read() {
    let (server, backend) = Scripted::start().await;
    let lost = || Step::Fail(tonic::Status::unavailable("lost"));
    for step in [
        lost(),
        page(&["b"], "1"),
        lost(),
        page(&[], "2"),
        page(&["c", "a"], ""),
    ] {
        server.list_tables.script([step]);
    }
    assert_eq!(backend.tables().list().await.unwrap(), ["a", "b", "c"]);
    let tokens = server.list_tables.messages();
    let tokens: Vec<_> = tokens.iter().map(|page| page.page_token.as_str()).collect();
    assert_eq!(tokens, ["", "", "1", "1", "2"]);
}

#[tokio::test]
async fn a_token_that_comes_again_is_an_error() {
    for tokens in [&["x", "x"][..], &["x", "y", "x"]] {
        let (server, backend) = Scripted::start().await;
        for token in tokens {
            server.list_tables.script([page(&["t"], token)]);
        }
        let error = backend.tables().list().await.unwrap_err();
        assert_eq!(error.code, Code::Internal, "{error}");
        assert!(error.message.contains("\"x\""), "{error}");
        assert_eq!(server.list_tables.seen().len(), tokens.len());
    }
}

/// Each page is fast, but they never end.
#[tokio::test]
async fn all_pages_share_a_deadline() {
    let (server, backend) = Scripted::start().await;
    for number in 1..1_000 {
        let soon = Step::Wait(Duration::from_millis(100));
        let token = number.to_string();
        server.list_tables.script([soon, page(&["t"], &token)]);
    }
    let options = CallOptions::new().deadline(Duration::from_secs(1));
    let backend = backend.with_options(options).unwrap();
    let begun = Instant::now();
    let error = backend.tables().list().await.unwrap_err();
    assert_eq!(error.code, Code::DeadlineExceeded, "{error}");
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(server.list_tables.seen().len() > 1);
}
