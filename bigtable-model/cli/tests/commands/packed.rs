//! Packed rows by the command.

use bigtable_model::lock::{Mode, check_file};
use bigtable_model::{Model, Timestamp};

use crate::place::Place;

#[derive(Debug, Clone, Model)]
#[bigtable(table = "POWER", family = "M", layout = "cells", pack(after = "1h"))]
struct Power {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    watts: f64,
    state: Option<String>,
}

#[test]
fn rows_are_packed_and_unpacked_by_their_lock_file() {
    for place in Place::all() {
        check_file::<(Power,)>(&place.path("layouts.lock"), Mode::Write).unwrap();
        place.done(&["apply"]);
        let mut csv = "meter,at,watts,state\n".to_owned();
        for minute in 0..300 {
            let at = Timestamp::from_seconds(1_709_251_200 + minute * 60);
            csv.push_str(&format!("m1,{at},{}.5,ok\n", minute % 9));
        }
        place.write("power.csv", &csv);
        place.done(&["insert", "Power", "power.csv"]);
        let all = ["query", "Power", "--scan", "--format", "csv"];
        let before = place.done(&all);
        let few = ["count", "Power", "--scan", "--watts", "3..5"];
        assert_eq!(place.done(&few), "66\n");
        let below = ["count", "Power", "--scan", "--watts=-3..1"];
        assert_eq!(place.done(&below), "34\n");
        assert_eq!(
            place.done(&["pack", "Power", "--dry-run"]),
            "1 row to pack\n"
        );
        let said = place.done(&["pack", "Power", "--rows-per-second", "50"]);
        assert!(
            said.starts_with("1 of 1 row changed: 300 events; 601 to 2 cells, "),
            "{said}"
        );
        assert_eq!(
            place.done(&["pack", "Power", "--dry-run"]),
            "0 rows to pack\n"
        );
        assert_eq!(place.done(&all), before);
        assert_eq!(place.done(&few), "66\n");
        let said = place.done(&["unpack", "Power"]);
        assert!(
            said.starts_with("1 of 1 row changed: 300 events; 2 to 601 cells, "),
            "{said}"
        );
        assert_eq!(place.done(&all), before);
    }
}
