//! Instances that are kept in files.

mod name;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Instances;
#[cfg(doc)]
use super::Server;
use crate::file::remove_unfinished_in;
use crate::memory::{MemoryBackendBuilder, Revision, SnapshotError};
use crate::{Code, MemoryBackend, Status};

/// The file that the program which has the folder holds a lock on, until it ends in whatever way.
const LOCK: &str = ".lock";

/// Instances in memory that are kept in a folder, a file for each, so that a [`Server`] has them
/// again after a restart.
///
/// All files are loaded when the folder is opened. They are written when [`save`](Self::save) is
/// called and at no other time: what was written to an instance since then is lost with the
/// process.
///
/// A file is called `{project}.{instance}.snapshot`; bytes other than small letters, digits, `-`
/// and `_` are written as `%` and two digits. It is what [`MemoryBackend::save`] writes and
/// [`MemoryBackend::load`] reads. Files with other endings are left alone.
///
/// Clones share the instances.
///
/// ```
/// use bigtable_backend::MemoryBackend;
/// use bigtable_backend::server::{InstanceFolder, Server, ServerOptions};
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// # let path = std::env::temp_dir().join(format!("folder-{}", std::process::id()));
/// let folder = InstanceFolder::open(&path, MemoryBackend::builder())?;
/// let server = Server::bind("127.0.0.1:0", folder.instances(), &ServerOptions::default()).await?;
/// tokio::spawn(server.serve());
/// // Now and then, and at the end:
/// let saving = folder.clone();
/// tokio::task::spawn_blocking(move || saving.save()).await??;
/// # std::fs::remove_dir_all(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct InstanceFolder(Arc<Shared>);

/// Why an [`InstanceFolder`] can't be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The file system refused.
    #[error("can't open the folder {}", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// Its reason.
        source: io::Error,
    },
    /// Another program, or another [`InstanceFolder`] in this one, keeps its instances there.
    #[error("the folder {} is in use by another server", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A snapshot has a name that is not one of an instance.
    #[error("the file {} is not named {{project}}.{{instance}}.snapshot", path.display())]
    Misnamed {
        /// The file.
        path: PathBuf,
    },
    /// A file can't be read, or is damaged.
    #[error("an instance can't be loaded")]
    Instance(#[from] SnapshotError),
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    builder: MemoryBackendBuilder,
    instances: Mutex<BTreeMap<String, MemoryBackend>>,
    /// What is in the files, by the name of the instance.
    saved: Mutex<BTreeMap<String, Revision>>,
    /// Locked as long as it is open.
    _lock: File,
}

impl InstanceFolder {
    /// Loads the instances in a folder, which is made if there is none. New instances have the
    /// settings of `builder`, and so do those that are loaded. This blocks.
    ///
    /// # Errors
    /// [`FolderError`]. A single file that can't be loaded is an error: no instance begins without
    /// its data.
    pub fn open(
        path: impl Into<PathBuf>,
        builder: MemoryBackendBuilder,
    ) -> Result<Self, FolderError> {
        let path = path.into();
        let lock = lock(&path)?;
        let mut instances = BTreeMap::new();
        let mut saved = BTreeMap::new();
        for file in snapshots(&path)? {
            let Some(name) = name::instance(&file) else {
                return Err(FolderError::Misnamed { path: file });
            };
            let db = builder.clone().load(&file)?;
            saved.insert(name.clone(), db.revision());
            instances.insert(name, db);
        }
        Ok(Self(Arc::new(Shared {
            path,
            builder,
            instances: Mutex::new(instances),
            saved: Mutex::new(saved),
            _lock: lock,
        })))
    }

    /// What to bind a server to. Instances spring up when they are first named; one whose name is
    /// too long for a file is refused with `INVALID_ARGUMENT`.
    #[must_use]
    pub fn instances(&self) -> Instances {
        let folder = self.clone();
        Instances::with(move |name| Ok(Arc::new(folder.instance(name)?)))
    }

    fn instance(&self, name: &str) -> Result<MemoryBackend, Status> {
        if name::file(name).is_none() {
            let message = "the project and the instance make too long a name for a file";
            return Err(Status::new(Code::InvalidArgument, message));
        }
        let mut instances = lock_map(&self.0.instances);
        let made = instances.entry(name.to_owned());
        Ok(made
            .or_insert_with(|| self.0.builder.clone().build())
            .clone())
    }

    /// Writes the instances that were written to since they were last saved, each as
    /// [`MemoryBackend::save`] does it. Calls to the server go on meanwhile. This blocks; in
    /// asynchronous programs run it by `tokio::task::spawn_blocking`.
    ///
    /// # Errors
    /// The first [`SnapshotError`]; the other instances are saved nevertheless, and the next call
    /// tries again.
    pub fn save(&self) -> Result<(), SnapshotError> {
        // Held to the end: of two saves at a time the later one must not be overtaken.
        let mut saved = lock_map(&self.0.saved);
        let instances = lock_map(&self.0.instances).clone();
        let mut result = Ok(());
        for (name, db) in instances {
            let Some(file) = name::file(&name) else {
                continue;
            };
            // Taken before the save: what is written meanwhile may be missing from the file.
            let revision = db.revision();
            if saved.get(&name).copied().unwrap_or_default() == revision {
                continue;
            }
            match db.save(self.0.path.join(file)) {
                Ok(()) => {
                    saved.insert(name, revision);
                }
                Err(error) => result = result.and(Err(error)),
            }
        }
        result
    }
}

/// Nothing panics while one of these is locked that would leave it half changed.
fn lock_map<T>(map: &Mutex<T>) -> MutexGuard<'_, T> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lock(path: &Path) -> Result<File, FolderError> {
    let open = || {
        fs::create_dir_all(path)?;
        File::create(path.join(LOCK))
    };
    let file = open().map_err(|source| unopened(path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(FolderError::InUse {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(unopened(path, source)),
    }
}

fn unopened(path: &Path, source: io::Error) -> FolderError {
    FolderError::Io {
        path: path.to_owned(),
        source,
    }
}

/// The files with instances. What a process left behind that was killed while it saved is deleted.
fn snapshots(path: &Path) -> Result<Vec<PathBuf>, FolderError> {
    let failed = |source| unopened(path, source);
    remove_unfinished_in(path, name::is_snapshot).map_err(failed)?;
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if name::is_snapshot(&entry.file_name().to_string_lossy()) {
            files.push(entry.path());
        }
    }
    Ok(files)
}
