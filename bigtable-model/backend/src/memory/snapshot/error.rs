use std::io;
use std::path::{Path, PathBuf};

/// Levels of unions and intersections in a garbage-collection rule.
pub(super) const RULE_LEVELS: usize = 100;

/// Why a snapshot cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The file system refused.
    #[error("cannot {doing} the snapshot {}", path.display())]
    Io {
        /// `read` or `write`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The file system's error.
        source: io::Error,
    },
    /// The file does not begin like a snapshot.
    #[error("{} is no snapshot: it does not begin with \"BTMODEL\"", path.display())]
    NotASnapshot {
        /// The file.
        path: PathBuf,
    },
    /// The file has another version of the format.
    #[error("the snapshot {} has version {found} of the format, this crate reads version {known}", path.display())]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that can be read.
        known: u32,
    },
    /// The file was cut off or changed.
    #[error("the snapshot {} is damaged at byte {offset}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where in the file: the block for a wrong checksum, the position in the block for wrong
        /// content.
        offset: u64,
        /// What is wrong there.
        what: String,
    },
    /// A garbage-collection rule has more levels of unions and intersections than can be read back.
    #[error("the rule of family {family} in table {table} has more than {levels} levels")]
    RuleTooDeep {
        /// The table's ID.
        table: String,
        /// The family.
        family: String,
        /// The levels allowed.
        levels: usize,
    },
}

impl SnapshotError {
    pub(super) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Io {
            doing,
            path,
            source,
        }
    }
}

/// What is wrong with a snapshot, before it is known which file it is.
#[derive(Debug)]
pub(super) enum Damage {
    Io(io::Error),
    NotASnapshot,
    UnknownVersion { found: u32, known: u32 },
    At { offset: u64, what: String },
}

impl Damage {
    pub(super) fn in_file(self, path: &Path) -> SnapshotError {
        let path = path.to_owned();
        match self {
            Self::Io(source) => SnapshotError::io("read", &path, source),
            Self::NotASnapshot => SnapshotError::NotASnapshot { path },
            Self::UnknownVersion { found, known } => {
                SnapshotError::UnknownVersion { path, found, known }
            }
            Self::At { offset, what } => SnapshotError::Damaged { path, offset, what },
        }
    }
}

/// Why a snapshot cannot be written, before it is known which file it is.
#[derive(Debug)]
pub(super) enum Unwritten {
    Io(io::Error),
    RuleTooDeep { table: String, family: String },
}

impl From<io::Error> for Unwritten {
    fn from(source: io::Error) -> Self {
        Self::Io(source)
    }
}

impl Unwritten {
    pub(super) fn in_file(self, path: &Path) -> SnapshotError {
        match self {
            Self::Io(source) => SnapshotError::io("write", path, source),
            Self::RuleTooDeep { table, family } => SnapshotError::RuleTooDeep {
                table,
                family,
                levels: RULE_LEVELS,
            },
        }
    }
}
