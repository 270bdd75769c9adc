use std::collections::BTreeSet;
use std::ops::Bound;

use proptest::prelude::*;

use super::*;
use crate::Code;
use crate::data::{
    ReadModifyWriteRow, ReadModifyWriteRule, RowFilter, RowRange, RowSet, RuleAction,
};
use crate::memory::Profile;
use crate::memory::read::ranges::{AT_ONCE, unite, unite_many};
use crate::memory::read::scan::FIRST_BATCH;

/// Short keys over few letters, so that ranges meet.
fn key() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(b'a'..=b'c', 1..4).prop_map(Bytes::from)
}

fn bound() -> impl Strategy<Value = Bound<Bytes>> {
    prop_oneof![
        key().prop_map(Bound::Included),
        key().prop_map(Bound::Excluded),
        Just(Bound::Unbounded),
    ]
}

/// An end may also exclude the empty key, which means no end.
fn end() -> impl Strategy<Value = Bound<Bytes>> {
    prop_oneof![4 => bound(), 1 => Just(Bound::Excluded(Bytes::new()))]
}

fn row_set() -> impl Strategy<Value = RowSet> {
    let range = (bound(), end())
        .prop_map(|(start, end)| RowRange { start, end })
        .prop_filter("ranges hold a key", |range| !range.is_empty());
    let keys = prop::collection::vec(key(), 0..4);
    (keys, prop::collection::vec(range, 0..4)).prop_map(|(keys, ranges)| RowSet { keys, ranges })
}

proptest! {
    /// A read delivers the rows that a check of every key finds.
    #[test]
    fn a_scan_is_its_row_set(
        keys in prop::collection::btree_set(key(), 0..40),
        rows in row_set(),
        limit in 0_i64..6,
        reversed: bool,
        filtered: bool,
    ) {
        let db = database();
        for key in &keys {
            let row = RowMutations { key: key.clone(), mutations: vec![set("q", 0, key.clone())] };
            block_on(db.mutate_row("t", row)).unwrap();
        }
        let expected = brute_force(&keys, &rows, limit, reversed, filtered);
        let request = ReadRows {
            rows,
            rows_limit: limit,
            reversed,
            filter: filtered.then(|| RowFilter::ValueRegex(Bytes::from_static(b".*b"))),
            ..request()
        };
        let got: Vec<_> = read(&db, request).unwrap().into_iter().map(|row| row.key).collect();
        prop_assert_eq!(got, expected);
    }
}

proptest! {
    /// Many keys and ranges are united in another way than few, with the same result.
    #[test]
    fn many_are_united_as_few_are(rows in row_set()) {
        if !rows.is_all() {
            let many = block_on(unite_many(rows.clone(), Profile::Service));
            prop_assert_eq!(many, unite(rows, Profile::Service));
        }
    }
}

#[test]
fn a_read_of_very_many_keys_and_ranges_is_one_of_few() {
    let db = database();
    for number in 0..200 {
        write(&db, &format!("{number:06}"), vec![set("q", 0, "v")]).unwrap();
    }
    let key = |number: usize| Bytes::from(format!("{number:06}"));
    let many = 2 * AT_ONCE;
    let rows = RowSet {
        keys: (0..many).map(|at| key(at * 7_919 % many)).collect(),
        ranges: (0..many)
            .map(|at| RowRange {
                start: Bound::Included(key(at)),
                end: Bound::Excluded(key(at + 2)),
            })
            .collect(),
    };
    let wanted = ReadRows {
        rows: RowSet::default(),
        ..request()
    };
    let request = ReadRows { rows, ..request() };
    assert_eq!(read(&db, request.clone()), read(&db, wanted));
    // An inverted range is refused before anything is read.
    let mut wrong = request;
    wrong.rows.ranges.push(RowRange {
        start: Bound::Excluded(key(2)),
        end: Bound::Excluded(key(1)),
    });
    assert_eq!(read(&db, wrong).unwrap_err().code, Code::InvalidArgument);
}

fn brute_force(
    keys: &BTreeSet<Bytes>,
    rows: &RowSet,
    limit: i64,
    reversed: bool,
    filtered: bool,
) -> Vec<Bytes> {
    let mut expected: Vec<_> = keys
        .iter()
        .filter(|key| rows.contains(key))
        .filter(|key| !filtered || key.ends_with(b"b"))
        .cloned()
        .collect();
    if reversed {
        expected.reverse();
    }
    if limit > 0 {
        expected.truncate(limit as usize);
    }
    expected
}

/// The emulator's increments write under an empty key.
#[test]
fn a_reversed_scan_ends_at_the_empty_key() {
    let db = MemoryBackend::builder().profile(Profile::Emulator).build();
    create(&db, None);
    let rule = ReadModifyWriteRule {
        family: "f".into(),
        qualifier: "q".into(),
        action: RuleAction::Increment(1),
    };
    let increment = ReadModifyWriteRow {
        table: "t".to_owned(),
        key: Bytes::new(),
        rules: vec![rule],
    };
    block_on(db.read_modify_write_row(increment)).unwrap();
    for number in 1..FIRST_BATCH {
        write(&db, &format!("{number:03}"), vec![set("q", 0, "v")]).unwrap();
    }
    // The empty key is the last of a full batch, after which the scan would go on.
    let reversed = ReadRows {
        reversed: true,
        ..request()
    };
    assert_eq!(read(&db, reversed).unwrap().len(), FIRST_BATCH);
    let before = RowRange {
        start: Bound::Unbounded,
        end: Bound::Excluded(Bytes::new()),
    };
    let table = db.table("t").unwrap();
    assert_eq!(table.range(before).count(), FIRST_BATCH);
}

#[test]
fn boundaries_of_tablets_have_the_bytes_before_them() {
    let db = MemoryBackend::new();
    let schema = TableSchema {
        table: "t".to_owned(),
        families: [("f".to_owned(), FamilySchema::default())].into(),
        ..TableSchema::default()
    };
    let splits = ["m", "z", "b"].map(Bytes::from).to_vec();
    block_on(db.tables().create(schema, splits)).unwrap();
    for key in ["a", "b", "c", "n"] {
        // One byte of key, one of qualifier, eight of value.
        write(&db, key, vec![set("q", 0, "12345678")]).unwrap();
    }
    let samples = block_on(db.sample_row_keys("t")).unwrap();
    let got: Vec<_> = samples
        .iter()
        .map(|sample| (sample.key.as_ref(), sample.offset_bytes))
        .collect();
    let expected: [(&[u8], i64); 4] = [(b"b", 10), (b"m", 30), (b"z", 40), (b"", 40)];
    assert_eq!(got, expected);
}
