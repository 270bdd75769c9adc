//! Replacing a file as a whole.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a new file beside the old one and puts it in its place when all of it is on the disk.
pub fn replace<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let (temporary, mut file) = Temporary::beside(path)?;
    write(&mut file)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&temporary.0, path)?;
    Ok(sync_directory(path)?)
}

/// The name of the file that one with this name would have become, had the process that wrote it not been killed:
/// `.{name}.{digits and hyphens}.tmp`.
pub fn unfinished(name: &str) -> Option<&str> {
    let inner = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (name, number) = inner.rsplit_once('.')?;
    let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    number.bytes().all(is_number).then_some(name)
}

/// A file that is deleted when it goes out of scope; after it was renamed there is nothing to delete.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Temporary {
    /// A file of its own: `.<name>.<process>-<number>.tmp`, with the first number from here on that is free, since a process
    /// that crashed may have left one behind.
    fn beside(path: &Path) -> io::Result<(Self, File)> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = path
            .file_name()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let mut temporary = OsString::from(".");
            temporary.push(name);
            temporary.push(format!(".{}-{number}.tmp", process::id()));
            let temporary = path.with_file_name(temporary);
            match OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&temporary)
            {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                opened => return Ok((Self(temporary), opened?)),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Either it was renamed, or the error that is on its way says more than this one would.
        let _ = fs::remove_file(&self.0);
    }
}

/// A rename is on the disk once its directory is.
#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}

/// Other systems do not open directories.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
