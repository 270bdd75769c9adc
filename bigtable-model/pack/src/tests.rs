//! A written block is read back, bytes that are not a block are an error, and the format has not
//! changed.

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::{Block, Column, MOST_VALUES, PackError, Values};

fn of(values: Values) -> Block {
    let count = values.len();
    Block {
        times: (0..count as i64).map(|at| 1_000 + at * 60).collect(),
        columns: vec![Column {
            name: "n".into(),
            present: vec![true; count],
            values,
        }],
    }
}

/// The same with floats as bits, since NaN does not equal itself.
fn bits(block: &Block) -> Block {
    let mut block = block.clone();
    for column in &mut block.columns {
        if let Values::Floats(values) = &column.values {
            let bits = values.iter().map(|one| one.to_bits().cast_signed());
            column.values = Values::Integers(bits.collect());
        }
    }
    block
}

fn comes_back(block: &Block) -> usize {
    let bytes = block.encode().unwrap();
    assert_eq!(bits(&Block::decode(&bytes).unwrap()), bits(block));
    bytes.len()
}

#[test]
fn special_values_come_back() {
    let floats = [
        0.0,
        -0.0,
        f64::NAN,
        -f64::NAN,
        f64::from_bits(0x7ff8_0000_0000_beef),
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
        9_007_199_254_740_993.0,
        0.1 + 0.2,
        10.357_019_999_999_999,
    ];
    comes_back(&of(Values::Floats(floats.to_vec())));
    for float in floats {
        comes_back(&of(Values::Floats(vec![float])));
        comes_back(&of(Values::Floats(vec![float; 3])));
        comes_back(&of(Values::Floats(vec![1.5, float])));
    }
    let integers = [0, 1, -1, i64::MAX, i64::MIN, i64::MIN + 1, 1 << 53];
    comes_back(&of(Values::Integers(integers.to_vec())));
    for integer in integers {
        comes_back(&of(Values::Integers(vec![integer])));
        comes_back(&of(Values::Integers(vec![0, integer, 0, integer])));
        comes_back(&of(Values::Integers(vec![integer; 100])));
    }
    comes_back(&Block::default());
    comes_back(&of(Values::Bools(vec![false; 9])));
    comes_back(&of(Values::Bytes(vec![Bytes::new(); 9])));
    comes_back(&of(Values::Bytes(vec![vec![0; 1_000_000].into()])));
}

/// Two columns, one of them with gaps: the bytes of version 1.
fn sample() -> Block {
    Block {
        times: vec![1_000, 1_060, 1_120, 1_180],
        columns: vec![
            Column {
                name: "a".into(),
                present: vec![true, false, true, true],
                values: Values::Floats(vec![20.5, 20.75, 20.0]),
            },
            Column {
                name: "on".into(),
                present: vec![true; 4],
                values: Values::Bytes(["on", "on", "off", "on"].map(Bytes::from).to_vec()),
            },
        ],
    }
}

/// To be read next to the tables of the format: version and number of events, the times in steps,
/// the number of columns; column `a` with a bit for each event, two digits after the point and
/// steps of 25 in Rice codes; column `on` with lengths and texts; the checksum.
const GOLDEN: &str = "0104\
    00d00f78\
    02\
    01610805b0080d8420199a\
    026f6e0e0c010104686f6e6f6e6f66666f6e\
    a3387971";

#[test]
fn the_bytes_are_those_of_version_1() {
    let bytes = sample().encode().unwrap();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, GOLDEN);
}

/// Any byte that is changed is found, and without the checksum it is an error or another block.
#[test]
fn each_byte_may_be_wrong() {
    let bytes = sample().encode().unwrap();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut wrong = bytes.clone();
            wrong[at] ^= 1 << bit;
            assert_eq!(Block::decode(&wrong), Err(PackError::Checksum));
            let _ = Block::decode(&with_checksum(&wrong[..wrong.len() - 4]));
        }
        assert!(Block::decode(&bytes[..at]).is_err());
        assert!(Block::decode(&with_checksum(&bytes[..at.min(bytes.len() - 5)])).is_err());
    }
}

fn with_checksum(body: &[u8]) -> Vec<u8> {
    let sum = crc32c::crc32c(body).to_be_bytes();
    [body, &sum].concat()
}

#[test]
fn no_bytes_ask_for_more_than_a_block_holds() {
    let refused = Block {
        times: vec![0; MOST_VALUES / 2],
        columns: (0..2_u8)
            .map(|number| Column {
                name: vec![number].into(),
                present: vec![false; MOST_VALUES / 2],
                values: Values::Integers(Vec::new()),
            })
            .collect(),
    };
    assert_eq!(
        refused.encode(),
        Err(PackError::Refused("more values than it holds"))
    );
    // Four million events in steps, and as many columns.
    let body = [1, 0x80, 0x80, 0x80, 2, 0, 0, 0, 0xff, 0xff, 0x7f];
    let huge = Block::decode(&with_checksum(&body));
    assert_eq!(
        huge,
        Err(PackError::Malformed("more values than a block holds"))
    );
    let later = Block::decode(&with_checksum(&[2, 0]));
    assert_eq!(later, Err(PackError::Version(2)));
}

