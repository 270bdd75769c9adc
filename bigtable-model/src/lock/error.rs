use std::fmt;
use std::path::PathBuf;

use super::Change;

/// Why a lock file cannot be compared with models, or how they differ.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Two models have the same name, which identifies them in the file.
    #[error("two models are named `{0}`: check them with a file each")]
    SameName(String),
    /// The sample event of a model cannot be written.
    #[error("the sample event of `{model}`")]
    Sample {
        /// The model.
        model: String,
        /// Why.
        source: Box<crate::Error>,
    },
    /// The file's format has another version than this crate writes.
    #[error("the lock file has format {0}, but this version of bigtable-model knows format 1")]
    Format(u32),
    /// The file does not exist.
    #[error(
        "there is no lock file {}: write it with `BIGTABLE_MODEL_LOCK=write cargo test`, and commit it", path.display()
    )]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The file cannot be read or written.
    #[error("lock file {}", path.display())]
    Io {
        /// Where it is.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not a valid lock file: it was changed by hand, or in a merge.
    #[error("{} is not a lock file; `BIGTABLE_MODEL_LOCK=write cargo test` rewrites it: {reason}", path.display())]
    Malformed {
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The models differ from the file.
    #[error("{} is not what the models are\n{}", path.display(), Lines(changes))]
    Changed {
        /// Where the file is.
        path: PathBuf,
        /// All changes, including those that are allowed.
        changes: Vec<Change>,
    },
    /// `BIGTABLE_MODEL_LOCK` has another value than `check`, `strict` and `write`.
    #[error("BIGTABLE_MODEL_LOCK is `{0}`: it takes `check`, `strict` or `write`")]
    Mode(String),
}

/// The changes, the worst first, and what to do.
struct Lines<'a>(&'a [Change]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut changes: Vec<&Change> = self.0.iter().collect();
        changes.sort_by_key(|change| change.class);
        for change in changes {
            writeln!(f, "  {change}")?;
        }
        f.write_str(
            "A refused change needs another way: the guide has one for each. If no row is stored, or \
             none has to outlive the change, `BIGTABLE_MODEL_LOCK=write cargo test` rewrites the \
             file.",
        )
    }
}
