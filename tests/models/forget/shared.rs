//! Copies that several events may share: who deletes them, and who does not.

use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::mirror::MirrorOf;
use bigtable_model::query::starts_with;
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, QueryError, Timestamp};

use super::{ANN, at};
use crate::support::{backends, rows};

/// Copies without times, whose keys lack the user.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "USER", family = "U", mirror(ByMail))]
struct User {
    #[bigtable(key)]
    name: String,
    mail: String,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BY_MAIL", family = "U")]
struct ByMail {
    #[bigtable(key)]
    mail: String,
    name: String,
}

impl From<&User> for ByMail {
    fn from(User { name, mail }: &User) -> Self {
        let (mail, name) = (mail.clone(), name.clone());
        Self { mail, name }
    }
}

fn user(name: &str, mail: &str) -> User {
    let (name, mail) = (name.to_owned(), mail.to_owned());
    User { name, mail }
}

#[tokio::test]
async fn a_copy_of_another_user_stays() {
    for db in backends("forget", "mail") {
        db.ensure_tables::<User>().await.unwrap();
        db.insert(&user(ANN, "we")).await.unwrap();
        db.insert(&user("bob", "we")).await.unwrap();
        db.insert(&user(ANN, "we")).await.unwrap();
        db.insert(&user("bob", "we")).await.unwrap();
        let report = db.forget(&User::query().name(ANN)).await.unwrap();
        assert!(report.is_complete(), "{report}");
        let left = db.fetch(&ByMail::scan()).await.unwrap();
        assert_eq!(left, [ByMail::from(&user("bob", "we"))]);
        let versions = rows(&*db, "BY_MAIL").await[0].cells.len();
        assert_eq!(versions, 1, "older ones were of both");
        // A user whose copy was never there, since its key would be empty.
        let raw = RowMutations {
            key: UserKey {
                name: "eve".to_owned(),
            }
            .encode()
            .unwrap()
            .into(),
            mutations: vec![Mutation::SetCell {
                family: "U".into(),
                qualifier: "mail".into(),
                timestamp_micros: 0,
                value: Vec::new().into(),
            }],
        };
        db.mutate_row("USER", raw).await.unwrap();
        let deleted = db.delete_all(&User::query().name("eve")).await;
        assert_eq!(deleted.into_result().unwrap(), 1);
        assert_eq!(db.count(&User::scan()).await.unwrap(), 1);
    }
}

/// The last load of a rack on a day, whose time may be that of a host's event at midnight.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LOAD", family = "L", mirror(RackDay, LastOf))]
struct Load {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s", truncate)]
    at: Timestamp,
    rack: String,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "RACK_DAY", family = "L")]
struct RackDay {
    #[bigtable(key)]
    rack: String,
    #[bigtable(time, format = "%Y%m%d", truncate)]
    day: Timestamp,
    host: String,
}

/// It knows its event, whose time it has as it was given.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LAST_OF", family = "L")]
struct LastOf {
    #[bigtable(key)]
    rack: String,
    host: String,
    at: Timestamp,
}

impl From<&Load> for RackDay {
    fn from(load: &Load) -> Self {
        let Load { host, at, rack } = load.clone();
        Self {
            rack,
            day: at,
            host,
        }
    }
}

impl MirrorOf<Load> for LastOf {
    fn mirror_of(load: &Load) -> Option<Self> {
        let Load { host, at, rack } = load.clone();
        Some(Self { rack, host, at })
    }

    fn source_key(&self) -> Option<LoadKey> {
        let Self { host, at, .. } = self.clone();
        Some(LoadKey { host, at })
    }
}

#[tokio::test]
async fn a_copy_of_a_day_is_of_its_last_event() {
    for db in backends("forget", "days") {
        db.ensure_tables::<Load>().await.unwrap();
        let midnight = Timestamp::from_seconds(1_500_076_800);
        let load = |host: &str, rack: &str, second: u64| Load {
            host: host.to_owned(),
            at: midnight + std::time::Duration::from_millis(second * 1_000 + 345),
            rack: rack.to_owned(),
        };
        db.insert(&load(ANN, "one", 0)).await.unwrap();
        db.insert(&load("bob", "one", 80_000)).await.unwrap();
        db.insert(&load("bob", "two", 0)).await.unwrap();
        db.insert(&load(ANN, "two", 70_000)).await.unwrap();
        let report = db.forget(&Load::query().host(ANN)).await.unwrap();
        assert!(report.is_complete(), "{report}");
        let days = db.fetch(&RackDay::scan()).await.unwrap();
        let hosts: Vec<_> = days.iter().map(|day| (&*day.rack, &*day.host)).collect();
        assert_eq!(hosts, [("one", "bob")]);
        // Both that are left know bob's event; hers in "two" knew it with its milliseconds.
        let last = db.fetch(&LastOf::scan()).await.unwrap();
        let hosts: Vec<_> = last.iter().map(|day| (&*day.rack, &*day.host)).collect();
        assert_eq!(hosts, [("one", "bob")]);
    }
}

/// An empty prefix means everyone, and a missing table does not count as an empty one.
#[tokio::test]
async fn everyone_and_nowhere_are_refused() {
    let db = MemoryBackend::new();
    let nowhere = db.forget(&User::query().name(ANN)).await.unwrap();
    assert!(!nowhere.is_complete());
    assert!(nowhere.errors[0].to_string().contains("USER"), "{nowhere}");
    db.ensure_tables::<User>().await.unwrap();
    db.insert(&user("bob", "b")).await.unwrap();
    let everyone = db.forget(&User::scan().name(starts_with(""))).await;
    let Error::Query {
        source: QueryError::ForgetsAll,
        ..
    } = everyone.unwrap_err()
    else {
        panic!("everyone was forgotten");
    };
    assert_eq!(db.count(&User::scan()).await.unwrap(), 1);
}

/// A row in the range whose key is not the model's does not stop the rest, and is reported as left.
#[tokio::test]
async fn a_foreign_row_does_not_stop_the_rest() {
    use super::cells::{Message, message};

    for db in backends("forget", "foreign") {
        db.ensure_tables::<Message>().await.unwrap();
        db.insert(&message(ANN, 1)).await.unwrap();
        let set = Mutation::SetCell {
            family: "M".into(),
            qualifier: "text".into(),
            timestamp_micros: at(0).as_micros(),
            value: "a".into(),
        };
        let foreign = RowMutations {
            key: format!("{ANN}#never").into(),
            mutations: vec![set],
        };
        db.mutate_row("MESSAGE", foreign).await.unwrap();
        let report = db.forget(&Message::query().author(ANN)).await.unwrap();
        assert_eq!((report.events, report.failed), (1, 1), "{report}");
        assert_eq!(report.tables.iter().map(|table| table.left).sum::<u64>(), 1);
        assert_eq!(rows(&*db, "MESSAGE").await.len(), 1);
        assert_eq!(rows(&*db, "BY_ROOM").await.len(), 0);
    }
}
