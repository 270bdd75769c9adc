//! Tie-breakers in layout `columns`: qualifiers have them, after the offset.

use std::collections::BTreeMap;

use bigtable_model::condition::Condition;
use bigtable_model::copy::CopyJob;
use bigtable_model::data::{Cell, Mutation, ReadRows, Row, RowMutations};
use bigtable_model::dynamic::{AnyQuery, Value};
use bigtable_model::model::insert_mutations;
use bigtable_model::query::BadRows;
use bigtable_model::testing::check_laws;
use bigtable_model::{Backend, BackendExt, Model, Timestamp};
use futures::TryStreamExt as _;

use super::{ROOMS, Said, at, plain};
use crate::support::backends;

/// A fill of an order. Several of one order may have the same time.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "FILL", family = "F", layout = "columns")]
struct Fill {
    #[bigtable(key)]
    order: String,
    #[bigtable(time, bucket = "day", offset = "%H:%M:%S")]
    at: Timestamp,
    #[bigtable(tie_breaker)]
    venue: String,
    #[bigtable(tie_breaker, width = 3)]
    number: u16,
    price: f64,
    note: Option<String>,
}

/// The same with one column, so that qualifiers have no name.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "TICKET",
    family = "T",
    layout = "columns",
    separator = "|",
    enclosed
)]
struct Ticket {
    #[bigtable(key)]
    desk: u8,
    #[bigtable(time, bucket = "hour", unit = "s")]
    at: Timestamp,
    #[bigtable(tie_breaker, escape)]
    buyer: String,
    seat: u32,
}

/// The columns of the row of [`fills`].
const QUALIFIERS: [&str; 7] = [
    "note:12:00:00:N#001",
    "note:12:00:00:Q:1#001",
    "note:12:00:01:N#001",
    "price:12:00:00:N#001",
    "price:12:00:00:N#002",
    "price:12:00:00:Q:1#001",
    "price:12:00:01:N#001",
];

/// Noon.
const NOON: i64 = 1_426_507_200;

fn fill(second: i64, venue: &str, number: u16) -> Fill {
    Fill {
        order: "o1".into(),
        at: Timestamp::from_seconds(NOON + second),
        venue: venue.into(),
        number,
        price: f64::from(number) / 4.0,
        note: (number % 2 == 1).then(|| format!("{venue}{number}")),
    }
}

/// Three of one time, two of which differ in one tie-breaker, and one of a later time.
fn fills() -> Vec<Fill> {
    vec![
        fill(0, "N", 1),
        fill(0, "N", 2),
        fill(0, "Q:1", 1),
        fill(1, "N", 1),
    ]
}

fn ticket(buyer: &str, seat: u32) -> Ticket {
    Ticket {
        desk: 7,
        at: Timestamp::from_seconds(NOON + 61),
        buyer: buyer.into(),
        seat,
    }
}

fn qualifiers(row: &RowMutations) -> Vec<&[u8]> {
    let of_cells = row.mutations.iter().filter_map(|one| match one {
        Mutation::SetCell { qualifier, .. } => Some(&**qualifier),
        _ => None,
    });
    of_cells.collect()
}

async fn stored(db: &dyn Backend, table: &str) -> Vec<Row> {
    let all = ReadRows {
        table: table.to_owned(),
        ..ReadRows::default()
    };
    db.read_rows(all).rows().try_collect().await.unwrap()
}

#[test]
fn qualifiers_have_the_tie_breakers_and_keys_have_not() {
    let row = insert_mutations(&fill(0, "Q:1", 1), Timestamp::now()).unwrap();
    assert_eq!(row.key, "o1#20150316");
    let names: [&[u8]; 2] = [b"note:12:00:00:Q:1#001", b"price:12:00:00:Q:1#001"];
    let mut found = qualifiers(&row);
    found.sort_unstable();
    assert_eq!(found, names);
    let row = insert_mutations(&ticket("a|b", 3), Timestamp::now()).unwrap();
    assert_eq!(row.key, "|007|2015031612|");
    assert_eq!(qualifiers(&row).len(), 1);
    // With `escape` a text may have the separator.
    assert_eq!(qualifiers(&row)[0], b"0061:}\xdf}\xfa}\xe0");
    // The key of an event has all of it, and so has its text.
    let key = fill(0, "Q:1", 1).key();
    assert_eq!(key.encode().unwrap(), b"o1#20150316#Q:1#001");
    let text = key.to_text().unwrap();
    assert_eq!(text.parse::<FillKey>().unwrap(), key);
    assert_eq!(
        key.to_string(),
        "order=o1 at=2015-03-16T12:00:00Z venue=Q:1 number=1"
    );
}

