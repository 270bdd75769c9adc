//! Bad input: one sentence, and a code that is not 0.

use crate::place::{Place, said};

fn with_lock(place: &Place) {
    let lock = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/data/weather.lock"
    );
    std::fs::copy(lock, place.path("layouts.lock")).unwrap();
}

#[test]
fn what_is_not_there_is_named() {
    let place = Place::served();
    for command in ["describe", "export", "truncate", "drop"] {
        let said = place.refused(&[command, "NOTHING"]);
        assert!(said.contains("NOTHING"), "{said}");
    }
    assert!(
        place
            .refused(&["copy", "NOTHING", "OTHER"])
            .contains("NOTHING")
    );
    assert!(place.refused(&["copy", "A", "A"]).contains("into itself"));
    place.write("rows.jsonl", "");
    assert!(
        place
            .refused(&["import", "NOTHING", "rows.jsonl"])
            .contains("NOTHING")
    );
    // A missing table leaves no file.
    place.refused(&["export", "NOTHING", "-o", "out.jsonl"]);
    assert!(!place.path("out.jsonl").exists());

    let said = place.refused(&["models"]);
    assert!(
        said.contains("layouts.lock") && said.contains("--lock"),
        "{said}"
    );
    with_lock(&place);
    let said = place.refused(&["query", "Weather"]);
    assert!(
        said.contains("no model `Weather`, but Observation"),
        "{said}"
    );
    let said = place.refused(&["insert", "Observation", "missing.csv"]);
    assert!(said.contains("missing.csv"), "{said}");
    let said = place.refused(&["insert", "Observation", "layouts.lock"]);
    assert!(said.contains("--format"), "{said}");
    let said = place.refused(&["apply", "--drop-family", "OBS2"]);
    assert!(said.contains("OBS2"), "{said}");
}

#[test]
fn a_line_that_is_no_event_is_named_and_nothing_is_written() {
    let place = Place::served();
    with_lock(&place);
    place.done(&["apply"]);
    let good = "EWR,2013-01-01T00:00:00Z,2013-01-01,30\n";
    for (file, line, words) in [
        ("EWRX,2013-01-01T00:00:00Z,2013-01-01,30\n", 3, "station"),
        ("EWR,yesterday,2013-01-01,30\n", 3, "at"),
        ("EWR,2013-01-01T01:00:00Z,2013-01-01,warm\n", 3, "temp"),
        ("EWR,2013-01-01T01:00:00Z,,30\n", 3, "local_date"),
        ("EWR,2013-01-01T01:00:00Z\n", 3, ""),
    ] {
        place.write(
            "bad.csv",
            &format!("station,at,local_date,temp\n{good}{file}"),
        );
        let said = place.refused(&["insert", "Observation", "bad.csv"]);
        assert!(said.contains(words), "{said}");
        assert!(
            said.contains(&format!("line {line}")) || words.is_empty() || words == "station",
            "{said}"
        );
    }
    place.write("other.csv", "station,when\nEWR,2013\n");
    let said = place.refused(&["insert", "Observation", "other.csv"]);
    assert!(said.contains("`when` is no field of Observation"), "{said}");
    place.write("bad.jsonl", "{\"station\":{}}");
    let said = place.refused(&["insert", "Observation", "bad.jsonl"]);
    assert!(said.contains("line 1: field `station`"), "{said}");
    assert_eq!(place.done(&["count", "Observation", "--scan"]), "0\n");
}

