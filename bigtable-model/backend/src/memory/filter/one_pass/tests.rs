#![allow(clippy::unwrap_used, reason = "tests")]

use std::ops::Bound;

use futures::executor::block_on;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::data::{Row, RowBatch, RowFilter};
use crate::memory::Profile;
use crate::memory::filter::Work;
use crate::memory::sink::OneRow;

fn text(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

/// A filter that judges cells by themselves, or nearly: labels and patterns with operators are not
/// applied in one pass.
fn leaf() -> impl Strategy<Value = RowFilter> {
    let bound = || {
        let ends = prop::sample::select(vec!["", "a", "ab", "b", "x"]);
        (ends, 0..3).prop_map(|(end, kind)| match kind {
            0 => Bound::Included(text(end)),
            1 => Bound::Excluded(text(end)),
            _ => Bound::Unbounded,
        })
    };
    let family = prop::sample::select(vec!["f", "g"]);
    prop_oneof![
        Just(RowFilter::PassAll),
        prop::sample::select(vec!["f", "g", "f|g", "h", "."])
            .prop_map(|names| RowFilter::FamilyRegex(names.to_owned())),
        prop::sample::select(vec!["a", "b|ab", "", "a.*"])
            .prop_map(|names| RowFilter::QualifierRegex(text(names))),
        (family, bound(), bound()).prop_map(|(family, start, end)| RowFilter::QualifierRange {
            family: family.to_owned(),
            start,
            end,
        }),
        (bound(), bound()).prop_map(|(start, end)| RowFilter::ValueRange { start, end }),
        (0..3_i64, 0..5_i64).prop_map(|(start, end)| RowFilter::TimestampRange {
            start_micros: start * 1000,
            end_micros: end * 1000,
        }),
        (1..4).prop_map(RowFilter::CellsPerColumnLimit),
        Just(RowFilter::StripValue),
        Just(RowFilter::Label("l".to_owned())),
    ]
}

fn row() -> impl Strategy<Value = StoredRow> {
    let names = (
        prop::sample::select(vec!["f", "g"]),
        prop::sample::select(vec!["", "a", "ab", "b"]),
    );
    let cell = (
        names,
        0..4_i64,
        prop::sample::select(vec!["", "a", "ab", "x"]),
    );
    vec(cell, 0..12).prop_map(|cells| {
        let mut row = StoredRow::new(text("k"));
        for ((family, qualifier), time, value) in cells {
            let column = ColumnName {
                family: family.into(),
                qualifier: text(qualifier),
            };
            row.set(column, time * 1000, text(value));
        }
        row
    })
}

/// What a filter lets through, as one row and in a batch.
fn filtered(filter: &Filter, row: &StoredRow) -> [Option<Row>; 2] {
    let (mut one, mut batch) = (OneRow::default(), RowBatch::default());
    block_on(filter.apply(row, &mut Work::default(), &mut one)).unwrap();
    block_on(filter.apply(row, &mut Work::default(), &mut batch)).unwrap();
    let in_batch = batch.row(0).map(|row| row.to_row());
    [one.take(), in_batch]
}

proptest! {
    /// One pass lets through the same cells as the path for long rows.
    #[test]
    fn one_pass_lets_the_same_cells_through(leaves in vec(leaf(), 1..5), row in row()) {
        let filter = RowFilter::chain(leaves).unwrap();
        for profile in [Profile::Service, Profile::Emulator] {
            let Ok(mut filter) = Filter::compile(&filter, profile) else {
                continue;
            };
            let [one, in_batch] = filtered(&filter, &row);
            prop_assert_eq!(&one, &in_batch);
            filter.in_one_pass = false;
            prop_assert_eq!(&filtered(&filter, &row), &[one.clone(), one]);
        }
    }
}

#[test]
fn the_filter_of_a_query_takes_one_pass() {
    let chain =
        |filters: Vec<RowFilter>| Filter::compile(&RowFilter::Chain(filters), Profile::Service);
    let names = || {
        [
            RowFilter::FamilyRegex("MD".to_owned()),
            RowFilter::QualifierRegex(text("ASK|BID")),
        ]
    };
    let newest = RowFilter::CellsPerColumnLimit(1);
    let query = names().into_iter().chain([newest.clone()]).collect();
    assert!(chain(query).unwrap().in_one_pass);
    assert!(!chain(vec![newest.clone(), newest]).unwrap().in_one_pass);
    let label = RowFilter::Label("l".to_owned());
    assert!(
        !chain(names().into_iter().chain([label]).collect())
            .unwrap()
            .in_one_pass
    );
}
