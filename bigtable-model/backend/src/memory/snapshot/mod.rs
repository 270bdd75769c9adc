//! Tables in a file: [`MemoryBackend::save`] and [`MemoryBackend::load`].
//!
//! The file is a header and blocks of up to 64 KiB; numbers of a fixed width are little-endian.
//!
//! | part | bytes |
//! |---|---|
//! | header | `BTMODEL\n`, version `1` in 4 bytes |
//! | block | length in 4 bytes, checksum in 4 bytes, so many bytes |
//! | end | length 0 in 4 bytes, checksum in 4 bytes, nothing after it |
//!
//! The checksum is the CRC-32C of the file up to and including the block, without checksums: it
//! detects changed bytes, and blocks that are missing or in another order. The contents of all
//! blocks together are described in `write`; a block is decoded only if its checksum is right.

mod blocks;
mod error;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

pub use error::SnapshotError;

use super::store::{Store, Table};
use super::{MemoryBackend, MemoryBackendBuilder};
use crate::file;
use blocks::{BlockReader, BlockWriter};
use error::{Damage, Unwritten};

impl MemoryBackend {
    /// Writes all tables to a file: rows and cells, families with their rules, splits, and the
    /// tokens that identify repeated additions. Clock, profile and other settings are not part of
    /// it.
    ///
    /// Other calls may continue meanwhile. Each table is saved as it was at one moment, which is
    /// not the same for all tables. Writers of a table wait only while references to its rows are
    /// taken, 40 to 64 bytes of memory a row; keys and values are not copied.
    ///
    /// The file is replaced as a whole once its data is on disk: after a crash or an error, there
    /// is either the old file or the new one. If `path` is a symbolic link, the file that it leads
    /// to is replaced. After two saves to one path at the same time, the file is that of one of
    /// them.
    ///
    /// The new file has the old one's mode, owner and group; if the group cannot be kept, it gets
    /// no access. A process that is killed while it saves leaves a file `.{name}.{numbers}.tmp`
    /// beside it, which the next save to this path, or load from it, deletes.
    ///
    /// This blocks; in asynchronous programs run it with `tokio::task::spawn_blocking`.
    ///
    /// ```
    /// use bigtable_backend::MemoryBackend;
    /// use bigtable_backend::memory::SnapshotError;
    ///
    /// let path = std::env::temp_dir().join(format!("doc-{}.snapshot", std::process::id()));
    /// let db = MemoryBackend::new();
    /// db.save(&path)?;
    /// let again = MemoryBackend::load(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), SnapshotError>(())
    /// ```
    ///
    /// # Errors
    /// [`SnapshotError::Io`] if the file cannot be written or `path` does not lead to a regular
    /// file, [`SnapshotError::RuleTooDeep`] for a rule that could not be read back. The old file at
    /// `path` is then unchanged.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SnapshotError> {
        let path = path.as_ref();
        clean_up(path);
        let tables: Vec<_> = self.store.tables().values().cloned().collect();
        let now = self.store.clock.now().as_micros();
        let written: Result<(), Unwritten> = file::replace(path, |file| {
            let mut out = BlockWriter::new(file)?;
            write::tables(&mut out, &tables, now)?;
            Ok(out.finish()?)
        });
        written.map_err(|unwritten| unwritten.in_file(path))
    }

    /// An instance with the tables of a file that [`save`](Self::save) wrote, the service's profile
    /// and the system's clock.
    ///
    /// # Errors
    /// As for [`MemoryBackendBuilder::load`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SnapshotError> {
        Self::builder().load(path)
    }
}

impl MemoryBackendBuilder {
    /// An instance with these settings and the tables of a file that [`MemoryBackend::save`] wrote.
    /// This blocks.
    ///
    /// # Errors
    /// [`SnapshotError`]: the file cannot be read or is no regular file, is not a snapshot, has an
    /// unknown version, or is damaged; the error says what is wrong and at which byte. It never
    /// returns an instance with only some of the tables.
    pub fn load(self, path: impl AsRef<Path>) -> Result<MemoryBackend, SnapshotError> {
        let path = path.as_ref();
        clean_up(path);
        let failed = |source| SnapshotError::io("read", path, source);
        let file = file::open(path).map_err(failed)?;
        let tables = load(file).map_err(|damage| damage.in_file(path))?;
        let store = Store::new(self.profile, self.clock, self.mask_expired);
        *store.tables_mut() = tables;
        Ok(MemoryBackend {
            store: Arc::new(store),
        })
    }
}

/// Deletes temporary files of earlier saves, as far as possible: no save or load fails because of
/// them.
fn clean_up(path: &Path) {
    let _ = file::remove_unfinished(path);
}

/// Reads everything, and returns it only if the end is right.
fn load(input: impl io::Read) -> Result<BTreeMap<String, Arc<Table>>, Damage> {
    let mut input = BlockReader::new(input)?;
    let tables = read::tables(&mut input)?;
    input.finish()?;
    Ok(tables)
}