#[test]
fn laws_hold() {
    check_laws::<Fill>();
    check_laws::<Ticket>();
}

#[tokio::test]
async fn each_of_one_time_is_an_event() {
    for db in backends("ties", "columns") {
        db.ensure_tables::<Fill>().await.unwrap();
        let all = fills();
        db.insert_many(&all).await.into_result().unwrap();
        let rows = stored(&*db, "FILL").await;
        assert_eq!(rows.len(), 1);
        let names = |cell: &Cell| String::from_utf8(cell.qualifier.to_vec()).unwrap();
        let names: Vec<_> = rows[0].cells.iter().map(names).collect();
        assert_eq!(names, QUALIFIERS);
        assert!(db.audit::<Fill>().await.unwrap().is_clean());
        let query = Fill::query().order("o1");
        assert_eq!(db.fetch(&query).await.unwrap(), all);
        let [one, two, other, later] = <[Fill; 4]>::try_from(all.clone()).unwrap();
        for event in &all {
            assert_eq!(
                db.get::<Fill>(&event.key()).await.unwrap().as_ref(),
                Some(event)
            );
        }
        let keys: Vec<_> = all.iter().rev().map(Model::key).collect();
        let found = db.get_many::<Fill>(&keys).await.unwrap();
        let reversed: Vec<_> = all.iter().rev().cloned().map(Some).collect();
        assert_eq!(found, reversed);
        assert_eq!(db.get::<Fill>(&fill(0, "N", 3).key()).await.unwrap(), None);
        // Ranges of time, tie-breakers, columns, conditions.
        let first = Fill::query().order("o1").at(one.at..later.at);
        assert_eq!(db.fetch(&first).await.unwrap(), all[..3]);
        assert_eq!(db.count(&first).await.unwrap(), 3);
        let at_noon = Fill::query().order("o1").at(one.at).venue("N");
        assert_eq!(db.fetch(&at_noon).await.unwrap(), all[..2]);
        assert_eq!(db.count(&at_noon.number(2)).await.unwrap(), 1);
        let odd = query.events().matching(Fill::FIELDS.note.is_present());
        assert_eq!(db.count(&odd).await.unwrap(), 3);
        let newest = db
            .fetch(&query.events().newest_first().limit(2))
            .await
            .unwrap();
        assert_eq!(newest, [later.clone(), other.clone()]);

        // One is changed, and the others stay.
        db.send(Fill::update(&two.key()).price(9.0)).await.unwrap();
        let two = Fill { price: 9.0, ..two };
        assert!(!db.insert_if_absent(&two).await.unwrap());
        assert!(db.insert_if_absent(&fill(0, "N", 4)).await.unwrap());
        let dear = Fill::FIELDS.price.ge(9.0);
        assert!(!db.insert_if(&one, dear.clone()).await.unwrap());
        assert!(db.insert_if(&two, dear).await.unwrap());
        assert!(
            db.delete_if::<Fill>(&fill(0, "N", 4).key(), Condition::exists())
                .await
                .unwrap()
        );
        db.delete_cell(&other.key(), Fill::FIELDS.note)
            .await
            .unwrap();
        let other = Fill {
            note: None,
            ..other
        };
        db.delete::<Fill>(&one.key()).await.unwrap();
        let left = [two.clone(), other.clone(), later.clone()];
        assert_eq!(db.fetch(&query).await.unwrap(), left);
        let prices = db.history(&two.key(), Fill::FIELDS.price).await.unwrap();
        assert_eq!(prices.first().map(|one| one.value), Some(9.0));
        let noon = Fill::query().order("o1").at(two.at).venue("N");
        let deleted = db.delete_all(&noon.events()).await.into_result().unwrap();
        assert_eq!(deleted, 1);
        assert_eq!(db.fetch(&query).await.unwrap(), left[1..]);
    }
}

#[tokio::test]
async fn events_by_name_and_by_column_have_their_tie_breakers() {
    for db in backends("ties", "named") {
        db.ensure_tables::<Ticket>().await.unwrap();
        let all = ["a", "a|b", "b"].map(|buyer| ticket(buyer, 1));
        db.insert_many(&all).await.into_result().unwrap();
        let query = Ticket::query().desk(7_u8);
        assert_eq!(db.fetch(&query).await.unwrap(), all);
        let batch = db.fetch(&AnyQuery::by_column(&query)).await.unwrap();
        let buyers = |batch: &bigtable_model::dynamic::EventBatch| {
            let buyers = batch.events().map(|one| one.value("buyer").unwrap());
            buyers.collect::<Vec<_>>()
        };
        assert_eq!(buyers(&batch), ["a", "a|b", "b"].map(Value::from));
        let some = db
            .fetch(&AnyQuery::by_column(&query.at(all[0].at).buyer("a|b")))
            .await;
        assert_eq!(buyers(&some.unwrap()), [Value::from("a|b")]);
    }
}

