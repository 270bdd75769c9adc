//! Deviations of the emulator that the conformance suite does not test.

use std::ops::Bound;

use super::{block_on, create, read, request, set, write};
use crate::Status;
use crate::data::{
    AggregateKind, CheckAndMutateRow, FamilyChange, FamilySchema, ReadModifyWriteRow,
    ReadModifyWriteRule, ReadRows, RowFilter, RowRange, RowSet, RuleAction, TableSchema,
};
use crate::memory::{ManualClock, MemoryBackend, Profile};
use crate::{Backend, Code};

fn emulator() -> MemoryBackend {
    let builder = MemoryBackend::builder().profile(Profile::Emulator);
    let db = builder.clock(ManualClock::default()).build();
    create(&db, None);
    db
}

fn check_absent(predicate: RowFilter) -> Result<bool, Status> {
    let request = CheckAndMutateRow {
        table: "t".to_owned(),
        key: "absent".into(),
        predicate: Some(predicate),
        ..Default::default()
    };
    block_on(emulator().check_and_mutate_row(request))
}

#[test]
fn a_filter_is_refused_on_a_row_without_cells_only_where_it_is_looked_at() {
    let short = || RowFilter::Chain(vec![RowFilter::PassAll]);
    let bad_regex = || RowFilter::QualifierRegex("(".into());
    let chain = |first| RowFilter::Chain(vec![first, short()]);
    for refused in [
        short(),
        chain(RowFilter::PassAll),
        chain(RowFilter::CellsPerColumnLimit(1)),
        RowFilter::RowKeyRegex("(".into()),
        RowFilter::Interleave(vec![RowFilter::BlockAll, short()]),
    ] {
        let got = check_absent(refused.clone()).map_err(|status| status.code);
        assert_eq!(got, Err(Code::InvalidArgument), "{refused:?}");
    }
    for passed in [
        bad_regex(),
        chain(bad_regex()),
        chain(RowFilter::BlockAll),
        chain(RowFilter::Sink),
        chain(RowFilter::CellsPerRowOffset(0)),
    ] {
        assert_eq!(check_absent(passed.clone()), Ok(false), "{passed:?}");
    }
}

#[test]
fn a_range_is_inverted_only_between_keys() {
    let db = emulator();
    write(&db, "k", vec![set("q", 1_000, "v")]).unwrap();
    let range = |start, end| {
        let rows = RowSet::range(RowRange { start, end });
        let rows = read(&db, ReadRows { rows, ..request() });
        rows.map(|rows| rows.len()).map_err(|status| status.message)
    };
    let message = "Error in element #0: start_key_open must be less than end_key_closed";
    let got = range(Bound::Excluded("b".into()), Bound::Included("a".into()));
    assert_eq!(got, Err(message.to_owned()));
    let got = range(Bound::Included("b".into()), Bound::Included("".into()));
    assert_eq!(got, Ok(0));
    let got = range(Bound::Excluded("b".into()), Bound::Excluded("b".into()));
    assert_eq!(got, Ok(0));
}

#[test]
fn an_increment_of_a_sum_is_added_to_the_cell_it_came_from() {
    let db = emulator();
    let sum = FamilySchema {
        aggregate: Some(AggregateKind::Sum),
        gc_rule: None,
    };
    let schema = TableSchema {
        table: "sums".to_owned(),
        families: [("sum".to_owned(), sum)].into(),
        ..TableSchema::default()
    };
    block_on(db.tables().create(schema, Vec::new())).unwrap();
    let increment = || ReadModifyWriteRow {
        table: "sums".to_owned(),
        key: "k".into(),
        rules: vec![ReadModifyWriteRule {
            family: "sum".into(),
            qualifier: "q".into(),
            action: RuleAction::Increment(5),
        }],
    };
    let shown = [5_i64, 10, 20].map(|shown| {
        let row = block_on(db.read_modify_write_row(increment())).unwrap();
        assert_eq!(row.cells[0].value, shown.to_be_bytes().as_slice());
        let request = ReadRows {
            table: "sums".to_owned(),
            ..Default::default()
        };
        let stored = &read(&db, request).unwrap()[0].cells[0].value;
        i64::from_be_bytes(stored.as_ref().try_into().unwrap())
    });
    // The clock stands still: 5, then 10 added to the 5, then 20 to the 15.
    assert_eq!(shown, [5, 15, 35]);
}

#[test]
fn families_are_missed_in_its_own_words() {
    let db = emulator();
    let change = |change| {
        let changed = block_on(db.tables().modify_families("t", vec![change]));
        changed.map(|_| ()).unwrap_err().to_string()
    };
    let schema = FamilySchema::default;
    let created = change(FamilyChange::Create("f".to_owned(), schema()));
    assert_eq!(created, "ALREADY_EXISTS: family \"f\" already exists");
    let dropped = change(FamilyChange::Drop("x".to_owned()));
    assert_eq!(dropped, "UNKNOWN: can't delete unknown family \"x\"");
    let updated = change(FamilyChange::Update("x".to_owned(), schema()));
    assert_eq!(updated, "UNKNOWN: no such family \"x\"");
}
