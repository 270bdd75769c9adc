//! Maps in a row of a day, whatever the layout: `OfDay` is the parent module's.

use std::collections::BTreeMap;

use bigtable_model::condition::Condition;
use bigtable_model::data::{Mutation, ReadRows, RowFilter, RowMutations};
use bigtable_model::dynamic::{AnyModel, AnyQuery};
use bigtable_model::model::insert_mutations;
use bigtable_model::query::BadRows;
use bigtable_model::testing::check_laws;
use bigtable_model::{Backend, BackendExt, Error, ErrorKind, Model, Projection, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::super::map;
use super::asked::{Asked, asked, cpu_name, cpu_value, disk_name};
use super::{FOREIGN, OfDay, QUALIFIERS, TABLE};
use crate::support::{backends, cells, deleted, rows};

/// Two of the columns, one by a name that is no field's.
#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = OfDay)]
struct User {
    at: Timestamp,
    #[bigtable(of = cpu)]
    user: Option<f64>,
    #[bigtable(of = disk, column = "IO/READ")]
    read: Option<i64>,
}

/// A declared column is none of the map's.
#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = OfDay)]
struct Spare {
    #[bigtable(of = disk)]
    spare: Option<i64>,
}

fn of_day(second: i64, cpu: &[(&str, f64)], disk: &[(&str, i64)]) -> OfDay {
    OfDay {
        host: "a".into(),
        at: Timestamp::from_seconds(second),
        up: true,
        cpu: map(cpu),
        disk: map(disk),
        spare: None,
    }
}

#[test]
fn each_map_has_its_family() {
    let event = of_day(1, &[("user", 0.5)], &[("IO/READ", 7)]);
    let row = insert_mutations(&event, Timestamp::UNIX_EPOCH).unwrap();
    let [up, user, read, spare] = QUALIFIERS;
    // A row of many events keeps what others have in the families.
    assert_eq!(deleted(&row), [spare]);
    let cell = |column: &str, value: &str| (column.to_owned(), value.to_owned(), 1_000_000);
    let expected = [
        cell(up, "\\x01"),
        cell(user, "0.5"),
        cell(read, "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07"),
    ];
    assert_eq!(cells(&row), expected);
}

#[test]
fn laws_hold_with_maps() {
    check_laws::<OfDay>();
}

#[tokio::test]
async fn events_of_a_bucket_have_their_own_columns() {
    for db in backends("maps", "bucket") {
        db.ensure_tables::<OfDay>().await.unwrap();
        let all = [
            of_day(1, &[("user", 0.5), ("sys", 0.25)], &[]),
            of_day(2, &[("user", 0.75)], &[("IO/READ", 2)]),
            of_day(3, &[], &[("IO/READ", 3), ("IO/WRITE", 4)]),
        ];
        db.insert_many(&all).await.into_result().unwrap();
        let query = OfDay::query().host("a");
        let found = async || db.fetch(&query).await.unwrap();
        assert_eq!(found().await, all);
        assert_eq!(db.get(&all[1].key()).await.unwrap().as_ref(), Some(&all[1]));
        assert_eq!(
            db.fetch(&query.clone().events().newest_first().limit(2))
                .await
                .unwrap(),
            [all[2].clone(), all[1].clone()]
        );

        // An update sets some and leaves others.
        db.send(OfDay::update(&all[1].key()).disk(map(&[("IO/WRITE", 9)])))
            .await
            .unwrap();
        let mut changed = all.clone();
        changed[1].disk.insert("IO/WRITE".into(), 9);
        assert_eq!(found().await, changed);
        // An insert that is sent again leaves them too.
        db.insert(&all[1]).await.unwrap();
        assert_eq!(found().await, changed);

        let key = all[0].key();
        db.delete_cell(&key, OfDay::FIELDS.cpu.entry("sys"))
            .await
            .unwrap();
        changed[0].cpu.remove("sys");
        assert_eq!(found().await, changed);

        // A delete takes what the event has, and nothing of others.
        db.delete::<OfDay>(&changed[1].key()).await.unwrap();
        assert_eq!(found().await, [changed[0].clone(), changed[2].clone()]);
        let last = OfDay::query().host("a").at(changed[2].at..);
        assert_eq!(db.delete_all(&last).await.into_result().unwrap(), 1);
        assert_eq!(found().await, changed[..1]);
        assert_eq!(db.delete_all(&query).await.into_result().unwrap(), 1);
        assert_eq!(rows(&*db, TABLE).await, []);
    }
}

#[tokio::test]
async fn a_projection_reads_the_columns_that_it_names() {
    for db in backends("maps", "projection") {
        db.ensure_tables::<OfDay>().await.unwrap();
        let all = [
            of_day(1, &[("user", 0.5), ("sys", 0.25)], &[]),
            of_day(2, &[("sys", 0.75)], &[("IO/READ", 2), ("IO/WRITE", 1)]),
        ];
        db.insert_many(&all).await.into_result().unwrap();
        let query = OfDay::query().host("a").events();
        let found = db.fetch(&query.clone().select::<User>()).await.unwrap();
        let user = |second, user, read| User {
            at: Timestamp::from_seconds(second),
            user,
            read,
        };
        assert_eq!(found, [user(1, Some(0.5), None), user(2, None, Some(2))]);
        // The server sends nothing else.
        let sent = async |filter: Option<RowFilter>| {
            let request = ReadRows {
                table: TABLE.into(),
                filter,
                ..ReadRows::default()
            };
            use futures::TryStreamExt as _;
            let rows: Vec<_> = db.read_rows(request).rows().try_collect().await.unwrap();
            rows.iter().map(|row| row.cells.len()).sum::<usize>()
        };
        let plan = query.clone().select::<User>().plan().unwrap();
        assert_eq!((sent(None).await, sent(plan.filter).await), (7, 4));

        // By name it is the same.
        let model = AnyModel::of::<OfDay>();
        let named = AnyQuery::of(&model)
            .set("host", "a")
            .columns(["cpu:user", "disk:IO/READ"]);
        let named = db.fetch(&named).await.unwrap();
        let texts: Vec<_> = named.events().map(|event| event.to_string()).collect();
        assert_eq!(
            texts,
            [
                "host=a at=1970-01-01T00:00:01Z cpu:user=0.5",
                "host=a at=1970-01-01T00:00:02Z disk:IO/READ=2"
            ]
        );
        for (name, reason) in [
            (
                "net:in",
                "it has no field `net:in`: its fields are host, at, up, spare",
            ),
            ("disk:spare", "`disk:spare` is no column of a map"),
        ] {
            let unknown = AnyQuery::of(&model).set("host", "a").columns([name]);
            let error = db.fetch(&unknown).await.unwrap_err();
            let source = std::error::Error::source(&error).unwrap().to_string();
            assert!(source.starts_with(reason), "{source}");
        }
        let declared = db.fetch(&query.select::<Spare>()).await.unwrap_err();
        let source = std::error::Error::source(&declared).unwrap().to_string();
        assert!(source.contains("so select the field"), "{source}");
    }
}

#[tokio::test]
async fn a_condition_sees_the_columns_of_any_map() {
    for db in backends("maps", "conditions") {
        db.ensure_tables::<OfDay>().await.unwrap();
        let event = of_day(1, &[], &[("IO/READ", 1)]);
        db.insert(&of_day(2, &[("user", 0.5)], &[])).await.unwrap();
        // Columns without an event, which an update leaves.
        db.send(OfDay::update(&event.key()).disk(event.disk.clone()))
            .await
            .unwrap();
        let none = Condition::any_column().negate();
        assert!(!db.insert_if(&event, none.clone()).await.unwrap());
        db.delete::<OfDay>(&event.key()).await.unwrap();
        assert!(db.insert_if(&event, none).await.unwrap());
    }
}

/// A change to one of a few events.
#[derive(Debug, Clone)]
enum Change {
    Insert(i64, Vec<(&'static str, f64)>, Vec<(&'static str, i64)>),
    Set(i64, Vec<(&'static str, f64)>),
    SetIf(i64, Vec<(&'static str, f64)>, Asked),
    Spare(i64, Option<i64>),
    Remove(i64, &'static str),
    Delete(i64),
    DeleteFrom(i64),
    DeleteAll(Asked),
}

fn second() -> impl Strategy<Value = i64> {
    prop::sample::select(vec![1_i64, 2, 86_399, 86_400])
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let cpu = || prop::collection::vec((cpu_name(), cpu_value()), 0..4);
    let disk = prop::collection::vec((disk_name(), -3_i64..3), 0..3);
    let spare = prop::option::of(0..2_i64);
    let change = prop_oneof![
        6 => (second(), cpu(), disk).prop_map(|(at, cpu, disk)| Change::Insert(at, cpu, disk)),
        2 => (second(), cpu()).prop_map(|(at, cpu)| Change::Set(at, cpu)),
        2 => (second(), cpu(), asked()).prop_map(|(at, cpu, asked)| Change::SetIf(at, cpu, asked)),
        2 => (second(), spare).prop_map(|(at, spare)| Change::Spare(at, spare)),
        1 => (second(), cpu_name()).prop_map(|(at, name)| Change::Remove(at, name)),
        1 => second().prop_map(Change::Delete),
        1 => second().prop_map(Change::DeleteFrom),
        1 => asked().prop_map(Change::DeleteAll),
    ];
    prop::collection::vec(change, 1..14)
}

/// The entries of a row of several events are united, since an insert does not know the former.
async fn change(db: &dyn Backend, all: &mut BTreeMap<i64, OfDay>, change: Change) {
    let key = |at| of_day(at, &[], &[]).key();
    match change {
        Change::Insert(at, cpu, disk) => {
            let event = of_day(at, &cpu, &disk);
            db.insert(&event).await.unwrap();
            let known = all.entry(at).or_insert_with(|| of_day(at, &[], &[]));
            known.cpu.extend(event.cpu);
            known.disk.extend(event.disk);
            known.spare = None;
        }
        Change::Set(at, cpu) if all.contains_key(&at) && !cpu.is_empty() => {
            let update = OfDay::update(&key(at)).cpu(map(&cpu));
            db.send(update).await.unwrap();
            all.get_mut(&at).unwrap().cpu.extend(map(&cpu));
        }
        Change::SetIf(at, cpu, asked) if !cpu.is_empty() => {
            let update = OfDay::update(&key(at)).cpu(map(&cpu));
            let condition = Condition::exists().and(asked.condition());
            let sent = db.send_if(update, condition).await.unwrap();
            let event = all.get_mut(&at).filter(|event| asked.holds(event));
            assert_eq!(sent, event.is_some(), "{asked:?}");
            if let Some(event) = event {
                event.cpu.extend(map(&cpu));
            }
        }
        Change::Spare(at, spare) if all.contains_key(&at) => {
            let update = OfDay::update(&key(at)).spare(spare);
            db.send(update).await.unwrap();
            all.get_mut(&at).unwrap().spare = spare;
        }
        Change::Set(..) | Change::SetIf(..) | Change::Spare(..) => {}
        Change::Remove(at, name) => {
            let entry = OfDay::FIELDS.cpu.entry(name);
            db.delete_cell(&key(at), entry).await.unwrap();
            if let Some(event) = all.get_mut(&at) {
                event.cpu.remove(name);
            }
        }
        Change::Delete(at) => {
            db.delete::<OfDay>(&key(at)).await.unwrap();
            all.remove(&at);
        }
        Change::DeleteFrom(at) => {
            let query = OfDay::query().host("a").at(Timestamp::from_seconds(at)..);
            db.delete_all(&query).await.into_result().unwrap();
            all.retain(|second, _| *second < at);
        }
        Change::DeleteAll(asked) => {
            let query = OfDay::query().host("a");
            let query = query.events().matching(asked.condition());
            db.delete_all(&query).await.into_result().unwrap();
            all.retain(|_, event| !asked.holds(event));
        }
    }
}

#[test]
fn changes_leave_what_the_oracle_has() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for (number, db) in backends("maps", "changes").into_iter().enumerate() {
        runtime.block_on(db.ensure_tables::<OfDay>()).unwrap();
        let cases = if number == 0 { 256 } else { 24 };
        let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
        let asked = (changes(), prop::collection::vec(asked(), 1..6), second());
        let left = runner.run(&asked, |(changes, asked, from)| {
            runtime.block_on(async {
                let every = OfDay::query().host("a");
                db.delete_all(&every).await.into_result().unwrap();
                let mut all = BTreeMap::new();
                for one in changes {
                    change(&*db, &mut all, one).await;
                }
                let expected: Vec<_> = all.values().cloned().collect();
                prop_assert_eq!(db.fetch(&every).await.unwrap(), expected);
                for asked in asked {
                    check(&*db, &all, &asked, from).await?;
                }
                Ok(())
            })
        });
        left.unwrap();
    }
}

/// Checks a query under a condition: of events, of a part of their columns, and of their number.
async fn check(
    db: &dyn Backend,
    all: &BTreeMap<i64, OfDay>,
    asked: &Asked,
    from: i64,
) -> Result<(), TestCaseError> {
    let query = OfDay::query().host("a").at(Timestamp::from_seconds(from)..);
    let query = query.events().matching(asked.condition());
    let expected = all.range(from..).map(|(_, event)| event);
    let expected: Vec<_> = expected.filter(|event| asked.holds(event)).collect();
    let found = db.fetch(&query).await.unwrap();
    prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected.clone());
    let users = expected.iter().map(|event| User {
        at: event.at,
        user: event.cpu.get("user").copied(),
        read: event.disk.get("IO/READ").copied(),
    });
    let users: Vec<_> = users.collect();
    let found = db.fetch(&query.clone().select::<User>()).await.unwrap();
    prop_assert_eq!(found, users);
    let counted = db.count(&query).await.unwrap();
    prop_assert_eq!(counted, expected.len() as u64);
    Ok(())
}

#[tokio::test]
async fn names_that_no_map_can_have_are_refused() {
    let db = bigtable_model::MemoryBackend::new();
    db.ensure_tables::<OfDay>().await.unwrap();
    let long = "n".repeat(16 << 10);
    let error = db.insert(&of_day(1, &[(&long, 0.5)], &[])).await;
    let is_long = TABLE != "HOST_DAY";
    let error = error.err().map(|error| error.kind());
    assert_eq!(error, is_long.then_some(ErrorKind::Request));
    let key = of_day(1, &[], &[]).key();
    let declared = OfDay::FIELDS.disk.entry("spare");
    let error = db.delete_cell(&key, declared).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request, "{error}");
}

/// Cells of a map at times that no event of the row can have.
#[tokio::test]
async fn cells_of_no_event_are_reported() {
    let db = bigtable_model::MemoryBackend::new();
    db.ensure_tables::<OfDay>().await.unwrap();
    let event = of_day(1, &[("user", 0.5)], &[]);
    for (qualifier, seconds) in FOREIGN {
        db.insert(&event).await.unwrap();
        let mutations = vec![Mutation::SetCell {
            family: "disk".into(),
            qualifier: (*qualifier).into(),
            timestamp_micros: seconds * 1_000_000,
            value: vec![0; 8].into(),
        }];
        let row = RowMutations {
            key: "a#19700101".into(),
            mutations,
        };
        db.mutate_row(TABLE, row).await.unwrap();
        let query = OfDay::query().host("a");
        let error = db.fetch(&query).await.unwrap_err();
        let expected = format!("disk:{qualifier}");
        assert!(
            matches!(&error, Error::ForeignCell { column, .. } if *column == expected),
            "{error}"
        );
        let bad = BadRows::skip();
        let found = db.fetch(&query.events().on_bad_row(&bad)).await.unwrap();
        assert_eq!((found.len(), bad.count()), (1, 1));
        let key = "a#19700101".into();
        let mutations = vec![Mutation::DeleteFromRow];
        let row = RowMutations { key, mutations };
        db.mutate_row(TABLE, row).await.unwrap();
    }
}

#[tokio::test]
async fn a_condition_by_name_is_the_same() {
    let db = bigtable_model::MemoryBackend::new();
    db.ensure_tables::<OfDay>().await.unwrap();
    let all = [
        of_day(1, &[("user", 0.5)], &[("a", 5)]),
        of_day(2, &[("user", 1.0)], &[("a", 7)]),
    ];
    db.insert_many(&all).await.into_result().unwrap();
    let model = AnyModel::of::<OfDay>();
    let count = async |query: AnyQuery| db.count(&query.set("host", "a")).await;
    let query = || AnyQuery::of(&model);
    assert_eq!(count(query().set("cpu:user", 0.5)).await.unwrap(), 1);
    assert_eq!(count(query().between("disk:a", 6, 9)).await.unwrap(), 1);
    assert_eq!(count(query().set("cpu:sys", 0.5)).await.unwrap(), 0);
    let batch = db.fetch(&query().set("host", "a")).await.unwrap();
    let numbers: Vec<_> = batch.numbers("disk:a").unwrap().collect();
    assert_eq!(numbers, [(all[0].at, Some(5.0)), (all[1].at, Some(7.0))]);
    assert!(
        batch
            .numbers("disk:b")
            .unwrap()
            .all(|(_, one)| one.is_none())
    );
    assert!(batch.numbers("net:in").is_none());
    assert_eq!(batch.get(1).unwrap().value("disk:a"), Some(7.into()));
    for (query, reason) in [
        (
            query().between("cpu:user", 0.0, 1.0),
            "field `cpu:user` is not selected by a range",
        ),
        (
            query().set("disk:spare", 1),
            "column disk:spare is none of a map",
        ),
        (query().set("net:in", 1), "it has no field `net:in`"),
    ] {
        let error = count(query).await.unwrap_err();
        let first: &dyn std::error::Error = &error;
        let chain = std::iter::successors(Some(first), |error| error.source());
        let words: Vec<_> = chain.map(ToString::to_string).collect();
        assert!(words.concat().contains(reason), "{words:?}");
    }
    let condition = OfDay::FIELDS.cpu.entry("user").equals(0.5);
    assert_eq!(condition.to_string(), "cpu:user = \"0.5\"");
}
