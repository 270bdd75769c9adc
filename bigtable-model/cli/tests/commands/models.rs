//! Commands about the models of a lock file: the weather of the examples.

use crate::place::Place;

/// Stations with an observation an hour, as CSV.
pub(crate) fn observations(stations: &[&str], hours: std::ops::Range<i64>) -> String {
    let mut csv = "station,at,local_date,temp,wind_direction\n".to_owned();
    for station in stations {
        for hour in hours.clone() {
            let at = 1_357_000_000 - 1_357_000_000 % 86_400 + hour * 3_600;
            let at = bigtable_model::Timestamp::from_seconds(at);
            let temp = if hour % 5 == 0 {
                String::new()
            } else {
                format!("{}.5", 30 + hour)
            };
            csv.push_str(&format!("{station},{at},2013-01-01,{temp},{}\n", hour * 10));
        }
    }
    csv
}

pub(crate) fn with_lock(place: &Place) {
    let lock = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/data/weather.lock"
    );
    std::fs::copy(lock, place.path("layouts.lock")).unwrap();
}

#[test]
fn events_are_written_counted_and_read_by_their_fields() {
    for place in Place::all() {
        with_lock(&place);
        let missing = place.run(&["diff", "--exit-code"]);
        assert_eq!(missing.code, 3, "{missing:?}");
        assert!(missing.out.contains("the table is missing"), "{missing:?}");
        let dry = place.done(&["apply", "--dry-run"]);
        assert!(!dry.contains("changed"), "{dry}");
        assert!(place.done(&["apply"]).contains("changed"));
        let agrees = place.run(&["diff", "Observation", "--exit-code"]);
        assert_eq!(agrees.code, 0, "{agrees:?}");

        place.write("year.csv", &observations(&["EWR", "JFK"], 0..24));
        let written = place.done(&["insert", "Observation", "year.csv"]);
        assert_eq!(written, "48 events written\n");
        let json = "{\"station\": \"LGA\", \"at\": \"2013-01-02T03:00:00Z\", \"local_date\": \"2013-01-01\", \"temp\": 39.02}\n\n";
        let said = place.with_input(&["insert", "Observation", "-", "--format", "jsonl"], json);
        assert_eq!(
            (said.code, said.out.as_str()),
            (0, "1 event written\n"),
            "{said:?}"
        );

        let count = |options: &[&str]| place.done(&[&["count", "Observation"], options].concat());
        assert_eq!(count(&["--scan"]), "49\n");
        assert_eq!(count(&["--station", "EWR"]), "24\n");
        assert_eq!(count(&["--station", "EWR", "--station", "LGA"]), "25\n");
        let day = "2013-01-01T02:00:00Z..2013-01-01T05:00:00Z";
        assert_eq!(count(&["--station", "JFK", "--at", day]), "3\n");
        assert_eq!(count(&["--station", "JFK", "--at", "2013-01-02.."]), "0\n");
        assert_eq!(
            count(&["--station", "EWR", "--wind-direction", "30"]),
            "1\n"
        );
        assert_eq!(count(&["--set", "station=EWR", "--limit", "5"]), "5\n");
        assert_eq!(count(&["--station", "E*", "--scan"]), "24\n");

        let query = |options: &[&str]| place.done(&[&["query", "Observation"], options].concat());
        let found = query(&["--station", "JFK", "--at", day, "--format", "csv"]);
        let lines: Vec<_> = found.lines().collect();
        assert!(
            lines[0].starts_with("station,at,local_date,temp,"),
            "{found}"
        );
        assert!(
            lines[1].starts_with("JFK,2013-01-01T02:00:00Z,2013-01-01,32.5,"),
            "{found}"
        );
        let newest = query(&[
            "--station",
            "LGA",
            "--newest-first",
            "--limit",
            "1",
            "--format",
            "jsonl",
        ]);
        let line = "{\"station\":\"LGA\",\"at\":\"2013-01-02T03:00:00Z\",\"local_date\":\"2013-01-01\",\"temp\":39.02}\n";
        assert_eq!(newest, line);
        let table = query(&["--station", "EWR", "--columns", "temp", "--limit", "2"]);
        assert!(
            table.contains("31.5") && table.contains("station"),
            "{table}"
        );

        // An insert takes the output of a query.
        for format in ["csv", "jsonl"] {
            let file = format!("all.{format}");
            query(&["--scan", "--format", format, "-o", &file]);
            let again = place.done(&["insert", "Observation", &file]);
            assert_eq!(again, "49 events written\n");
        }
        assert_eq!(count(&["--scan"]), "49\n");
        let explained = place.done(&[
            "explain",
            "Observation",
            "--station",
            "EWR",
            "--at",
            "2013-01-01..2013-01-02",
        ]);
        assert!(explained.contains("1 scan over 1 range"), "{explained}");
    }
}

