//! The command with a program's own types: the example `own_types`.

use std::path::Path;

use protox::prost::Message as _;
use protox::prost_reflect::prost_types::FileDescriptorSet;

use crate::place::{Place, own_types};

fn done(place: &Place, arguments: &[&str]) -> String {
    let said = place.own(arguments);
    assert_eq!(said.code, 0, "{arguments:?}: {said:?}");
    said.out
}

/// Two accounts; one has secrets.
fn filled(place: &Place) {
    done(place, &["apply"]);
    let accounts = concat!(
        "{\"user\": \"anna\", \"name\": \"Anna\", \"email\": \"a@b.example\", \"pin\": 4711}\n",
        "{\"user\": \"ben\", \"name\": \"Ben\"}\n",
    );
    place.write("accounts.jsonl", accounts);
    let cells = concat!(
        "key,family,qualifier,micros,value\n",
        "anna,A,name,1000,Anna\nanna,A,email,1000,a@b.example\nanna,A,pin,1000,4711\n",
        "anna,A,level,1000,***\nanna,A,balance,1000,\\x00\\x00\\x00\\x00\\x00\\x00\\x10\\x01\nben,A,name,1000,Ben\nben,A,level,1000,*\n",
    );
    place.write("accounts.csv", cells);
    place.done(&["import", "ACCOUNT", "accounts.csv"]);
}

#[test]
fn sensitive_values_are_never_printed() {
    for place in Place::all() {
        filled(&place);
        for arguments in [
            &["query", "Account", "--scan"][..],
            &["query", "Account", "--scan", "--format", "csv"],
            &["query", "Account", "--scan", "--format", "jsonl"],
            &["latest", "Account", "--user", "anna"],
            &["describe", "ACCOUNT"],
            &["audit", "Account"],
            &["explain", "Account", "--user", "anna"],
            &["delete", "Account", "--user", "anna"],
        ] {
            let said = place.own(arguments);
            let all = format!("{}{}", said.out, said.error);
            assert!(
                all.contains("anna") || arguments[0] == "audit",
                "{arguments:?}: {all}"
            );
            assert!(
                !all.contains("a@b.example") && !all.contains("4711"),
                "{arguments:?}: {all}"
            );
        }
        let line = done(
            &place,
            &["query", "Account", "--user", "anna", "--format", "csv"],
        );
        assert!(
            line.ends_with("anna,Anna,***,***,***\n") || line.contains("anna,Anna,***,***"),
            "{line}"
        );
        // An absent value is not a secret.
        let line = done(
            &place,
            &["query", "Account", "--user", "ben", "--format", "jsonl"],
        );
        assert!(!line.contains("email"), "{line}");

        // An error about a value does not quote it.
        place.write(
            "bad.jsonl",
            "{\"user\": \"eve\", \"name\": \"Eve\", \"pin\": \"secret\"}",
        );
        let bad = place.own(&["insert", "Account", "bad.jsonl"]);
        assert_eq!(bad.code, 1, "{bad:?}");
        assert!(
            bad.error.contains("pin") && !bad.error.contains("secret"),
            "{bad:?}"
        );

        // Deleted events can be restored.
        let delete = [
            "delete",
            "Account",
            "--user",
            "anna",
            "--confirm",
            "ACCOUNT",
            "--save",
            "gone.jsonl",
        ];
        done(&place, &delete);
        assert!(place.read("gone.jsonl").contains("a@b.example"));
    }
}

/// Also if the name of the column is not stored, in tables by period.
#[test]
fn sensitive_values_in_names_of_times_are_not_printed() {
    let place = Place::served();
    place.done(&["presplit", "GLUCOSE_2024", "--family", "G", "--at", "m"]);
    place.write(
        "levels.csv",
        "key,family,qualifier,micros,value\nanna#20240501,G,0815,1000,5.71\n",
    );
    place.done(&["import", "GLUCOSE_2024", "levels.csv"]);
    let described = done(&place, &["describe", "GLUCOSE_2024"]);
    assert!(
        described.contains("G:0815") && !described.contains("5.71"),
        "{described}"
    );
    let found = done(
        &place,
        &[
            "query",
            "Glucose",
            "--user",
            "anna",
            "--at",
            "2024-05-01..2024-05-02",
        ],
    );
    assert!(
        found.contains("2024-05-01T08:15:00Z") && !found.contains("5.71"),
        "{found}"
    );
    // Without the types nothing says that the values are sensitive.
    assert!(place.done(&["describe", "GLUCOSE_2024"]).contains("5.71"));
}

