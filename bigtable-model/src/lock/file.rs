//! Reads, compares and writes the lock file.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;

use super::change::Change;
use super::locked::FORMAT;
use super::models::{compare_all, current};
use super::{Lock, LockError, Models};
use crate::error::in_words;

/// The variable that says what [`check`] does.
const MODE: &str = "BIGTABLE_MODEL_LOCK";

/// The beginning of the file.
const HEAD: &str = "\
# What stored rows depend on, model by model: read every change of this file as one of stored data.
# Written by `BIGTABLE_MODEL_LOCK=write cargo test`; not to be edited by hand.

";

/// Checks that stored rows survive the current models, in one line of a test.
///
/// `path` is relative to the folder of the package's `Cargo.toml`. Check in the file; nothing is
/// sent anywhere.
///
/// ```no_run
/// # use bigtable_model::{Model, Timestamp};
/// # #[derive(Model)]
/// # #[bigtable(table = "QUOTE", family = "MD")]
/// # struct Quote { #[bigtable(key)] symbol: String, #[bigtable(time)] at: Timestamp, bid: f64 }
/// # #[derive(Model)]
/// # #[bigtable(table = "TRADE", family = "MD")]
/// # struct Trade { #[bigtable(key)] symbol: String, #[bigtable(time)] at: Timestamp, price: f64 }
/// #[test]
/// fn stored_rows_outlive_the_code() {
///     bigtable_model::lock::check::<(Quote, Trade)>("layouts.lock");
/// }
/// # fn main() {}
/// ```
///
/// The environment variable `BIGTABLE_MODEL_LOCK` decides what it does:
///
/// - `check`, or unset: changes of stored bytes fail, and so do models that the file lacks. Changes
///   that affect only reads pass, and are reported on standard error.
/// - `strict`: these fail too, until the file is rewritten. For continuous integration.
/// - `write`: writes the file, and reports what has changed.
///
/// # Panics
/// If a change is refused, with all changes and their meaning for stored rows; and if the file is
/// missing, is not a lock file, or cannot be written.
#[allow(clippy::panic, reason = "it is what a test fails by")]
#[track_caller]
pub fn check<M: Models>(path: impl AsRef<Path>) {
    let mode = std::env::var(MODE).unwrap_or_default();
    let path = in_package(path.as_ref());
    match mode.parse().and_then(|mode| check_file::<M>(&path, mode)) {
        Ok(changes) => tell(&path, &changes),
        Err(error) => panic!("{}", in_words(&error)),
    }
}

/// Like [`check`], for a file at any path: returns the changes that are allowed or were written.
/// [`Mode::Write`] creates a missing file; each model is then a change.
///
/// # Errors
/// [`LockError::Changed`] if a change is refused, and the errors of reading and writing the file.
pub fn check_file<M: Models>(path: &Path, mode: Mode) -> Result<Vec<Change>, LockError> {
    let models = current::<M>()?;
    let was = match read(path) {
        Err(LockError::Missing { .. }) if mode == Mode::Write => Lock::default(),
        // A file that is overwritten need not be valid.
        Err(LockError::Malformed { .. } | LockError::Format(_)) if mode == Mode::Write => {
            Lock::default()
        }
        other => other?,
    };
    let changes = compare_all(&was, &models)?;
    let is_refused = |change: &Change| mode == Mode::Strict || change.class.is_refused();
    match mode {
        Mode::Write => {
            let models = models.into_values().map(|one| (one.name, one.locked));
            let lock = Lock {
                models: models.collect(),
                ..Lock::default()
            };
            write(path, &lock)?;
        }
        _ if changes.iter().any(is_refused) => {
            return Err(LockError::Changed {
                path: path.to_owned(),
                changes,
            });
        }
        _ => {}
    }
    Ok(changes)
}

/// What to do with a lock file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Refuses changes that stored rows would not survive.
    #[default]
    Check,
    /// Refuses every difference from the file.
    Strict,
    /// Writes the file.
    Write,
}

/// `check` (or nothing), `strict`, `write`.
impl FromStr for Mode {
    type Err = LockError;

    fn from_str(text: &str) -> Result<Self, LockError> {
        match text {
            "" | "check" => Ok(Self::Check),
            "strict" => Ok(Self::Strict),
            "write" => Ok(Self::Write),
            other => Err(LockError::Mode(other.to_owned())),
        }
    }
}

/// Tests run in any folder, but Cargo names that of the package.
fn in_package(path: &Path) -> PathBuf {
    match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(package) => Path::new(&package).join(path),
        None => path.to_owned(),
    }
}

impl Lock {
    /// Reads a lock file.
    ///
    /// # Errors
    /// [`LockError::Missing`], [`LockError::Io`], [`LockError::Malformed`] and
    /// [`LockError::Format`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LockError> {
        read(path.as_ref())
    }
}

fn read(path: &Path) -> Result<Lock, LockError> {
    let text = std::fs::read_to_string(path).map_err(|source| match source.kind() {
        ErrorKind::NotFound => LockError::Missing {
            path: path.to_owned(),
        },
        _ => LockError::Io {
            path: path.to_owned(),
            source,
        },
    })?;
    let malformed = |error: toml::de::Error| LockError::Malformed {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    // A later format may have unknown parts.
    let form: Form = toml::from_str(&text).map_err(malformed)?;
    match form.format {
        FORMAT => toml::from_str(&text).map_err(malformed),
        other => Err(LockError::Format(other)),
    }
}

#[derive(Deserialize)]
struct Form {
    format: u32,
}

fn write(path: &Path, lock: &Lock) -> Result<(), LockError> {
    let failed = |source| LockError::Io {
        path: path.to_owned(),
        source,
    };
    let text =
        toml::to_string_pretty(lock).map_err(|error| failed(std::io::Error::other(error)))?;
    std::fs::write(path, format!("{HEAD}{text}")).map_err(failed)
}

/// Reports on standard error, even from a test that passes.
fn tell(path: &Path, changes: &[Change]) {
    let mut lines = String::new();
    for change in changes {
        let _ = writeln!(lines, "{}: {change}", path.display());
    }
    // A failure to report cannot be reported.
    let _ = std::io::stderr().write_all(lines.as_bytes());
}
