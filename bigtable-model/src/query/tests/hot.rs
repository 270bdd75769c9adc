//! Plans of queries where the salt spreads only hot series.

use super::buckets::{one, parts, planned, refused};
use super::makers::{DAY, JAN_1, cells, day, endless, name, salt};
use super::*;
use crate::QueryError;
use crate::key::HotSeries;
use crate::query::{MAX_COMBINATIONS, ReadsMore, plan};

/// A salt of 8 shards in which rows of `A` are in 4, and those of `B` in 2.
fn hot_salt(of: &[usize], segment: usize, series: &[usize]) -> Segment {
    let mut salt = salt(8, of);
    if let SegmentFormat::Salt(salt) = &mut salt.format {
        salt.hot = Some(HotSeries {
            segment,
            series: series.to_vec().into(),
            values: vec![("A".into(), 4), ("B".into(), 2)].into(),
        });
    }
    salt
}

fn by_day() -> ModelSchema {
    let schema = cells(vec![hot_salt(&[1, 2], 1, &[1]), name("symbol"), day()]);
    schema.key.check().unwrap();
    schema
}

/// The indexes of a series' shards, from the description of the salt.
fn shards(symbol: &str) -> Vec<u64> {
    let first = xxhash_rust::xxh64::xxh64(symbol.as_bytes(), 0) % 8;
    let count = match symbol {
        "A" => 4,
        "B" => 2,
        _ => 1,
    };
    let mut shards: Vec<u64> = (first..first + count).map(|shard| shard % 8).collect();
    shards.sort_unstable();
    shards
}

fn ranges(symbol: &str) -> Vec<String> {
    let range = |shard: u64| format!("[\"{shard}#{symbol}#\", \"{shard}#{symbol}$\")");
    shards(symbol).into_iter().map(range).collect()
}

#[test]
fn a_cold_series_is_one_scan() {
    let schema = by_day();
    for symbol in ["C", "D", "AA", "a"] {
        let plan = plan(&schema, &by_time(select([texts(&[symbol])]))).unwrap();
        assert_eq!(parts(&plan), [[ranges(symbol)]]);
        assert_eq!(plan.reasons, []);
        // So its newest rows are found by one scan too, and its buckets are not listed.
        let many = by_time(one(symbol, times(JAN_1, JAN_1 + 30 * DAY)));
        let plan = crate::query::plan(&schema, &many).unwrap();
        assert_eq!(plan.scans.len(), 1);
        assert_eq!(parts(&plan)[0].len(), 1);
    }
}

#[test]
fn a_hot_series_is_a_scan_for_each_of_its_shards() {
    let schema = by_day();
    for (symbol, most) in [("A", 4), ("B", 2)] {
        let mut selection = by_time(select([texts(&[symbol])]));
        let plan = plan(&schema, &selection).unwrap();
        let mut found = parts(&plan).concat().concat();
        found.sort();
        assert_eq!(found, ranges(symbol));
        assert_eq!(plan.scans.len(), usize::from(most));
        assert_eq!(plan.reasons, [ReadsMore::HotShards { shards: most }]);
        selection.max_scans = 1;
        let refusal = QueryError::TooManyScans {
            scans: usize::from(most),
            max_scans: 1,
        };
        assert_eq!(refused(&schema, &selection), refusal);
    }
}

#[test]
fn several_series_are_each_read_in_their_own_shards() {
    let schema = by_day();
    let symbols = ["A", "B", "C", "D"];
    let mut expected: Vec<String> = symbols.iter().flat_map(|one| ranges(one)).collect();
    expected.sort();
    for order in [Order::Time, Order::Key, Order::Any] {
        let selection = Selection {
            order,
            ..select([texts(&symbols)])
        };
        let plan = plan(&schema, &selection).unwrap();
        let mut found = parts(&plan).concat().concat();
        found.sort();
        assert_eq!(found, expected, "{order:?}");
        assert_eq!(plan.reasons, [ReadsMore::HotShards { shards: 4 }]);
    }
    let by_time = by_time(select([texts(&symbols)]));
    assert_eq!(plan(&schema, &by_time).unwrap().scans.len(), 8);
}

