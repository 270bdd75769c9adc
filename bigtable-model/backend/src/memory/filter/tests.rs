#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::cmp::Reverse;
use std::future::Future as _;
use std::ops::Bound;

use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures::executor::block_on;
use proptest::prelude::*;

use super::{Filter, Work};
use crate::data::{Cell, Row, RowBatch, RowFilter};
use crate::memory::Profile;
use crate::memory::sink::Sink as _;
use crate::memory::steps::{TURN, taken};
use crate::memory::store::row::{ColumnName, StoredRow};
use crate::{Code, Status};

fn row(cells: &[(&str, &str, i64, &str)]) -> StoredRow {
    let mut row = StoredRow::new(Bytes::from_static(b"key"));
    for (family, qualifier, time, value) in cells {
        let column = ColumnName {
            family: (*family).into(),
            qualifier: Bytes::copy_from_slice(qualifier.as_bytes()),
        };
        row.set(column, *time, Bytes::copy_from_slice(value.as_bytes()));
    }
    row
}

fn filtered(filter: &RowFilter, row: &StoredRow) -> Vec<Cell> {
    let filter = Filter::compile(filter, Profile::Service).unwrap();
    let got = applied(&filter, row).unwrap();
    got.map(|row| row.cells).unwrap_or_default()
}

fn applied(filter: &Filter, row: &StoredRow) -> Result<Option<Row>, Status> {
    let mut rows = RowBatch::default();
    block_on(filter.apply(row, &mut Work::default(), &mut rows))?;
    let rows = rows.take();
    Ok(rows.and_then(|rows| Some(rows.row(0)?.to_row())))
}

fn shown(cells: &[Cell]) -> Vec<String> {
    let shown = cells.iter().map(|cell| {
        let value = cell.value.escape_ascii();
        let qualifier = cell.qualifier.escape_ascii();
        let time = cell.timestamp_micros;
        format!(
            "{}:{qualifier}@{time}={value} {:?}",
            cell.family, cell.labels
        )
    });
    shown.collect()
}

fn family(regex: &str) -> RowFilter {
    RowFilter::FamilyRegex(regex.to_owned())
}

fn qualifier(regex: &'static str) -> RowFilter {
    RowFilter::QualifierRegex(Bytes::from_static(regex.as_bytes()))
}

fn label(name: &str) -> RowFilter {
    RowFilter::Label(name.to_owned())
}

#[test]
fn what_a_sink_takes_comes_out_whatever_follows() {
    let row = row(&[("A", "A", 1, "w"), ("A", "B", 2, "x"), ("B", "B", 4, "z")]);
    let sunk = RowFilter::Chain(vec![label("foo"), RowFilter::Sink]);
    let filter = RowFilter::Chain(vec![
        family("A"),
        RowFilter::Interleave(vec![RowFilter::PassAll, sunk]),
        qualifier("B"),
    ]);
    let expected = ["A:A@1=w [\"foo\"]", "A:B@2=x [\"foo\"]", "A:B@2=x []"];
    assert_eq!(shown(&filtered(&filter, &row)), expected);
}

#[test]
fn a_predicate_is_asked_about_what_reaches_the_condition() {
    let row = row(&[("f", "a", 1, "1"), ("g", "a", 1, "2")]);
    let condition = RowFilter::Condition {
        predicate: Box::new(family("g")),
        if_true: Some(Box::new(RowFilter::PassAll)),
        if_false: Some(Box::new(label("without"))),
    };
    let chain = RowFilter::Chain(vec![family("f"), condition]);
    assert_eq!(shown(&filtered(&chain, &row)), ["f:a@1=1 [\"without\"]"]);
}

#[test]
fn strip_does_not_hide_from_what_came_before() {
    let row = row(&[("f", "a", 1, "1")]);
    let value = || RowFilter::ValueRegex(Bytes::from_static(b"1"));
    let after = RowFilter::Chain(vec![value(), RowFilter::StripValue]);
    assert_eq!(shown(&filtered(&after, &row)), ["f:a@1= []"]);
    let before = RowFilter::Chain(vec![RowFilter::StripValue, value()]);
    assert!(filtered(&before, &row).is_empty());
}

