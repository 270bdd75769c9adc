//! Why a command failed, in one sentence, and its exit code.

use std::error::Error;
use std::fmt::Display;
use std::io;
use std::process::ExitCode;

/// What ends a command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command could not do what it was asked for.
    Said(String),
    /// The arguments are wrong, as clap's error says.
    Usage(clap::Error),
    /// The pipe that it writes to was closed, for instance by `head`.
    ClosedPipe,
}

/// The exit code of a command that failed; wrong usage has clap's, 2.
const FAILED: u8 = 1;

impl Failure {
    pub(crate) fn new(text: impl Display) -> Self {
        Self::Said(text.to_string())
    }

    /// Prints it.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Said(text) => {
                eprintln!("error: {text}");
                ExitCode::from(FAILED)
            }
            Self::Usage(error) => of_usage(&error),
            Self::ClosedPipe => ExitCode::SUCCESS,
        }
    }
}

/// Prints an error of clap; a request for help is one too.
pub(crate) fn of_usage(error: &clap::Error) -> ExitCode {
    // Nobody may be there to read it.
    let _ = error.print();
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let kinds = causes(&error).filter_map(io_kind);
        match kinds
            .into_iter()
            .any(|kind| kind == io::ErrorKind::BrokenPipe)
        {
            true => Self::ClosedPipe,
            false => Self::Said(in_words(&error)),
        }
    }
}

/// The kind of an I/O error, also inside errors that do not name it as their source.
fn io_kind(error: &(dyn Error + 'static)) -> Option<io::ErrorKind> {
    if let Some(io) = error.downcast_ref::<io::Error>() {
        return Some(io.kind());
    }
    if let Some(json) = error.downcast_ref::<serde_json::Error>() {
        return json.io_error_kind();
    }
    match error.downcast_ref::<csv::Error>()?.kind() {
        csv::ErrorKind::Io(io) => Some(io.kind()),
        _ => None,
    }
}

/// An error and what caused it.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let next = |one: &&'a (dyn Error + 'static)| (*one).source();
    std::iter::successors(Some(error), next)
}

/// An error with its causes.
pub(crate) fn in_words(error: &(dyn Error + 'static)) -> String {
    let text = causes(error).fold(String::new(), |text, cause| match cause.to_string() {
        cause if text.is_empty() => cause,
        // An error may repeat what its cause says.
        cause if text.contains(&cause) => text,
        cause => format!("{text}: {cause}"),
    });
    // The advice is for code; here it is an option.
    text.replace("begin with `scan()`", "add `--scan`")
}

/// What was being done when an error occurred, to begin its sentence with.
pub(crate) trait Doing<T> {
    /// The error, after what was being done.
    fn doing(self, what: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T, E: Into<Failure>> Doing<T> for Result<T, E> {
    fn doing(self, what: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|error| match error.into() {
            Failure::Said(text) => Failure::Said(format!("{}: {text}", what())),
            other => other,
        })
    }
}
