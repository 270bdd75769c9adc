use std::time::Duration;

use super::*;
use crate::Timestamp;
use crate::data::FamilyChange;
use crate::memory::{ManualClock, Profile};

const NOW: Timestamp = Timestamp::from_millis(100);

/// Versions at 10, 20, ... 90 ms of one column, 30 ms of another.
fn fill(db: &MemoryBackend) {
    let writes = (1..=9).map(|ten| set("a", ten * 10_000, "v")).collect();
    write(db, "r", writes).unwrap();
    write(db, "s", vec![set("b", 30_000, "v")]).unwrap();
}

fn after_gc(rule: GcRule, profile: Profile) -> (MemoryBackend, Vec<String>) {
    let db = MemoryBackend::builder().profile(profile).build();
    create(&db, Some(rule));
    fill(&db);
    assert_eq!(shown(&db).len(), 10, "nothing goes by itself");
    db.run_gc(NOW);
    let shown = shown(&db);
    (db, shown)
}

fn age(millis: u64) -> GcRule {
    GcRule::MaxAge(Duration::from_millis(millis))
}

#[test]
fn rules_delete_what_they_say() {
    for (rule, expected) in [
        (GcRule::MaxVersions(2), vec!["r a@90", "r a@80", "s b@30"]),
        (age(25), vec!["r a@90", "r a@80"]),
        (age(20), vec!["r a@90", "r a@80"]),
        (age(1), vec![]),
        (
            GcRule::Union(vec![GcRule::MaxVersions(3), age(25)].into()),
            vec!["r a@90", "r a@80"],
        ),
        (
            GcRule::Intersection(vec![GcRule::MaxVersions(1), age(25)].into()),
            vec!["r a@90", "r a@80", "s b@30"],
        ),
    ] {
        let (_, shown) = after_gc(rule.clone(), Profile::Service);
        assert_eq!(shown, expected, "{rule:?}");
    }
}

#[test]
fn garbage_of_many_rows_is_collected_and_only_garbage_is_written_to() {
    let db = MemoryBackend::new();
    create(&db, Some(age(25)));
    for number in 0..1_000 {
        let times = match number % 3 {
            0 => vec![10, 20],
            1 => vec![20, 90],
            _ => vec![90],
        };
        let cells = times.iter().map(|time| set("a", time * 1_000, "v"));
        write(&db, &format!("{number:04}"), cells.collect()).unwrap();
    }
    db.run_gc(NOW);
    let shown = shown(&db);
    assert_eq!(shown.len(), 666);
    assert!(shown.iter().all(|cell| cell.ends_with("a@90")));
    let changes = || db.store.table("t").unwrap().read().unwrap().changes;
    let before = changes();
    db.run_gc(NOW);
    assert_eq!(changes(), before);
}

#[test]
fn the_emulator_waits_for_a_change_of_families_and_skips_intersections() {
    let (db, shown_before) = after_gc(GcRule::MaxVersions(1), Profile::Emulator);
    assert_eq!(shown_before.len(), 10);
    let both = GcRule::Intersection(vec![GcRule::MaxVersions(1), age(25)].into());
    for (rule, expected) in [(both, 10), (GcRule::MaxVersions(1), 2)] {
        let family = FamilySchema {
            gc_rule: Some(rule),
            aggregate: None,
        };
        let change = FamilyChange::Update("f".to_owned(), family);
        block_on(db.tables().modify_families("t", vec![change])).unwrap();
        db.run_gc(NOW);
        assert_eq!(shown(&db).len(), expected);
    }
}

#[test]
fn expired_cells_can_be_masked() {
    let clock = ManualClock::new(Timestamp::from_millis(0));
    let builder = MemoryBackend::builder().clock(clock.clone());
    let db = builder.mask_expired(true).build();
    create(&db, Some(age(25)));
    fill(&db);
    assert_eq!(shown(&db).len(), 10);
    clock.set(NOW);
    assert_eq!(shown(&db), ["r a@90", "r a@80"]);
    clock.set(Timestamp::from_millis(0));
    assert_eq!(shown(&db).len(), 10, "masked, not deleted");
}

#[test]
fn rows_held_by_a_read_keep_their_cells() {
    let db = MemoryBackend::new();
    create(&db, Some(GcRule::MaxVersions(1)));
    fill(&db);
    let mut rows = db.read_rows(request()).rows();
    let first = block_on(rows.try_next()).unwrap().unwrap();
    assert_eq!(first.cells.len(), 9);
    db.run_gc(NOW);
    let second = block_on(rows.try_next()).unwrap().unwrap();
    assert_eq!(second.cells.len(), 1);
    assert_eq!(shown(&db), ["r a@90", "s b@30"]);
}
