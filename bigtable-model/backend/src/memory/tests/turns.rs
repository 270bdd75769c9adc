//! Long work is done in turns: other tasks are served in between, and dropped work stops.

use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use futures::{FutureExt as _, Stream, StreamExt as _};

use super::*;
use crate::Code;
use crate::data::{
    CheckAndMutateRow, EntryBatch, ReadModifyWriteRow, ReadModifyWriteRule, RowDeletion, RowFilter,
    RuleAction,
};
use crate::memory::steps::{TURN, taken};

/// The maximum number of steps in one turn: a piece of work may run a little over its end.
const MOST: usize = TURN + TURN / 8;

/// A row `r` with this many columns, each with the value `x`.
fn wide(db: &MemoryBackend, columns: usize) {
    let cells = (0..columns).map(|number| set(&format!("{number:06}"), 0, "x"));
    write(db, "r", cells.collect()).unwrap();
}

/// A filter that takes some steps for each cell, and lets through those with this value.
fn long(value: &str) -> RowFilter {
    let mut filters = vec![RowFilter::ValueRegex(format!("{value}|a+").into()); 20];
    filters.push(RowFilter::CellsPerRowLimit(1));
    RowFilter::Chain(filters)
}

fn filtered(filter: RowFilter) -> ReadRows {
    ReadRows {
        filter: Some(filter),
        ..request()
    }
}

/// Polls a read until it is ready; also returns the steps of each poll.
fn next(rows: &mut (impl Stream<Item = Result<Row, Status>> + Unpin)) -> (Vec<usize>, Option<Row>) {
    let mut turns = Vec::new();
    loop {
        let before = taken::so_far();
        let polled = rows.poll_next_unpin(&mut Context::from_waker(Waker::noop()));
        turns.push(taken::so_far() - before);
        if let Poll::Ready(row) = polled {
            return (turns, row.transpose().unwrap());
        }
    }
}

#[test]
fn a_read_gives_way_inside_a_row() {
    let db = database();
    wide(&db, 20_000);
    for (request, cells) in [
        (request(), Some(20_000)),
        (filtered(long("x")), Some(1)),
        (filtered(long("y")), None),
    ] {
        let mut rows = db.read_rows(request).rows();
        let (turns, row) = next(&mut rows);
        assert_eq!(row.map(|row| row.cells.len()), cells);
        assert!(turns.len() > 2, "{turns:?}");
        assert!(turns.iter().all(|turn| *turn <= MOST), "{turns:?}");
        assert_eq!(next(&mut rows).1, None);
    }
}

#[test]
fn a_read_gives_way_between_rows_that_take_few_steps_each() {
    let db = database();
    for number in 0..2_000 {
        let cells = (0..20).map(|column| set(&format!("{column}"), 0, "x"));
        write(&db, &format!("{number:04}"), cells.collect()).unwrap();
    }
    let (turns, row) = next(&mut db.read_rows(filtered(long("y"))).rows());
    assert_eq!(row, None);
    assert!(turns.iter().all(|turn| *turn <= MOST), "{turns:?}");
    assert!(turns.iter().sum::<usize>() > 2 * MOST);

    // The same if all of them are let through.
    let mut rows = db.read_rows(filtered(long("x"))).rows();
    let (mut polls, mut seen) = (0, 0);
    loop {
        let (turns, row) = next(&mut rows);
        assert!(turns.iter().all(|turn| *turn <= MOST), "{turns:?}");
        polls += turns.len();
        if row.is_none() {
            break;
        }
        seen += 1;
    }
    assert_eq!(seen, 2_000);
    assert!(polls > seen + 2);
}

/// Rows `000000` and so on, each with the value `x`.
fn fill(db: &MemoryBackend, table: &str, rows: usize) {
    let entry = |number| RowMutations {
        key: format!("{number:06}").into(),
        mutations: vec![set("q", 0, "x")],
    };
    let outcomes = block_on(db.mutate_rows(table, EntryBatch::of((0..rows).map(entry))));
    assert!(outcomes.unwrap().iter().all(Result::is_ok));
}

/// The layers between a read and its task have something to deliver, and poll again at once.
#[test]
fn a_read_whose_rows_pass_gives_way_to_other_tasks() {
    let db = database();
    fill(&db, "t", 10_000);
    let keys_only = RowFilter::Chain(vec![RowFilter::CellsPerRowLimit(1), RowFilter::StripValue]);
    for request in [request(), filtered(keys_only), filtered(long("x"))] {
        let (mut seen, mut turns) = (0, 0);
        let mut rows = db.read_rows(request).rows();
        block_on(poll_fn(|cx| {
            let before = taken::so_far();
            let mut pending = 0;
            while pending < 10 {
                match rows.poll_next_unpin(cx) {
                    Poll::Ready(Some(row)) => seen += row.unwrap().cells.len(),
                    Poll::Ready(None) => return Poll::Ready(()),
                    Poll::Pending => pending += 1,
                }
            }
            let steps = taken::so_far() - before;
            assert!(steps <= MOST, "{steps}");
            turns += 1;
            Poll::Pending
        }));
        assert_eq!(seen, 10_000);
        assert!(turns > 2, "{turns}");
    }
}

