//! The layout of the folders is the architecture: crates and folders are floors, and a lower floor
//! never imports an upper one.
//!
//! `floors.rs` lists the floors of each folder from the ground up. The test parses every source
//! file, resolves what it names in its own crate to the module that defines it, and fails on an
//! import that goes up, on a module that has no floor, on a circle between the modules of a
//! folder, and on files that need each other, wherever they are.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod api;
mod floors;
mod modules;
mod names;
mod rules;
mod sources;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use modules::Crate;
use sources::Sources;

/// The crates, from the ground up, with the folder of each.
const CRATES: &[(&str, &str)] = &[
    ("bigtable_backend", "bigtable-model/backend/src"),
    ("bigtable_derive", "bigtable-derive/src"),
    ("bigtable_model", "bigtable-model/src"),
    ("bigtable_load", "bigtable-model/load/src"),
    ("bigtable_pack", "bigtable-model/pack/src"),
    ("bigtable_model_cli", "bigtable-model/cli/src"),
];

fn at(folder: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    root.join(folder)
}

fn load(folder: &str) -> Crate {
    Crate::load(&at(folder))
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
    assert_none(&faults, "circles stand between folders");
}

/// Two files that need each other must be read together: they are one noun, or what both need
/// belongs in a file of its own. `floors.rs` lists the circles that are left.
#[test]
fn no_files_need_each_other() {
    let faults: Vec<String> = CRATES
        .iter()
        .flat_map(|(name, folder)| rules::file_circles(name, &load(folder)))
        .collect();
    assert_none(&faults, "circles of files stand, or are listed that do not");
}

#[test]
fn no_folder_and_no_file_is_too_large() {
    let faults: Vec<String> = CRATES
        .iter()
        .flat_map(|(name, folder)| rules::too_large(name, &load(folder)))
        .collect();
    assert_none(&faults, "files or folders are too large");
}

/// The other tests would pass unnoticed if name resolution failed.
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

/// The public API of each crate is in a file, so a change shows up in review. `BLESS=1` rewrites
/// the files.
#[test]
fn public_items_are_those_on_the_list() {
    let mut changed = Vec::new();
    for (name, folder) in [CRATES[0], CRATES[2], CRATES[3]] {
        let shown = api::of(name, &Sources::load(&at(folder)));
        let list = at("tests/house/api").join(format!("{name}.txt"));
        if env::var_os("BLESS").is_some() {
            fs::write(&list, &shown).unwrap();
        }
        let listed = fs::read_to_string(&list).unwrap_or_default();
        changed.extend(differences(name, &listed, &shown));
    }
    assert_none(
        &changed,
        "public items are not as tests/house/api lists them; with BLESS=1 this test writes the lists",
    );
}

/// The lines that only one of two lists has, each with its item.
fn differences(name: &str, listed: &str, shown: &str) -> Vec<String> {
    let (listed, shown) = (with_items(listed), with_items(shown));
    let gone = listed
        .difference(&shown)
        .map(|line| format!("{name}: - {line}"));
    let new = shown
        .difference(&listed)
        .map(|line| format!("{name}: + {line}"));
    gone.chain(new).collect()
}

fn with_items(list: &str) -> BTreeSet<String> {
    let mut item = "";
    let lines = list.lines().map(|line| {
        if !line.starts_with(' ') {
            item = line;
            return line.to_owned();
        }
        format!("{item}: {}", line.trim())
    });
    lines.collect()
}
