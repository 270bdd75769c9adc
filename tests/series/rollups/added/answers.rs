//! Single lost answers, and other rules of roll-ups that the server adds.

use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::Capabilities;
use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend};
use bigtable_model::data::RowDeletion;
use bigtable_model::rollup::{every, recount};
use bigtable_model::{
    Backend, BackendExt, Code, Error, MemoryBackend, Model as _, Status, Timestamp,
};
use fastrand::Rng;

use super::models::{Hit as _, Plain, cells, rows};
use super::{HOSTS, MINUTE, START, check_tables, events};

fn one(millis: i64, bytes: i64) -> Plain {
    Plain {
        host: "a".to_owned(),
        millis: START + millis,
        bytes,
        took: None,
    }
}

/// An event that is inserted again is the same event.
#[tokio::test]
async fn an_event_that_comes_again_is_added_once() {
    let db = MemoryBackend::new();
    db.ensure_tables::<rows::Request>().await.unwrap();
    let events = [one(0, 5), one(1, 6)];
    for event in events.iter().chain(&events) {
        db.insert(&rows::Request::of(event)).await.unwrap();
    }
    check_tables::<rows::Request>(&db, &events).await;
}

/// A failed write of an event has added nothing.
#[tokio::test]
async fn nothing_is_added_without_its_event() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    db.ensure_tables::<rows::Request>().await.unwrap();
    let lost = Status::new(Code::Internal, "lost");
    for fault in [Fault::LoseAnswer(lost.clone()), Fault::Error(lost)] {
        let rule = FaultRule::new(fault).table("REQUEST");
        let faulty = FaultyBackend::new(Arc::clone(&db), 1, vec![rule]).unwrap();
        let event = rows::Request::of(&one(0, 5));
        let error = faulty.insert(&event).await.unwrap_err();
        assert!(matches!(error, Error::Backend { .. }), "{error}");
        let outcome = faulty.insert_many(&[event]).await;
        assert_eq!(outcome.failed().len(), 1);
        check_tables::<rows::Request>(&*db, &[]).await;
    }
}

/// One call does what a write left open: the event, or its additions.
#[tokio::test]
async fn what_a_write_left_open_is_repeated() {
    for table in ["REQUEST", "HOUR"] {
        let lost = || Status::new(Code::Unavailable, "lost");
        for fault in [Fault::LoseAnswer(lost()), Fault::Error(lost())] {
            let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
            db.ensure_tables::<rows::Request>().await.unwrap();
            let rule = FaultRule::new(fault).table(table);
            let faulty = FaultyBackend::new(Arc::clone(&db), 1, vec![rule]).unwrap();
            let events = [one(0, 5), one(1, 6)];
            let mut letters = Vec::new();
            let requests = events.iter().map(rows::Request::of);
            let inserts = faulty.insert_many(requests);
            let counts = inserts.give_back(|letter| letters.push(letter));
            assert_eq!(counts.await.failed, 2);
            for letter in &letters {
                let is_written = matches!(letter.error, Error::NotAdded(_));
                assert_eq!(is_written, table == "HOUR");
                assert!(letter.repeat(&faulty).await.is_err());
            }
            for letter in letters.iter().chain(&letters) {
                letter.repeat(&*db).await.unwrap();
            }
            check_tables::<rows::Request>(&*db, &events).await;
        }
    }
}

/// Hides that the backend keeps tokens.
#[derive(Debug, Clone)]
struct Untold(Arc<dyn Backend>);

impl bigtable_model::backend::Wrapper for Untold {
    fn inner(&self) -> &dyn Backend {
        &*self.0
    }

    fn capabilities(&self) -> Capabilities {
        let mut inner = self.0.capabilities();
        inner.tokens = false;
        inner
    }
}

