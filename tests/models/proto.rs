//! Events as messages of a natural `.proto`, compared with prost's struct for the same file.

use std::time::Duration;

use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::lock::Locked;
use bigtable_model::model::insert_mutations;
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use bytes::Bytes;
use bytestring::ByteString;
use proptest::prelude::*;
use prost::Message as _;

use crate::conditions::backends;

/// A field of each form.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SAMPLE", family = "S", serialize(proto, column = "sample"))]
struct Sample {
    #[bigtable(key)]
    id: u32,
    load: f64,
    share: f32,
    count: i64,
    small: i32,
    #[bigtable(tag = 7)]
    total: u64,
    #[bigtable(column = "users")]
    number_of_users: u32,
    up: bool,
    name: String,
    mark: ByteString,
    raw: Vec<u8>,
    shared: Bytes,
    #[bigtable(tag = 5)]
    seen: Timestamp,
    #[bigtable(tag = 30)]
    maybe_load: Option<f64>,
    maybe_count: Option<i32>,
    maybe_up: Option<bool>,
    maybe_name: Option<String>,
    maybe_raw: Option<Bytes>,
    maybe_seen: Option<Timestamp>,
    #[bigtable(tag = 20_000)]
    loads: Vec<f64>,
    counts: Vec<i64>,
    ups: Vec<bool>,
    names: Vec<String>,
    raws: Vec<Vec<u8>>,
    times: Vec<Timestamp>,
    #[bigtable(skip)]
    note: String,
}

const FILE: &str = r#"syntax = "proto3";

import "google/protobuf/timestamp.proto";

// Column S:sample of table SAMPLE.
message Sample {
  double load = 1;
  float share = 2;
  int64 count = 3;
  int32 small = 4;
  google.protobuf.Timestamp seen = 5;
  uint64 total = 7;
  uint32 users = 8;
  bool up = 9;
  string name = 10;
  string mark = 11;
  bytes raw = 12;
  bytes shared = 13;
  optional double maybe_load = 30;
  optional int32 maybe_count = 31;
  optional bool maybe_up = 32;
  optional string maybe_name = 33;
  optional bytes maybe_raw = 34;
  optional google.protobuf.Timestamp maybe_seen = 35;
  repeated double loads = 20000;
  repeated int64 counts = 20001;
  repeated bool ups = 20002;
  repeated string names = 20003;
  repeated bytes raws = 20004;
  repeated google.protobuf.Timestamp times = 20005;
}
"#;

