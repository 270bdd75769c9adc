#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "tests"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use proptest::prelude::*;

use super::blocks::BlockWriter;
use super::error::RULE_LEVELS;
use super::*;
use crate::data::{
    AggregateKind, EntryBatch, FamilyChange, FamilySchema, GcRule, Idempotency, Mutation, ReadRows,
    Row, RowMutations, RowOnce, TableSchema,
};
use crate::memory::ManualClock;
use crate::{Backend, Timestamp};
use futures::TryStreamExt;
use futures::executor::block_on;

/// A directory that is deleted after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = format!("bigtable-model-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("tables")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// All that calls can find out about an instance.
#[derive(Debug, PartialEq)]
struct Seen(Vec<(TableSchema, Vec<Bytes>, Vec<Row>)>);

impl Seen {
    fn of(db: &MemoryBackend) -> Self {
        let tables = block_on(db.tables().list()).unwrap();
        let seen = tables.into_iter().map(|table| {
            let schema = block_on(db.tables().get(&table)).unwrap();
            let samples = block_on(db.sample_row_keys(&table)).unwrap();
            let splits = samples.into_iter().map(|sample| sample.key).collect();
            let request = ReadRows {
                table,
                ..ReadRows::default()
            };
            let rows = block_on(db.read_rows(request).rows().try_collect()).unwrap();
            (schema, splits, rows)
        });
        Self(seen.collect())
    }
}

fn set(family: &str, qualifier: &Bytes, millis: i64, value: &Bytes) -> Mutation {
    Mutation::SetCell {
        family: family.into(),
        qualifier: qualifier.clone(),
        timestamp_micros: millis * 1_000,
        value: value.clone(),
    }
}

fn family(gc_rule: Option<GcRule>, aggregate: Option<AggregateKind>) -> FamilySchema {
    FamilySchema { gc_rule, aggregate }
}

fn create(db: &MemoryBackend, table: &str, families: &[(&str, FamilySchema)], splits: &[&str]) {
    let families = families.iter();
    let schema = TableSchema {
        table: table.to_owned(),
        families: families
            .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
            .collect(),
        ..TableSchema::default()
    };
    let splits = splits.iter().map(|split| Bytes::from((*split).to_owned()));
    block_on(db.tables().create(schema, splits.collect())).unwrap();
}

fn write(db: &MemoryBackend, table: &str, key: impl Into<Bytes>, mutations: Vec<Mutation>) {
    let key = key.into();
    block_on(db.mutate_row(table, RowMutations { key, mutations })).unwrap();
}

/// Two tables with all that a table can have, one of them with a value larger than a block.
fn database() -> MemoryBackend {
    let db = MemoryBackend::new();
    let age = Duration::new(3, 5_000_000);
    let rule = GcRule::Union(
        vec![
            GcRule::MaxVersions(3),
            GcRule::Intersection(vec![GcRule::MaxAge(age), GcRule::MaxVersions(1)].into()),
        ]
        .into(),
    );
    let families = [
        ("f", family(Some(rule), None)),
        ("min", family(None, Some(AggregateKind::Min))),
        ("sum", family(None, Some(AggregateKind::Sum))),
    ];
    create(&db, "a", &families, &["m", "x"]);
    create(&db, "empty", &[], &[]);
    let (none, big) = (Bytes::new(), Bytes::from(vec![7; 200_000]));
    write(
        &db,
        "a",
        "big",
        vec![
            set("f", &none, 1, &big),
            set("f", &big.slice(..9), 2, &none),
        ],
    );
    for key in 0..50_u8 {
        let qualifier = Bytes::from(vec![key; 3]);
        let cells =
            (0..i64::from(key % 5) + 1).map(|millis| set("f", &qualifier, millis, &qualifier));
        let mut mutations: Vec<_> = cells.collect();
        for family in ["sum", "min"] {
            mutations.push(Mutation::AddToCell {
                family: family.into(),
                qualifier: qualifier.clone(),
                timestamp_micros: 0,
                input: i64::from(key),
            });
        }
        write(&db, "a", vec![key, 0xff], mutations);
    }
    db
}

fn bytes(db: &MemoryBackend) -> Vec<u8> {
    let tables: Vec<_> = db.store.tables().values().cloned().collect();
    let mut bytes = Vec::new();
    let mut out = BlockWriter::new(&mut bytes).unwrap();
    write::tables(&mut out, &tables, 0).unwrap();
    out.finish().unwrap();
    bytes
}

#[test]
fn what_is_saved_is_loaded() {
    let folder = Folder::new("whole");
    let db = database();
    db.save(folder.file()).unwrap();
    let loaded = MemoryBackend::load(folder.file()).unwrap();
    assert_eq!(Seen::of(&loaded), Seen::of(&db));
    assert_eq!(bytes(&loaded), bytes(&db));
    // Rows count their bytes and cells from what was loaded.
    let samples = |db: &MemoryBackend| block_on(db.sample_row_keys("a")).unwrap();
    assert_eq!(samples(&loaded), samples(&db));
    assert_eq!(folder.names(), ["tables"], "nothing is left beside it");
}