#[test]
fn a_model_is_shown_with_its_fields() {
    let place = Place::served();
    with_lock(&place);
    let models = place.done(&["models", "--format", "csv"]);
    assert!(
        models.contains("Observation,WEATHER,{station:<3}#{at:010s},\"station, at,"),
        "{models}"
    );
    let help = place.done(&["query", "Observation", "--help"]);
    for option in [
        "--station",
        "--at",
        "--wind-direction",
        "--newest-first",
        "--format",
    ] {
        assert!(help.contains(option), "{option}: {help}");
    }
    let help = place.done(&["query", "--help"]);
    assert!(help.contains("Observation"), "{help}");
    let help = place.done(&["insert", "Observation", "--help"]);
    assert!(help.contains("wind_direction"), "{help}");
}

/// A table for people is cut, and says so; another form is not.
#[test]
fn long_results_are_cut_for_people_only() {
    let place = Place::served();
    with_lock(&place);
    place.done(&["apply"]);
    place.write("more.csv", &observations(&["EWR"], 0..130));
    place.done(&["insert", "Observation", "more.csv"]);
    let table = place.run(&["query", "Observation", "--station", "EWR"]);
    assert_eq!(table.out.matches("EWR").count(), 100);
    assert!(table.error.contains("more than 100 events"), "{table:?}");
    let csv = place.run(&[
        "query",
        "Observation",
        "--station",
        "EWR",
        "--format",
        "csv",
    ]);
    assert_eq!((csv.out.lines().count(), csv.error.as_str()), (131, ""));
    let all = place.done(&[
        "query",
        "Observation",
        "--station",
        "EWR",
        "--limit",
        "1000",
    ]);
    assert_eq!(all.matches("EWR").count(), 130);
}

/// The keys of a described table are shown as the fields of its model.
#[test]
fn a_table_is_described_with_its_keys_as_fields() {
    let place = Place::served();
    with_lock(&place);
    place.done(&["apply"]);
    place.write("some.csv", &observations(&["EWR"], 0..3));
    place.done(&["insert", "Observation", "some.csv"]);
    let described = place.done(&["describe", "WEATHER"]);
    for words in [
        "family \"OBS\"",
        "A#9{10}",
        "OBS:TEMP",
        "station=EWR at=2013-01-01T",
    ] {
        assert!(described.contains(words), "{words}: {described}");
    }
}

/// Also if the table lacks nothing.
#[test]
fn a_family_that_the_models_lack_is_dropped_by_name() {
    for place in Place::all() {
        with_lock(&place);
        let table = "WEATHER";
        place.done(&["presplit", table, "--family", "OTHER", "--at", "m"]);
        place.done(&["apply"]);
        assert!(place.done(&["diff"]).contains("OTHER"));
        let dry = place.done(&["apply", "--drop-family", "OTHER", "--dry-run"]);
        assert!(!dry.contains("changed") && place.done(&["diff"]).contains("OTHER"));
        let dropped = place.done(&["apply", "--drop-family", "OTHER"]);
        assert_eq!(dropped.matches("changed").count(), 1, "{dropped}");
        assert!(!place.done(&["diff"]).contains("OTHER"));
    }
}
