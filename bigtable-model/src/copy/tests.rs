//! Parts and the text of checkpoints; whole jobs are tested from outside.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

use std::collections::BTreeSet;

use bytes::Bytes;
use proptest::prelude::*;

use super::CopyJob;
use super::checkpoint::{Checkpoint, Copied, JobId, Part};
use super::split::{KeySpan, Samples, TableSamples};
use super::tally::Tally;
use super::text::{self, Damage};
use crate::data::{RowKeySample, RowRange, RowSet};
use crate::{BackendExt as _, MemoryBackend, Model as _, Timestamp};

fn samples(keys: &[(&'static str, i64)]) -> Samples {
    let samples = keys.iter().map(|(key, offset_bytes)| RowKeySample {
        key: Bytes::from_static(key.as_bytes()),
        offset_bytes: *offset_bytes,
    });
    Samples::new(samples.collect())
}

fn span(from: &'static str, to: &'static str) -> KeySpan {
    KeySpan {
        from: from.into(),
        to: to.into(),
    }
}

#[test]
fn parts_hold_about_the_same_number_of_bytes() {
    let samples = samples(&[("b", 10), ("c", 20), ("d", 60), ("e", 70), ("", 80)]);
    let all = [RowSet::all()];
    let every = ["", "b", "c", "d", "e", ""];
    let every: Vec<_> = every
        .windows(2)
        .map(|ends| span(ends[0], ends[1]))
        .collect();
    assert_eq!(samples.cut(&all, 100), every);
    assert_eq!(samples.cut(&all, 2), [span("", "c"), span("c", "")]);
    let three = [span("", "c"), span("c", "d"), span("d", "")];
    assert_eq!(samples.cut(&all, 3), three);
    assert_eq!(samples.cut(&all, 1), [span("", "")]);
}

#[test]
fn parts_without_rows_are_left_out() {
    let samples = samples(&[("b", 10), ("c", 20), ("d", 60), ("", 80)]);
    let key = [RowSet::key("c#1")];
    assert_eq!(samples.cut(&key, 100), [span("", "")]);
    let two = [RowSet {
        keys: vec!["a".into()],
        ranges: vec![RowRange::half_open("b5", "c")],
    }];
    assert_eq!(samples.cut(&two, 100), [span("", "b"), span("b", "")]);
    assert_eq!(samples.cut(&[], 100), []);
}

#[test]
fn a_table_of_which_nothing_is_known_is_one_part() {
    for samples in [samples(&[]), samples(&[("", 0)])] {
        assert_eq!(samples.cut(&[RowSet::all()], 8), [span("", "")]);
    }
    // Emulators may return keys without sizes.
    let samples = samples(&[("b", 0), ("c", 0), ("", 0)]);
    let parts = samples.cut(&[RowSet::all()], 3);
    assert_eq!(parts, [span("", "b"), span("b", "c"), span("c", "")]);
}

#[test]
fn a_share_is_told_by_bytes() {
    let samples = samples(&[("b", 10), ("c", 20), ("d", 60), ("", 80)]);
    let samples = TableSamples([("T".to_owned(), samples)].into());
    let mut parts = [span("", "c"), span("c", "")].map(|span| Part::new("T", span));
    assert_eq!(samples.share(&parts), 0.0);
    parts[0].done = Some("b7".into());
    assert_eq!(samples.share(&parts), 0.125);
    parts[1].finished = true;
    assert_eq!(samples.share(&parts), 0.875);
    parts[0].finished = true;
    assert_eq!(samples.share(&parts), 1.0);
    assert_eq!(TableSamples::default().share(&parts), 1.0);
    parts[0].finished = false;
    assert_eq!(TableSamples::default().share(&parts), 0.5);
}

fn key() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(
        prop_oneof![Just(b'-'), Just(b'%'), b'a'..=b'c', any::<u8>()],
        1..4,
    )
    .prop_map(Bytes::from)
}

fn rows() -> impl Strategy<Value = Vec<RowSet>> {
    let ranges = (key(), key()).prop_map(|(a, b)| RowRange::half_open(a, b));
    let some = (
        prop::collection::vec(key(), 0..5),
        prop::collection::vec(ranges, 0..3),
    );
    let some = some.prop_filter_map("none is all", |(keys, ranges)| {
        let rows = RowSet { keys, ranges };
        (!rows.is_all()).then_some(rows)
    });
    prop_oneof![Just(vec![RowSet::all()]), prop::collection::vec(some, 0..3)]
}

proptest! {
    #[test]
    fn every_row_is_in_one_part(
        rows in rows(),
        samples in prop::collection::vec((key(), 0..50_i64), 0..6),
        most in 1..6_usize,
        tried in prop::collection::vec(key(), 0..20),
    ) {
        let mut offset = 0;
        let mut samples: Vec<_> = samples;
        samples.sort();
        let samples = samples.into_iter().map(|(key, bytes)| {
            offset += bytes;
            RowKeySample { key, offset_bytes: offset }
        });
        let spans = Samples::new(samples.collect()).cut(&rows, most);
        prop_assert!(spans.len() <= most);
        prop_assert!(spans.first().is_none_or(|span| span.from.is_empty()));
        prop_assert!(spans.last().is_none_or(|span| span.to.is_empty()));
        prop_assert!(spans.windows(2).all(|two| two[0].to == two[1].from));
        for key in &tried {
            let wanted = rows.iter().any(|rows| rows.contains(key));
            let parts = spans.iter().filter(|span| {
                span.rows_after(None, &rows).iter().any(|rows| rows.contains(key))
            });
            prop_assert_eq!(parts.count(), usize::from(wanted));
        }
    }

    #[test]
    fn what_is_done_is_not_read_again(rows in rows(), done in key(), tried in prop::collection::vec(key(), 0..20)) {
        let rest = span("", "").rows_after(Some(&done), &rows);
        for key in &tried {
            let wanted = *key > done && rows.iter().any(|rows| rows.contains(key));
            prop_assert_eq!(rest.iter().any(|rows| rows.contains(key)), wanted);
        }
    }

    #[test]
    fn a_checkpoint_comes_back_from_its_text(checkpoint in checkpoint()) {
        let text = text::write(&checkpoint);
        prop_assert!(text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)));
        prop_assert_eq!(text::read(text.as_bytes()), Ok(checkpoint));
    }

    #[test]
    fn a_damaged_text_is_refused(checkpoint in checkpoint(), at: prop::sample::Index, byte: u8) {
        let text = text::write(&checkpoint).into_bytes();
        let at = at.index(text.len());
        let mut changed = text.clone();
        changed[at] = byte;
        prop_assert!(changed == text || text::read(&changed).is_err());
        prop_assert!(text::read(&text[..at]).is_err());
        let twice = [text.as_slice(), &text].concat();
        prop_assert!(text::read(&twice).is_err());
    }
}