#[test]
fn a_loaded_instance_goes_on() {
    let folder = Folder::new("goes-on");
    database().save(folder.file()).unwrap();
    let db = MemoryBackend::builder()
        .mask_expired(true)
        .load(folder.file());
    let db = db.unwrap();
    let change = FamilyChange::Create("g".to_owned(), FamilySchema::default());
    block_on(db.tables().modify_families("a", vec![change])).unwrap();
    let value = Bytes::from_static(b"v");
    write(&db, "a", "new", vec![set("g", &value, 1, &value)]);
    // A second save replaces the first.
    db.save(folder.file()).unwrap();
    let again = MemoryBackend::load(folder.file()).unwrap();
    assert_eq!(bytes(&again), bytes(&db));
}

#[test]
fn a_save_that_fails_leaves_the_old_file() {
    let folder = Folder::new("old");
    fs::write(folder.file(), "old").unwrap();
    let failed: io::Result<()> = file::replace(&folder.file(), |_| Err(io::Error::other("no")));
    assert!(failed.is_err());
    assert_eq!(fs::read(folder.file()).unwrap(), b"old");
    assert_eq!(folder.names(), ["tables"]);
    let absent = folder.0.join("absent").join("tables");
    let error = database().save(&absent).unwrap_err().to_string();
    assert!(error.contains("cannot write the snapshot"), "{error}");
    assert!(error.contains("absent"), "{error}");
}

#[test]
fn what_a_killed_save_left_is_deleted_by_the_next_one_and_by_a_load() {
    let folder = Folder::new("killed");
    let left = folder.0.join(".tables.12-0.tmp");
    fs::write(&left, "half").unwrap();
    database().save(folder.file()).unwrap();
    assert_eq!(folder.names(), ["tables"]);
    fs::write(&left, "half").unwrap();
    MemoryBackend::load(folder.file()).unwrap();
    assert_eq!(folder.names(), ["tables"]);
}

#[cfg(unix)]
#[test]
fn a_save_keeps_the_mode_of_the_file() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new("mode");
    let db = database();
    db.save(folder.file()).unwrap();
    fs::set_permissions(folder.file(), fs::Permissions::from_mode(0o600)).unwrap();
    db.save(folder.file()).unwrap();
    let mode = fs::metadata(folder.file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_rule_that_could_not_be_read_back_is_refused() {
    let nested = |levels: usize| {
        let rule = |rule, _| GcRule::Union(vec![rule].into());
        let rule = (0..levels).fold(GcRule::MaxVersions(1), rule);
        let db = MemoryBackend::new();
        create(&db, "t", &[("deep", family(Some(rule), None))], &[]);
        db
    };
    let folder = Folder::new("deep");
    let db = nested(RULE_LEVELS);
    db.save(folder.file()).unwrap();
    let loaded = MemoryBackend::load(folder.file()).unwrap();
    assert_eq!(Seen::of(&loaded), Seen::of(&db));
    let error = nested(RULE_LEVELS + 1).save(folder.file()).unwrap_err();
    assert!(matches!(error, SnapshotError::RuleTooDeep { .. }));
    let content = [
        b"\x01\x01t\x00\x01\x01f".as_slice(),
        &[3, 1].repeat(RULE_LEVELS + 1),
    ]
    .concat();
    assert!(refusal(&wrapped(&content)).contains("too many levels"));
}

/// The error of loading these bytes.
fn refusal(bytes: &[u8]) -> String {
    let damage = load(bytes).unwrap_err();
    damage.in_file(Path::new("FILE")).to_string()
}

#[test]
fn refusals_say_what_and_where() {
    let good = bytes(&database());
    let changed = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        refusal(&bytes)
    };
    assert!(refusal(b"").contains("FILE is no snapshot"));
    assert!(changed(0).contains("is no snapshot"));
    assert!(changed(8).contains("version 0 of the format, this crate reads version 1"));
    assert!(changed(12).contains("damaged at byte"));
    assert!(changed(100).contains("at byte 12: the checksum of a block is wrong"));
    let second = 12 + 8 + (64 << 10);
    let in_second = format!("at byte {second}: the checksum of a block is wrong");
    assert!(changed(second + 50).contains(&in_second));
    assert!(refusal(&good[..10]).contains("the file ends where the version should be"));
    assert!(refusal(&good[..good.len() - 1]).contains("ends where the checksum of a block"));
    assert!(refusal(&good[..second + 50]).contains("the file ends within a block"));
    let longer = [good.as_slice(), b"x"].concat();
    assert!(refusal(&longer).contains("the file continues after its end"));
    let mut swapped = good.clone();
    swapped.drain(12..second);
    assert!(refusal(&swapped).contains("checksum"), "a block is missing");
}

