//! The structs that `generate` proposes compile and read every row: for the tables that Google's
//! documents print, for the examples', and for tables as others keep them.
//!
//! `BLESS=1` writes the files with the structs.

mod documents;
mod examples;
mod reads;
mod sample;
mod strangers;
#[rustfmt::skip]
mod structs;

use std::path::Path;

use crate::place::Place;
use sample::Sample;

/// Compares what is proposed now with the file of structs.
fn check(file: &str, samples: &[Sample]) {
    let place = Place::served();
    let mut text = String::from(
        "//! What `generate` proposes.\n#![allow(dead_code, unused_imports, reason = \"as a user has them\")]\n",
    );
    for sample in samples {
        let module = sample.table.to_lowercase();
        let proposed = sample.proposed(&place);
        text.push_str(&format!("\npub(crate) mod {module} {{\n{proposed}}}\n"));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/generated/structs");
    let path = path.join(file);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, kept, "BLESS=1 writes {}", path.display());
}

/// The first word of a table's ID, in lower case.
fn group(table: &str) -> String {
    let word = table.split('_').next().unwrap_or(table);
    word.to_lowercase()
}

#[test]
fn the_documents_tables_have_these_structs() {
    for group in documents::all().chunk_by(|one, other| group(&one.table) == group(&other.table)) {
        let file = format!("{}.rs", self::group(&group[0].table));
        check(&file, group);
    }
}

#[test]
fn the_examples_tables_have_these_structs() {
    check("examples.rs", &examples::all());
}

#[test]
fn tables_of_strangers_have_these_structs() {
    let all = strangers::all();
    let (some, others) = all.split_at(all.len() / 2);
    check("strangers.rs", some);
    check("more_strangers.rs", others);
}