#[test]
fn a_lock_file_is_written_and_compared() {
    let place = Place::served();
    let missing = place.own(&["lock"]);
    assert!(
        missing.code == 1 && missing.error.contains("layouts.lock"),
        "{missing:?}"
    );
    assert!(done(&place, &["lock", "--write"]).contains("layouts.lock is written"));
    assert!(done(&place, &["lock", "--strict"]).contains("outlive"));
    let other = place.read("layouts.lock").replace("A:name", "A:title");
    place.write("layouts.lock", &other);
    let changed = place.own(&["lock"]);
    assert_eq!(changed.code, 1, "{changed:?}");
    assert!(changed.error.contains("A:title"), "{changed:?}");

    done(&place, &["lock", "--write"]);
    filled(&place);
    // Without the types the codec is bytes, secrets stay secrets, and fields that need code are not
    // written.
    let found = place.done(&["query", "Account", "--user", "anna", "--format", "jsonl"]);
    assert!(
        found.contains("\"email\":\"***\"") && !found.contains("a@b"),
        "{found}"
    );
    let refused = place.refused(&["insert", "Account", "accounts.jsonl"]);
    assert!(refused.contains("level"), "{refused}");
    let written = place.refused(&["lock", "--write"]);
    assert!(written.contains("bigtable_model_cli::run"), "{written}");
}

#[test]
fn messages_are_printed() {
    let place = Place::served();
    let proto = done(&place, &["print", "proto", "Visit"]);
    assert!(
        proto.contains("message Visit {") && proto.contains("string page = 1;"),
        "{proto}"
    );
    let bundle = place
        .command_of(&own_types(), &["print", "bundle"])
        .output()
        .unwrap();
    let set = FileDescriptorSet::decode(&*bundle.stdout).unwrap();
    let names: Vec<&str> = set.file.iter().map(|file| file.name()).collect();
    assert_eq!(names, ["google/protobuf/timestamp.proto", "visit.proto"]);
    let visit = &set.file[1].message_type[0];
    let fields: Vec<_> = visit
        .field
        .iter()
        .map(|one| (one.name(), one.number()))
        .collect();
    assert_eq!(
        (visit.name(), fields),
        ("Visit", vec![("page", 1), ("since", 2)])
    );
    let none = place.own(&["print", "proto", "Account"]);
    assert!(
        none.code == 1 && none.error.contains("serialize(proto)"),
        "{none:?}"
    );
}

#[test]
fn cbt_shows_numbers_with_the_printed_file() {
    for place in Place::all() {
        filled(&place);
        place.write(
            "account.yml",
            &done(&place, &["print", "cbt-format", "Account"]),
        );
        let cbt = [
            "-project",
            "cli",
            "-instance",
            "test",
            "read",
            "ACCOUNT",
            "format-file=account.yml",
        ];
        let mut command = place.command_of(Path::new("cbt"), &cbt);
        let Ok(output) = command.output() else {
            eprintln!("skipped: Google's command-line client cbt is not installed");
            return;
        };
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.lines().any(|line| line.trim() == "4097"), "{shown}");
    }
}

#[test]
fn each_new_event_is_watched_for() {
    for place in Place::all() {
        filled(&place);
        let said = place.own(&[
            "watch", "Account", "--user", "anna", "--times", "2", "--every", "0.01",
        ]);
        // The second read has nothing new.
        assert_eq!((said.code, said.out.lines().count()), (0, 1), "{said:?}");
        assert!(said.out.contains("\"balance\":4097"), "{said:?}");
        let refused = |options: &[&str]| {
            let said = place.own(&[&["watch", "Account"], options].concat());
            assert_eq!(said.code, 1, "{said:?}");
            said.error
        };
        assert!(refused(&["--user", "anna", "--chart", "pin"]).contains("sensitive"));
        assert!(refused(&["--user", "anna", "--chart", "height"]).contains("no field `height`"));
        assert!(refused(&["--user", "anna", "--every", "0"]).contains("--every"));
        assert!(refused(&["--times", "1"]).contains("user"));
        // A negative number is a value, not an option.
        let none = done(
            &place,
            &["count", "Account", "--user", "anna", "--balance", "-5"],
        );
        assert_eq!(none, "0\n");
    }
}