#[tokio::test]
async fn cells_without_a_tie_breaker_are_reported() {
    for db in backends("ties", "strays") {
        db.ensure_tables::<Fill>().await.unwrap();
        db.insert(&fill(0, "N", 1)).await.unwrap();
        let stray = RowMutations {
            key: "o1#20150316".into(),
            mutations: vec![Mutation::SetCell {
                family: "F".into(),
                qualifier: "price:12:00:00".into(),
                timestamp_micros: NOON * 1_000_000,
                value: vec![0; 8].into(),
            }],
        };
        db.mutate_row("FILL", stray).await.unwrap();
        let error = db.fetch(&Fill::query().order("o1")).await.unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("F:price:12:00:00") && text.contains("order=o1"),
            "{text}"
        );
        assert_eq!(db.audit::<Fill>().await.unwrap().findings.len(), 1);
    }
}

#[tokio::test]
async fn a_copy_of_rows_becomes_columns_and_back() {
    for db in backends("ties", "copied") {
        db.ensure_tables::<plain::Message>().await.unwrap();
        db.ensure_tables::<super::in_columns::Message>()
            .await
            .unwrap();
        let said = |nth: u32| -> Said { (ROOMS[nth as usize % 3], i64::from(nth % 4), nth / 3) };
        let all: Vec<_> = (0..40).map(|nth| plain::message(said(nth))).collect();
        db.insert_many(&all).await.into_result().unwrap();
        let there = CopyJob::new(&plain::Message::scan(), |one: plain::Message| {
            let plain::Message { room, at, id, text } = one;
            super::in_columns::Message { room, at, id, text }
        });
        there.run(&db).await.unwrap();
        let copied = db.fetch(&super::in_columns::Message::scan()).await.unwrap();
        let copied: BTreeMap<_, _> = copied
            .into_iter()
            .map(|one| (one.text.clone(), one.id))
            .collect();
        let expected = all.iter().map(|one| (one.text.clone(), one.id)).collect();
        assert_eq!(copied, expected);
    }
}

