//! Replacing a file as a whole.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(test)]
mod tests;

/// The maximum number of symbolic links that lead from one to the next, as on Linux.
const MOST_LINKS: usize = 40;

/// Writes a new file beside the old one and puts it in its place when all of it is on the disk. Who
/// may read and write the old one may read and write the new one, and nobody else.
///
/// If the path is a symbolic link, the file is replaced that it leads to, and the link stays.
/// Anything but a regular file is refused.
pub fn replace<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let path = &followed(path)?;
    let (temporary, mut file) = Temporary::beside(path)?;
    write(&mut file)?;
    file.sync_all()?;
    // Still open, so that nobody takes it for one that was left behind.
    fs::rename(&temporary.0, path)?;
    drop(file);
    Ok(sync_directory(path)?)
}

/// Opens a regular file to read it. Anything else is refused: to open a pipe would wait for its
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

/// Where a path leads over symbolic links: to a file, or to where one would be.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&path) {
            // A target that is not absolute counts from the link's folder.
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

/// The name of the file that one with this name would have become, had the process that wrote it
/// not been killed: `.{name}.{digits and hyphens}.tmp`.
fn unfinished(name: &str) -> Option<&str> {
    let inner = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (name, number) = inner.rsplit_once('.')?;
    let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    number.bytes().all(is_number).then_some(name)
}

/// Deletes what processes left behind that were killed while they replaced this file.
pub fn remove_unfinished(path: &Path) -> io::Result<()> {
    let path = &followed(path)?;
    let Some(own) = path.file_name().and_then(|name| name.to_str()) else {
        return Ok(());
    };
    remove_unfinished_in(folder(path), |name| name == own)
}

/// The same for the files of a folder with such names.
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

/// Who writes such a file holds a lock on it, which ends with the process. What can't be locked is
/// left alone.
fn remove_if_left(path: &Path) -> io::Result<()> {
    let Ok(file) = open(path) else {
        return Ok(());
    };
    if file.try_lock().is_err() {
        return Ok(());
    }
    match fs::remove_file(path) {
        // Finished meanwhile, or another process was faster.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// A file that is deleted when it goes out of scope; after it was renamed there is nothing to
/// delete.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Temporary {
    /// A file of its own: `.<name>.<process>-<number>.tmp`, with the first number from here on that
    /// is free, since a process that crashed may have left one behind.
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

    /// None where the name is taken.
    fn create(&self, old: Option<&Metadata>) -> io::Result<Option<File>> {
        let file = match access::options(old).open(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            opened => opened?,
        };
        // Before it was locked, another process may have taken it for one that was left behind, or
        // is about to.
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
        // Either it was renamed, or the error that is on its way says more than this one would.
        let _ = fs::remove_file(&self.0);
    }
}

/// Who may read and write the new file.
#[cfg(unix)]
mod access {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};

    use super::{File, Metadata, OpenOptions, io};

    /// Nobody but its owner until it is known who may; a file that is new is for whom new files
    /// are.
    pub(super) fn options(old: Option<&Metadata>) -> OpenOptions {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        if old.is_some() {
            options.mode(0o600);
        }
        options
    }

    /// The old file's mode, owner and group. Not everybody may give files away: one that stays in
    /// another group is closed to it.
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

/// Other systems have rights that a folder passes on to its files.
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
