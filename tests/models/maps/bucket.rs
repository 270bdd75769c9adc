//! Maps in a row of a day, whatever the layout: `OfDay` is the parent module's.

use std::collections::BTreeMap;

use bigtable_model::condition::Condition;
use bigtable_model::data::{ReadRows, RowFilter};
use bigtable_model::dynamic::{AnyModel, AnyQuery};
use bigtable_model::model::insert_mutations;
use bigtable_model::testing::check_laws;
use bigtable_model::{Backend, BackendExt, Model, Projection, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::super::map;
use super::{OfDay, QUALIFIERS, TABLE};
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
        db.delete_entry::<OfDay, _>(&key, OfDay::FIELDS.cpu, "sys")
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
        // What an update leaves without an event.
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
    Remove(i64, &'static str),
    Delete(i64),
    DeleteFrom(i64),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let second = || prop::sample::select(vec![1_i64, 2, 86_399, 86_400]);
    let name = || {
        prop::sample::select(vec![
            "user",
            "sys",
            "io:a",
            "",
            "user:00001",
            "00:00:01",
            "\u{e9}",
        ])
    };
    let cpu = || prop::collection::vec((name(), -9.0..9.0), 0..4);
    let disk = prop::collection::vec((name(), -9_i64..9), 0..3);
    let change = prop_oneof![
        4 => (second(), cpu(), disk).prop_map(|(at, cpu, disk)| Change::Insert(at, cpu, disk)),
        2 => (second(), cpu()).prop_map(|(at, cpu)| Change::Set(at, cpu)),
        1 => (second(), name()).prop_map(|(at, name)| Change::Remove(at, name)),
        2 => second().prop_map(Change::Delete),
        1 => second().prop_map(Change::DeleteFrom),
    ];
    prop::collection::vec(change, 1..12)
}

/// The entries of a row of several events are united, since an insert does not know the former.
async fn change(db: &dyn Backend, all: &mut BTreeMap<i64, OfDay>, change: Change) {
    match change {
        Change::Insert(at, cpu, disk) => {
            let event = of_day(at, &cpu, &disk);
            db.insert(&event).await.unwrap();
            let known = all.entry(at).or_insert_with(|| of_day(at, &[], &[]));
            known.cpu.extend(event.cpu);
            known.disk.extend(event.disk);
        }
        Change::Set(at, cpu) if all.contains_key(&at) && !cpu.is_empty() => {
            let update = OfDay::update(&all[&at].key()).cpu(map(&cpu));
            db.send(update).await.unwrap();
            all.get_mut(&at).unwrap().cpu.extend(map(&cpu));
        }
        Change::Set(..) => {}
        Change::Remove(at, name) => {
            let key = of_day(at, &[], &[]).key();
            let entry = OfDay::FIELDS.cpu;
            db.delete_entry::<OfDay, _>(&key, entry, name)
                .await
                .unwrap();
            if let Some(event) = all.get_mut(&at) {
                event.cpu.remove(name);
            }
        }
        Change::Delete(at) => {
            let key = of_day(at, &[], &[]).key();
            db.delete::<OfDay>(&key).await.unwrap();
            all.remove(&at);
        }
        Change::DeleteFrom(at) => {
            let query = OfDay::query().host("a").at(Timestamp::from_seconds(at)..);
            db.delete_all(&query).await.into_result().unwrap();
            all.retain(|second, _| *second < at);
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
        let left = runner.run(&changes(), |changes| {
            runtime.block_on(async {
                let every = OfDay::query().host("a");
                db.delete_all(&every).await.into_result().unwrap();
                let mut all = BTreeMap::new();
                for one in changes {
                    change(&*db, &mut all, one).await;
                }
                let expected: Vec<_> = all.into_values().collect();
                prop_assert_eq!(db.fetch(&every).await.unwrap(), expected);
                Ok(())
            })
        });
        left.unwrap();
    }
}