/// A message, and what mirrors it to an index of numbers.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SENT", family = "M", layout = "columns", mirror(ByNumber))]
struct Sent {
    #[bigtable(key)]
    room: String,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    #[bigtable(tie_breaker)]
    id: u32,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BY_NUMBER", family = "M", layout = "columns")]
struct ByNumber {
    #[bigtable(key)]
    kind: String,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    #[bigtable(tie_breaker)]
    room: String,
    #[bigtable(tie_breaker)]
    id: u32,
    text: String,
}

impl From<&Sent> for ByNumber {
    fn from(one: &Sent) -> Self {
        Self {
            kind: format!("k{}", one.id % 2),
            at: one.at,
            room: one.room.clone(),
            id: one.id,
            text: one.text.clone(),
        }
    }
}

#[tokio::test]
async fn copies_of_one_time_are_told_apart() {
    for db in backends("ties", "mirrored") {
        db.ensure_tables::<Sent>().await.unwrap();
        let sent = |room: &str, id: u32| Sent {
            room: room.into(),
            at: at(1),
            id,
            text: format!("{room}{id}"),
        };
        let all: Vec<_> = (0..6)
            .map(|id| sent(["a", "b"][id as usize / 3], id))
            .collect();
        db.insert_many(&all).await.into_result().unwrap();
        let copies = |kind: &'static str| db.fetch(&ByNumber::query().kind(kind));
        assert_eq!(copies("k0").await.unwrap().len(), 3);
        let first = Sent::query().room("a").at(at(1)).id(0_u32).events();
        let deleted = db.delete_all(&first).await.into_result().unwrap();
        assert_eq!(deleted, 1);
        let left = copies("k0").await.unwrap();
        let left: Vec<u32> = left.iter().map(|one| one.id).collect();
        assert_eq!(left, [2, 4]);
        // Copies that were lost are written again, each of them.
        for lost in [&all[2..3], &all[4..5], &all[2..5]] {
            for lost in lost {
                let lost = ByNumber::from(lost);
                db.delete::<ByNumber>(&lost.key()).await.unwrap();
            }
            let repair = db.repair(&Sent::scan()).await.unwrap();
            assert_eq!(repair.written(), lost.len() as u64, "{repair:?}");
            assert_eq!(copies("k0").await.unwrap().len(), 2);
        }
        let deleted = db.delete_all(&Sent::query().room("b").events()).await;
        assert_eq!(deleted.into_result().unwrap(), 3);
        assert_eq!(copies("k1").await.unwrap().len(), 1);
        let report = db.forget(&Sent::query().room("a")).await.unwrap();
        assert!(report.is_complete(), "{report:?}");
        assert_eq!(copies("k1").await.unwrap().len(), 0);
        assert_eq!(stored(&*db, "SENT").await, []);
    }
}

/// Another identifier follows the bucket.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READ_BY", family = "R", layout = "columns", separator = "::")]
struct ReadBy {
    #[bigtable(key)]
    site: String,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    #[bigtable(key)]
    meter: String,
    #[bigtable(tie_breaker)]
    reader: String,
    value: i64,
}

#[tokio::test]
async fn forget_deletes_what_was_asked_for() {
    for db in backends("ties", "forget") {
        db.ensure_tables::<ReadBy>().await.unwrap();
        let read = |meter: &str, reader: &str| ReadBy {
            site: "s".into(),
            at: at(1),
            meter: meter.into(),
            reader: reader.into(),
            value: 1,
        };
        let all = [read("x", ""), read("x", "a::b"), read("y", "a")];
        let refused = db.insert_many(&all).await.into_result().unwrap_err();
        assert!(refused.to_string().contains("READ_BY"), "{refused}");
        let all = [read("x", ""), read("x", "a;b"), read("y", "a")];
        db.insert_many(&all).await.into_result().unwrap();
        let scan = || ReadBy::scan().meter("x");
        assert_eq!(db.fetch(&scan()).await.unwrap(), all[..2]);
        // A row holds the events of all readers.
        let error = db.forget(&ReadBy::scan().reader("a")).await.unwrap_err();
        assert!(error.to_string().contains("READ_BY"), "{error}");
        let report = db.forget(&scan()).await.unwrap();
        assert!(report.is_complete(), "{report:?}");
        assert_eq!(db.fetch(&ReadBy::scan()).await.unwrap(), all[2..]);
    }
}

#[tokio::test]
async fn a_tie_breaker_that_is_none_is_an_error_of_one_event() {
    for db in backends("ties", "bad") {
        db.ensure_tables::<Fill>().await.unwrap();
        db.insert_many(&fills()).await.into_result().unwrap();
        let bad = RowMutations {
            key: "o1#20150316".into(),
            mutations: vec![Mutation::SetCell {
                family: "F".into(),
                qualifier: "price:12:00:00:A".into(),
                timestamp_micros: NOON * 1_000_000,
                value: 1.5_f64.to_be_bytes().to_vec().into(),
            }],
        };
        db.mutate_row("FILL", bad).await.unwrap();
        let query = Fill::query().order("o1");
        assert!(db.fetch(&query).await.is_err());
        assert!(db.count(&query).await.is_err());
        assert!(db.series(&query).await.is_err());
        let noon = Fill::query().order("o1").at(at_noon()).events();
        // The events are deleted, and what is none stays.
        assert!(db.delete_all(&noon).await.into_result().is_err());
        let row = &stored(&*db, "FILL").await[0];
        assert!(
            row.cells
                .iter()
                .any(|cell| cell.qualifier == "price:12:00:00:A")
        );
        db.insert_many(&fills()).await.into_result().unwrap();
        let skip = || query.events().on_bad_row(BadRows::skip());
        assert_eq!(db.fetch(&skip()).await.unwrap(), fills());
        assert_eq!(db.count(&skip()).await.unwrap(), 4);
        assert_eq!(db.series(&skip()).await.unwrap(), ["o1"]);
        // Rows of the same keys in layout `row` are no events, and pages pass them.
        let row = RowMutations {
            key: "o1#20150316#N#001".into(),
            mutations: vec![Mutation::SetCell {
                family: "F".into(),
                qualifier: "price".into(),
                timestamp_micros: NOON * 1_000_000,
                value: 1.5_f64.to_be_bytes().to_vec().into(),
            }],
        };
        db.mutate_row("FILL", row).await.unwrap();
        let by_key = Fill::scan()
            .events()
            .in_key_order()
            .on_bad_row(BadRows::skip());
        let (mut found, mut token) = (Vec::new(), None);
        for _ in 0..10 {
            let page = db.page(&by_key, 2, token.as_ref()).await.unwrap();
            found.extend(page.events);
            token = page.next;
            if token.is_none() {
                break;
            }
        }
        assert_eq!(found, fills());
    }
}

fn at_noon() -> Timestamp {
    Timestamp::from_seconds(NOON)
}
