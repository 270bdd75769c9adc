//! Pools of keys, qualifiers, values and times: few of each, so operations meet, and with edge
//! cases.

use bytes::Bytes;
use bytestring::ByteString;

use crate::generator::is_aggregate;
use crate::random::Random;

const KEYS: &[&[u8]] = &[
    b"a",
    b"ab",
    b"abc",
    b"b",
    b"b\0",
    b"c",
    b"k#1",
    b"k#10",
    b"k#2",
    b"\xff",
    b"\xff\xff",
];
const BOUNDS: &[&[u8]] = &[
    b"",
    b"a",
    b"ab",
    b"abd",
    b"b",
    b"b\0",
    b"c",
    b"k#",
    b"k$",
    b"\xff",
    b"\xff\xff\xff",
];
const QUALIFIERS: &[&[u8]] = &[b"", b"a", b"b", b"q", b"qq", b"c:d", b"\xc3\xa9", b"\xff"];
const VALUES: &[&[u8]] = &[
    b"",
    b"v",
    b"w",
    b"vw",
    b"abc",
    b"\n",
    b"\xff",
    b"\0\0\0\0\0\0\0\x05",
    b"\x7f\xff\xff\xff\xff\xff\xff\xff",
    b"\xff\xff\xff\xff\xff\xff\xff\xfe",
];
const TIMES: &[i64] = &[0, 1_000, 2_000, 3_000, 5_000, 9_223_372_036_854_775_000];
const BAD_TIMES: &[i64] = &[
    -2,
    -1_000,
    1,
    1_500,
    9_223_372_036_854_775_001,
    i64::MAX,
    i64::MIN,
];
const AMOUNTS: &[i64] = &[0, 1, -1, 7, -300, i64::MAX, i64::MIN];

impl Random {
    fn bytes(&mut self, pool: &[&'static [u8]]) -> Bytes {
        Bytes::from_static(self.pick(pool))
    }

    /// A valid row key.
    pub(crate) fn good_key(&mut self) -> Bytes {
        self.bytes(KEYS)
    }

    pub(crate) fn key(&mut self) -> Bytes {
        match self.percent(2) {
            true => Bytes::new(),
            false => self.good_key(),
        }
    }

    /// A bound of a range of keys.
    pub(crate) fn key_bound(&mut self) -> Bytes {
        self.bytes(BOUNDS)
    }

    pub(crate) fn qualifier(&mut self) -> Bytes {
        self.bytes(QUALIFIERS)
    }

    pub(crate) fn value(&mut self) -> Bytes {
        self.bytes(VALUES)
    }

    /// A value that the family may hold: values shorter than a number crash the emulator when they
    /// are merged.
    pub(crate) fn value_of(&mut self, family: &str) -> Bytes {
        match is_aggregate(family) {
            true => Bytes::copy_from_slice(&self.amount().to_be_bytes()),
            false => self.value(),
        }
    }

    pub(crate) fn amount(&mut self) -> i64 {
        self.pick(AMOUNTS)
    }

    pub(crate) fn good_time(&mut self) -> i64 {
        self.pick(TIMES)
    }

    pub(crate) fn time(&mut self) -> i64 {
        match self.percent(5) {
            true => self.pick(BAD_TIMES),
            false => self.good_time(),
        }
    }

    /// One of these families, or sometimes one that no table has.
    pub(crate) fn family(&mut self, families: &[&'static str]) -> ByteString {
        let name = match self.percent(4) {
            true => "absent",
            false => self.pick(families),
        };
        ByteString::from_static(name)
    }
}
