//! A client that is closed during queries.

use std::time::Duration;

use bigtable_model::Code;
use futures::FutureExt;
use futures::future::join_all;

use crate::answers::{Part, names, text, texts};
use crate::scripted::{Scripted, Step};

#[tokio::test]
async fn queries_under_way_end_and_later_ones_are_refused() {
    let (server, backend) = Scripted::start().await;
    for _ in 0..4 {
        server.prepares(texts("plan"));
        let row = Part::new().reset().batch(vec![text("a")]).token("t");
        let wait = Step::Wait(Duration::from_millis(600));
        server.execute.script([wait, row.into()]);
    }
    let under_way = join_all((0..2).map(|_| {
        let backend = backend.clone();
        tokio::spawn(async move { names(&backend).await })
    }));
    while server.counts().1 < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    backend.close().now_or_never();
    backend.close().now_or_never();
    for _ in 0..2 {
        let error = names(&backend).await.unwrap_err();
        assert_eq!(error.code, Code::FailedPrecondition);
        assert!(error.message.contains("closed"), "{error}");
    }
    for ended in under_way.await {
        assert_eq!(ended.unwrap().unwrap(), ["a"]);
    }
    assert_eq!(server.counts(), (2, 2));
    backend.close().await;
}
