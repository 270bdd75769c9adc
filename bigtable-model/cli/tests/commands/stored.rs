//! Commands that look at what is stored, and those that print for other tools.

use crate::models::{observations, with_lock};
use crate::place::{Place, said};

/// The weather of three stations over two days.
fn filled(place: &Place) {
    with_lock(place);
    place.done(&["apply"]);
    place.write("days.csv", &observations(&["EWR", "JFK", "LGA"], 0..48));
    place.done(&["insert", "Observation", "days.csv"]);
}

#[test]
fn structs_are_proposed_from_rows() {
    for place in Place::all() {
        filled(&place);
        let source = place.done(&["generate", "WEATHER"]);
        for words in [
            "It reads 144 of 144 sampled rows",
            "#[bigtable(table = \"WEATHER\", family = \"OBS\"",
            "#[bigtable(time, unit = \"s\")]\n    pub at: Timestamp,",
            "#[bigtable(column = \"WINDDIR\", text)]\n    pub winddir: i64,",
            // Every fifth hour has no temperature.
            "pub temp: Option<f64>,",
        ] {
            assert!(source.contains(words), "{words}: {source}");
        }
        let said = place.refused(&["generate", "NONE"]);
        assert!(said.contains("NONE"), "{said}");
    }
}

/// A column with the value of a segment is a column of that field.
#[test]
fn a_column_that_repeats_a_segment_is_found() {
    let place = Place::served();
    place.done(&["presplit", "RACES", "--family", "F", "--at", "n"]);
    let mut csv = String::from("key,family,qualifier,micros,value\n");
    for (race, hour) in [("monaco", 1), ("spa", 2), ("monza", 3), ("suzuka", 4)] {
        let key = format!("{race}#202103050{hour}");
        for (qualifier, value) in [("race", race), ("laps", "78")] {
            csv.push_str(&format!("{key},F,{qualifier},1000,{value}\n"));
        }
    }
    place.write("races.csv", &csv);
    place.done(&["import", "RACES", "races.csv"]);
    let source = place.done(&["generate", "RACES"]);
    let words = "#[bigtable(key, column = \"race\")]\n    pub race: String,";
    assert!(source.contains(words), "{source}");
    assert!(source.contains("It reads 4 of 4 sampled rows"), "{source}");
}

#[test]
fn a_table_is_split_where_another_has_its_keys() {
    for place in Place::all() {
        filled(&place);
        let said = place.done(&["presplit", "NEW", "--like", "WEATHER", "--parts", "3"]);
        let split = said.lines().skip(1).map(|line| line.trim().get(..3));
        assert!(said.starts_with("NEW is created in 3 parts"), "{said}");
        assert_eq!(split.collect::<Vec<_>>(), [Some("JFK"), Some("LGA")]);
        assert!(place.done(&["describe", "NEW"]).contains("\"OBS\""));
        let twice = place.refused(&["presplit", "NEW", "--like", "WEATHER", "--parts", "3"]);
        assert!(twice.contains("NEW"), "{twice}");
    }
}

