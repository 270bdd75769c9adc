//! `bigtable-model`: a command for people who look after Bigtable tables.

use std::process::ExitCode;

fn main() -> ExitCode {
    bigtable_model_cli::run_with_lock()
}