#[test]
fn a_read_that_is_dropped_ends_where_it_is() {
    let db = database();
    wide(&db, 20_000);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async {
        let mut rows = db.read_rows(filtered(long("x"))).rows();
        assert!(rows.next().now_or_never().is_none());
        let reading = tokio::spawn(async move { rows.next().await });
        // It is in the middle of the row.
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        assert!(!reading.is_finished());
        reading.abort();
        assert!(reading.await.unwrap_err().is_cancelled());
        let before = taken::so_far();
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        assert_eq!(taken::so_far(), before);
    });
}

#[test]
fn a_filter_that_takes_too_many_steps_is_refused() {
    let db = database();
    wide(&db, 1);
    let both = RowFilter::Interleave(vec![RowFilter::PassAll; 2]);
    let regexes = (0..1_000).map(|number| RowFilter::ValueRegex(format!("a+{number}").into()));
    let mut filters = vec![both; 16];
    filters.push(RowFilter::Interleave(regexes.collect()));
    let error = read(&db, filtered(RowFilter::Chain(filters))).unwrap_err();
    assert_eq!(error.code, Code::InvalidArgument);
    assert!(error.message.contains("steps for the row 'r'"), "{error}");
}

/// A write that replaces all of the row by one column if the predicate matches, and adds a column
/// otherwise.
fn conditional(predicate: RowFilter) -> CheckAndMutateRow {
    CheckAndMutateRow {
        table: "t".to_owned(),
        key: "r".into(),
        predicate: Some(predicate),
        if_true: vec![Mutation::DeleteFromRow, set("matched", 0, "x")],
        if_false: vec![set("unmatched", 0, "x")],
    }
}

fn qualifiers(db: &MemoryBackend) -> Vec<Bytes> {
    let rows = read(db, request()).unwrap();
    let cells = rows.into_iter().flat_map(|row| row.cells);
    cells.map(|cell| cell.qualifier).collect()
}

#[test]
fn a_conditional_write_gives_way_and_locks_nothing_meanwhile() {
    let db = database();
    wide(&db, 20_000);
    let mut cx = Context::from_waker(Waker::noop());
    let mut writing = pin!(db.check_and_mutate_row(conditional(long("x"))));
    let before = taken::so_far();
    assert!(writing.as_mut().poll(&mut cx).is_pending());
    assert!(taken::so_far() - before <= 2 * MOST);
    write(&db, "other", vec![set("q", 0, "x")]).unwrap();
    write(&db, "other", vec![Mutation::DeleteFromRow]).unwrap();
    assert_eq!(block_on(writing), Ok(true));
    assert_eq!(qualifiers(&db), ["matched"]);
}

/// The predicate is evaluated on the row that is changed.
#[test]
fn a_predicate_is_asked_again_about_a_row_that_changed() {
    let db = database();
    wide(&db, 20_000);
    let mut cx = Context::from_waker(Waker::noop());
    {
        let mut writing = pin!(db.check_and_mutate_row(conditional(long("x"))));
        assert!(writing.as_mut().poll(&mut cx).is_pending());
        write(&db, "r", vec![Mutation::DeleteFromRow, set("q", 0, "y")]).unwrap();
        assert_eq!(block_on(writing), Ok(false));
    }
    assert_eq!(qualifiers(&db), ["q", "unmatched"]);

    // Gone for good, and there again.
    wide(&db, 20_000);
    let mut writing = pin!(db.check_and_mutate_row(conditional(long("x"))));
    assert!(writing.as_mut().poll(&mut cx).is_pending());
    write(&db, "r", vec![Mutation::DeleteFromRow]).unwrap();
    assert_eq!(block_on(writing), Ok(false));
    assert_eq!(qualifiers(&db), ["unmatched"]);
}

#[test]
fn a_conditional_write_to_a_row_that_is_always_written_to_is_aborted() {
    let db = database();
    wide(&db, 20_000);
    let mut cx = Context::from_waker(Waker::noop());
    let mut writing = pin!(db.check_and_mutate_row(conditional(long("y"))));
    let mut rounds = 0_i64;
    let status = loop {
        match writing.as_mut().poll(&mut cx) {
            Poll::Ready(written) => break written.unwrap_err(),
            Poll::Pending => write(&db, "r", vec![set("q", rounds * 1_000, "x")]).unwrap(),
        }
        rounds += 1;
    };
    assert_eq!(status.code, Code::Aborted);
    assert!(status.message.contains("row 'r'"), "{status}");
    assert!(!qualifiers(&db).contains(&"unmatched".into()));
}