#[test]
fn sizes_are_those_of_the_wire() {
    let bytes = |len: usize| Bytes::from(vec![b'a'; len]);
    let leaf = RowFilter::PassAll;
    for (filter, expected) in [
        // Tag of two bytes and a bool: pass_all_filter is field 17.
        (RowFilter::PassAll, 3),
        (RowFilter::RowKeyRegex(bytes(3)), 5),
        (RowFilter::ValueRegex(bytes(200)), 203),
        (RowFilter::Label("ab".to_owned()), 5),
        (RowFilter::RowSample(0.5), 9),
        (RowFilter::CellsPerRowLimit(1), 2),
        (RowFilter::CellsPerColumnLimit(300), 3),
        (RowFilter::CellsPerRowOffset(-1), 11),
        // The chain's message holds two fields of one length byte and three bytes each.
        (RowFilter::Chain(vec![leaf.clone(), leaf.clone()]), 12),
        (
            RowFilter::Condition {
                predicate: Box::new(leaf.clone()),
                if_true: None,
                if_false: Some(Box::new(leaf)),
            },
            12,
        ),
        (
            RowFilter::QualifierRange {
                family: "f".to_owned(),
                start: Bound::Included(bytes(2)),
                end: Bound::Unbounded,
            },
            9,
        ),
        (
            RowFilter::TimestampRange {
                start_micros: 0,
                end_micros: 1_000,
            },
            5,
        ),
    ] {
        assert_eq!(filter.wire_size(), expected, "{filter:?}");
    }
}

#[test]
fn very_deep_filters_are_refused_without_recursion() {
    let mut filter = RowFilter::PassAll;
    for _ in 0..2_000 {
        filter = RowFilter::Interleave(vec![filter, RowFilter::PassAll]);
    }
    let got = Filter::compile(&filter, Profile::Service);
    assert_eq!(got.unwrap_err().code, Code::InvalidArgument);
}

fn bound(letters: &'static str) -> impl Strategy<Value = Bound<Bytes>> {
    prop_oneof![
        letters.prop_map(|text| Bound::Included(Bytes::from(text))),
        letters.prop_map(|text| Bound::Excluded(Bytes::from(text))),
        Just(Bound::Unbounded),
    ]
}

fn filters() -> impl Strategy<Value = RowFilter> {
    let leaf = prop_oneof![
        Just(RowFilter::PassAll),
        Just(RowFilter::BlockAll),
        Just(RowFilter::Sink),
        Just(RowFilter::StripValue),
        "[fg]".prop_map(RowFilter::FamilyRegex),
        "[ab](\\|[bc])?".prop_map(|regex| RowFilter::QualifierRegex(regex.into())),
        "[xy]".prop_map(|regex| RowFilter::ValueRegex(regex.into())),
        ("[fg]", bound("[abc]"), bound("[abc]"))
            .prop_map(|(family, start, end)| { RowFilter::QualifierRange { family, start, end } }),
        (bound("[xy]"), bound("[xy]"))
            .prop_map(|(start, end)| RowFilter::ValueRange { start, end }),
        (0_i64..4, 0_i64..4).prop_map(|(start, end)| RowFilter::TimestampRange {
            start_micros: start * 1_000,
            end_micros: end * 1_000,
        }),
        (0_i32..4).prop_map(RowFilter::CellsPerRowOffset),
        (1_i32..5).prop_map(RowFilter::CellsPerRowLimit),
        (1_i32..3).prop_map(RowFilter::CellsPerColumnLimit),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 2..4);
        let branch = prop::option::of(inner.clone().prop_map(Box::new));
        prop_oneof![
            list.clone().prop_map(RowFilter::Chain),
            list.prop_map(RowFilter::Interleave),
            (inner, branch.clone(), branch).prop_map(|(predicate, if_true, if_false)| {
                RowFilter::Condition {
                    predicate: Box::new(predicate),
                    if_true,
                    if_false,
                }
            }),
        ]
    })
}

fn cells() -> impl Strategy<Value = StoredRow> {
    let cell = ("[fg]", "[abc]", 0_i64..4, "[xy]");
    prop::collection::vec(cell, 0..16).prop_map(|cells| {
        let mut stored = StoredRow::new(Bytes::new());
        for (family, qualifier, time, value) in cells {
            let column = ColumnName {
                family: family.into(),
                qualifier: qualifier.into(),
            };
            stored.set(column, time * 1_000, value.into());
        }
        stored
    })
}