/// Without tokens an addition is sent once, whatever happens to the answer; events are recounted on
/// demand.
#[tokio::test]
async fn without_tokens_nothing_is_counted_twice() {
    let lost = || Status::new(Code::Unavailable, "lost");
    for (fault, is_added) in [
        (Fault::LoseAnswer(lost()), true),
        (Fault::Error(lost()), false),
    ] {
        let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
        db.ensure_tables::<rows::Request>().await.unwrap();
        let rule = FaultRule::new(fault).table("HOUR");
        let faulty = FaultyBackend::new(Arc::clone(&db), 1, vec![rule]).unwrap();
        let untold = Untold(faulty.handle());
        let event = one(0, 5);
        let error = untold.insert(&rows::Request::of(&event)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "table REQUEST: host=a at=2024-11-01T00:00:00Z was written, but may be missing from the roll-up in table HOUR: \
             without tokens it is not sent again, so correct the roll-up with `rollup::recount`"
        );
        assert_eq!((error.table(), error.is_retryable()), ("REQUEST", false));
        let Error::NotAdded(missing) = error else {
            unreachable!();
        };
        assert!(!missing.has_tokens());
        assert!(missing.send_again(&*db).await.is_err());
        let hours = rows::Request::asked(&HOSTS, START, START + 60 * MINUTE);
        let hours = hours.resolution::<rows::Minute>(every(Duration::from_secs(3_600)));
        let found = db.fetch(&hours).await.unwrap();
        assert_eq!(found.len(), usize::from(is_added));

        let asked = rows::Request::asked(&HOSTS, START, START + MINUTE);
        let recounted = recount::<rows::Minute>(&asked, &*db).await.unwrap();
        assert_eq!(recounted.into_result().unwrap(), 3);
        check_tables::<rows::Request>(&*db, &[event]).await;
    }
}

/// Buckets are recounted, and those without events are deleted.
#[tokio::test]
async fn buckets_are_counted_anew() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    db.ensure_tables::<cells::Request>().await.unwrap();
    let events = events(0, &mut Rng::with_seed(7));
    let stored: Vec<_> = events.iter().map(cells::Request::of).collect();
    db.insert_many(&stored).await.into_result().unwrap();

    // The first hour of one host is deleted without the model, together with the table of hours.
    let gone = |one: &&Plain| one.host == "a" && one.millis < START + 60 * MINUTE;
    assert!(events.iter().any(|one| gone(&one)));
    let key = cells::RequestKey {
        host: "a".to_owned(),
        at: Timestamp::from_millis(START),
    };
    let row = RowDeletion::Prefix(key.encode().unwrap().into());
    db.tables().drop_rows("CREQUEST", row).await.unwrap();
    db.tables()
        .drop_rows("CHOUR", RowDeletion::All)
        .await
        .unwrap();
    let left: Vec<_> = events.iter().filter(|one| !gone(one)).cloned().collect();

    let all = cells::Request::asked(&HOSTS, START, START + 4_000 * MINUTE);
    let recounted = recount::<cells::Minute>(&all, &*db).await.unwrap();
    recounted.into_result().unwrap();
    check_tables::<cells::Request>(&*db, &left).await;
}

#[test]
fn words_tell_what_the_server_adds() {
    let asked = rows::Request::asked(&["a"], START, START + 90 * MINUTE);
    let hours = asked.resolution::<rows::Minute>(every(Duration::from_secs(3_600)));
    assert_eq!(
        hours.explain().unwrap().to_string(),
        "windows of 3600 seconds\n\
         HOUR, buckets of 3600 seconds that the server adds: from 2024-11-01T00:00:00Z, before 2024-11-01T01:00:00Z\n\
         MINUTE, buckets of 60 seconds that the server adds: from 2024-11-01T01:00:00Z, before 2024-11-01T01:30:00Z\n"
    );
    let rolled = &rows::Request::SCHEMA.rollups[0];
    assert!(rolled.is_added() && rows::Request::SCHEMA.append_only);
    let families = rolled.schema().families();
    assert_eq!(
        families.into_iter().collect::<Vec<_>>(),
        ["MAX", "MIN", "SUM"]
    );
}

/// A copy job may write an event twice.
#[tokio::test]
async fn a_copy_does_not_add() {
    use bigtable_model::copy::{CopyError, CopyJob};

    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    db.ensure_tables::<rows::Request>().await.unwrap();
    let asked = cells::Request::asked(&HOSTS, START, START + 1);
    let job = CopyJob::filter_map(&asked, |_: cells::Request| None::<rows::Request>);
    let error = job.run(&*db).await.unwrap_err();
    assert!(
        matches!(&error, CopyError::Added { table, rollup } if table == "REQUEST" && rollup == "Minute"),
        "{error}"
    );
    let spare = job.into_table("SPARE").without_verification();
    db.ensure_tables::<cells::Request>().await.unwrap();
    spare.run(&*db).await.unwrap();
}
