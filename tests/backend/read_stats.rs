//! Statistics of a read, for clients that request them.

use std::sync::Arc;

use bigtable_model::backend::faults::FaultyBackend;
use bigtable_model::backend::grpc::wire::{self, FullReadStatsView, ReadRowsResponse};
use bigtable_model::data::RowFilter;
use bigtable_model::{Backend, MemoryBackend};
use prost::Message as _;
use tonic::{Code, Status};

use crate::fixture::{row, set};
use crate::server::{DATA, TABLE, call, channel, schema, serve};

const NONE: i32 = 1;

async fn filled() -> Arc<dyn Backend> {
    let db = MemoryBackend::new();
    db.tables().create(schema("t"), Vec::new()).await.unwrap();
    for key in ["a", "b", "c"] {
        let cells = vec![set("f", "q", 0, key), set("f", "r", 0, "x")];
        db.mutate_row("t", row(key, cells)).await.unwrap();
    }
    Arc::new(db)
}

/// The cells of a read's answer, and the statistics, which come in a separate last message.
async fn read(
    db: &Arc<dyn Backend>,
    view: i32,
    value: &'static str,
) -> Result<(usize, Option<FullReadStatsView>), Status> {
    let filter = RowFilter::ValueRegex(value.into());
    let request = wire::ReadRowsRequest {
        table_name: TABLE.to_owned(),
        filter: Some(filter.into()),
        request_stats_view: view,
        ..wire::ReadRowsRequest::default()
    };
    let path = format!("{DATA}ReadRows");
    let channel = channel(serve(db).await);
    let answer = call(&channel, &path, request.encode_to_vec().into()).await?;
    let mut messages: Vec<_> = answer
        .into_iter()
        .map(|message| ReadRowsResponse::decode(message).unwrap())
        .collect();
    let stats = match messages.last().and_then(|last| last.request_stats) {
        Some(stats) => {
            assert!(messages.pop().unwrap().chunks.is_empty());
            stats.full_read_stats_view
        }
        None => None,
    };
    assert!(
        messages
            .iter()
            .all(|message| message.request_stats.is_none())
    );
    let cells = messages.iter().map(|message| message.chunks.len()).sum();
    Ok((cells, stats))
}

#[tokio::test]
async fn a_read_that_asks_is_told_what_was_looked_at() {
    let db = filled().await;
    for (value, rows, cells) in [("a|b", 2, 2), (".*", 3, 6), ("none", 0, 0)] {
        let (delivered, stats) = read(&db, wire::REQUEST_STATS_FULL, value).await.unwrap();
        let stats = stats.unwrap();
        let expected = wire::ReadIterationStats {
            rows_seen_count: 3,
            rows_returned_count: rows,
            cells_seen_count: 6,
            cells_returned_count: cells,
        };
        assert_eq!(stats.read_iteration_stats, Some(expected), "{value}");
        assert_eq!(i64::try_from(delivered), Ok(cells));
        let latency = stats.request_latency_stats.unwrap();
        assert!(latency.frontend_server_latency.is_some());
    }
    for view in [0, NONE] {
        assert_eq!(read(&db, view, "a").await.unwrap(), (1, None));
    }
    let status = read(&db, 3, "a").await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    // A failed read has none.
    let status = read(&db, wire::REQUEST_STATS_FULL, "(").await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
}

/// What is not counted is not reported.
#[tokio::test]
async fn a_backend_that_does_not_count_tells_the_time_only() {
    let db: Arc<dyn Backend> = Arc::new(FaultyBackend::new(filled().await, 7, vec![]).unwrap());
    let (cells, stats) = read(&db, wire::REQUEST_STATS_FULL, "a").await.unwrap();
    let stats = stats.unwrap();
    assert_eq!((cells, stats.read_iteration_stats), (1, None));
    assert!(stats.request_latency_stats.is_some());
}