#[test]
fn a_bulk_write_gives_way_between_rows() {
    let db = database();
    let entry = |number: u32| RowMutations {
        key: number.to_be_bytes().to_vec().into(),
        mutations: vec![set("q", 0, "x")],
    };
    let mut writing = pin!(db.mutate_rows("t", EntryBatch::of((0..5_000).map(entry))));
    let mut cx = Context::from_waker(Waker::noop());
    let mut turns = Vec::new();
    let outcomes = loop {
        let before = taken::so_far();
        let polled = writing.as_mut().poll(&mut cx);
        turns.push(taken::so_far() - before);
        if let Poll::Ready(outcomes) = polled {
            break outcomes.unwrap();
        }
    };
    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!(read(&db, request()).unwrap().len(), 5_000);
    assert!(turns.len() > 2, "{turns:?}");
    assert!(turns.iter().all(|turn| *turn <= MOST), "{turns:?}");
}

/// Polls a write until it is done, never longer than a turn at once.
fn written<T>(writing: impl Future<Output = T>) -> T {
    let mut writing = pin!(writing);
    let mut cx = Context::from_waker(Waker::noop());
    let mut polls = 0;
    loop {
        let before = taken::so_far();
        let polled = writing.as_mut().poll(&mut cx);
        let steps = taken::so_far() - before;
        assert!(steps <= 2 * MOST, "{steps}");
        polls += 1;
        if let Poll::Ready(done) = polled {
            assert!(polls > 2, "{polls}");
            return done;
        }
    }
}

#[test]
fn what_drops_or_counts_many_rows_gives_way() {
    let db = database();
    fill(&db, "t", 10_000);
    let samples = written(db.sample_row_keys("t")).unwrap();
    assert_eq!(samples.last().unwrap().offset_bytes, 10_000 * 8);
    let all_but_one = RowDeletion::Prefix("00".into());
    write(&db, "1", vec![set("q", 0, "x")]).unwrap();
    written(db.tables().drop_rows("t", all_but_one)).unwrap();
    assert_eq!(shown(&db), ["1 q@0"]);
    fill(&db, "t", 10_000);
    written(db.tables().drop_rows("t", RowDeletion::All)).unwrap();
    assert_eq!(read(&db, request()).unwrap(), []);
    fill(&db, "t", 10_000);
    written(db.tables().delete("t")).unwrap();
    assert!(read(&db, request()).is_err());
}

fn appends(count: usize, bytes: usize) -> ReadModifyWriteRow {
    let rule = ReadModifyWriteRule {
        family: "f".into(),
        qualifier: "q".into(),
        action: RuleAction::Append(vec![b'y'; bytes].into()),
    };
    ReadModifyWriteRow {
        table: "t".to_owned(),
        key: "r".into(),
        rules: vec![rule; count],
    }
}

#[test]
fn a_long_read_modify_write_gives_way_and_locks_nothing_meanwhile() {
    for (held, count, bytes) in [(1, 20_000, 1), (4 << 20, 1, 1), (1, 1, 4 << 20)] {
        let db = database();
        write(&db, "r", vec![set("q", 0, vec![b'x'; held])]).unwrap();
        let mut writing = pin!(db.read_modify_write_row(appends(count, bytes)));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(writing.as_mut().poll(&mut cx).is_pending());
        write(&db, "other", vec![set("q", 0, "x")]).unwrap();
        let row = written(writing).unwrap();
        assert_eq!(row.cells[0].value.len(), held + count * bytes);
    }
}

/// Rules append to the current row, even if it is written to all the time.
#[test]
fn rules_are_computed_again_for_a_row_that_changed() {
    let db = database();
    let mut writing = pin!(db.read_modify_write_row(appends(20_000, 1)));
    let mut cx = Context::from_waker(Waker::noop());
    let (mut writes, mut pending) = (0_usize, 0);
    let row = loop {
        match writing.as_mut().poll(&mut cx) {
            Poll::Ready(row) => break row.unwrap(),
            Poll::Pending => pending += 1,
        }
        writes += 1;
        write(&db, "r", vec![set("q", 0, vec![b'x'; writes])]).unwrap();
    };
    assert!(pending > 10, "{pending}");
    assert_eq!(row.cells[0].value.len(), writes + 20_000);
    let cells = read(&db, request()).unwrap().remove(0).cells;
    assert_eq!((cells.len(), &cells[0]), (2, &row.cells[0]));
}

/// Otherwise a hundred gigabytes would be copied.
#[test]
fn many_appends_to_a_large_value_copy_it_once() {
    let db = database();
    let value = vec![b'x'; 8 << 20];
    write(&db, "r", vec![set("q", 0, value.clone())]).unwrap();
    let rule = |byte: u8| ReadModifyWriteRule {
        family: "f".into(),
        qualifier: "q".into(),
        action: RuleAction::Append(vec![byte].into()),
    };
    let more: Vec<_> = (0..12_000_u32).map(|number| number as u8).collect();
    let append = ReadModifyWriteRow {
        table: "t".to_owned(),
        key: "r".into(),
        rules: more.iter().copied().map(rule).collect(),
    };
    let row = block_on(db.read_modify_write_row(append)).unwrap();
    assert_eq!(row.cells[0].value, [value.clone(), more].concat());
    // The former value is another version, unchanged.
    let cells = read(&db, request()).unwrap().remove(0).cells;
    assert_eq!(cells[1].value, value);
}
