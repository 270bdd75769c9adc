#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::cmp::Reverse;
use std::ops::Bound;

use bytes::Bytes;
use proptest::prelude::*;

use super::Filter;
use crate::Code;
use crate::data::{Cell, RowFilter};
use crate::memory::Profile;
use crate::memory::read::sample::Sampler;
use crate::memory::store::row::{ColumnName, StoredRow};

fn row(cells: &[(&str, &str, i64, &str)]) -> StoredRow {
    let mut row = StoredRow::new(Bytes::new());
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
    let key = Bytes::from_static(b"key");
    let filter = Filter::compile(filter, Profile::Service).unwrap();
    let got = filter.apply(&key, row, &mut Sampler::default()).unwrap();
    got.map(|row| row.cells).unwrap_or_default()
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
        let got = compiled
            .apply(&Bytes::from_static(b"key"), &row, &mut Sampler::default())
            .unwrap();
        prop_assert_eq!(got.map(|row| row.cells).unwrap_or_default(), expected);
    }
}

#[test]
fn copies_of_cells_are_bounded() {
    let both = |filter: RowFilter| RowFilter::Interleave(vec![filter.clone(), filter]);
    let times = |pairs: usize, last: RowFilter| {
        let mut filters = vec![both(RowFilter::PassAll); pairs];
        filters.push(last);
        RowFilter::Chain(filters)
    };
    let count = |filter: &RowFilter, row: &StoredRow, profile| {
        let filter = Filter::compile(filter, profile).unwrap();
        let got = filter.apply(&Bytes::from_static(b"key"), row, &mut Sampler::default());
        got.map(|row| row.map_or(0, |row| row.cells.len()))
            .map_err(|status| status.code)
    };
    let one = row(&[("f", "a", 0, "1")]);
    for profile in [Profile::Service, Profile::Emulator] {
        let count = |filter: &RowFilter| count(filter, &one, profile);
        assert_eq!(count(&times(19, RowFilter::PassAll)), Ok(1 << 19));
        for pairs in [20, 600] {
            let got = count(&times(pairs, RowFilter::PassAll));
            assert_eq!(got, Err(Code::InvalidArgument), "{pairs}");
        }
    }
    let count = |filter: &RowFilter, row: &StoredRow| count(filter, row, Profile::Service);
    let sunk = times(19, both(RowFilter::Sink));
    assert_eq!(count(&sunk, &one), Err(Code::InvalidArgument));

    let mut wide = StoredRow::new(Bytes::new());
    for number in 0..300_000_u32 {
        let column = ColumnName {
            family: "f".into(),
            qualifier: Bytes::copy_from_slice(&number.to_be_bytes()),
        };
        wide.set(column, 0, Bytes::new());
    }
    let copies = |count| RowFilter::Interleave(vec![RowFilter::PassAll; count]);
    assert_eq!(count(&copies(4), &wide), Ok(1_200_000));
    assert_eq!(count(&copies(5), &wide), Err(Code::InvalidArgument));
}
