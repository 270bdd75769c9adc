//! Replacing a file as a whole.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(test)]
mod tests;

/// The maximum number of symbolic links that are followed in a row, as on Linux.
const MOST_LINKS: usize = 40;

/// Writes a new file beside the old one, and puts it in its place once all of it is on the disk.
/// Whoever may read and write the old file may read and write the new one, and nobody else.
///
/// If the path is a symbolic link, the file that it leads to is replaced, and the link stays.
/// Anything but a regular file is refused.
pub fn replace<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let path = &followed(path)?;
    let (temporary, mut file) = Temporary::beside(path)?;
    write(&mut file)?;
    file.sync_all()?;
    // Still open, so that no process takes it for an abandoned file.
    fs::rename(&temporary.0, path)?;
    drop(file);
    Ok(sync_directory(path)?)
}

/// Opens a regular file to read it. Anything else is refused: opening a pipe would wait for its
/// other end.
pub fn open(path: &Path) -> io::Result<File> {
    regular(&fs::metadata(path)?)?;
    File::open(path)
}

/// Refuses what is not a regular file.
pub fn regular(found: &Metadata) -> io::Result<()> {
    match found.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the path leads to something else than a regular file",
        )),
    }
}

/// Where a path leads through symbolic links: to a file, or to where one would be.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&path) {
            // A relative target starts at the link's folder.
            Ok(found) if found.is_symlink() => path = folder(&path).join(fs::read_link(&path)?),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => return Ok(path),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        "the path is a circle of symbolic links",
    ))
}

/// The name that an unfinished file with this name, `.{name}.{digits and hyphens}.tmp`, would have
/// got if the process that wrote it had not been killed.
fn unfinished(name: &str) -> Option<&str> {
    let inner = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (name, number) = inner.rsplit_once('.')?;
    let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    number.bytes().all(is_number).then_some(name)
}

/// Deletes the files left by processes that were killed while they replaced this file.
pub fn remove_unfinished(path: &Path) -> io::Result<()> {
    let path = &followed(path)?;
    let Some(own) = path.file_name().and_then(|name| name.to_str()) else {
        return Ok(());
    };
    remove_unfinished_in(folder(path), |name| name == own)
}

/// The same for the files of a folder whose names `is_meant` accepts.
pub fn remove_unfinished_in(folder: &Path, is_meant: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().and_then(unfinished).is_some_and(&is_meant) {
            remove_if_left(&entry.path())?;
        }
    }
    Ok(())
}

/// Deletes such a file unless its writer still holds the lock on it, which ends with the process. A
/// file that cannot be locked is left alone.
fn remove_if_left(path: &Path) -> io::Result<()> {
    let Ok(file) = open(path) else {
        return Ok(());
    };
    if file.try_lock().is_err() {
        return Ok(());
    }
    match fs::remove_file(path) {
        // It was finished meanwhile, or another process was faster.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// A file that is deleted when it goes out of scope; after it was renamed there is nothing to
/// delete.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Temporary {
    /// A file of its own: `.<name>.<process>-<number>.tmp`, with the next free number, since a
    /// crashed process may have left a file.
    fn beside(path: &Path) -> io::Result<(Self, File)> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = path
            .file_name()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
        let old = match fs::metadata(path) {
            Ok(old) => {
                regular(&old)?;
                Some(old)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let mut temporary = OsString::from(".");
            temporary.push(name);
            temporary.push(format!(".{}-{number}.tmp", process::id()));
            let temporary = Self(path.with_file_name(temporary));
            if let Some(file) = temporary.create(old.as_ref())? {
                return Ok((temporary, file));
            }
        }
    }

    /// `None` if the name is taken.
    fn create(&self, old: Option<&Metadata>) -> io::Result<Option<File>> {
        let file = match access::options(old).open(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            opened => opened?,
        };
        // Before it was locked, another process may have taken it for an abandoned file, or be
        // about to.
        let locked = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if !locked || !fs::exists(&self.0)? {
            return Ok(None);
        }
        if let Some(old) = old {
            access::keep(&file, old)?;
        }
        Ok(Some(file))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Either it was renamed, or the error that is being returned says more than this one.
        let _ = fs::remove_file(&self.0);
    }
}

/// Who may read and write the new file.
#[cfg(unix)]
mod access {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};

    use super::{File, Metadata, OpenOptions, io};

    /// Only the owner, until the old file's rights are copied; without an old file, the usual
    /// rights of new files.
    pub(super) fn options(old: Option<&Metadata>) -> OpenOptions {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        if old.is_some() {
            options.mode(0o600);
        }
        options
    }

    /// The old file's mode, owner and group. Changing the owner or the group may be forbidden: if
    /// the group cannot be kept, it gets no access.
    pub(super) fn keep(file: &File, old: &Metadata) -> io::Result<()> {
        let new = file.metadata()?;
        let (owner, group) = (Some(old.uid()), Some(old.gid()));
        let kept = (new.uid(), new.gid()) == (old.uid(), old.gid())
            || fchown(file, owner, group).is_ok()
            || fchown(file, None, group).is_ok();
        let mode = old.mode() & 0o777;
        let mode = if kept { mode } else { mode & !0o070 };
        file.set_permissions(Permissions::from_mode(mode))
    }
}

/// On other systems files inherit rights from their folder.
#[cfg(not(unix))]
mod access {
    use super::{File, Metadata, OpenOptions, io};

    pub(super) fn options(_: Option<&Metadata>) -> OpenOptions {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        options
    }

    pub(super) fn keep(_: &File, _: &Metadata) -> io::Result<()> {
        Ok(())
    }
}

fn folder(path: &Path) -> &Path {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// A rename is on the disk once its directory is.
#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

/// Other systems do not open directories.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