/// Filters by the words of their documentation, on plain cells.
fn plainly(filter: &RowFilter, mut cells: Vec<Cell>, sunk: &mut Vec<Cell>) -> Vec<Cell> {
    let one_of =
        |regex: &[u8], text: &[u8]| regex.split(|byte| *byte == b'|').any(|one| one == text);
    let within = |start: &Bound<Bytes>, end: &Bound<Bytes>, text: &Bytes| {
        let after = match start {
            Bound::Included(start) => text >= start,
            Bound::Excluded(start) => text > start,
            Bound::Unbounded => true,
        };
        let before = match end {
            Bound::Included(end) => text <= end,
            Bound::Excluded(end) => text < end,
            Bound::Unbounded => true,
        };
        after && before
    };
    match filter {
        RowFilter::Chain(filters) => {
            for filter in filters {
                cells = plainly(filter, cells, sunk);
            }
        }
        RowFilter::Interleave(filters) => {
            let outputs = filters.iter();
            cells = outputs
                .flat_map(|filter| plainly(filter, cells.clone(), sunk))
                .collect();
            sort(&mut cells);
        }
        RowFilter::Condition {
            predicate,
            if_true,
            if_false,
        } => {
            let matched = !plainly(predicate, cells.clone(), sunk).is_empty();
            return match if matched { if_true } else { if_false } {
                Some(filter) => plainly(filter, cells, sunk),
                None => Vec::new(),
            };
        }
        RowFilter::PassAll => {}
        RowFilter::BlockAll => cells.clear(),
        RowFilter::Sink => sunk.append(&mut cells),
        RowFilter::StripValue => cells.iter_mut().for_each(|cell| cell.value = Bytes::new()),
        RowFilter::FamilyRegex(regex) => {
            cells.retain(|cell| one_of(regex.as_bytes(), cell.family.as_bytes()));
        }
        RowFilter::QualifierRegex(regex) => cells.retain(|cell| one_of(regex, &cell.qualifier)),
        RowFilter::ValueRegex(regex) => cells.retain(|cell| one_of(regex, &cell.value)),
        RowFilter::QualifierRange { family, start, end } => cells
            .retain(|cell| cell.family == *family.as_str() && within(start, end, &cell.qualifier)),
        RowFilter::ValueRange { start, end } => {
            cells.retain(|cell| within(start, end, &cell.value));
        }
        RowFilter::TimestampRange {
            start_micros,
            end_micros,
        } => cells.retain(|cell| {
            let time = cell.timestamp_micros;
            time >= *start_micros && (*end_micros == 0 || time < *end_micros)
        }),
        RowFilter::CellsPerRowOffset(n) => {
            cells = cells
                .into_iter()
                .skip(usize::try_from(*n).unwrap())
                .collect();
        }
        RowFilter::CellsPerRowLimit(n) => cells.truncate(usize::try_from(*n).unwrap()),
        RowFilter::CellsPerColumnLimit(n) => {
            let mut kept: Vec<Cell> = Vec::new();
            for cell in cells {
                let same = |other: &&Cell| {
                    other.family == cell.family && other.qualifier == cell.qualifier
                };
                if kept.iter().filter(same).count() < usize::try_from(*n).unwrap() {
                    kept.push(cell);
                }
            }
            return kept;
        }
        other => panic!("not drawn: {other:?}"),
    }
    cells
}

fn sort(cells: &mut [Cell]) {
    cells.sort_by_key(|cell| {
        let column = (cell.family.clone(), cell.qualifier.clone());
        (column, Reverse(cell.timestamp_micros))
    });
}

proptest! {
    #[test]
    fn filters_do_what_their_words_say(filter in filters(), row in cells()) {
        // Sinks in conditions are refused; all the rest is taken.
        let Ok(compiled) = Filter::compile(&filter, Profile::Service) else {
            return Ok(());
        };
        let mut sunk = Vec::new();
        let output = plainly(&filter, row.to_row().cells, &mut sunk);
        let mut expected = sunk;
        expected.extend(output);
        sort(&mut expected);
        let matches = block_on(compiled.matches(&row, &mut Work::default()));
        prop_assert_eq!(matches, Ok(!expected.is_empty()));
        let got = applied(&compiled, &row).unwrap();
        prop_assert_eq!(got.map(|row| row.cells).unwrap_or_default(), expected);
    }
}

fn both(filter: RowFilter) -> RowFilter {
    RowFilter::Interleave(vec![filter.clone(), filter])
}

/// This many interleaves in sequence, each of which doubles the cells, then another filter.
fn doubled(pairs: usize, last: RowFilter) -> RowFilter {
    let mut filters = vec![both(RowFilter::PassAll); pairs];
    filters.push(last);
    RowFilter::Chain(filters)
}

/// A row of this many columns with an empty value.
fn wide(columns: u32) -> StoredRow {
    let mut wide = StoredRow::new(Bytes::from_static(b"key"));
    for number in 0..columns {
        let column = ColumnName {
            family: "f".into(),
            qualifier: Bytes::copy_from_slice(&number.to_be_bytes()),
        };
        wide.set(column, 0, Bytes::new());
    }
    wide
}

