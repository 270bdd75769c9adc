use std::time::Duration;

use super::*;
use crate::Timestamp;
use crate::data::{ReadModifyWriteRow, ReadModifyWriteRule, RuleAction, SERVER_TIME};
use crate::memory::ManualClock;

fn at(micros: i64) -> (MemoryBackend, ManualClock) {
    let clock = ManualClock::new(Timestamp::from_micros(micros));
    let db = MemoryBackend::builder().clock(clock.clone()).build();
    create(&db, None);
    (db, clock)
}

#[test]
fn server_time_is_the_clock_rounded_down() {
    let (db, clock) = at(5_999);
    write(&db, "r", vec![set("q", SERVER_TIME, "a")]).unwrap();
    clock.advance(Duration::from_micros(1));
    write(&db, "r", vec![set("q", SERVER_TIME, "b")]).unwrap();
    assert_eq!(shown(&db), ["r q@6", "r q@5"]);
    clock.set(Timestamp::from_micros(5_000));
    write(&db, "r", vec![set("q", SERVER_TIME, "c")]).unwrap();
    assert_eq!(shown(&db), ["r q@6", "r q@5"]);
}

#[test]
fn rules_write_at_now_or_at_the_newest() {
    let (db, clock) = at(5_000);
    let append = || {
        let rule = ReadModifyWriteRule {
            family: "f".into(),
            qualifier: Bytes::from_static(b"q"),
            action: RuleAction::Append(Bytes::from_static(b"x")),
        };
        let request = ReadModifyWriteRow {
            table: "t".to_owned(),
            key: Bytes::from_static(b"r"),
            rules: vec![rule],
        };
        block_on(db.read_modify_write_row(request)).unwrap()
    };
    assert_eq!(append().cells[0].timestamp_micros, 5_000);
    clock.set(Timestamp::from_micros(4_000));
    assert_eq!(append().cells[0].timestamp_micros, 5_000);
    clock.set(Timestamp::from_micros(7_000));
    let row = append();
    assert_eq!(row.cells[0].timestamp_micros, 7_000);
    assert_eq!(row.cells[0].value, "xxx");
    assert_eq!(shown(&db), ["r q@7", "r q@5"]);
}

/// Whatever the clock shows, calls are answered.
#[test]
fn a_clock_may_show_any_time() {
    for micros in [i64::MIN, i64::MIN + 1, -1_000_000_000_000, -1, 0, i64::MAX] {
        let clock = ManualClock::new(Timestamp::from_micros(micros));
        let db = MemoryBackend::builder()
            .clock(clock.clone())
            .mask_expired(true)
            .build();
        create(&db, Some(GcRule::MaxAge(Duration::from_secs(1))));
        write(&db, "r", vec![set("q", SERVER_TIME, "a")]).unwrap();
        let rule = ReadModifyWriteRule {
            family: "f".into(),
            qualifier: Bytes::from_static(b"q"),
            action: RuleAction::Append(Bytes::from_static(b"x")),
        };
        let request = ReadModifyWriteRow {
            table: "t".to_owned(),
            key: Bytes::from_static(b"r"),
            rules: vec![rule],
        };
        let row = block_on(db.read_modify_write_row(request)).unwrap();
        assert_eq!(row.cells[0].value, "ax", "{micros}");
        db.run_gc(clock.now());
        assert_eq!(shown(&db).len(), 1, "{micros}");
    }
}
