//! Eight writers and eight readers: rows are complete, time never goes back, nothing is lost.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::*;
use bigtable_model::data::{EntryBatch, ReadModifyWriteRow, ReadModifyWriteRule, RuleAction};
use bigtable_model_tests::runs::nightly;

const WRITERS: u64 = 8;
const READERS: u64 = 8;
/// Rows that only one writer writes, in rounds.
const OWN_ROWS: u64 = 40;
/// Rows whose counters all writers increment.
const SHARED_ROWS: u64 = 5;
/// A writer adds and deletes its own rows, so scans meet rows that come and go.
const PASSING_ROWS: u64 = 20;

/// The columns of a row, which always have the same value; enough of them for a tree.
const COLUMNS: [&[u8]; 40] = {
    const LETTERS: &[u8; 40] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn";
    let mut columns: [&[u8]; 40] = [b""; 40];
    let mut at = 0;
    while at < 40 {
        let (_, rest) = LETTERS.split_at(at);
        columns[at] = rest.split_at(1).0;
        at += 1;
    }
    columns
};

fn own(writer: u64, row: u64) -> Bytes {
    Bytes::from(format!("own#{row:02}#{writer}"))
}

fn shared(row: u64) -> Bytes {
    Bytes::from(format!("shared#{row}"))
}

fn passing(writer: u64, row: u64) -> Bytes {
    Bytes::from(format!("passing#{row:02}#{writer}"))
}

/// Four columns or all of them, depending on the row.
fn columns(row: u64) -> &'static [&'static [u8]] {
    match row % 4 {
        0 => &COLUMNS,
        _ => &COLUMNS[..4],
    }
}

#[derive(Debug, Default)]
struct Shared {
    done: AtomicBool,
    /// What was acknowledged: the last value of each writer's rows, and the sum added to the
    /// counters.
    acknowledged: Vec<Vec<AtomicU64>>,
    added: Vec<AtomicU64>,
    writes: AtomicU64,
    rows_read: AtomicU64,
}

impl Shared {
    fn new() -> Self {
        let zeros = |count| (0..count).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
        Self {
            acknowledged: (0..WRITERS).map(|_| zeros(OWN_ROWS)).collect(),
            added: zeros(SHARED_ROWS),
            ..Self::default()
        }
    }

    fn done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }
}

fn seconds() -> Duration {
    Duration::from_secs(nightly(60, 5))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn rows_are_whole_and_nothing_is_lost() {
    let _alone = ALONE.lock().await;
    let db = database().await;
    let shared = Arc::new(Shared::new());
    let writers = (0..WRITERS).map(|name| tokio::spawn(writer(db.clone(), name, shared.clone())));
    let mut tasks: Vec<_> = writers.collect();
    let readers = (0..READERS).map(|name| tokio::spawn(reader(db.clone(), name, shared.clone())));
    tasks.extend(readers);
    tokio::time::sleep(seconds()).await;
    shared.done.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.unwrap();
    }
    check_end(&db, &shared).await;
    let (writes, rows) = (&shared.writes, &shared.rows_read);
    println!("{writes:?} writes, {rows:?} rows read");
}

async fn writer(db: MemoryBackend, name: u64, state: Arc<Shared>) {
    let mut round = 0;
    while !state.done() {
        round += 1;
        for row in 0..OWN_ROWS {
            write_own(&db, name, row, round, &state).await;
            add(&db, (name + row) % SHARED_ROWS, round, &state).await;
            let key = passing(name, row % PASSING_ROWS);
            let mutation = match (round + row / PASSING_ROWS) % 2 {
                0 => Mutation::DeleteFromRow,
                _ => set(b"A", bytes(round)),
            };
            write(&db, key, vec![mutation]).await.unwrap();
            state.writes.fetch_add(3, Ordering::Relaxed);
        }
        tokio::task::yield_now().await;
    }
}

/// Sets all columns of a row to one value, with one of the three calls that can.
async fn write_own(db: &MemoryBackend, writer: u64, row: u64, round: u64, state: &Shared) {
    let key = own(writer, row);
    let cells = columns(row).iter().map(|name| set(name, bytes(round)));
    let mut mutations: Vec<_> = cells.collect();
    if round.is_multiple_of(3) {
        // No read may see the row between its deletion and its cells.
        mutations.insert(0, Mutation::DeleteFromRow);
    }
    if round.is_multiple_of(2) {
        let entries = vec![RowMutations { key, mutations }];
        let outcomes = db.mutate_rows("t", EntryBatch::of(entries)).await.unwrap();
        assert_eq!(outcomes, [Ok(())]);
    } else {
        write(db, key, mutations).await.unwrap();
    }
    let acknowledged = &state.acknowledged[writer as usize][row as usize];
    acknowledged.store(round, Ordering::Release);
}

