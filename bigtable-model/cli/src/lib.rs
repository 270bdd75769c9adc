//! `bigtable-model`: a command for people who look after Bigtable tables.
//!
//! ```sh
//! cargo install bigtable-model-cli
//! bigtable-model serve --data ./data &             # a Bigtable on this machine
//! export BIGTABLE_EMULATOR_HOST=127.0.0.1:8086
//! export BIGTABLE_BACKEND=bigtable://my-project/my-instance
//! bigtable-model tables
//! bigtable-model query Quote --exchange NASDAQ --symbol ZXZZT --at 2015-03-16..2015-03-17
//! ```
//!
//! Commands that need no model work on any table: `tables`, `describe`, `generate`, `presplit`,
//! `export`, `import`, `copy`, `truncate`, `drop`, `sql`, `serve`. Commands that need a model take
//! it from the [lock file](bigtable_model::lock): `models`, `query`, `count`, `latest`, `watch`,
//! `explain`, `price`, `heat`, `audit`, `insert`, `delete`, `pack`, `unpack`, `diff`, `apply`,
//! `print`.
//!
//! [`laptop`] has the first steps with a Bigtable on this machine, in six languages.
//!
//! Values of columns that are marked `sensitive` are not printed; `export`, `copy` and `--save` move
//! them as they are.
//!
//! # Backends by name
//!
//! A file `bigtable-model.toml` in the folder where the command runs, or that of `--config`, names
//! backends:
//!
//! ```toml
//! [backends]
//! local = "bigtable://any/any"                  # with BIGTABLE_EMULATOR_HOST
//! prod = "bigtable://my-project/my-instance"
//! ```
//!
//! `--backend prod` then means that target. Credentials are Google's Application Default
//! Credentials; no file of the command contains them.
//!
//! # With types of your own
//!
//! A lock file does not contain code: with it alone, events with a codec of your own,
//! `serialize(...)` or a mirror cannot be written. A program of three lines has all of it:
//!
//! ```no_run
//! use bigtable_model::Model;
//!
//! #[derive(Model)]
//! #[bigtable(table = "SESSION", family = "S")]
//! struct Session {
//!     #[bigtable(key)]
//!     user: String,
//!     page: String,
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     bigtable_model_cli::run::<(Session,)>()
//! }
//! ```

#[doc = include_str!("laptop.md")]
pub mod laptop {}

mod args;
mod backend;
mod chart;
mod commands;
mod failure;
mod fields;
mod generate;
mod models;
mod output;
mod signal;
mod text;
mod verb;

use std::process::ExitCode;

use clap::Parser as _;

pub use models::Types;

use args::Arguments;
use models::Source;

/// Runs the command with the models of the lock file that `--lock` names.
#[must_use]
pub fn run_with_lock() -> ExitCode {
    run_on(Source::File)
}

/// Runs the command with these models.
#[must_use]
pub fn run<T: Types>() -> ExitCode {
    run_on(Source::of::<T>())
}

fn run_on(source: Source) -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::of_usage(&error),
    };
    let done = arguments.with_globals();
    match done.and_then(|arguments| commands::run(arguments, source)) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