/// Blocks with right checksums around any content.
fn wrapped(content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut out = BlockWriter::new(&mut bytes).unwrap();
    out.put(content).unwrap();
    out.finish().unwrap();
    bytes
}

#[test]
fn content_made_by_hand_is_refused() {
    for (content, words) in [
        (b"".as_slice(), "ends in the middle"),
        (b"\x00\x00", "more data"),
        (b"\x02", "2 does not say whether another table follows"),
        (b"\x01\x01\xff", "the ID of a table is not UTF-8"),
        (
            b"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            "ends in the middle",
        ),
        (
            b"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
            "a number is too large",
        ),
        (
            b"\x01\x01t\x00\x01\x01f\x09",
            "9 is no garbage-collection rule",
        ),
        (
            b"\x01\x01t\x00\x01\x01f\x03\x01\x00",
            "a rule within a rule",
        ),
        (
            b"\x01\x01t\x00\x01\x01f\x00\x07",
            "7 is no kind of aggregate",
        ),
        (
            b"\x01\x01t\x00\x02\x01f\x00\x00\x01f\x00\x00",
            "the family f is there twice",
        ),
        (b"\x01\x01t\x00\x00\x00\x01\x01k\x00", "a row has no cells"),
        (
            b"\x01\x01t\x00\x00\x00\x01\x01k\x01\x00",
            "a family its table lacks",
        ),
        (
            b"\x01\x01t\x00\x00\x00\x00\x00\x01\x01t\x00\x00\x00\x00\x00\x00",
            "the table t is there twice",
        ),
        (
            b"\x01\x01t\x00\x00\x00\x00\x02\0\0\0\0\0\0\0\0\x01a\0\0\0\0\0\0\0\0\x01a\x00",
            "the token of a write is there twice",
        ),
    ] {
        let error = refusal(&wrapped(content));
        assert!(error.contains(words), "{}: {error}", content.escape_ascii());
    }
    let row = b"\x01k\x01\x00\x00\x01\0\0\0\0\0\0\0\0\x00";
    let table = b"\x01\x01t\x00\x01\x01f\x00\x00\x00\x02";
    let twice = [table.as_slice(), row, row, b"\x00"].concat();
    assert!(refusal(&wrapped(&twice)).contains("not in the order of their keys"));
}

/// Additions applied before a save are known after a load, for as long as they may be repeated.
#[test]
fn tokens_of_additions_are_saved() {
    const MINUTE: Duration = Duration::from_secs(60);
    let folder = Folder::new("tokens");
    let first = Timestamp::from_seconds(1_600_000_000);
    let at = |time| MemoryBackend::builder().clock(ManualClock::new(time));
    let db = at(first).build();
    create(
        &db,
        "t",
        &[("sum", family(None, Some(AggregateKind::Sum)))],
        &[],
    );
    let add = |db: &MemoryBackend, token: &'static [u8]| {
        let added = RowOnce {
            row: RowMutations {
                key: "row".into(),
                mutations: vec![Mutation::AddToCell {
                    family: "sum".into(),
                    qualifier: "n".into(),
                    timestamp_micros: 0,
                    input: 1,
                }],
            },
            idempotency: Some(Idempotency {
                token: Bytes::from_static(token),
                start_time: Some(first),
            }),
        };
        let outcomes = block_on(db.mutate_rows("t", EntryBatch::from_iter([added]).into()));
        outcomes.unwrap().into_iter().next().unwrap()
    };
    let sum = |db: &MemoryBackend| {
        let Seen(tables) = Seen::of(db);
        let value = &tables[0].2[0].cells[0].value;
        i64::from_be_bytes(value.as_ref().try_into().unwrap())
    };
    for token in [b"12345678", b"abcdefgh"] {
        add(&db, token).unwrap();
    }
    add(&db, b"12345678").unwrap();
    assert_eq!(sum(&db), 2);
    db.save(folder.file()).unwrap();

    let loaded = at(first + 14 * MINUTE).load(folder.file()).unwrap();
    add(&loaded, b"12345678").unwrap();
    add(&loaded, b"abcdefgh").unwrap();
    assert_eq!(sum(&loaded), 2, "they are known");
    add(&loaded, b"ijklmnop").unwrap();
    assert_eq!(sum(&loaded), 3);
    // Tokens that no write needs any more are not saved.
    let late = at(first + 31 * MINUTE).load(folder.file()).unwrap();
    let with_tokens = fs::metadata(folder.file()).unwrap().len();
    late.save(folder.file()).unwrap();
    assert!(fs::metadata(folder.file()).unwrap().len() < with_tokens);
}