/// Adds to two counters of a row at once.
async fn add(db: &MemoryBackend, row: u64, amount: u64, state: &Shared) {
    let rule = |qualifier: &'static [u8]| ReadModifyWriteRule {
        family: "f".into(),
        qualifier: Bytes::from_static(qualifier),
        action: RuleAction::Increment(amount.cast_signed()),
    };
    let request = ReadModifyWriteRow {
        table: "t".to_owned(),
        key: shared(row),
        rules: vec![rule(b"A"), rule(b"B")],
    };
    let new = db.read_modify_write_row(request).await.unwrap();
    assert_eq!(number(&new, b"A"), number(&new, b"B"));
    state.added[row as usize].fetch_add(amount, Ordering::Release);
}

/// Alternates between single rows and scans, forwards and reversed.
async fn reader(db: MemoryBackend, name: u64, state: Arc<Shared>) {
    let mut seen = HashMap::new();
    let mut turn = name;
    while !state.done() {
        turn += 1;
        for row in 0..OWN_ROWS {
            let writer = (turn + row) % WRITERS;
            let before = state.acknowledged[writer as usize][row as usize].load(Ordering::Acquire);
            let found = get(&db, own(writer, row)).await;
            assert!(before == 0 || found.is_some(), "a written row is not there");
            let Some(found) = found else { continue };
            assert!(check(&found, &mut seen) >= before, "a write is not seen");
        }
        scan(&db, turn.is_multiple_of(2), &mut seen, &state).await;
        tokio::task::yield_now().await;
    }
}

async fn scan(db: &MemoryBackend, reversed: bool, seen: &mut HashMap<Bytes, u64>, state: &Shared) {
    let request = ReadRows {
        reversed,
        ..request(RowSet::all())
    };
    // Rows that are never deleted and existed before the scan are all in it.
    let written = |row: &AtomicU64| row.load(Ordering::Acquire) > 0;
    let before = state
        .acknowledged
        .iter()
        .flatten()
        .filter(|row| written(row))
        .count();
    let mut rows = db.read_rows(request).rows();
    let mut last: Option<Bytes> = None;
    let (mut own_rows, mut count) = (0, 0);
    while let Some(row) = rows.try_next().await.unwrap() {
        let in_order = last.is_none_or(|last| match reversed {
            false => last < row.key,
            true => last > row.key,
        });
        assert!(in_order, "keys come in order and once");
        check(&row, seen);
        own_rows += usize::from(row.key.starts_with(b"own#"));
        count += 1;
        last = Some(row.key);
    }
    assert!(own_rows >= before, "a scan left rows out");
    state.rows_read.fetch_add(count, Ordering::Relaxed);
}

/// Checks that a row has one value in all its columns, not below the previous one.
fn check(row: &Row, seen: &mut HashMap<Bytes, u64>) -> u64 {
    let value = number(row, b"A").unwrap();
    if row.key.starts_with(b"passing#") {
        return value;
    }
    let mixed = row.cells.iter().find(|cell| cell.value != bytes(value));
    let at_home = row.key.starts_with(b"own#");
    if at_home {
        assert_eq!(mixed, None, "{:?} is mixed", row.key);
        let index: u64 = std::str::from_utf8(&row.key[4..6])
            .unwrap()
            .parse()
            .unwrap();
        assert_eq!(row.cells.len(), columns(index).len(), "{:?}", row.key);
    } else {
        // Increments leave older versions if the clock moved on.
        assert_eq!(
            number(row, b"A"),
            number(row, b"B"),
            "{:?} is mixed",
            row.key
        );
    }
    let before = seen.insert(row.key.clone(), value).unwrap_or(0);
    assert!(
        before <= value,
        "{:?} went back from {before} to {value}",
        row.key
    );
    value
}

/// Everything that was acknowledged is stored.
async fn check_end(db: &MemoryBackend, state: &Shared) {
    for (writer, rows) in state.acknowledged.iter().enumerate() {
        for (row, expected) in rows.iter().enumerate() {
            let found = get(db, own(writer as u64, row as u64)).await.unwrap();
            let expected = expected.load(Ordering::Acquire);
            assert_eq!(check(&found, &mut HashMap::new()), expected);
        }
    }
    for (row, expected) in state.added.iter().enumerate() {
        let found = get(db, shared(row as u64)).await.unwrap();
        assert_eq!(number(&found, b"A"), Some(expected.load(Ordering::Acquire)));
    }
}
