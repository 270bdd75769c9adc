//! Stores of checkpoints.

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;

use super::parallel::lock;
use crate::backend::file::{open, remove_unfinished, replace};

/// Keeps the checkpoint of one job.
///
/// # Contract
///
/// - `load` returns the bytes of the last `save` that succeeded, or of a later one, and `None`
///   before the first.
/// - A save happens completely or not at all, even if the program ends during it.
/// - A save whose future was dropped may still happen, but not after one that began later.
pub trait CheckpointStore: std::fmt::Debug + Send + Sync + 'static {
    /// Its name in errors, such as the path of a file.
    fn name(&self) -> String;

    /// The last saved bytes.
    fn load(&self) -> BoxFuture<'_, io::Result<Option<Vec<u8>>>>;

    /// Replaces the saved bytes.
    fn save(&self, checkpoint: Vec<u8>) -> BoxFuture<'_, io::Result<()>>;
}

/// A checkpoint in a file, which is replaced as a whole: after a crash it is the last checkpoint or
/// the one before. If the path is a symbolic link, its target is replaced.
///
/// It is readable text. It needs a Tokio runtime. Clones share the file.
#[derive(Debug, Clone)]
pub struct FileCheckpoint(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    calls: AtomicU64,
    /// The number of the last call that was executed; locked while the file is used.
    carried_out: Mutex<u64>,
}

impl FileCheckpoint {
    /// A checkpoint in the file at `path`, which need not exist yet; its folder must.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Shared {
            path: path.into(),
            calls: AtomicU64::new(0),
            carried_out: Mutex::new(0),
        }))
    }

    /// Executes a call on a thread that may block, unless a later call was executed first: then
    /// nothing waits for this call any longer.
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
            let mut bytes = Vec::new();
            match open(path).and_then(|mut file| file.read_to_end(&mut bytes)) {
                Ok(_) => Ok(Some(bytes)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            }
        }))
    }

    fn save(&self, checkpoint: Vec<u8>) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(self.call(move |path| replace(path, |file| file.write_all(&checkpoint))))
    }
}

/// A checkpoint in memory: for tests, and to resume after an error while the program runs. Clones
/// share it.
#[derive(Debug, Clone, Default)]
pub struct MemoryCheckpoint(Arc<Mutex<Option<Vec<u8>>>>);

impl MemoryCheckpoint {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The last saved bytes.
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