/// Writers give all cells of a row one value and never change two rows at the same time: each saved
/// row is whole, and a later write is never saved without all earlier writes.
#[test]
fn a_save_during_writes_sees_a_table_at_one_moment() {
    let folder = Folder::new("moment");
    let db = MemoryBackend::new();
    create(&db, "t", &[("f", FamilySchema::default())], &[]);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        // Stops the writer even if a check fails; else it would never end.
        let _stop = StopWriter(&done);
        scope.spawn(|| {
            for round in 0.. {
                for key in 0..64_u8 {
                    let value = Bytes::from(format!("{round:08}"));
                    let cells = [b"a", b"b"].map(|q| set("f", &Bytes::from_static(q), 0, &value));
                    write(&db, "t", vec![key], cells.to_vec());
                }
                if done.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        for _ in 0..50 {
            db.save(folder.file()).unwrap();
            let loaded = MemoryBackend::load(folder.file()).unwrap();
            let Seen(tables) = Seen::of(&loaded);
            let rows = &tables[0].2;
            let mut values = Vec::new();
            for row in rows {
                assert_eq!(row.cells.len(), 2);
                assert_eq!(row.cells[0].value, row.cells[1].value);
                values.push(&row.cells[0].value);
            }
            // One round over the keys is under way: values fall once at most, in one step.
            assert!(values.is_sorted_by(|a, b| a >= b));
            values.dedup();
            assert!(values.len() <= 2, "{values:?}");
        }
    });
}

struct StopWriter<'a>(&'a AtomicBool);

impl Drop for StopWriter<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn short() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(any::<u8>(), 0..6).prop_map(Bytes::from)
}

/// Rows by key: cells by qualifier and time.
type Rows = BTreeMap<Vec<u8>, BTreeMap<(Bytes, i64), Bytes>>;

fn rows() -> impl Strategy<Value = Rows> {
    let cells = prop::collection::btree_map((short(), 0_i64..4), short(), 1..8);
    prop::collection::btree_map(prop::collection::vec(any::<u8>(), 1..5), cells, 0..12)
}

fn filled(rows: Rows) -> MemoryBackend {
    let db = MemoryBackend::new();
    create(&db, "t", &[("f", FamilySchema::default())], &[]);
    for (key, cells) in rows {
        let cells = cells.iter();
        let cells = cells.map(|((qualifier, millis), value)| set("f", qualifier, *millis, value));
        write(&db, "t", key, cells.collect());
    }
    db
}

proptest! {
    #[test]
    fn any_table_comes_back(rows in rows()) {
        let db = filled(rows);
        let saved = bytes(&db);
        let tables = load(saved.as_slice()).unwrap();
        let loaded = MemoryBackend::new();
        *loaded.store.tables_mut() = tables;
        prop_assert_eq!(Seen::of(&loaded), Seen::of(&db));
    }

    /// A flipped bit, a cut and bytes put in are noticed wherever they are.
    #[test]
    fn any_damage_is_refused(
        rows in rows(),
        place: prop::sample::Index,
        bit in 0_u8..8,
        put in prop::collection::vec(any::<u8>(), 1..4),
    ) {
        let good = bytes(&filled(rows));
        let place = place.index(good.len());
        let mut flipped = good.clone();
        flipped[place] ^= 1 << bit;
        prop_assert!(load(flipped.as_slice()).is_err());
        prop_assert!(load(&good[..place]).is_err());
        let longer = [&good[..place], put.as_slice(), &good[place..]].concat();
        prop_assert!(load(longer.as_slice()).is_err());
    }

    /// Content with right checksums that is changed, cut or invented is refused or read, and never
    /// panics.
    #[test]
    fn no_content_panics(
        rows in rows(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut: prop::sample::Index,
        invented in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        let good = bytes(&filled(rows));
        // All of it is in one block after the header and before the end.
        let mut content = good[20..good.len() - 8].to_vec();
        for (place, byte) in changes {
            let place = place.index(content.len());
            content[place] = byte;
        }
        let _ = load(wrapped(&content).as_slice());
        content.truncate(cut.index(content.len()));
        content.extend(invented);
        let _ = load(wrapped(&content).as_slice());
    }
}

/// Every single bit of a small file.
#[test]
fn every_flipped_bit_is_refused() {
    let key = b"k".to_vec();
    let cell = ((Bytes::from_static(b"q"), 1), Bytes::from_static(b"v"));
    let good = bytes(&filled([(key, [cell].into())].into()));
    for place in 0..good.len() {
        for bit in 0..8 {
            let mut flipped = good.clone();
            flipped[place] ^= 1 << bit;
            assert!(load(flipped.as_slice()).is_err(), "byte {place}, bit {bit}");
        }
    }
}
