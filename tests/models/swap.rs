//! Changing an attribute moves a model to another layout: the same writes and queries give the same
//! events. These tests write random events, many at the edges of buckets and some repeated, through
//! every layout, and compare the answers of every layout with a filter over all events.

use std::collections::BTreeMap;
use std::ops::Range;

use bigtable_model::{BackendExt, Error, MemoryBackend};
use proptest::prelude::*;

use crate::samples::{
    Answer, Ask, Event, Reading, Sampled, Valued, ask, event, every_layout, every_single, range,
};

/// A write: an insert, or the delete of the event with the same identity.
#[derive(Debug, Clone)]
struct Change {
    event: Event,
    delete: bool,
}

fn change() -> impl Strategy<Value = Change> {
    (event(), prop::bool::weighted(0.2)).prop_map(|(event, delete)| Change { event, delete })
}

async fn answers_of<S: Sampled>(changes: &[Change], asks: &[Ask]) -> Result<Vec<Answer>, Error> {
    let db = MemoryBackend::new();
    db.ensure_tables::<S>().await?;
    for Change { event, delete } in changes {
        let sample = S::of(event);
        match delete {
            true => db.delete::<S>(&sample.key()).await?,
            false => drop(db.insert(&sample).await?),
        }
    }
    let mut answers = Vec::new();
    for ask in asks {
        answers.push(S::answer(&db, ask).await?);
    }
    Ok(answers)
}

/// Layouts whose keys begin with site and sensor return a site ordered by sensor and time; a
/// leading salt changes that order, and so do labels that do not sort.
fn in_one_order(answer: Answer) -> Answer {
    match answer {
        Answer::Events(mut events) => {
            events.sort_by_key(|event| (event.sensor.clone(), event.at));
            Answer::Events(events)
        }
        count => count,
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_layout_answers_alike(
        changes in prop::collection::vec(change(), 0..40),
        asks in prop::collection::vec(ask(), 1..8),
    ) {
        let mut all = BTreeMap::new();
        for Change { event, delete } in &changes {
            match delete {
                true => all.remove(&event.identity()),
                false => all.insert(event.identity(), event.clone()),
            };
        }
        let expected: Vec<Answer> = asks.iter().map(|ask| ask.expected(&all)).collect();
        macro_rules! check {
            ($($layout:ident)*) => {$(
                let answers = answers_of::<crate::samples::$layout::Sample>(&changes, &asks);
                let answers = runtime().block_on(answers).unwrap();
                for ((ask, answer), expected) in asks.iter().zip(answers).zip(&expected) {
                    let answer = match ask {
                        Ask::Site(_) => in_one_order(answer),
                        _ => answer,
                    };
                    prop_assert_eq!(&answer, expected, "{} to {:?}", stringify!($layout), ask);
                }
            )*};
        }
        every_layout!(check);
    }
}

/// The single value that `qualifiers` stores, in every layout.
async fn values<V: Valued>(
    events: &[Event],
    ranges: &[Range<i64>],
) -> Result<Vec<Vec<Reading>>, Error> {
    let db = MemoryBackend::new();
    db.ensure_tables::<V>().await?;
    let readings = events
        .iter()
        .map(|event| V::of(&(event.sensor.clone(), event.at, event.level)));
    let values: Vec<V> = readings.collect();
    db.insert_many(&values).await.into_result()?;
    let mut answers = Vec::new();
    for range in ranges {
        answers.push(V::between(&db, &["a", "b", "bb"], range).await?);
        answers.push(V::newest(&db, "a", 3).await?);
    }
    let readings = answers
        .into_iter()
        .map(|found| found.into_iter().map(V::reading).collect());
    Ok(readings.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn one_value_in_every_layout(
        events in prop::collection::vec(event(), 0..40),
        ranges in prop::collection::vec(range(), 1..4),
    ) {
        // `qualifiers` keeps two events with the same identity: here each is unique.
        let unique: BTreeMap<_, _> = events.iter().map(|event| ((event.sensor.clone(), event.at), event.clone())).collect();
        let events: Vec<_> = unique.into_values().collect();
        let expected = values::<crate::samples::value_row::Value>(&events, &ranges);
        let expected = runtime().block_on(expected).unwrap();
        macro_rules! check {
            ($($layout:ident)*) => {$(
                let answers = values::<crate::samples::$layout::Value>(&events, &ranges);
                let answers = runtime().block_on(answers).unwrap();
                prop_assert_eq!(&answers, &expected, "{}", stringify!($layout));
            )*};
        }
        every_single!(check);
    }
}
