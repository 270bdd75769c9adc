//! The layout of the folders is the architecture: crates and folders are floors, and a lower floor
//! never imports an upper one.
//!
//! `floors.rs` lists the floors of each folder from the ground up. The test parses every source
//! file, resolves what it names in its own crate to the module that defines it, and fails on an
//! import that goes up, on a module that has no floor, and on a circle between the modules of a
//! folder.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod floors;
mod modules;
mod names;
mod rules;

use std::path::Path;

use modules::Crate;

/// The crates, from the ground up, with the folder of each.
const CRATES: &[(&str, &str)] = &[
    ("bigtable_backend", "bigtable-model/backend/src"),
    ("bigtable_derive", "bigtable-derive/src"),
    ("bigtable_model", "bigtable-model/src"),
];

/// Circles that still stand. One that is gone has to go from the list.
const STANDING: &[&str] = &[
    "bigtable_backend: grpc::{channel, observe, protocol, retry, settings}",
    "bigtable_backend: memory::{filter, read, store, write}",
];

fn load(folder: &str) -> Crate {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    Crate::load(&root.join(folder))
}

fn assert_none(faults: &[String], what: &str) {
    assert!(
        faults.is_empty(),
        "{} {what}:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn no_import_goes_up() {
    let faults: Vec<String> = CRATES
        .iter()
        .flat_map(|(name, folder)| rules::upward(name, &load(folder), floors::of(name)))
        .collect();
    assert_none(&faults, "imports go from a lower floor to an upper one");
}

#[test]
fn every_module_has_a_floor() {
    let faults: Vec<String> = CRATES
        .iter()
        .flat_map(|(name, folder)| rules::without_floor(name, &load(folder), floors::of(name)))
        .collect();
    assert_none(
        &faults,
        "modules stand on no floor, or floors name no module",
    );
}

#[test]
fn no_folders_import_each_other() {
    let faults: Vec<String> = CRATES
        .iter()
        .flat_map(|(name, folder)| rules::circles(name, &load(folder), *name == "bigtable_derive"))
        .collect();
    let (standing, faults): (Vec<_>, Vec<_>) =
        (faults.into_iter()).partition(|fault| STANDING.contains(&fault.as_str()));
    assert_none(&faults, "circles stand between folders");
    assert_eq!(standing, STANDING);
}

#[test]
fn no_folder_and_no_file_is_too_large() {
    let faults: Vec<String> = CRATES
        .iter()
        .flat_map(|(name, folder)| rules::too_large(name, &load(folder)))
        .collect();
    assert_none(&faults, "files or folders are too large");
}

/// What these tests would not see if resolving names went wrong without a word.
#[test]
fn imports_are_found() {
    let model = load("bigtable-model/src");
    let imports = model.imports("query::run::scan");
    assert!(
        imports.iter().any(|module| module.starts_with("model::")),
        "{imports:?}"
    );
    // `crate::key::KeyError` is defined in `key::error`.
    let all: Vec<_> = model.all_imports().collect();
    assert!(all.iter().any(|(_, to)| to == "key::error"), "{all:?}");
}