#[test]
fn copies_of_cells_are_bounded() {
    let count = |filter: &RowFilter, row: &StoredRow, profile| {
        let filter = Filter::compile(filter, profile).unwrap();
        let got = applied(&filter, row);
        got.map(|row| row.map_or(0, |row| row.cells.len()))
            .map_err(|status| status.code)
    };
    let one = row(&[("f", "a", 0, "1")]);
    for profile in [Profile::Service, Profile::Emulator] {
        let count = |filter: &RowFilter| count(filter, &one, profile);
        assert_eq!(count(&doubled(16, RowFilter::PassAll)), Ok(1 << 16));
        for pairs in [17, 600] {
            let got = count(&doubled(pairs, RowFilter::PassAll));
            assert_eq!(got, Err(Code::InvalidArgument), "{pairs}");
        }
    }
    let count = |filter: &RowFilter, row: &StoredRow| count(filter, row, Profile::Service);
    let sunk = doubled(16, both(RowFilter::Sink));
    assert_eq!(count(&sunk, &one), Err(Code::InvalidArgument));

    let wide = wide(60_000);
    let copies = |count| RowFilter::Interleave(vec![RowFilter::PassAll; count]);
    assert_eq!(count(&copies(2), &wide), Ok(120_000));
    assert_eq!(count(&copies(3), &wide), Err(Code::InvalidArgument));
}

/// The labels of copies of one cell, in the order in which the copies came, also if there are too
/// many to sort at once.
#[test]
fn copies_stay_in_the_order_they_came() {
    let labels: Vec<_> = (0..300).map(|number| format!("l{number}")).collect();
    let all = RowFilter::Interleave(labels.iter().map(|name| label(name)).collect());
    for columns in [1, 40] {
        let row = wide(columns);
        let cells = filtered(&all, &row);
        let copies = cells.chunks(labels.len());
        assert_eq!(copies.len(), row.cell_count());
        for (number, copies) in (0..columns).zip(copies) {
            assert!(
                copies
                    .iter()
                    .all(|cell| *cell.qualifier == number.to_be_bytes())
            );
            let seen: Vec<_> = copies.iter().flat_map(|cell| &cell.labels).collect();
            assert_eq!(seen, labels.iter().collect::<Vec<_>>());
        }
    }
}

/// The steps of a filter in each of its turns, and its result.
fn turns(filter: &RowFilter, row: &StoredRow) -> (Vec<usize>, Result<usize, Status>) {
    let filter = Filter::compile(filter, Profile::Service).unwrap();
    let mut work = Work::default();
    let mut rows = RowBatch::default();
    let mut applying = Box::pin(filter.apply(row, &mut work, &mut rows));
    let mut turns = Vec::new();
    loop {
        let before = taken::so_far();
        let polled = applying
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        turns.push(taken::so_far() - before);
        if let Poll::Ready(applied) = polled {
            drop(applying);
            let cells = rows.rows().map(|row| row.cells().len()).sum();
            return (turns, applied.map(|()| cells));
        }
    }
}

/// Filters of a few kilobytes that take many steps: each is applied in turns, or given up at the
/// limit.
#[test]
fn filters_that_take_many_steps_give_way() {
    let regex = |number: usize| RowFilter::ValueRegex(format!("a+{number}").into());
    let one = row(&[("f", "a", 0, "aaaaaaaaaa0")]);
    let regexes = RowFilter::Interleave((0..1_000).map(regex).collect());
    let nested = (0..4).fold(RowFilter::PassAll, |inner, _| RowFilter::Condition {
        predicate: Box::new(both(inner.clone())),
        if_true: Some(Box::new(inner)),
        if_false: None,
    });
    let wide = wide(50_000);
    for (name, filter, row, cells) in [
        ("regexes", doubled(10, regexes.clone()), &one, Ok(1 << 10)),
        ("nothing left", doubled(16, regex(1)), &one, Ok(0)),
        ("a wide row", RowFilter::PassAll, &wide, Ok(50_000)),
        ("interleaves", both(RowFilter::PassAll), &wide, Ok(100_000)),
        (
            "limits and labels",
            RowFilter::Chain(vec![
                label("l"),
                RowFilter::CellsPerColumnLimit(1),
                RowFilter::StripValue,
                RowFilter::CellsPerRowOffset(1),
                both(RowFilter::BlockAll),
            ]),
            &wide,
            Ok(0),
        ),
        ("conditions", nested, &wide, Ok(50_000)),
        (
            "too much",
            doubled(16, regexes),
            &one,
            Err(Code::InvalidArgument),
        ),
    ] {
        let (turns, got) = turns(&filter, row);
        assert_eq!(got.map_err(|status| status.code), cells, "{name}");
        assert!(turns.len() > 1, "{name}");
        let most = turns.iter().max();
        assert!(
            most.is_some_and(|most| *most <= TURN + TURN / 8),
            "{name}: {most:?}"
        );
    }
}