#[test]
fn deletes_say_what_goes_and_want_the_name() {
    for place in Place::all() {
        filled(&place);
        let day = ["--station", "EWR", "--at", "2013-01-01..2013-01-02"];
        let delete = |more: &[&'static str]| [&["delete", "Observation"], &day[..], more].concat();
        let count = || place.done(&["count", "Observation", "--scan"]);
        let asked = place.run(&delete(&[]));
        assert_eq!(asked.code, 1, "{asked:?}");
        for words in [
            "--confirm WEATHER",
            "events of Observation",
            "station=EWR at=2013-01-01T",
        ] {
            assert!(asked.error.contains(words), "{words}: {asked:?}");
        }
        let open = [
            "delete",
            "Observation",
            "--at",
            "2013-01-01..",
            "--confirm",
            "WEATHER",
        ];
        assert!(place.refused(&open).contains("has no end"));
        assert_eq!(count(), "144\n");

        let found = place.done(&[&["count", "Observation"], &day[..]].concat());
        let found: usize = found.trim().parse().unwrap();
        assert!((1..48).contains(&found), "{found}");
        let done = place.done(&delete(&["--confirm", "WEATHER", "--save", "gone.jsonl"]));
        assert_eq!(done, format!("{found} events deleted\n"));
        assert_eq!(place.read("gone.jsonl").lines().count(), found);
        assert_eq!(count(), format!("{}\n", 144 - found));
        // The file restores them.
        place.done(&["insert", "Observation", "gone.jsonl"]);
        assert_eq!(count(), "144\n");
    }
}

#[test]
fn audits_name_rows_that_are_not_the_models() {
    for place in Place::all() {
        filled(&place);
        let clean = place.run(&["audit", "Observation"]);
        assert_eq!(clean.code, 0, "{clean:?}");
        assert!(clean.out.contains("144 rows with 144 events"), "{clean:?}");
        let foreign = "key,family,qualifier,micros,value\nnobody,OBS,TEMP,1000,1\n";
        place.write("foreign.csv", foreign);
        place.done(&["import", "WEATHER", "foreign.csv"]);
        let unclean = place.run(&["audit", "Observation", "--full"]);
        assert_eq!(unclean.code, 1, "{unclean:?}");
        assert!(
            unclean.out.contains("keys of no event of the model: 1,"),
            "{unclean:?}"
        );
        assert!(unclean.out.contains("nobody"), "{unclean:?}");
    }
}

#[test]
fn costs_and_heat_are_shown() {
    for place in Place::all() {
        filled(&place);
        let price = place.done(&[
            "price",
            "Observation",
            "--station",
            "EWR",
            "--a-second",
            "10",
        ]);
        assert!(price.contains("48 events in 1 scan"), "{price}");
        assert!(price.contains("1 node"), "{price}");
        place.done(&["heat", "Observation", "--scan", "--html", "heat.html"]);
        assert!(place.read("heat.html").contains("Writes of Observation"));
        // With events from a file, no backend is needed.
        let planned = said(
            place
                .command(&["heat", "Observation", "--events", "days.csv"])
                .env_remove("BIGTABLE_BACKEND"),
        );
        let stored = place.done(&["heat", "Observation", "--scan"]);
        assert_eq!(planned.code, 0, "{planned:?}");
        assert_eq!(planned.out, stored);
        let full = place.refused(&["heat", "Observation", "--scan", "--html", "/dev/full"]);
        assert!(full.contains("No space left"), "{full}");
        let newest = [
            "latest",
            "Observation",
            "--station",
            "EWR",
            "--format",
            "csv",
        ];
        let latest = place.done(&newest);
        let line = latest.lines().nth(1).unwrap();
        assert!(line.starts_with("EWR,2013-01-0"), "{latest}");
    }
}

#[test]
fn other_tools_get_their_files() {
    let place = Place::served();
    with_lock(&place);
    for (form, words) in [
        (
            "terraform",
            "resource \"google_bigtable_table\" \"weather\"",
        ),
        (
            "gcloud",
            "gcloud bigtable instances tables create 'WEATHER'",
        ),
        ("cbt", "cbt createtable 'WEATHER' 'families=OBS'"),
        ("cbt-format", "families:"),
    ] {
        let printed = place.done(&["print", form]);
        assert!(printed.contains(words), "{form}: {printed}");
    }
    let unknown = place.refused(&["print", "cbt", "Observatoin"]);
    assert!(unknown.contains("Observation"), "{unknown}");
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.done(&["completions", shell]).contains("generate"));
    }
    assert!(place.done(&["man"]).starts_with(".ie"));
}

/// A sample is of all rows, wherever the table is split.
#[test]
fn a_struct_is_of_all_rows() {
    for place in Place::all() {
        filled(&place);
        let source = place.done(&["generate", "WEATHER", "--rows", "60"]);
        assert!(source.contains("3 values"), "{source}");
        let described = place.done(&["describe", "WEATHER", "--rows", "60"]);
        assert!(described.contains("A#9{10}"), "{described}");
    }
}

#[test]
fn chosen_columns_alone_are_printed() {
    let place = Place::served();
    filled(&place);
    let query = [
        "query",
        "Observation",
        "--station",
        "EWR",
        "--at",
        "2013-01-01..2013-01-02",
    ];
    let more = ["--columns", "temp,wind_direction", "--format", "csv"];
    let found = place.done(&[&query[..], &more].concat());
    assert!(
        found.starts_with("station,at,temp,wind_direction\n"),
        "{found}"
    );
    let refused = place.refused(&["count", "Observation", "--at", "2013-01-01.."]);
    assert!(!refused.contains("scan()"), "{refused}");
    let whole = place.refused(&["count", "Observation"]);
    assert!(whole.contains("add `--scan`"), "{whole}");
}