/// The code that prost generates from that file.
mod generated {
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Time {
        #[prost(int64, tag = "1")]
        pub(super) seconds: i64,
        #[prost(int32, tag = "2")]
        pub(super) nanos: i32,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Sample {
        #[prost(double, tag = "1")]
        pub(super) load: f64,
        #[prost(float, tag = "2")]
        pub(super) share: f32,
        #[prost(int64, tag = "3")]
        pub(super) count: i64,
        #[prost(int32, tag = "4")]
        pub(super) small: i32,
        #[prost(message, optional, tag = "5")]
        pub(super) seen: Option<Time>,
        #[prost(uint64, tag = "7")]
        pub(super) total: u64,
        #[prost(uint32, tag = "8")]
        pub(super) users: u32,
        #[prost(bool, tag = "9")]
        pub(super) up: bool,
        #[prost(string, tag = "10")]
        pub(super) name: String,
        #[prost(string, tag = "11")]
        pub(super) mark: String,
        #[prost(bytes = "vec", tag = "12")]
        pub(super) raw: Vec<u8>,
        #[prost(bytes = "vec", tag = "13")]
        pub(super) shared: Vec<u8>,
        #[prost(double, optional, tag = "30")]
        pub(super) maybe_load: Option<f64>,
        #[prost(int32, optional, tag = "31")]
        pub(super) maybe_count: Option<i32>,
        #[prost(bool, optional, tag = "32")]
        pub(super) maybe_up: Option<bool>,
        #[prost(string, optional, tag = "33")]
        pub(super) maybe_name: Option<String>,
        #[prost(bytes = "vec", optional, tag = "34")]
        pub(super) maybe_raw: Option<Vec<u8>>,
        #[prost(message, optional, tag = "35")]
        pub(super) maybe_seen: Option<Time>,
        #[prost(double, repeated, tag = "20000")]
        pub(super) loads: Vec<f64>,
        #[prost(int64, repeated, tag = "20001")]
        pub(super) counts: Vec<i64>,
        #[prost(bool, repeated, tag = "20002")]
        pub(super) ups: Vec<bool>,
        #[prost(string, repeated, tag = "20003")]
        pub(super) names: Vec<String>,
        #[prost(bytes = "vec", repeated, tag = "20004")]
        pub(super) raws: Vec<Vec<u8>>,
        #[prost(message, repeated, tag = "20005")]
        pub(super) times: Vec<Time>,
    }
}

fn time(time: &Timestamp) -> generated::Time {
    let micros = time.as_micros();
    generated::Time {
        seconds: micros.div_euclid(1_000_000),
        nanos: i32::try_from(micros.rem_euclid(1_000_000)).unwrap() * 1_000,
    }
}

/// The same event as prost's struct.
fn as_generated(event: &Sample) -> generated::Sample {
    let event = event.clone();
    generated::Sample {
        load: event.load,
        share: event.share,
        count: event.count,
        small: event.small,
        seen: Some(time(&event.seen)),
        total: event.total,
        users: event.number_of_users,
        up: event.up,
        name: event.name,
        mark: event.mark.to_string(),
        raw: event.raw,
        shared: event.shared.to_vec(),
        maybe_load: event.maybe_load,
        maybe_count: event.maybe_count,
        maybe_up: event.maybe_up,
        maybe_name: event.maybe_name,
        maybe_raw: event.maybe_raw.map(|raw| raw.to_vec()),
        maybe_seen: event.maybe_seen.as_ref().map(time),
        loads: event.loads,
        counts: event.counts,
        ups: event.ups,
        names: event.names,
        raws: event.raws,
        times: event.times.iter().map(time).collect(),
    }
}

/// All fields are 0, absent or empty.
fn empty() -> Sample {
    Sample {
        id: 7,
        load: 0.0,
        share: 0.0,
        count: 0,
        small: 0,
        total: 0,
        number_of_users: 0,
        up: false,
        name: String::new(),
        mark: ByteString::new(),
        raw: Vec::new(),
        shared: Bytes::new(),
        seen: Timestamp::UNIX_EPOCH,
        maybe_load: None,
        maybe_count: None,
        maybe_up: None,
        maybe_name: None,
        maybe_raw: None,
        maybe_seen: None,
        loads: Vec::new(),
        counts: Vec::new(),
        ups: Vec::new(),
        names: Vec::new(),
        raws: Vec::new(),
        times: Vec::new(),
        note: String::new(),
    }
}

/// The cell that a model writes.
fn written<M: Model>(event: &M) -> Bytes {
    let row = insert_mutations(event, Timestamp::UNIX_EPOCH).unwrap();
    let values = row
        .mutations
        .into_iter()
        .filter_map(|mutation| match mutation {
            Mutation::SetCell { value, .. } => Some(value),
            _ => None,
        });
    values.last().unwrap()
}

/// The event whose cell holds these bytes.
async fn read(bytes: &[u8]) -> Result<Sample, bigtable_model::Error> {
    let db = MemoryBackend::new();
    db.ensure_tables::<Sample>().await.unwrap();
    let key = SampleKey { id: 7 };
    let row = RowMutations {
        key: bigtable_model::model::ModelKey::encode(&key)
            .unwrap()
            .into(),
        mutations: vec![Mutation::SetCell {
            family: "S".into(),
            qualifier: "sample".into(),
            timestamp_micros: 0,
            value: Bytes::copy_from_slice(bytes),
        }],
    };
    db.mutate_row("SAMPLE", row).await.unwrap();
    db.get::<Sample>(&key).await.map(Option::unwrap)
}

/// `Debug` shows the sign of zero; the bits of a NaN are compared as bytes.
fn assert_same(found: &Sample, event: &Sample) {
    assert_eq!(format!("{found:?}"), format!("{event:?}"));
    assert_eq!(written(found), written(event));
}

#[test]
fn the_file_is_printed() {
    assert_eq!(Sample::proto(), FILE);
}

#[test]
fn golden_bytes() {
    // Only the message of the time is present.
    assert_eq!(written(&empty()), b"\x2a\x00"[..]);
    let event = Sample {
        load: -0.0,
        share: 0.5,
        count: -1,
        number_of_users: 300,
        name: "\u{e9}".to_owned(),
        seen: Timestamp::from_micros(1_500_000),
        maybe_load: Some(0.0),
        maybe_name: Some(String::new()),
        counts: vec![1, 300],
        names: vec![String::new(), "a".to_owned()],
        ..empty()
    };
    let expected: &[&[u8]] = &[
        b"\x09\x00\x00\x00\x00\x00\x00\x00\x80", // load = -0.0
        b"\x15\x00\x00\x00\x3f",                 // share = 0.5
        b"\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", // count = -1
        b"\x2a\x08\x08\x01\x10\x80\xca\xb5\xee\x01", // seen: 1 s, 500,000,000 ns
        b"\x40\xac\x02",                         // users = 300
        b"\x52\x02\xc3\xa9",                     // name
        b"\xf1\x01\x00\x00\x00\x00\x00\x00\x00\x00", // maybe_load = 0.0, which is there
        b"\x8a\x02\x00",                         // maybe_name = ""
        b"\x8a\xe2\x09\x03\x01\xac\x02",         // counts, packed
        b"\x9a\xe2\x09\x00\x9a\xe2\x09\x01\x61", // names
    ];
    assert_eq!(written(&event), expected.concat());
}

prop_compose! {
    fn micros()(micros in -62_135_596_800_000_000_i64..253_402_300_799_000_000) -> Timestamp {
        Timestamp::from_micros(micros)
    }
}

/// A number that is often 0, with either sign.
fn double() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(-0.0), any::<u64>().prop_map(f64::from_bits)]
}