#[test]
fn an_open_series_is_looked_for_in_all_shards() {
    let schema = by_day();
    let open = select([SegmentSelection::Prefix("A".into())]);
    let plan = plan(&schema, &open).unwrap();
    assert_eq!(plan.reasons, [ReadsMore::EveryShard { shards: 8 }]);
    assert_eq!(parts(&plan).concat().concat().len(), 8);
}

/// A part of the series' name does not give its shards.
#[test]
fn a_series_is_known_by_all_of_its_hashed_names() {
    let salt = hot_salt(&[1, 2, 3], 1, &[1, 2]);
    let schema = cells(vec![salt, name("symbol"), name("venue"), day()]);
    schema.key.check().unwrap();
    let of_symbol = plan(&schema, &select([texts(&["C"])])).unwrap();
    assert_eq!(of_symbol.reasons, [ReadsMore::EveryShard { shards: 8 }]);
    let of_both = select([texts(&["C"]), texts(&["X", "Y"])]);
    let of_both = plan(&schema, &of_both).unwrap();
    assert_eq!(of_both.reasons, []);
    let expected = ["X", "Y"].map(|venue| {
        let shard = xxhash_rust::xxh64::xxh64(format!("C#{venue}").as_bytes(), 0) % 8;
        format!("[\"{shard}#C#{venue}#\", \"{shard}#C#{venue}$\")")
    });
    let mut found = parts(&of_both).concat().concat();
    found.sort_by_key(|range| range.split('#').nth(2).map(str::to_owned));
    assert_eq!(found, expected);
}

/// With its time an event is in one shard, hot or not.
#[test]
fn a_key_is_read_in_its_shard() {
    let schema = by_day();
    for symbol in ["A", "C"] {
        let shard = schema
            .key
            .salt()
            .unwrap()
            .1
            .shard("#", [symbol.as_bytes(), b"20200101"]);
        let selection = one(symbol, times(JAN_1, JAN_1 + DAY));
        let expected = format!("{shard}#{symbol}#20200101");
        assert_eq!(planned(&schema, &selection), [[[expected]]]);
    }
}

/// Two values in one shard are one range of all of its rows there.
#[test]
fn a_series_whose_name_follows_the_time_is_read_in_its_shard() {
    let salt = hot_salt(&[1, 2], 2, &[2]);
    let schema = cells(vec![salt, day(), name("symbol")]);
    schema.key.check().unwrap();
    let open = SegmentSelection::Range(Bound::Unbounded, Bound::Unbounded);
    let selection = Selection {
        full_scan: true,
        ..select([open, texts(&["C"])])
    };
    let shard = shards("C")[0];
    let plan = plan(&schema, &selection).unwrap();
    let expected = format!("[\"{shard}#\", \"{shard}$\")");
    assert_eq!(parts(&plan).concat().concat(), [expected]);
}

#[test]
fn hot_values_count_as_combinations() {
    let schema = by_day();
    let many: Vec<String> = (0..MAX_COMBINATIONS - 2)
        .map(|nth| format!("c{nth}"))
        .collect();
    let mut asked: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(plan(&schema, &select([texts(&asked)])).is_ok());
    asked.push("B");
    assert!(plan(&schema, &select([texts(&asked)])).is_ok());
    asked.push("D");
    let refusal = QueryError::TooManyCombinations {
        combinations: MAX_COMBINATIONS + 1,
    };
    assert_eq!(refused(&schema, &select([texts(&asked)])), refusal);
}

#[test]
fn shards_of_hot_series_are_explained() {
    let schema = by_day();
    let explained = |symbols: &[&str]| {
        let plan = plan(&schema, &by_time(select([texts(symbols)]))).unwrap();
        plan.reasons
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(explained(&["C"]), [""; 0]);
    assert_eq!(
        explained(&["A", "C"]),
        [
            "each shard of a hot series is asked, up to 4: the salt is made of what the query leaves open"
        ]
    );
}

/// All rows of a series are in one row's shard already: the layout is refused.
#[test]
fn a_salt_without_the_time_has_no_hot_series() {
    let schema = cells(vec![hot_salt(&[1], 1, &[1]), name("symbol"), endless()]);
    assert!(
        schema
            .key
            .refusal()
            .unwrap()
            .contains("in one shard already")
    );
}
