//! The programs under test.

use std::path::{Path, PathBuf};

/// An example's program: Cargo builds examples before it tests their package, and puts them next to
/// the tests' folder.
pub(crate) fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let built = tests.parent().and_then(Path::parent).unwrap();
    let program = built.join("examples").join(name);
    assert!(
        program.exists(),
        "{} is not built: run `cargo build -p bigtable-model-examples --example {name}`",
        program.display()
    );
    program
}