fn events() -> impl Strategy<Value = Sample> {
    let plain = (
        double(),
        prop_oneof![
            Just(0.0_f32),
            Just(-0.0),
            any::<u32>().prop_map(f32::from_bits)
        ],
        prop_oneof![Just(0), any::<i64>()],
        any::<i32>(),
        any::<u64>(),
        any::<u32>(),
        any::<bool>(),
        ".{0,3}",
        any::<Vec<u8>>(),
        micros(),
    );
    let maybe = (
        proptest::option::of(double()),
        any::<Option<i32>>(),
        any::<Option<bool>>(),
        proptest::option::of(".{0,3}"),
        any::<Option<Vec<u8>>>(),
        proptest::option::of(micros()),
    );
    let many = (
        proptest::collection::vec(double(), 0..4),
        any::<Vec<i64>>(),
        any::<Vec<bool>>(),
        proptest::collection::vec(".{0,3}", 0..4),
        proptest::collection::vec(any::<Vec<u8>>(), 0..3),
        proptest::collection::vec(micros(), 0..4),
    );
    (plain, maybe, many).prop_map(|(plain, maybe, many)| Sample {
        load: plain.0,
        share: plain.1,
        count: plain.2,
        small: plain.3,
        total: plain.4,
        number_of_users: plain.5,
        up: plain.6,
        mark: ByteString::from(plain.7.as_str()),
        name: plain.7,
        shared: Bytes::from(plain.8.clone()),
        raw: plain.8,
        seen: plain.9,
        maybe_load: maybe.0,
        maybe_count: maybe.1,
        maybe_up: maybe.2,
        maybe_name: maybe.3,
        maybe_raw: maybe.4.map(Bytes::from),
        maybe_seen: maybe.5,
        loads: many.0,
        counts: many.1,
        ups: many.2,
        names: many.3,
        raws: many.4,
        times: many.5,
        ..empty()
    })
}

proptest! {
    /// The bytes of prost's struct for the same file, except that it omits a plain -0.0.
    #[test]
    fn bytes_are_those_of_the_generated_struct(event in events()) {
        let loses = event.load.to_bits() == (-0.0_f64).to_bits()
            || event.share.to_bits() == (-0.0_f32).to_bits();
        let ours = written(&event);
        let message = as_generated(&event);
        if !loses {
            prop_assert_eq!(&ours[..], &message.encode_to_vec()[..]);
        }
        let read = generated::Sample::decode(ours).unwrap();
        prop_assert_eq!(format!("{:?}", read), format!("{:?}", message));
    }

    #[test]
    fn every_bit_comes_back(event in events()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let found = runtime.block_on(read(&written(&event))).unwrap();
        assert_same(&found, &event);
        prop_assert_eq!(found.load.to_bits(), event.load.to_bits());
        prop_assert_eq!(found.share.to_bits(), event.share.to_bits());
        // And after another writer's encoding.
        let message = as_generated(&event).encode_to_vec();
        let of_other = runtime.block_on(read(&message)).unwrap();
        let expected = Sample {
            load: if event.load == 0.0 { 0.0 } else { event.load },
            share: if event.share == 0.0 { 0.0 } else { event.share },
            ..event
        };
        assert_same(&of_other, &expected);
    }

    /// Any bytes in a cell give an event or an error, and no panic.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>(), event in events(), at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let _ = runtime.block_on(read(&bytes));
        let mut changed = written(&event).to_vec();
        let at = at.index(changed.len());
        changed[at] ^= 1 << bit;
        let _ = runtime.block_on(read(&changed));
    }
}