#[test]
fn what_is_no_block_is_not_written() {
    let mut short = sample();
    short.columns[0].present.pop();
    assert!(matches!(short.encode(), Err(PackError::Refused(_))));
    let mut twice = sample();
    twice.columns[1].name = "a".into();
    assert!(matches!(twice.encode(), Err(PackError::Refused(_))));
}

/// A number of bytes for a value that a change of the coders may not exceed.
#[test]
fn values_of_one_series_take_few_bytes() {
    let day = 24;
    let temps: Vec<f64> = (0..day)
        .map(|hour| [68.0, 69.08, 71.96][hour % 3])
        .collect();
    // Knots in miles an hour, with 15 digits.
    let winds: Vec<f64> = (0..day).map(|hour| (hour % 7) as f64 * 1.150_78).collect();
    let gauge: Vec<i64> = (0..1_440).map(|minute| minute * 3 + minute % 7).collect();
    let words = ["clear", "rain", "snow"];
    let words: Vec<Bytes> = (0..day).map(|hour| words[hour / 9].into()).collect();
    assert!(comes_back(&of(Values::Floats(temps))) < 70);
    assert!(comes_back(&of(Values::Floats(winds))) < 50);
    assert!(comes_back(&of(Values::Integers(gauge))) < 1_000);
    assert!(comes_back(&of(Values::Bytes(words))) < 60);
}

fn float() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        (-1_000_i32..1_000).prop_map(|one| f64::from(one) / 100.0),
        (0_i32..40).prop_map(|one| f64::from(one) * 1.150_78),
        Just(-0.0),
    ]
}

fn integer() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), -100_i64..100, Just(i64::MIN), Just(i64::MAX)]
}

fn values(count: usize) -> impl Strategy<Value = Values> {
    let near = (integer(), vec(-50_i64..50, count)).prop_map(|(first, steps)| {
        let mut value = first;
        let steps = steps.into_iter().map(|step| {
            value = value.wrapping_add(step * 12);
            value
        });
        steps.collect::<Vec<i64>>()
    });
    prop_oneof![
        vec(integer(), count).prop_map(Values::Integers),
        near.prop_map(Values::Integers),
        vec(float(), count).prop_map(Values::Floats),
        (0_i32..1_000, vec(0_i32..9, count)).prop_map(|(first, steps)| {
            let values = steps.into_iter().map(|step| f64::from(first + step) / 10.0);
            Values::Floats(values.collect())
        }),
        vec(any::<bool>(), count).prop_map(Values::Bools),
        vec(vec(0_u8..4, 0..6), count).prop_map(|all: Vec<Vec<u8>>| {
            Values::Bytes(all.into_iter().map(Bytes::from).collect())
        }),
    ]
}

fn column() -> impl Strategy<Value = Vec<(bool, u64)>> {
    vec((any::<bool>(), 0..3_u64), 0..600)
}

fn block() -> impl Strategy<Value = Block> {
    let shape = vec((0..5_u8, any::<bool>()), 0..4);
    (column(), shape).prop_flat_map(|(events, shape)| {
        let count = events.len();
        let times = vec(integer(), count);
        let mut next = 0;
        let columns: Vec<_> = shape
            .into_iter()
            .map(|(more, is_whole)| {
                let number = next + more;
                next = number + 1;
                let present = events
                    .iter()
                    .map(|(has, draw)| is_whole || (*has && *draw > 0));
                let present: Vec<bool> = present.collect();
                let held = present.iter().filter(|one| **one).count();
                values(held).prop_map(move |values| Column {
                    name: vec![number].into(),
                    present: present.clone(),
                    values,
                })
            })
            .collect();
        (times, columns).prop_map(|(times, columns)| Block { times, columns })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn blocks_come_back(block in block()) {
        comes_back(&block);
    }

    /// Whatever the bytes are, also with a checksum that is right.
    #[test]
    fn no_bytes_make_it_panic(block in block(), at in any::<prop::sample::Index>(), with: [u8; 3]) {
        let bytes = block.encode().unwrap();
        let mut body = bytes[..bytes.len() - 4].to_vec();
        let at = at.index(body.len());
        for (place, byte) in body[at..].iter_mut().zip(with) {
            *place = byte;
        }
        let _ = Block::decode(&with_checksum(&body));
        let _ = Block::decode(&with_checksum(&with));
    }
}
