#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::Code;
use crate::data::{
    EncodedEntry, Mutation, ReadModifyWriteRule, RowSet, RuleAction, SERVER_TIME, mutation,
};

fn set(family: &str, qualifier: Vec<u8>, timestamp_micros: i64, value: usize) -> Mutation {
    Mutation::SetCell {
        family: family.into(),
        qualifier: qualifier.into(),
        timestamp_micros,
        value: vec![0; value].into(),
    }
}

fn merge(input: usize) -> Mutation {
    Mutation::MergeToCell {
        family: "f".into(),
        qualifier: "q".into(),
        timestamp_micros: 1000,
        input: vec![0; input].into(),
    }
}

fn delete(start_micros: i64, end_micros: i64) -> Mutation {
    Mutation::DeleteFromColumn {
        family: "f".into(),
        qualifier: "q".into(),
        start_micros,
        end_micros,
    }
}

fn one() -> Mutation {
    set("f", b"q".to_vec(), 1000, 1)
}

fn row(key: Vec<u8>, mutations: Vec<Mutation>) -> RowMutations {
    RowMutations {
        key: key.into(),
        mutations,
    }
}

/// Small limits, so that the tests are small.
fn limits() -> RequestLimits {
    RequestLimits {
        entries: EntryLimits {
            value_bytes: 1000,
            entry_bytes: 1500,
            mutations: 10,
            ..EntryLimits::default()
        },
        ..RequestLimits::default()
    }
}

#[test]
fn what_is_within_the_limits_passes() {
    let widest = row(
        vec![b'k'; 4 << 10],
        vec![
            set(&"-_.aZ0".repeat(10), vec![b'q'; 16], SERVER_TIME, 1000),
            set("f", Vec::new(), crate::data::limits::TIMESTAMP, 0),
            set("f", Vec::new(), 0, 0),
            delete(0, 0),
            delete(2000, 0),
            delete(2000, 3000),
        ],
    );
    limits().entry(&widest).unwrap();
    let wide = row(b"k".to_vec(), vec![set("f", vec![b'q'; 16 << 10], 0, 0)]);
    RequestLimits::default().entry(&wide).unwrap();
    let ten: Vec<_> = (0..10).map(|_| row(b"k".to_vec(), vec![one()])).collect();
    limits().mutate_rows(&ten.iter().collect()).unwrap();
}

#[test]
fn what_is_over_a_limit_is_named() {
    let broken = [
        (row(Vec::new(), vec![one()]), "an empty row key"),
        (
            row(vec![b'k'; 4097], vec![one()]),
            "4097 bytes in row key \"kkkk",
        ),
        (row(b"k".to_vec(), Vec::new()), "no mutations for row \"k\""),
        (
            row(b"k".to_vec(), vec![one(); 11]),
            "11 mutations for row \"k\"",
        ),
        (
            row(b"k".to_vec(), vec![set("f", vec![b'q'; 16385], 0, 1)]),
            "16385 bytes in qualifier",
        ),
        (
            row(b"k".to_vec(), vec![set("f", b"q".to_vec(), 0, 1001)]),
            "1001 bytes in a value of qualifier \"q\"",
        ),
        (
            row(b"k".to_vec(), vec![set("f", b"q".to_vec(), 0, 1000); 2]),
            "2002 bytes of mutations for row \"k\"",
        ),
        (
            row(b"k".to_vec(), vec![set("", b"q".to_vec(), 0, 1)]),
            "family \"\"",
        ),
        (
            row(b"k".to_vec(), vec![set("a b", b"q".to_vec(), 0, 1)]),
            "family \"a b\"",
        ),
        (
            row(
                b"k".to_vec(),
                vec![set(&"f".repeat(65), b"q".to_vec(), 0, 1)],
            ),
            "1 to 64 characters",
        ),
        (
            row(b"k".to_vec(), vec![set("f", b"q".to_vec(), 1001, 1)]),
            "Timestamp granularity mismatch",
        ),
        (
            row(b"k".to_vec(), vec![set("f", b"q".to_vec(), -1000, 1)]),
            "cell timestamp -1000",
        ),
        (
            row(b"k".to_vec(), vec![merge(1000), merge(499)]),
            "1501 bytes of mutations for row \"k\"",
        ),
        (
            row(b"k".to_vec(), vec![merge(1001)]),
            "1001 bytes in a value of qualifier \"q\"",
        ),
        (
            row(b"k".to_vec(), vec![delete(2000, 2000)]),
            "timestamps from 2000 to before 2000",
        ),
    ];
    for (row, words) in broken {
        let error = limits().entry(&row).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument);
        assert!(error.message.contains(words), "{error}");
        // In a bulk write it is found among other entries.
        let other = RowMutations {
            key: "other".into(),
            mutations: vec![one()],
        };
        let many = [&other, &row, &other].into_iter().collect();
        assert_eq!(limits().mutate_rows(&many), Err(error));
        let unchecked = RequestLimits {
            checked: false,
            ..limits()
        };
        unchecked.entry(&row).unwrap();
    }
}

