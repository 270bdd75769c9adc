//! The statistics of a read.

use std::sync::Arc;
use std::time::Instant;

use crate::ReadCounts;
use crate::data::Row;
use crate::grpc::protocol::wire::{
    FullReadStatsView, REQUEST_STATS_FULL, ReadIterationStats, ReadRowsResponse,
    RequestLatencyStats, RequestStats,
};
use crate::{Code, Status};

/// The counts of a read while it runs.
pub(super) struct Stats {
    begun: Instant,
    /// `None` if the backend does not count: then the rows and cells read are left out, and so are
    /// those returned, which say nothing without them.
    seen: Option<Arc<ReadCounts>>,
    rows: usize,
    cells: usize,
}

/// Whether a read asks for statistics.
pub(super) fn is_asked(view: i32) -> Result<bool, Status> {
    match view {
        // Unspecified, or without statistics.
        0 | 1 => Ok(false),
        REQUEST_STATS_FULL => Ok(true),
        _ => Err(Status::new(
            Code::InvalidArgument,
            format!("request_stats_view {view} is none that there is: 1 is none, 2 is full"),
        )),
    }
}

impl Stats {
    pub(super) fn new(seen: Option<Arc<ReadCounts>>) -> Self {
        Self {
            begun: Instant::now(),
            seen,
            rows: 0,
            cells: 0,
        }
    }

    /// Counts a row that is delivered.
    pub(super) fn add(&mut self, row: &Row) {
        self.rows += 1;
        self.cells += row.cells.len();
    }

    /// The message after the last row.
    pub(super) fn message(&self) -> ReadRowsResponse {
        let iteration = self.seen.as_ref().map(|seen| ReadIterationStats {
            rows_seen_count: count(seen.rows()),
            rows_returned_count: count(self.rows),
            cells_seen_count: count(seen.cells()),
            cells_returned_count: count(self.cells),
        });
        let latency = RequestLatencyStats {
            frontend_server_latency: Some(self.begun.elapsed().into()),
        };
        ReadRowsResponse {
            request_stats: Some(RequestStats {
                full_read_stats_view: Some(FullReadStatsView {
                    read_iteration_stats: iteration,
                    request_latency_stats: Some(latency),
                }),
            }),
            ..ReadRowsResponse::default()
        }
    }
}

fn count(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}