#[test]
fn mistakes_of_queries_are_named() {
    let place = Place::served();
    with_lock(&place);
    place.done(&["apply"]);
    let refused = |options: &[&str]| place.refused(&[&["count", "Observation"], options].concat());
    assert!(refused(&["--at", "soon"]).contains("soon"));
    assert!(refused(&["--set", "station"]).contains("FIELD=VALUE"));
    assert!(refused(&["--set", "speed=5"]).contains("speed"));
    assert!(refused(&[]).contains("station"));
    let unknown = place.run(&["count", "Observation", "--speed", "5"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(unknown.error.contains("--speed"), "{unknown:?}");
    let before = place.refused(&["count", "--station", "EWR", "Observation"]);
    assert!(before.contains("stands before the model"), "{before}");
}

#[test]
fn a_backend_is_named_or_asked_for() {
    let place = Place::served();
    let without = said(place.command(&["tables"]).env_remove("BIGTABLE_BACKEND"));
    assert!(
        without.code == 1 && without.error.contains("--backend"),
        "{without:?}"
    );
    let unknown = place.refused(&["tables", "--backend", "prod"]);
    assert!(unknown.contains("bigtable-model.toml"), "{unknown}");
    place.write(
        "bigtable-model.toml",
        "[backends]\nlocal = \"bigtable://cli/test\"\n",
    );
    let unknown = place.refused(&["tables", "--backend", "prod"]);
    assert!(
        unknown.contains("no backend `prod`, but local"),
        "{unknown}"
    );
    assert!(place.done(&["tables", "--backend", "local"]).is_empty());
    let scheme = place.refused(&["tables", "--backend", "mysql://x"]);
    assert!(scheme.contains("mysql"), "{scheme}");
    // A missing credentials file is named before anything is sent.
    let without = said(
        place
            .command(&["tables", "--backend", "bigtable://cli/test"])
            .env_remove("BIGTABLE_EMULATOR_HOST")
            .env("GOOGLE_APPLICATION_CREDENTIALS", "nobody.json"),
    );
    assert_eq!(without.code, 1, "{without:?}");
    assert!(without.error.contains("nobody.json"), "{without:?}");
    // Nobody listens there: the error comes within the client's own timeout.
    let nowhere = said(
        place
            .command(&["tables", "--backend", "bigtable://cli"])
            .env_remove("BIGTABLE_EMULATOR_HOST"),
    );
    assert_eq!(nowhere.code, 1, "{nowhere:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let place = Place::served();
    with_lock(&place);
    place.done(&["apply"]);
    place.write(
        "one.csv",
        "station,at,local_date\nEWR,2013-01-01T00:00:00Z,2013-01-01\n",
    );
    place.done(&["insert", "Observation", "one.csv"]);
    let said = place.refused(&["export", "WEATHER", "-o", "/dev/full"]);
    assert!(said.contains("No space left"), "{said}");
    let said = place.refused(&[
        "query",
        "Observation",
        "--scan",
        "--format",
        "csv",
        "-o",
        "/dev/full",
    ]);
    assert!(said.contains("No space left"), "{said}");
}

#[test]
fn help_begins_with_a_screen_that_is_enough() {
    let place = Place::served();
    let help = place.done(&["--help"]);
    let first: Vec<&str> = help.lines().take(24).collect();
    let first = first.join("\n");
    for words in [
        "Usage:",
        "Examples:",
        "--backend",
        "--lock",
        "generate",
        "query",
        "apply",
    ] {
        assert!(first.contains(words), "{words}: {first}");
    }
    for command in ["query", "audit", "insert", "delete"] {
        let help = place.done(&[command, "--help"]);
        assert!(help.contains("MODEL") && help.contains("--lock"), "{help}");
    }
    with_lock(&place);
    let help = place.done(&["query", "--help"]);
    assert!(help.contains("The models are Observation"), "{help}");
    let help = place.done(&["query", "Observation", "--help"]);
    assert!(
        help.contains("--station") && help.contains("--wind-direction"),
        "{help}"
    );
    let wrong = place.run(&["tabels"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.error.contains("tables"), "{wrong:?}");
}

/// Options of all commands may be before the command, or after a model.
#[test]
fn options_stand_anywhere() {
    let place = Place::served();
    with_lock(&place);
    place.done(&["apply"]);
    let backend = "bigtable://cli/test";
    place.done(&["--backend", backend, "count", "Observation", "--scan"]);
    let counted = said(
        place
            .command(&[
                "count",
                "Observation",
                "--backend",
                backend,
                "--scan",
                "--lock=layouts.lock",
            ])
            .env_remove("BIGTABLE_BACKEND"),
    );
    assert_eq!(
        (counted.code, counted.out.as_str()),
        (0, "0\n"),
        "{counted:?}"
    );
    let other = place.refused(&["count", "Observation", "--scan", "--lock", "other.lock"]);
    assert!(other.contains("other.lock"), "{other}");
}

/// No test builds the container, but its command must exist.
#[test]
fn the_containers_command_is_known() {
    let file = include_str!("../../Containerfile");
    let mut lines = file.lines();
    let words = lines.find_map(|line| line.strip_prefix("CMD ")).unwrap();
    let mut words: Vec<String> = serde_json::from_str(words).unwrap();
    assert_eq!(words.first().map(String::as_str), Some("serve"));
    words.push("--help".to_owned());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert!(Place::served().done(&words).contains("--gc-every"));
}