#[test]
fn a_bulk_write_has_a_limit_of_its_own() {
    let eleven: Vec<_> = (0..11).map(|_| row(b"k".to_vec(), vec![one()])).collect();
    let error = limits().mutate_rows(&eleven.iter().collect()).unwrap_err();
    assert!(
        error.message.contains("11 mutations for a bulk write"),
        "{error}"
    );
}

#[test]
fn reads_and_conditional_writes_are_checked() {
    let deep = |levels| {
        (1..levels).fold(RowFilter::PassAll, |inner, _| RowFilter::Condition {
            predicate: Box::new(RowFilter::PassAll),
            if_true: None,
            if_false: Some(Box::new(inner)),
        })
    };
    let read = |filter, rows_limit| ReadRows {
        table: "t".to_owned(),
        rows: RowSet::key("k"),
        filter: Some(filter),
        rows_limit,
        ..ReadRows::default()
    };
    limits().read_rows(&read(deep(20), 0)).unwrap();
    let error = limits().read_rows(&read(deep(21), 0)).unwrap_err();
    assert!(error.message.contains("more levels"), "{error}");
    let wide = RowFilter::ValueRegex(vec![b'a'; 20_480].into());
    let error = limits().read_rows(&read(wide, 0)).unwrap_err();
    assert!(error.message.contains("a filter of 20484 bytes"), "{error}");
    assert!(limits().read_rows(&read(deep(1), -1)).is_err());

    let check = CheckAndMutateRow {
        table: "t".to_owned(),
        key: "k".into(),
        predicate: None,
        if_true: Vec::new(),
        if_false: Vec::new(),
    };
    assert!(limits().check_and_mutate_row(&check).is_err());
    let rule = ReadModifyWriteRule {
        family: "f f".into(),
        qualifier: "q".into(),
        action: RuleAction::Increment(1),
    };
    let modify = ReadModifyWriteRow {
        table: "t".to_owned(),
        key: "k".into(),
        rules: vec![rule],
    };
    let error = limits().read_modify_write_row(&modify).unwrap_err();
    assert!(error.message.contains("family \"f f\""), "{error}");
}

fn takes(row: &RowMutations) -> bool {
    limits().entries.take(EncodedEntry::from(row).size())
}

proptest! {
    /// An entry whose size is within the limits passes the full check, except for the names of
    /// families.
    #[test]
    fn a_size_that_is_taken_is_that_of_an_accepted_entry(
        key in vec(any::<u8>(), 0..3),
        mutations in vec(mutation(1_000), 0..12),
        micros in prop_oneof![Just(0), Just(SERVER_TIME), -2_000..9_000_i64, any::<i64>()],
    ) {
        let has_family = |one: &Mutation| one.family().is_none_or(|family| !family.is_empty());
        let mutations = mutations.into_iter().filter(has_family).collect();
        for row in [row(key.clone(), mutations), row(key, vec![set("f", b"q".to_vec(), micros, 1)])] {
            if takes(&row) {
                prop_assert!(limits().entry(&row).is_ok());
            }
        }
    }
}

#[test]
fn entries_of_cells_within_the_limits_are_taken_without_a_look() {
    let of_value = |bytes| set("f", b"q".to_vec(), 1_000, bytes);
    let taken = |mutations| takes(&row(b"k".to_vec(), mutations));
    assert!(taken(vec![of_value(0)]));
    assert!(taken(vec![delete(0, 0), of_value(999)]));
    assert!(taken(vec![Mutation::DeleteFromRow]));
    assert!(!taken(vec![]));
    assert!(!taken(vec![of_value(1_001)]));
    assert!(!taken(vec![set("f", b"q".to_vec(), 1, 0)]));
    assert!(!taken(vec![set("f", vec![b'q'; 16_385], 0, 0)]));
    assert!(!taken((0..11).map(|_| one()).collect()));
    assert!(!takes(&row(Vec::new(), vec![one()])));
}
