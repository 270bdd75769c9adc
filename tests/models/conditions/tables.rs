//! Conditional writes for events with tables by period, and for events with copies in other tables.

use std::sync::Arc;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend};
use bigtable_model::condition::Condition;
use bigtable_model::{BackendExt, Code, Error, MemoryBackend, Model, Status, Timestamp};

use super::{backends, second};
use crate::support::at;

/// A row for each event, a table for each day.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "VISIT_{at:%Y%m%d}", family = "V", salt(shards = 4, of(host)))]
struct Visit {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    page: String,
    code: Option<u32>,
}

fn visit(host: &str, day: u32, code: Option<u32>) -> Visit {
    Visit {
        host: host.to_owned(),
        at: at(&format!("2017-07-{day}T08:15:00Z")),
        page: "/".to_owned(),
        code,
    }
}

#[tokio::test]
async fn a_condition_looks_into_the_table_of_the_events_time() {
    for db in backends("periods").await {
        let days = at("2017-07-25T00:00:00Z")..at("2017-07-28T00:00:00Z");
        db.ensure_periods::<Visit>(days.clone()).await.unwrap();
        let code = Visit::FIELDS.code;
        for day in 25..28 {
            for (host, code) in [("a", Some(200)), ("b", Some(404)), ("c", None)] {
                let visit = visit(host, day, code);
                assert!(db.insert_if_absent(&visit).await.unwrap());
                assert!(!db.insert_if_absent(&visit).await.unwrap());
            }
        }
        db.tables().delete("VISIT_20170726").await.unwrap();

        let query = |condition| {
            Visit::query()
                .host(["a", "b", "c"])
                .at(days.clone())
                .events()
                .matching(condition)
        };
        let failed = db.fetch(&query(code.within(400..))).await.unwrap();
        let of = |day| visit("b", day, Some(404));
        assert_eq!(failed, [of(25), of(27)]);
        assert_eq!(db.count(&query(code.is_absent())).await.unwrap(), 2);

        let key = of(25).key();
        let update = |condition| db.send_if(Visit::update(&key).code(500_u32), condition);
        assert!(!update(code.equals(500_u32)).await.unwrap());
        assert!(update(code.equals(404_u32)).await.unwrap());
        assert!(
            db.delete_if::<Visit>(&key, code.equals(500_u32))
                .await
                .unwrap()
        );
        assert_eq!(
            db.fetch(&query(code.within(400..))).await.unwrap(),
            [of(27)]
        );
    }
}

#[tokio::test]
async fn a_table_that_is_not_there_has_no_event() {
    for db in backends("periods-missing").await {
        let gone = visit("a", 26, None);
        let error = db.insert_if_absent(&gone).await.unwrap_err();
        assert!(matches!(&error, Error::MissingTable { .. }), "{error:?}");
        assert_eq!(error.table(), "VISIT_20170726");
        let update = Visit::update(&gone.key()).code(1_u32);
        let updated = db.send_if(update, Condition::exists().negate()).await;
        assert!(matches!(updated, Err(Error::MissingTable { .. })));
        let key = gone.key();
        let delete = |condition| db.delete_if::<Visit>(&key, condition);
        assert!(!delete(Condition::exists()).await.unwrap());
        assert!(delete(Visit::FIELDS.code.is_absent()).await.unwrap());
    }
}

/// A sensor's values, and the last value in another table.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SAMPLE", family = "S", mirror(Last))]
struct Sample {
    #[bigtable(key)]
    sensor: u32,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: u32,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LAST", family = "S", layout = "latest")]
struct Last {
    #[bigtable(key)]
    sensor: u32,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    value: u32,
}

impl From<&Sample> for Last {
    fn from(sample: &Sample) -> Self {
        let &Sample { sensor, at, value } = sample;
        Self { sensor, at, value }
    }
}

fn sample(value: u32) -> Sample {
    Sample {
        sensor: 1,
        at: second(1),
        value,
    }
}

#[tokio::test]
async fn copies_are_written_after_an_event_that_is() {
    for db in backends("mirrors").await {
        db.ensure_tables::<Sample>().await.unwrap();
        let last = || async { db.fetch(&Last::query().sensor(1_u32)).await.unwrap() };
        assert!(db.insert_if_absent(&sample(5)).await.unwrap());
        assert_eq!(last().await, [Last::from(&sample(5))]);
        assert!(!db.insert_if_absent(&sample(6)).await.unwrap());
        assert_eq!(last().await, [Last::from(&sample(5))]);
        let five = Sample::FIELDS.value.equals(5_u32);
        assert!(db.insert_if(&sample(7), five).await.unwrap());
        assert_eq!(last().await, [Last::from(&sample(7))]);

        // Updates and deletes do not change copies, as without a condition.
        let key = sample(7).key();
        let seven = Sample::FIELDS.value.equals(7_u32);
        assert!(
            db.send_if(Sample::update(&key).value(8_u32), seven)
                .await
                .unwrap()
        );
        assert!(
            db.delete_if::<Sample>(&key, Condition::exists())
                .await
                .unwrap()
        );
        assert_eq!(last().await, [Last::from(&sample(7))]);
    }
}

#[tokio::test]
async fn a_copy_that_failed_is_repaired() {
    let memory = Arc::new(MemoryBackend::new());
    memory.ensure_tables::<Sample>().await.unwrap();
    let busy = Fault::Error(Status::new(Code::Unavailable, "busy"));
    let rules = vec![FaultRule::new(busy).table("LAST")];
    let db = FaultyBackend::new(memory, 0, rules).unwrap();
    let error = db.insert_if_absent(&sample(5)).await.unwrap_err();
    assert!(matches!(error, Error::NotMirrored { .. }), "{error:?}");
    // The event exists, so the same call writes nothing.
    assert!(!db.insert_if_absent(&sample(5)).await.unwrap());
    db.set_active(false);
    let last = Last::query().sensor(1_u32);
    assert_eq!(db.count(&last).await.unwrap(), 0);
    let repaired = db.repair(&Sample::query().sensor(1_u32)).await.unwrap();
    assert!(repaired.is_clean() && repaired.written() == 1);
    assert_eq!(db.fetch(&last).await.unwrap(), [Last::from(&sample(5))]);
}
