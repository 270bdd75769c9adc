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
use crate::file::{regular, remove_unfinished_in};
use crate::memory::{MemoryBackendBuilder, Revision, SnapshotError};
use crate::{Code, MemoryBackend, Status};

/// The file that the program which uses the folder locks until it ends, in whatever way.
const LOCK: &str = ".lock";

/// Instances in memory that are kept in a folder, a file for each, so a [`Server`] keeps its data
/// across restarts.
///
/// All files are loaded when the folder is opened. They are written only by [`save`](Self::save):
/// what was written to an instance since then is lost with the process.
///
/// A file is called `{project}.{instance}.snapshot`; bytes other than small letters, digits, `-`
/// and `_` are written as `%` and two digits. It has the format of [`MemoryBackend::save`] and
/// [`MemoryBackend::load`]. Files with other extensions are ignored.
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

/// Why an [`InstanceFolder`] cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The file system refused.
    #[error("cannot open the folder {}", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// The file system's error.
        source: io::Error,
    },
    /// Another program, or another [`InstanceFolder`] in this one, keeps its instances there.
    #[error("the folder {} is in use by another server", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A snapshot's name is not that of an instance.
    #[error("the file {} is not named {{project}}.{{instance}}.snapshot", path.display())]
    Misnamed {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be read, or is damaged.
    #[error("an instance cannot be loaded")]
    Instance(#[from] SnapshotError),
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    builder: MemoryBackendBuilder,
    instances: Mutex<BTreeMap<String, MemoryBackend>>,
    /// The saved revisions, by the name of the instance.
    saved: Mutex<BTreeMap<String, Revision>>,
    /// The lock, held while the file is open.
    _lock: File,
}

impl InstanceFolder {
    /// Loads the instances in a folder, which is created if it does not exist. New and loaded
    /// instances have the settings of `builder`. This blocks.
    ///
    /// # Errors
    /// [`FolderError`]. A single file that cannot be loaded is an error: no instance starts without
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

    /// The instances to bind a server to. An instance is created when it is first named; a name
    /// that is too long for a file is refused with `INVALID_ARGUMENT`.
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

    /// Collects garbage in all instances, as of now by their clocks, each like
    /// [`MemoryBackend::run_gc`]. This blocks.
    pub fn run_gc(&self) {
        let instances = lock_map(&self.0.instances).clone();
        for db in instances.into_values() {
            db.run_gc(db.clock().now());
        }
    }

    /// Saves the instances that have changed since they were last saved, each like
    /// [`MemoryBackend::save`]. Calls to the server continue meanwhile. This blocks; in
    /// asynchronous programs run it with `tokio::task::spawn_blocking`.
    ///
    /// # Errors
    /// The first [`SnapshotError`]; the other instances are still saved, and the next call tries
    /// again.
    pub fn save(&self) -> Result<(), SnapshotError> {
        // Held to the end: of two saves at the same time, the older must not overwrite the newer.
        let mut saved = lock_map(&self.0.saved);
        let instances = lock_map(&self.0.instances).clone();
        let mut result = Ok(());
        for (name, db) in instances {
            let Some(file) = name::file(&name) else {
                continue;
            };
            // Taken before the save: later writes may be missing from the file.
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

/// No code that panics leaves one of these half changed while it is locked.
fn lock_map<T>(map: &Mutex<T>) -> MutexGuard<'_, T> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lock(path: &Path) -> Result<File, FolderError> {
    let open = || {
        fs::create_dir_all(path)?;
        let path = path.join(LOCK);
        if let Ok(found) = fs::metadata(&path) {
            regular(&found)?;
        }
        File::create(path)
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

/// The files with instances. Deletes the temporary files of a process that was killed while it
/// saved.
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
