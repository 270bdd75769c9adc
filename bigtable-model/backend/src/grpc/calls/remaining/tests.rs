use proptest::prelude::*;
use prost::Message;

use super::*;

fn key(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn range(start: Bound<&str>, end: Bound<&str>) -> RowRange {
    RowRange {
        start: start.map(key),
        end: end.map(key),
    }
}

fn left(mut remaining: Remaining) -> Vec<Option<RowSet>> {
    let mut parts = Vec::new();
    while !remaining.is_empty() {
        parts.push(remaining.request().map(Into::into));
        remaining.finish_request();
    }
    parts
}

const LIMIT: usize = 512_000;

#[test]
fn a_set_that_fits_goes_out_as_it_is() {
    let odd = RowSet {
        keys: vec![key("b"), key("a"), key("b")],
        ranges: vec![range(Bound::Included("z"), Bound::Excluded("a"))],
    };
    assert_eq!(left(Remaining::new(odd.clone(), LIMIT, false)), [Some(odd)]);
    assert_eq!(left(Remaining::new(RowSet::all(), LIMIT, true)), [None]);
}

#[test]
fn what_was_read_is_cut_off() {
    let rows = || RowSet {
        keys: vec![key("a"), key("m"), key("x")],
        ranges: vec![
            range(Bound::Included("b"), Bound::Excluded("d")),
            range(Bound::Included("k"), Bound::Included("n")),
            range(Bound::Excluded("p"), Bound::Unbounded),
        ],
    };
    let mut forwards = Remaining::new(rows(), LIMIT, false);
    forwards.read_to(&key("m"));
    let expected = RowSet {
        keys: vec![key("x")],
        ranges: vec![
            range(Bound::Excluded("m"), Bound::Included("n")),
            range(Bound::Excluded("p"), Bound::Unbounded),
        ],
    };
    assert_eq!(left(forwards), [Some(expected)]);
    let mut backwards = Remaining::new(rows(), LIMIT, true);
    backwards.read_to(&key("m"));
    let expected = RowSet {
        keys: vec![key("a")],
        ranges: vec![
            range(Bound::Included("b"), Bound::Excluded("d")),
            range(Bound::Included("k"), Bound::Excluded("m")),
        ],
    };
    assert_eq!(left(backwards), [Some(expected)]);
}

#[test]
fn nothing_left_is_never_an_empty_set() {
    for (rows, read) in [
        (RowSet::key(key("k")), "k"),
        (
            RowSet::range(range(Bound::Included("a"), Bound::Included("k"))),
            "k",
        ),
        (
            RowSet::range(range(Bound::Included("k"), Bound::Excluded("k\0"))),
            "k",
        ),
        (
            RowSet::range(range(Bound::Included("a"), Bound::Excluded("k"))),
            "x",
        ),
    ] {
        let mut remaining = Remaining::new(rows, LIMIT, false);
        remaining.read_to(&key(read));
        assert!(remaining.is_empty(), "{remaining:?}");
    }
}

#[test]
fn the_whole_table_becomes_a_range() {
    for (reversed, expected) in [
        (false, range(Bound::Excluded("k"), Bound::Unbounded)),
        (true, range(Bound::Unbounded, Bound::Excluded("k"))),
    ] {
        let mut remaining = Remaining::new(RowSet::all(), LIMIT, reversed);
        remaining.read_to(&key("k"));
        assert_eq!(left(remaining), [Some(RowSet::range(expected))]);
    }
    let open = range(Bound::Included(""), Bound::Excluded(""));
    let mut remaining = Remaining::new(RowSet::range(open), LIMIT, false);
    remaining.read_to(&key("k"));
    let expected = range(Bound::Excluded("k"), Bound::Unbounded);
    assert_eq!(left(remaining), [Some(RowSet::range(expected))]);
}

#[test]
fn a_row_left_out_splits_its_range() {
    let mut remaining = Remaining::new(RowSet::all(), LIMIT, false);
    remaining.leave_out(&key("k"));
    let expected = RowSet {
        keys: Vec::new(),
        ranges: vec![
            range(Bound::Unbounded, Bound::Excluded("k")),
            range(Bound::Excluded("k"), Bound::Unbounded),
        ],
    };
    assert_eq!(left(remaining), [Some(expected)]);
    let mut remaining = Remaining::new(RowSet::key(key("k")), LIMIT, false);
    remaining.leave_out(&key("k"));
    assert!(remaining.is_empty());
}

fn short_key() -> impl Strategy<Value = Bytes> {
    "[a-c]{1,3}".prop_map(Bytes::from)
}

fn bound() -> impl Strategy<Value = Bound<Bytes>> {
    prop_oneof![
        short_key().prop_map(Bound::Included),
        short_key().prop_map(Bound::Excluded),
        Just(Bound::Unbounded),
    ]
}

fn row_set() -> impl Strategy<Value = RowSet> {
    let range = (bound(), bound()).prop_map(|(start, end)| RowRange { start, end });
    let ranges = prop::collection::vec(range, 0..5);
    (prop::collection::vec(short_key(), 0..8), ranges)
        .prop_map(|(keys, ranges)| RowSet { keys, ranges })
        .prop_filter("an empty set is all", |rows| !rows.is_all())
}

proptest! {
    #[test]
    fn parts_hold_the_same_rows_in_order(
        rows in row_set(),
        limit in 1..40_usize,
        reversed: bool,
        keys in prop::collection::vec(short_key(), 1..40),
    ) {
        let parts = left(Remaining::new(rows.clone(), limit, reversed));
        for key in &keys {
            let holders = parts.iter().filter(|part| part.as_ref().is_some_and(|set| set.contains(key)));
            prop_assert_eq!(holders.count(), usize::from(rows.contains(key)));
        }
        let place = |key: &Bytes| parts.iter().position(|part| part.as_ref().is_some_and(|set| set.contains(key)));
        let mut sorted: Vec<_> = keys.iter().filter(|key| rows.contains(key)).collect();
        sorted.sort();
        if reversed {
            sorted.reverse();
        }
        prop_assert!(sorted.iter().map(|key| place(key)).is_sorted());
        if parts.len() > 1 {
            for part in parts.iter().flatten() {
                let single = part.keys.len() + part.ranges.len() == 1;
                prop_assert!(single || wire::RowSet::from(part.clone()).encoded_len() <= limit);
            }
        }
    }

    #[test]
    fn what_is_left_is_what_was_not_read(
        rows in row_set(),
        position in short_key(),
        left_out in short_key(),
        reversed: bool,
        keys in prop::collection::vec(short_key(), 1..40),
    ) {
        let mut remaining = Remaining::new(rows.clone(), LIMIT, reversed);
        remaining.read_to(&position);
        remaining.leave_out(&left_out);
        let parts = left(remaining);
        for key in &keys {
            let unread = if reversed { *key < position } else { *key > position };
            let expected = unread && *key != left_out && rows.contains(key);
            let held = parts.iter().any(|part| part.as_ref().is_some_and(|set| set.contains(key)));
            prop_assert_eq!(held, expected);
        }
    }
}
