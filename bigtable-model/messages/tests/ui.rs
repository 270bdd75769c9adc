//! Compiler messages for bad schemas. `TRYBUILD=overwrite cargo test --test ui` rewrites the
//! expected texts.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::io::Write as _;
use std::process::Command;

/// The compiler of the expected texts: its wording changes between releases.
const PINNED: &str = "rustc 1.95.";

#[test]
fn every_mistake_is_reported_at_its_place() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .unwrap()
        .stdout;
    let version = String::from_utf8(version).unwrap();
    if !version.starts_with(PINNED) {
        // Bypass the captured output, so the message is seen.
        let skipped = format!("skipped: the expected texts are for {PINNED}x, this is {version}");
        std::io::stderr().write_all(skipped.as_bytes()).unwrap();
        return;
    }
    trybuild::TestCases::new().compile_fail("ui/*/*.rs");
}

/// An expected text without its source would never be checked again.
#[test]
fn every_expected_text_has_its_case() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    for topic in std::fs::read_dir(root).unwrap() {
        for entry in std::fs::read_dir(topic.unwrap().path()).unwrap() {
            let path = entry.unwrap().path();
            let other = match path.extension().unwrap().to_str().unwrap() {
                "rs" => "stderr",
                "stderr" => "rs",
                other => panic!("{}: unexpected .{other}", path.display()),
            };
            let other = path.with_extension(other);
            assert!(other.exists(), "{} is missing", other.display());
        }
    }
}
