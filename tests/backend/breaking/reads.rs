//! A read of 100,000 rows from a server that breaks the stream every few hundred rows.

use std::ops::Bound;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bigtable_model::Backend;
use bigtable_model::backend::grpc::server::{Answers, GrpcServer, Messages};
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, RetrySettings, wire};
use bigtable_model::data::{ReadRows, Row, RowRange, RowSet};
use bytes::Bytes;
use futures::{TryStreamExt, stream};
use tonic::{Request, Response, Status};

use super::{Dice, seeds};
use crate::fixture::all;
use crate::scripted::serve;

const ROWS: usize = 100_000;

/// Every 41st row has no cell that passes the filter: the server scans it and sends nothing.
const HIDDEN: usize = 41;

/// Keys and values, created once, since each seed uses them.
static TABLE: LazyLock<Vec<(Bytes, Bytes)>> = LazyLock::new(|| {
    let value = |row| format!("value {row} {}", "x".repeat(row % 7));
    (0..ROWS)
        .map(|row| (format!("{row:06}").into(), value(row).into()))
        .collect()
});

fn key(row: usize) -> Bytes {
    TABLE[row].0.clone()
}

fn value(row: usize) -> Bytes {
    TABLE[row].1.clone()
}

fn is_sent(row: &usize) -> bool {
    row % HIDDEN != 5
}

/// Serves the rows, and breaks off.
#[derive(Debug)]
pub(super) struct Breaking {
    dice: Arc<Dice>,
    /// The number of rows.
    rows: usize,
    breaks: AtomicUsize,
}

/// Where an attempt breaks off.
#[derive(Debug, Clone, Copy)]
enum Break {
    BetweenRows,
    InsideRow,
    InsideValue,
    AfterMarker,
}

/// The rest of an attempt.
struct Attempt {
    dice: Arc<Dice>,
    rows: Box<dyn Iterator<Item = usize> + Send>,
    /// Rows that the request's limit still allows.
    limit: usize,
    /// Rows to scan before it breaks off.
    left: usize,
    broken: bool,
}

impl Breaking {
    pub(super) fn new(dice: Arc<Dice>, rows: usize) -> Self {
        Self {
            dice,
            rows,
            breaks: AtomicUsize::new(0),
        }
    }

    fn attempt(&self, request: wire::ReadRowsRequest) -> Attempt {
        let rows = request.rows.map(RowSet::from).unwrap_or_default();
        let rows = asked(rows, self.rows);
        self.breaks.fetch_add(1, Ordering::Relaxed);
        Attempt {
            rows: match request.reversed {
                true => Box::new(rows.rev()),
                false => Box::new(rows),
            },
            limit: match usize::try_from(request.rows_limit).unwrap() {
                0 => usize::MAX,
                limit => limit,
            },
            left: self.dice.roll(600),
            dice: Arc::clone(&self.dice),
            broken: false,
        }
    }
}

/// The rows of a row set with disjoint parts, ascending.
fn asked(rows: RowSet, count: usize) -> impl DoubleEndedIterator<Item = usize> + Send {
    let number = |key: &Bytes| std::str::from_utf8(key).unwrap().parse::<usize>().unwrap();
    let all = RowSet::range(RowRange::all());
    let rows = if rows.is_all() { all } else { rows };
    let mut asked: Vec<_> = rows
        .keys
        .iter()
        .map(number)
        .map(|row| row..row + 1)
        .collect();
    for range in &rows.ranges {
        let start = match &range.start {
            Bound::Included(key) => number(key),
            Bound::Excluded(key) => number(key) + 1,
            Bound::Unbounded => 0,
        };
        let end = match &range.end {
            Bound::Included(key) => number(key) + 1,
            Bound::Excluded(key) => number(key),
            Bound::Unbounded => count,
        };
        asked.push(start..end);
    }
    asked.sort_unstable_by_key(|range| range.start);
    asked.into_iter().flatten()
}

impl Attempt {
    /// The next message; `None` at the end.
    fn next(&mut self) -> Option<Result<wire::ReadRowsResponse, Status>> {
        if self.broken {
            let text = ["RST_STREAM", "received unexpected EOS"][self.dice.roll(2)];
            return Some(Err(match self.dice.roll(4) {
                0 => Status::unavailable("on purpose"),
                1 => Status::aborted("on purpose"),
                2 => Status::deadline_exceeded("on purpose"),
                _ => Status::internal(text),
            }));
        }
        let mut message = wire::ReadRowsResponse::default();
        for _ in 0..=self.dice.roll(40) {
            let row = match self.limit {
                0 => None,
                _ => self.rows.next(),
            };
            let Some(row) = row else {
                let ended = message.chunks.is_empty();
                return (!ended).then_some(Ok(message));
            };
            if self.left == 0 {
                self.break_off(row, &mut message);
                return Some(Ok(message));
            }
            self.left -= 1;
            if is_sent(&row) {
                self.limit -= 1;
                message.chunks.extend(chunks(row));
            } else if self.dice.roll(2) == 0 {
                message.last_scanned_row_key = key(row);
                return Some(Ok(message));
            }
        }
        Some(Ok(message))
    }

