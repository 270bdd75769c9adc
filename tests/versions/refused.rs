//! Queries that two layouts cannot answer are refused by name; nothing is sent or skipped.

use bigtable_model::condition::{Condition, ConditionError};
use bigtable_model::copy::CopyJob;
use bigtable_model::former::FormerError;
use bigtable_model::query::BadRows;
use bigtable_model::{BackendExt, Error, MemoryBackend, Model, QueryError, Timestamp, former};

use crate::pairs::row_to_cells::{New, NewKey, Old, Plain};
use crate::pairs::{Stored, swapped_to_row};
use crate::world::Event;

fn event() -> Event {
    Event {
        site: 1,
        sensor: "a".to_owned(),
        at: 1_000,
        level: 1,
        note: None,
    }
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Query { table, source }) => format!("{table}: {source}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn by_name() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Old>().await.unwrap();
    db.ensure_tables::<New>().await.unwrap();
    let new = New::of(&event());
    let key = New::key_of(&event().identity());
    let condition = || Condition::any_column().negate();
    for error in [
        db.insert_if_absent(&new).await.unwrap_err(),
        db.insert_if(&new, condition()).await.unwrap_err(),
        db.delete_if::<New>(&key, condition()).await.unwrap_err(),
        db.send_if(New::update(&key).level(2), condition())
            .await
            .unwrap_err(),
    ] {
        // It was no query.
        let text = error.to_string();
        assert!(
            text.starts_with("table SAMPLE_V2: the condition of the write of "),
            "{text}"
        );
        let Error::Condition { source, .. } = &error else {
            panic!("{error:?}");
        };
        let former = "Old".to_owned();
        assert_eq!(*source, ConditionError::Former { former });
        let text = source.to_string();
        assert!(
            text.contains("cannot include the events of the former layout `Old`"),
            "{text}"
        );
    }
    for text in [
        refused(db.partitions(&New::scan(), 2).await),
        refused(New::query().site(1).events().to_sql()),
    ] {
        assert!(text.starts_with("SAMPLE_V2: "), "{text}");
        assert!(
            text.contains("cannot include the events of the former layout `Old`"),
            "{text}"
        );
    }
    assert_eq!(db.count(&New::scan()).await.unwrap(), 0);

    let job = CopyJob::new(&New::scan(), |new: New| Plain::of(&new.event()));
    let error = job.into_table("ELSEWHERE").run(&db).await.unwrap_err();
    let mut reason: &dyn std::error::Error = &error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    assert!(reason.to_string().contains("`Old`"), "{error:?}");

    let other = refused(swapped_to_row::New::query().site(1).events().plan());
    assert!(
        other.contains("the keys of the former layout `Old` sort in another order"),
        "{other}"
    );
}

#[tokio::test]
async fn nothing_is_emptied_before_it_is_copied() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Old>().await.unwrap();
    db.ensure_tables::<New>().await.unwrap();
    db.insert(&Old::of(&event())).await.unwrap();
    let error = former::finish::<New>(&db).await.unwrap_err();
    assert!(
        matches!(&error, Error::NotCopied { table, left: 1 } if table == "SAMPLE"),
        "{error:?}"
    );
    let read = db.fetch(&New::scan()).await.unwrap();
    assert_eq!(read, [New::of(&event())]);
    let copied = former::copy::<New>(&db).await.unwrap();
    assert_eq!((copied.events, copied.copied), (1, 1));
    // A late event: those that are already copied are not deleted before it is copied.
    let late = Event {
        at: 2_000,
        ..event()
    };
    db.insert(&Old::of(&late)).await.unwrap();
    let error = former::finish::<New>(&db).await.unwrap_err();
    assert!(
        matches!(&error, Error::NotCopied { left: 1, .. }),
        "{error:?}"
    );
    let stored = db.fetch(&Old::scan()).await.unwrap();
    assert_eq!(stored.len(), 2);
    assert_eq!(former::copy::<New>(&db).await.unwrap().copied, 1);
    assert_eq!(former::finish::<New>(&db).await.unwrap().deleted, 2);
    // A model without a former layout has nothing to finish.
    assert_eq!(
        former::finish::<Plain>(&db).await.unwrap(),
        former::Finished::default()
    );
}

/// Deleting the column that marks the event deletes the event.
#[tokio::test]
async fn columns_of_events_that_only_the_former_layout_has() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Old>().await.unwrap();
    db.ensure_tables::<New>().await.unwrap();
    let with_note = Event {
        note: Some("n".to_owned()),
        ..event()
    };
    db.insert(&Old::of(&with_note)).await.unwrap();
    let key: NewKey = New::key_of(&event().identity());
    db.delete_cell(&key, New::FIELDS.note).await.unwrap();
    assert_eq!(db.get::<New>(&key).await.unwrap(), Some(New::of(&event())));
    db.delete_cell(&key, New::FIELDS.level).await.unwrap();
    assert_eq!(db.get::<New>(&key).await.unwrap(), None);
    assert_eq!(db.count(&New::scan()).await.unwrap(), 0);
    assert_eq!(former::copy::<New>(&db).await.unwrap().copied, 0);
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING", family = "R")]
struct ReadingV1 {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    celsius: f64,
}

/// Sensor names become upper case, which makes them other events, and times are rounded.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING_V2", family = "R", was(ReadingV1))]
struct Reading {
    #[bigtable(key, width = 4)]
    sensor: String,
    #[bigtable(time, unit = "s", truncate)]
    at: Timestamp,
    celsius: f64,
}

impl From<ReadingV1> for Reading {
    fn from(old: ReadingV1) -> Self {
        Self {
            sensor: old.sensor.to_uppercase(),
            at: old.at,
            celsius: old.celsius,
        }
    }
}

#[tokio::test]
async fn events_that_the_new_layout_cannot_hold() {
    let db = MemoryBackend::new();
    db.ensure_tables::<ReadingV1>().await.unwrap();
    db.ensure_tables::<Reading>().await.unwrap();
    let old = |sensor: &str, millis| ReadingV1 {
        sensor: sensor.to_owned(),
        at: Timestamp::from_millis(millis),
        celsius: 20.0,
    };
    let events = [
        old("A", 1_000),
        old("A", 1_500),
        old("attic", 2_000),
        old("hall", 3_000),
    ];
    db.insert_many(&events).await.into_result().unwrap();
    let all = Reading::scan();
    assert!(db.fetch(&all).await.is_err());
    let bad = BadRows::skip();
    let read = db.fetch(&all.events().on_bad_row(&bad)).await.unwrap();
    assert_eq!(read, [Reading::from(old("A", 1_000))]);
    let listed: Vec<_> = bad.listed();
    let reasons: Vec<_> = listed
        .iter()
        .map(|error| match &**error {
            Error::Former { table, source, .. } if table == "READING" => source.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(
        matches!(
            &reasons[..],
            [
                FormerError::Rounded,
                FormerError::Key(_),
                FormerError::OtherEvent
            ]
        ),
        "{reasons:?}"
    );
    let error = former::copy::<Reading>(&db).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("sensor=A at=1970-01-01T00:00:01.5Z"),
        "{error}"
    );
    let in_time = db.fetch(&Reading::query().sensor("A")).await;
    assert!(in_time.is_err());
    assert!(matches!(
        Reading::query().sensor("attic").events().plan(),
        Err(Error::Query {
            source: QueryError::Key(_),
            ..
        })
    ));
}
