//! Queries whose streams are cut, restarted and failed at random: each row comes once, in order.
//! A thousand of them, or 50,000 with `BIGTABLE_MODEL_NIGHTLY=1`.
//!
//! The seed is printed with a failure.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use bigtable_model::Backend;
use bigtable_model::backend::grpc::server::{Answer, Answers, GrpcServer, Messages};
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, RetrySettings, wire};
use bigtable_model::backend::sql::{SqlParameters, SqlPlan, SqlQuery};
use bigtable_model_tests::runs::nightly;
use bytes::Bytes;
use futures::stream;
use futures::{StreamExt, TryStreamExt};
use tonic::{Request, Response, Status};

use crate::answers::{Part, SQL, checksum, column, int, int64, plan, rows, string, text};
use crate::scripted::serve;

fn queries() -> u64 {
    nightly(50_000, 1_000)
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Sends the rows of a query, whose text is the number of its rows; a token is the number of rows
/// before it.
#[derive(Debug, Default)]
struct Restless {
    /// Every stream is different.
    streams: AtomicU64,
    resumed: AtomicUsize,
    resets: AtomicUsize,
}

impl Restless {
    /// The messages of one stream, which may end before the rows do.
    fn stream(&self, random: &mut Random, all: usize, first: usize) -> Vec<Result<Part, Status>> {
        let mut parts = Vec::new();
        // Rows before the last token, and rows sent.
        let (mut safe, mut sent) = (first, first);
        let mut anew = true;
        while safe < all {
            if sent == all || random.chance(25) {
                // What was sent since the token is void.
                self.resets
                    .fetch_add(usize::from(sent > safe), Ordering::Relaxed);
                (sent, anew) = (safe, true);
            }
            let count = (1 + random.below(4)).min(all - sent);
            let mut batch = cut(random, sent..sent + count);
            sent += count;
            if anew {
                batch[0] = batch[0].clone().reset();
                anew = false;
            }
            if sent == all || random.chance(50) {
                safe = sent;
                let token = Bytes::from(sent.to_string());
                match random.chance(50) {
                    true => batch.push(Part::new().token_bytes(token)),
                    false => {
                        let last = batch.pop().unwrap();
                        batch.push(last.token_bytes(token));
                    }
                }
            }
            for part in batch {
                if random.chance(5) {
                    parts.push(Err(failure(random)));
                    return parts;
                }
                parts.push(Ok(part));
            }
        }
        if random.chance(20) {
            parts.push(Err(failure(random)));
        }
        parts
    }
}

/// A batch in several parts.
fn cut(random: &mut Random, numbers: std::ops::Range<usize>) -> Vec<Part> {
    let values = numbers.flat_map(|number| {
        let number = i64::try_from(number).unwrap();
        [int(number), text(&format!("row {number}"))]
    });
    let data = rows(values.collect());
    let sum = checksum(&data);
    let mut parts = Vec::new();
    let mut rest = &*data;
    while !rest.is_empty() {
        let (part, after) = rest.split_at((1 + random.below(30)).min(rest.len()));
        parts.push(Part::new().data(part));
        rest = after;
    }
    match random.chance(30) {
        true => parts.push(Part::new().checksum(sum)),
        false => {
            let last = parts.pop().unwrap();
            parts.push(last.checksum(sum));
        }
    }
    parts
}

fn failure(random: &mut Random) -> Status {
    match random.below(3) {
        0 => Status::unavailable("lost"),
        1 => Status::aborted("elsewhere"),
        _ => Status::internal("RST_STREAM"),
    }
}

impl GrpcServer for Restless {
    fn prepare_query(
        &self,
        request: Request<wire::PrepareQueryRequest>,
    ) -> Answer<wire::PrepareQueryResponse> {
        drop(request);
        let columns = vec![column("number", int64()), column("name", string())];
        Box::pin(async move { Ok(Response::new(plan("plan", columns))) })
    }

    fn execute_query(
        &self,
        request: Request<wire::ExecuteQueryRequest>,
    ) -> Answers<wire::ExecuteQueryResponse> {
        let request = request.into_inner();
        let number = |name: &str| match request.params[name].kind {
            Some(wire::SqlValueKind::Int(number)) => u64::try_from(number).unwrap(),
            ref other => panic!("{other:?}"),
        };
        let token = str::from_utf8(&request.resume_token).unwrap();
        let first = token.parse().unwrap_or(0);
        self.resumed
            .fetch_add(usize::from(first > 0), Ordering::Relaxed);
        let stream = self.streams.fetch_add(1, Ordering::Relaxed);
        let mut random = Random(number("seed") ^ stream.rotate_left(32));
        let all = usize::try_from(number("rows")).unwrap();
        let parts = self.stream(&mut random, all, first);
        let messages = parts.into_iter().map(|part| part.map(Part::message));
        let messages = Messages::new(stream::iter(messages));
        Box::pin(async move { Ok(Response::new(messages)) })
    }
}

/// The rows of one query.
async fn rows_of(backend: &GrpcBackend, plan: &SqlPlan, seed: u64, all: i64) -> Vec<(i64, String)> {
    let parameters = SqlParameters::new()
        .bind("seed", i64::try_from(seed).unwrap())
        .bind("rows", all);
    let rows = backend.sql_service().execute(plan, parameters);
    let rows = rows.map(|row| row.unwrap_or_else(|error| panic!("seed {seed}: {error}")));
    rows.map(|row| row.read().unwrap()).collect().await
}

#[tokio::test]
async fn each_row_comes_once_and_in_order_however_often_streams_break_off() {
    let server = Arc::new(Restless::default());
    let settings = GrpcSettings::new("p", "i").emulator(serve(&server));
    let at_once = RetrySettings {
        first_delay: Duration::ZERO,
        max_delay: Duration::ZERO,
        ..RetrySettings::default()
    };
    let backend = GrpcBackend::new(&settings.retry(at_once)).unwrap();
    let types = SqlParameters::new().bind("seed", 0_i64).bind("rows", 0_i64);
    let query = SqlQuery::text(SQL, types);
    let plan = backend.sql_service().prepare(&query).await.unwrap();
    let runs = stream::iter(0..queries()).map(|seed| {
        let (backend, plan) = (&backend, &plan);
        async move {
            let all = i64::try_from(Random(seed).below(40)).unwrap();
            let found = rows_of(backend, plan, seed, all).await;
            let expected = (0..all).map(|number| (number, format!("row {number}")));
            assert_eq!(found, expected.collect::<Vec<_>>(), "seed {seed}");
            Ok::<_, Status>(())
        }
    });
    let done = runs.buffer_unordered(20);
    done.try_for_each(|()| async { Ok(()) }).await.unwrap();
    // Enough failures occurred.
    let streams = server.streams.load(Ordering::Relaxed);
    let resumed = server.resumed.load(Ordering::Relaxed);
    let resets = server.resets.load(Ordering::Relaxed);
    let enough = streams > 3 * queries() && resumed > 1_000 && resets > 1_000;
    assert!(
        enough,
        "{streams} streams, {resumed} resumed, {resets} begun anew"
    );
}
