//! Changes to roll-ups, whose rows do not store the length of their buckets.

use bigtable_model::lock::{Class, Lock, Subject, compare};
use bigtable_model::rollup::Rollup;
use bigtable_model::{Model, Timestamp};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "REQUEST", family = "R", append_only, rollup(Hits, Top))]
struct Request {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bytes: i64,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "HITS", family = "S")]
#[rollup(of = Request, every = "1m", longer(every = "day", zone = "Europe/Berlin", table = "HITS_DAY"), added)]
struct Hits {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[bigtable(aggregate = "sum")]
    #[rollup(count)]
    hits: i64,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "TOP", family = "T")]
#[rollup(of = Request, every = "1h")]
struct Top {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[rollup(max)]
    bytes: i64,
}

/// The classes of the differences if the lock has other words for a roll-up, or none.
fn found(rollup: &str, was: Option<&str>) -> Vec<(Class, Subject)> {
    let mut lock = Lock::default().with::<Request>();
    let rollups = &mut lock.models.get_mut("Request").unwrap().rollups;
    rollups.remove(rollup).unwrap();
    rollups.extend(was.map(|was| (rollup.to_owned(), was.to_owned())));
    let changes = compare::<Request>(&lock).unwrap().into_iter();
    changes.map(|one| (one.class, one.subject)).collect()
}

#[test]
fn the_lock_knows_the_buckets_of_roll_ups() {
    let lock = Lock::default().with::<Request>();
    assert_eq!(compare::<Request>(&lock).unwrap(), []);
    let rollups = &lock.models["Request"].rollups;
    assert_eq!(
        rollups["Hits"],
        "added, 60 seconds in HITS, 1 day in Europe/Berlin in HITS_DAY"
    );
    assert_eq!(rollups["Top"], "computed, 3600 seconds in TOP");

    let change = |name: &str, class| vec![(class, Subject::Rollup(name.to_owned()))];
    // Added buckets of another length cannot be distinguished, computed ones can.
    let refused = change("Hits", Class::StoredBytes);
    assert_eq!(found("Hits", Some("added, 30 seconds in HITS")), refused);
    assert_eq!(found("Hits", Some("computed, 60 seconds in HITS")), refused);
    assert_eq!(
        found("Top", Some("computed, 60 seconds in TOP")),
        change("Top", Class::Reads)
    );
    // Longer buckets in a new table, and a new roll-up.
    assert_eq!(
        found("Hits", Some("added, 60 seconds in HITS")),
        change("Hits", Class::Reads)
    );
    assert_eq!(found("Hits", None), change("Hits", Class::Reads));
    assert_eq!(found("Top", None), change("Top", Class::Reads));
}

#[test]
fn a_roll_up_that_is_gone_is_told() {
    let mut lock = Lock::default().with::<Request>();
    let rollups = &mut lock.models.get_mut("Request").unwrap().rollups;
    rollups.insert("Old".to_owned(), "added, 60 seconds in OLD".to_owned());
    let changes = compare::<Request>(&lock).unwrap();
    assert_eq!(
        changes[0].to_string(),
        "allowed: Request, roll-up Old was `added, 60 seconds in OLD` and is gone: nothing is read from its tables: delete them"
    );
}
