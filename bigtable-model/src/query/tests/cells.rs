use super::*;
use crate::QueryError;
use crate::data::RowFilter;
use crate::query::EventTimes;
use crate::query::plan::cells::cells;

fn filter(schema: &ModelSchema, selection: &Selection) -> Result<Option<RowFilter>, QueryError> {
    cells(schema, selection, &EventTimes::All).map(|cells| cells.filter)
}

fn family(name: &str, qualifiers: &'static str, strip: bool) -> RowFilter {
    let mut chain = vec![
        RowFilter::FamilyRegex(name.into()),
        RowFilter::QualifierRegex(qualifiers.into()),
        RowFilter::CellsPerColumnLimit(1),
    ];
    chain.extend(strip.then_some(RowFilter::StripValue));
    RowFilter::Chain(chain)
}

fn one_column(family: &str, qualifier: &'static str, strip: bool) -> RowFilter {
    let mut chain = vec![
        RowFilter::QualifierRange {
            family: family.into(),
            start: Bound::Included(qualifier.into()),
            end: Bound::Included(qualifier.into()),
        },
        RowFilter::CellsPerColumnLimit(1),
    ];
    chain.extend(strip.then_some(RowFilter::StripValue));
    RowFilter::Chain(chain)
}

fn columns(columns: &[usize]) -> Selection {
    Selection {
        columns: Some(columns.to_vec()),
        ..select([])
    }
}

#[test]
fn whole_events_are_the_newest_cells() {
    let filter = filter(&quotes(), &select([])).unwrap();
    assert_eq!(filter, Some(RowFilter::CellsPerColumnLimit(1)));
}

#[test]
fn a_projection_asks_for_its_columns_and_the_one_that_marks_the_event() {
    let filter = |indexes: &[usize]| filter(&quotes(), &columns(indexes)).unwrap().unwrap();
    assert_eq!(filter(&[1]), family("MD", "ASK|BID", false));
    assert_eq!(filter(&[0, 0]), one_column("MD", "BID", false));
    assert_eq!(filter(&[]), one_column("MD", "BID", false));
    let both = vec![family("MD", "BID", false), family("X-1", r"a\.b", false)];
    assert_eq!(filter(&[3]), RowFilter::Interleave(both));
}

#[test]
fn what_the_key_holds_is_not_fetched() {
    let projected = filter(&quotes(), &columns(&[2])).unwrap();
    assert_eq!(projected, Some(one_column("MD", "BID", false)));
    let mut marked_by_copy = quotes();
    marked_by_copy.presence = Presence::Column(2);
    let projected = filter(&marked_by_copy, &columns(&[2])).unwrap();
    assert_eq!(projected, Some(one_column("MD", "EXCHANGE", false)));
}

#[test]
fn keys_alone_need_the_mark_without_its_value() {
    let mut selection = columns(&[1]);
    selection.keys_only = true;
    let counted = filter(&quotes(), &selection).unwrap();
    assert_eq!(counted, Some(one_column("MD", "BID", true)));
    let mut marked = quotes();
    marked.presence = Presence::Marker {
        family: "M".into(),
        qualifier: "".into(),
    };
    let counted = filter(&marked, &selection).unwrap();
    assert_eq!(counted, Some(family("M", "", true)));
}

#[test]
fn a_projection_too_long_for_a_filter_lets_more_through() {
    let mut wide = quotes();
    wide.columns = (0..2_000)
        .map(|index| ColumnSchema {
            qualifier: format!("column-{index}").into(),
            ..column("MD", "BID")
        })
        .collect();
    let all: Vec<usize> = (0..2_000).collect();
    let projected = filter(&wide, &columns(&all)).unwrap();
    assert_eq!(projected, Some(RowFilter::CellsPerColumnLimit(1)));
}

#[test]
fn a_column_that_is_not_there_is_refused() {
    let refusal = filter(&quotes(), &columns(&[4])).unwrap_err();
    assert_eq!(
        refusal,
        QueryError::UnknownColumn {
            index: 4,
            columns: 4
        }
    );
}
