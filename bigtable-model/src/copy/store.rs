//! Where checkpoints are kept.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;

use super::lock;
use crate::backend::file::{remove_unfinished, replace};

/// Keeps the checkpoint of one job.
///
/// # Contract
///
/// - `load` gives the bytes of the last `save` that ended with success, or of a later one, and
///   nothing before the first.
/// - A save is whole or not at all, however the program ends meanwhile.
/// - A save whose future was dropped may still be carried out, but not after one that began later.
pub trait CheckpointStore: std::fmt::Debug + Send + Sync + 'static {
    /// What errors call it, such as the path of a file.
    fn name(&self) -> String;

    /// The bytes that were saved last.
    fn load(&self) -> BoxFuture<'_, io::Result<Option<Vec<u8>>>>;

    /// Puts these in the place of what was saved before.
    fn save(&self, checkpoint: Vec<u8>) -> BoxFuture<'_, io::Result<()>>;
}

/// A checkpoint in a file, which is replaced as a whole: after a crash there is the last one or the
/// one before.
///
/// It is text that people can read; see what it says with `cat`. It needs a Tokio runtime. Clones
/// share the file.
#[derive(Debug, Clone)]
pub struct FileCheckpoint(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    calls: AtomicU64,
    /// The number of the last call that was carried out; held while the file is used.
    carried_out: Mutex<u64>,
}

impl FileCheckpoint {
    /// A checkpoint in the file at `path`, which need not be there yet; its folder must be.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Shared {
            path: path.into(),
            calls: AtomicU64::new(0),
            carried_out: Mutex::new(0),
        }))
    }

    /// Has a call carried out by a thread that may block, unless a later one came before it: then
    /// nobody waits for this one any more.
    async fn call<T: Default + Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let shared = Arc::clone(&self.0);
        let number = shared.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let task = tokio::task::spawn_blocking(move || {
            let mut last = lock(&shared.carried_out);
            if number < *last {
                return Ok(T::default());
            }
            *last = number;
            work(&shared.path)
        });
        task.await.unwrap_or_else(|error| Err(error.into()))
    }
}

impl CheckpointStore for FileCheckpoint {
    fn name(&self) -> String {
        self.0.path.display().to_string()
    }

    fn load(&self) -> BoxFuture<'_, io::Result<Option<Vec<u8>>>> {
        Box::pin(self.call(|path| {
            remove_unfinished(path)?;
            match fs::read(path) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            }
        }))
    }

    fn save(&self, checkpoint: Vec<u8>) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(self.call(move |path| replace(path, |file| file.write_all(&checkpoint))))
    }
}

/// A checkpoint in memory: for tests, and to go on after an error while the program runs. Clones
/// share it.
#[derive(Debug, Clone, Default)]
pub struct MemoryCheckpoint(Arc<Mutex<Option<Vec<u8>>>>);

impl MemoryCheckpoint {
    /// Nothing saved yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What was saved last.
    #[must_use]
    pub fn saved(&self) -> Option<Vec<u8>> {
        lock(&self.0).clone()
    }
}

impl CheckpointStore for MemoryCheckpoint {
    fn name(&self) -> String {
        "in memory".to_owned()
    }

    fn load(&self) -> BoxFuture<'_, io::Result<Option<Vec<u8>>>> {
        Box::pin(async { Ok(self.saved()) })
    }

    fn save(&self, checkpoint: Vec<u8>) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(async {
            *lock(&self.0) = Some(checkpoint);
            Ok(())
        })
    }
}
