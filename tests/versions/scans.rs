//! Requests of a query of two layouts: no more scans than of each layout alone.

use std::sync::Arc;

use bigtable_model::backend::faults::{FaultyBackend, Method};
use bigtable_model::query::Order;
use bigtable_model::testing::check_laws;
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};

use crate::pairs::row_to_cells::{New, Old};
use crate::pairs::{Stored, json_to_columns, salted_to_row, swapped_to_row};
use crate::world::Event;

fn reads(db: &FaultyBackend) -> usize {
    let calls = db.calls();
    calls
        .iter()
        .filter(|call| call.method == Method::ReadRows)
        .count()
}

fn event(second: i64) -> Event {
    Event {
        site: 1,
        sensor: "a".to_owned(),
        at: second * 1_000,
        level: second,
        note: None,
    }
}

#[tokio::test]
async fn as_many_as_both_alone() {
    let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let db = FaultyBackend::new(memory, 0, Vec::new()).unwrap();
    db.ensure_tables::<Old>().await.unwrap();
    db.ensure_tables::<New>().await.unwrap();
    for second in 0..10 {
        db.insert(&Old::of(&event(second))).await.unwrap();
        db.insert(&New::of(&event(second + 5))).await.unwrap();
    }
    let sensors = ["a", "b", "bb"];
    let before = reads(&db);
    db.fetch(&Old::query().site(1).sensor(sensors))
        .await
        .unwrap();
    let alone = reads(&db) - before;
    assert_eq!(alone, 3);
    let found = db
        .fetch(&New::query().site(1).sensor(sensors))
        .await
        .unwrap();
    assert_eq!(found.len(), 15);
    assert_eq!(reads(&db) - before - alone, 6);

    let before = reads(&db);
    assert_eq!(db.count(&New::scan()).await.unwrap(), 15);
    assert_eq!(reads(&db) - before, 2);
}

#[test]
fn plans_tell_both() {
    let at = Timestamp::from_seconds;
    let query = New::query()
        .site(1)
        .sensor("a")
        .at(at(0)..at(60))
        .events()
        .limit(3);
    let plan = query.plan().unwrap();
    let [former] = &plan.sources[..] else {
        panic!("{plan:?}");
    };
    assert_eq!((plan.scans.len(), former.plan.scans.len()), (1, 1));
    assert_eq!((plan.limit, former.plan.limit), (Some(3), None));
    assert!(former.whole);
    let text = query.explain().to_string();
    assert!(
        text.contains("table SAMPLE_V2, keys {site:03}#{sensor}#{at:"),
        "{text}"
    );
    assert!(
        text.contains("united with Old: table SAMPLE, keys {site:03}#{sensor}#{at:013ms}"),
        "{text}"
    );

    // Each shard of the former layout has a scan, as it would have alone.
    let salted = salted_to_row::New::query()
        .site(1)
        .sensor(["a", "b"])
        .events()
        .plan()
        .unwrap();
    assert_eq!(salted.order, Order::Time);
    assert_eq!(salted.scans.len(), 2);
    assert_eq!(salted.sources[0].plan.scans.len(), 2);
    let json = serde_json::to_string(&plan).unwrap();
    assert_eq!(
        serde_json::from_str::<bigtable_model::query::Plan>(&json).unwrap(),
        plan
    );
}

/// A former layout without events changes nothing.
#[test]
fn laws_hold_beside_an_empty_former_layout() {
    check_laws::<New>();
    check_laws::<json_to_columns::New>();
    check_laws::<swapped_to_row::New>();
    check_laws::<salted_to_row::New>();
}
