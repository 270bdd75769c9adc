//! The lock file of the program's own types.

use std::path::Path;
use std::process::ExitCode;

use bigtable_model::lock::Mode;

use crate::args::LockFile;
use crate::failure::Failure;
use crate::models::Source;
use crate::output::print;

/// Compares the models with the lock file, or writes it.
pub(super) fn run(source: Source, path: &Path, options: &LockFile) -> Result<ExitCode, Failure> {
    let Source::Program { lock, .. } = source else {
        return Err(Failure::new(
            "a lock file is written by the program that has the types: its `main` calls `bigtable_model_cli::run::<(Quote, Trade)>()`",
        ));
    };
    let mode = match (options.write, options.strict) {
        (true, _) => Mode::Write,
        (_, true) => Mode::Strict,
        _ => Mode::Check,
    };
    for change in lock(path, mode)? {
        print(&format!("{change}\n"))?;
    }
    print(&match mode {
        Mode::Write => format!("{} is written\n", path.display()),
        _ => format!("stored rows of {} outlive the program\n", path.display()),
    })?;
    Ok(ExitCode::SUCCESS)
}
