//! Schema bundles of models, against a compiler of protocol buffers and a reader of messages that
//! share nothing with them.

use bigtable_model::data::Mutation;
use bigtable_model::model::insert_mutations;
use bigtable_model::{Model, Timestamp};
use protox::prost::Message as _;
use protox::prost_reflect::prost_types::{FileDescriptorProto, FileDescriptorSet};
use protox::prost_reflect::{DescriptorPool, DynamicMessage, Value};

use crate::place::Place;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TRADE", family = "MD", serialize(proto))]
struct Trade {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    price: f64,
    small: f32,
    #[bigtable(tag = 9)]
    number: i64,
    lots: i32,
    venue_id2: String,
    #[bigtable(column = "raw__bytes")]
    raw: Vec<u8>,
    halted: bool,
    total: u64,
    count: u32,
    note: Option<String>,
    first_: Option<u32>,
    sizes: Vec<i64>,
    venues: Vec<String>,
    reported: Timestamp,
    settled: Option<Timestamp>,
}

/// Without an import.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TRADE", family = "MD", serialize(proto))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
}

/// The files of a set, of which Google's own has options that change no value.
fn files(bytes: &[u8]) -> Vec<FileDescriptorProto> {
    let set = FileDescriptorSet::decode(bytes).unwrap();
    let plain = set.file.into_iter().map(|file| FileDescriptorProto {
        options: None,
        ..file
    });
    plain.collect()
}

fn compiled(name: &str, proto: &str) -> Vec<FileDescriptorProto> {
    let folder = tempfile();
    std::fs::write(folder.join(name), proto).unwrap();
    let mut compiler = protox::Compiler::new([&folder]).unwrap();
    compiler.include_imports(true).open_file(name).unwrap();
    let bytes = compiler.file_descriptor_set().encode_to_vec();
    std::fs::remove_dir_all(&folder).unwrap();
    files(&bytes)
}

fn tempfile() -> std::path::PathBuf {
    let name = format!("bigtable-model-messages-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_bundle_is_what_a_compiler_makes_of_the_proto() {
    let bundle = Trade::schema_bundle();
    assert_eq!(bundle.id, "trade");
    assert_eq!(
        files(&bundle.descriptors),
        compiled("trade.proto", &Trade::proto())
    );
    let bundle = Quote::schema_bundle();
    assert_eq!(
        files(&bundle.descriptors),
        compiled("quote.proto", &Quote::proto())
    );
}

#[test]
fn a_reader_with_the_bundle_finds_the_fields_of_stored_events() {
    let at: Timestamp = "2024-05-01T12:00:00Z".parse().unwrap();
    let trade = Trade {
        symbol: "A".to_owned(),
        at,
        price: 1.5,
        small: -0.25,
        number: i64::MIN,
        lots: -7,
        venue_id2: "N\u{e9}".to_owned(),
        raw: vec![0, 255],
        halted: true,
        total: u64::MAX,
        count: 3,
        note: None,
        first_: Some(0),
        sizes: vec![1, -1],
        venues: vec!["a".to_owned()],
        reported: at,
        settled: None,
    };
    let row = insert_mutations(&trade, at).unwrap();
    let [Mutation::SetCell { value, .. }] = row.mutations.as_slice() else {
        unreachable!("{row:?}");
    };
    let bundle = Trade::schema_bundle();
    let pool = DescriptorPool::decode(&*bundle.descriptors).unwrap();
    let message = pool.get_message_by_name("Trade").unwrap();
    let read = DynamicMessage::decode(message, value.clone()).unwrap();
    let field = |name: &str| read.get_field_by_name(name).unwrap().into_owned();
    assert_eq!(field("price"), Value::F64(1.5));
    assert_eq!(field("small"), Value::F32(-0.25));
    assert_eq!(field("number"), Value::I64(i64::MIN));
    assert_eq!(field("lots"), Value::I32(-7));
    assert_eq!(field("venue_id2"), Value::String("N\u{e9}".to_owned()));
    assert_eq!(field("raw__bytes"), Value::Bytes(vec![0, 255].into()));
    assert_eq!(field("halted"), Value::Bool(true));
    assert_eq!(field("total"), Value::U64(u64::MAX));
    assert!(!read.has_field_by_name("note") && read.has_field_by_name("first_"));
    assert_eq!(
        field("sizes"),
        Value::List(vec![Value::I64(1), Value::I64(-1)])
    );
}

#[test]
fn a_bundle_is_created_by_name_only() {
    let place = Place::served();
    let applied = place.own(&["apply", "Visit", "--dry-run"]);
    assert!(!applied.out.contains("schema bundle"), "{applied:?}");
    let dry = place.own(&["apply", "--schema-bundles", "--dry-run"]);
    let line = "\ntable VISIT: schema bundle visit\n";
    assert!(dry.out.contains(line), "{dry:?}");
    // Only Bigtable keeps them.
    let refused = place.own(&["apply", "Visit", "--schema-bundles"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(
        refused.error.contains("keeps no schema bundles"),
        "{refused:?}"
    );
    // The tables themselves are there.
    assert_eq!(place.own(&["diff", "Visit", "--exit-code"]).code, 0);
    let none = place.own(&["apply", "Account", "--schema-bundles"]);
    assert!(
        none.code == 1 && none.error.contains("serialize(proto)"),
        "{none:?}"
    );
}