    fn break_off(&mut self, row: usize, message: &mut wire::ReadRowsResponse) {
        self.broken = true;
        let kinds = [
            Break::BetweenRows,
            Break::InsideRow,
            Break::InsideValue,
            Break::AfterMarker,
        ];
        let sent = match kinds[self.dice.roll(4)] {
            Break::InsideRow => 1,
            Break::InsideValue => 2,
            Break::AfterMarker if !is_sent(&row) => {
                message.last_scanned_row_key = key(row);
                0
            }
            Break::BetweenRows | Break::AfterMarker => 0,
        };
        if is_sent(&row) {
            message.chunks.extend(chunks(row).into_iter().take(sent));
        }
    }
}

/// Two cells, the second one in two chunks.
fn chunks(row: usize) -> [wire::CellChunk; 3] {
    let name = |name: &'static str| Some(wire::BytesValue { value: name.into() });
    let value = value(row);
    let first = wire::CellChunk {
        row_key: key(row),
        family_name: name("f"),
        qualifier: name("p"),
        value: "1".into(),
        ..wire::CellChunk::default()
    };
    let second = wire::CellChunk {
        qualifier: name("q"),
        value: value.slice(..3),
        value_size: i32::try_from(value.len()).unwrap(),
        ..wire::CellChunk::default()
    };
    let last = wire::CellChunk {
        value: value.slice(3..),
        row_status: Some(wire::RowStatus::CommitRow(true)),
        ..wire::CellChunk::default()
    };
    [first, second, last]
}

impl GrpcServer for Breaking {
    fn read_rows(
        &self,
        request: Request<wire::ReadRowsRequest>,
    ) -> Answers<wire::ReadRowsResponse> {
        let attempt = self.attempt(request.into_inner());
        let messages = stream::unfold(attempt, |mut attempt| async {
            attempt.next().map(|message| (message, attempt))
        });
        Box::pin(async move { Ok(Response::new(Messages::new(messages))) })
    }
}

/// A random read: all rows or parts, forwards or reversed, with or without a limit.
pub(super) fn request(dice: &Dice, count: usize) -> (ReadRows, Vec<usize>) {
    let middle = count / 5 * 3;
    let rows = match dice.roll(2) {
        0 => RowSet::all(),
        _ => RowSet {
            keys: vec![key(3), key(middle), key(count - 1)],
            ranges: vec![
                RowRange::half_open(key(10), key(middle)),
                RowRange {
                    start: Bound::Excluded(key(middle + 1)),
                    end: Bound::Included(key(count - 100)),
                },
            ],
        },
    };
    let mut expected: Vec<_> = asked(rows.clone(), count).collect();
    let reversed = dice.roll(2) == 0;
    if reversed {
        expected.reverse();
    }
    expected.retain(is_sent);
    let limit = match dice.roll(3) {
        0 => 1 + dice.roll(count / 2),
        1 => expected.len(),
        _ => 0,
    };
    if limit > 0 {
        expected.truncate(limit);
    }
    let request = ReadRows {
        rows,
        reversed,
        rows_limit: i64::try_from(limit).unwrap(),
        ..all()
    };
    (request, expected)
}

pub(super) fn is_row(number: usize, row: &Row) -> bool {
    let cells = row.cells.as_slice();
    row.key == key(number)
        && matches!(cells, [p, q] if p.value == "1" && q.qualifier == "q" && q.value == value(number))
}

async fn read(seed: u64) {
    let dice = Arc::new(Dice::new(seed));
    let (request, expected) = request(&dice, ROWS);
    let server = Arc::new(Breaking::new(dice, ROWS));
    let retry = RetrySettings {
        first_delay: Duration::ZERO,
        max_delay: Duration::ZERO,
        ..RetrySettings::default()
    };
    let settings = GrpcSettings::new("p", "i")
        .emulator(serve(&server))
        .retry(retry);
    let backend = GrpcBackend::new(&settings).unwrap();
    let mut rows = backend.read_rows(request).rows();
    for number in &expected {
        let row = rows.try_next().await.unwrap();
        let row = row.unwrap_or_else(|| panic!("seed {seed}: row {number} is missing"));
        assert!(
            is_row(*number, &row),
            "seed {seed}: not row {number}: {row:?}"
        );
    }
    assert_eq!(rows.try_next().await, Ok(None), "seed {seed}");
    let breaks = server.breaks.load(Ordering::Relaxed);
    assert!(
        breaks >= expected.len() / 1000,
        "seed {seed}: {breaks} attempts"
    );
}

/// In two halves, for two cores.
async fn read_every_second(first: usize) {
    for seed in seeds().skip(first).step_by(2) {
        read(seed).await;
    }
}

#[tokio::test]
async fn a_long_read_delivers_each_row_once_in_order() {
    read_every_second(0).await;
}

#[tokio::test]
async fn a_long_read_with_other_seeds_does_so_too() {
    read_every_second(1).await;
}