#[tokio::test]
async fn what_newer_writers_add_is_skipped() {
    let event = Sample {
        load: 2.5,
        ..empty()
    };
    let mut bytes = written(&event).to_vec();
    bytes.extend_from_slice(b"\x30\x05"); // 6: a number
    bytes.extend_from_slice(b"\xa2\x06\x03abc"); // 100: bytes
    bytes.extend_from_slice(b"\xab\x06\x08\x01\xac\x06"); // 101: a group
    bytes.extend_from_slice(b"\x09\x00\x00\x00\x00\x00\x00\x14\x40"); // load again: the last counts
    let found = read(&bytes).await.unwrap();
    assert_eq!(
        found,
        Sample {
            load: 5.0,
            ..empty()
        }
    );
}

#[tokio::test]
async fn repeated_numbers_are_read_one_by_one_too() {
    let mut bytes = written(&empty()).to_vec();
    bytes.extend_from_slice(b"\x88\xe2\x09\x01"); // counts: 1
    bytes.extend_from_slice(b"\x8a\xe2\x09\x02\x02\x03"); // 2 and 3, packed
    let found = read(&bytes).await.unwrap();
    assert_eq!(found.counts, [1, 2, 3]);
}

#[tokio::test]
async fn malformed_fields_are_named() {
    let with = |more: &[u8]| [&written(&empty())[..], more].concat();
    let cases: [(&[u8], &str); 6] = [
        (b"\x0a\x00", "`load`"),                         // bytes in place of a number
        (b"\x52\x01\xff", "`name`"),                     // no UTF-8
        (b"\x50\x01", "`name`"),                         // a number in place of text
        (b"\x2a\x02\x10\x01", "`seen`"),                 // a nanosecond
        (b"\x2a\x06\x10\x80\x94\xeb\xdc\x03", "`seen`"), // a second of nanoseconds
        (b"\x52\x09a", "a message"),                     // cut short
    ];
    for (more, named) in cases {
        let error = read(&with(more)).await.unwrap_err();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.contains(named), "{source}");
        assert!(
            error.to_string().contains("column S:sample of id=7"),
            "{error}"
        );
    }
    // A required time is missing.
    let error = read(b"").await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("`seen`"), "{source}");
}

#[test]
fn a_time_out_of_range_is_refused() {
    let late = Timestamp::from_seconds(253_402_300_800);
    let event = Sample {
        maybe_seen: Some(late),
        ..empty()
    };
    let error = insert_mutations(&event, Timestamp::UNIX_EPOCH).unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("field `maybe_seen`"), "{source}");
    let last = late - Duration::from_micros(1);
    let event = Sample {
        maybe_seen: Some(last),
        ..empty()
    };
    assert!(insert_mutations(&event, Timestamp::UNIX_EPOCH).is_ok());
}

/// An event whose message is empty, in a row of many.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LOAD", family = "S", layout = "columns", serialize(proto))]
struct Load {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "hour", unit = "s")]
    at: Timestamp,
    busy: f64,
    idle: Option<f64>,
}

#[tokio::test]
async fn messages_without_a_field_are_events() {
    for db in backends("proto").await {
        db.ensure_tables::<Load>().await.unwrap();
        let load = |at, busy, idle| Load {
            host: "web1".to_owned(),
            at: Timestamp::from_seconds(at),
            busy,
            idle,
        };
        let loads = [
            load(1, 0.0, None),
            load(2, 0.5, Some(0.0)),
            load(3, 0.0, Some(0.5)),
        ];
        db.insert_many(&loads).await.into_result().unwrap();
        let found = db.fetch(&Load::query().host("web1")).await.unwrap();
        assert_eq!(found, loads);
        assert_eq!(db.count(&Load::query().host("web1")).await.unwrap(), 3);
    }
}

#[test]
fn the_lock_has_the_file_and_the_tags() {
    let locked = Locked::of::<Sample>();
    assert_eq!(locked.proto.as_deref(), Some(FILE));
    assert_eq!(locked.columns["S:sample"].form, "proto");
    let field = locked
        .payload
        .iter()
        .find(|one| one.name == "users")
        .unwrap();
    assert_eq!(
        (field.tag, field.form.as_deref()),
        (Some(8), Some("uint32"))
    );
    assert_eq!(field.value.as_deref(), Some("40ac02"));
    assert_eq!(
        Locked::of::<crate::serialized::formats::Postcard>().proto,
        None
    );
}