fn checkpoint() -> impl Strategy<Value = Checkpoint> {
    let copied = (any::<[u64; 4]>(), prop::option::of((key(), key())));
    let copied = copied.prop_map(|([rows, bytes, events, checksum], keys)| Copied {
        rows,
        bytes,
        tally: Tally { events, checksum },
        keys,
    });
    let end = || prop_oneof![Just(Bytes::new()), key()];
    let part = (end(), end(), prop::option::of(key()), any::<bool>(), copied);
    let table = || "[A-Za-z0-9_.-]{1,9}";
    let part = (table(), part).prop_map(|(table, (from, to, done, finished, copied))| Part {
        table,
        span: KeySpan { from, to },
        done,
        finished,
        copied,
    });
    let tables = prop::collection::btree_set(table(), 0..3);
    let parts = prop::collection::vec(part, 0..4);
    (
        any::<u64>(),
        (table(), table()),
        any::<i64>(),
        tables,
        parts,
    )
        .prop_map(
            |(hash, (source, target), started, tables, parts)| Checkpoint {
                job: JobId {
                    hash,
                    source,
                    target,
                },
                started: Timestamp::from_micros(started),
                tables,
                parts,
            },
        )
}

#[test]
fn a_text_that_is_none_is_told_by_its_line() {
    let at = |text: &str| match text::read(text.as_bytes()) {
        Err(Damage::At(line, _)) => line,
        other => panic!("{other:?}"),
    };
    assert_eq!(at(""), 1);
    assert_eq!(at("something else\n"), 1);
    assert_eq!(at("bigtable-model copy checkpoint one\n"), 1);
    assert_eq!(at("bigtable-model copy checkpoint 1\njob"), 2);
    for version in [0, 2] {
        let other = format!("bigtable-model copy checkpoint {version}\nanything");
        let refused = Err(Damage::UnknownVersion(version));
        assert_eq!(text::read(other.as_bytes()), refused);
    }
}

fn half_done() -> Checkpoint {
    let mut part = Part::new("SENSOR", span("", "0000000007#20170726"));
    part.done = Some("0000000003#20170726".into());
    part.copied = Copied {
        rows: 3,
        bytes: 9_000,
        tally: Tally {
            events: 288,
            checksum: 255,
        },
        keys: Some(("a b".into(), "c".into())),
    };
    let mut last = Part::new("SENSOR", span("0000000007#20170726", ""));
    last.finished = true;
    Checkpoint {
        job: JobId {
            hash: 1,
            source: "SENSOR".to_owned(),
            target: "SENSOR_20170726".to_owned(),
        },
        started: Timestamp::from_micros(1_501_027_200_000_000),
        tables: BTreeSet::new(),
        parts: vec![part, last],
    }
}

/// Later versions of this library read the files of this one.
#[test]
fn the_text_of_a_checkpoint() {
    let checkpoint = Checkpoint {
        tables: ["SENSOR_20170726", "SENSOR_20170727"]
            .map(str::to_owned)
            .into(),
        ..half_done()
    };
    let text = "\
bigtable-model copy checkpoint 1
job 0000000000000001 SENSOR SENSOR_20170726
started 1501027200000000
into SENSOR_20170726
into SENSOR_20170727
part SENSOR - 0000000007#20170726 0000000003#20170726 open 3 288 9000 00000000000000ff a%20b c
part SENSOR 0000000007#20170726 - - done 0 0 0 0000000000000000 - -
end 964bda18f9962fcd
";
    assert_eq!(text::write(&checkpoint), text);
}

#[derive(Debug, bigtable_derive::Model)]
#[bigtable(crate = crate, table = "READING", family = "R")]
struct Reading {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    celsius: f64,
}

#[tokio::test(start_paused = true)]
async fn writes_take_their_turns() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Reading>().await.unwrap();
    let at = |second: i64| Reading {
        sensor: "attic".to_owned(),
        at: Timestamp::from_seconds(second),
        celsius: 20.0,
    };
    let written = db.insert_many((0..60).map(at)).await;
    assert_eq!(written.into_result().unwrap(), 60);
    let job = || CopyJob::new(&Reading::scan(), |one: Reading| one).into_table("COPY");
    assert!(job().rows_per_second(0).is_err());
    let job = job()
        .rows_per_write(10)
        .unwrap()
        .rows_per_second(20)
        .unwrap();
    let begun = tokio::time::Instant::now();
    assert_eq!(job.run(&db).await.unwrap().events, 60);
    // The sixth write begins after the turns of 50 rows.
    assert_eq!(begun.elapsed().as_millis(), 2_500);
}
