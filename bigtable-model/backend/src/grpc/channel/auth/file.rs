//! The credentials file, which may be a pipe.
//!
//! `GOOGLE_APPLICATION_CREDENTIALS=<(...)` and secret managers name pipes, whose contents can be
//! read only once, at an unknown time. So one thread reads the file at a time, calls wait for it as
//! long as they like, and the contents of a pipe are kept.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::watch;

/// A credentials file has a few thousand bytes; a device may never end.
const MOST_BYTES: u64 = 1 << 20;

/// Reads the file.
#[derive(Debug, Default)]
pub(super) struct CredentialsFile(Mutex<Option<Reading>>);

type Outcome = Result<Contents, Arc<io::Error>>;

/// None before the end.
type Reading = watch::Receiver<Option<Outcome>>;

/// What is in the file.
#[derive(Clone)]
struct Contents {
    text: Arc<str>,
    /// Whether it cannot be read a second time.
    gone: bool,
}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contents").finish_non_exhaustive()
    }
}

impl CredentialsFile {
    /// The file's current contents, or those of the pipe.
    pub(super) async fn read(&self, path: &Path) -> Result<Arc<str>, Arc<io::Error>> {
        let mut reading = self.reading(path)?;
        let outcome = reading.wait_for(Option::is_some).await;
        match outcome.as_deref() {
            Ok(Some(outcome)) => outcome.clone().map(|contents| contents.text),
            _ => Err(Arc::new(io::Error::other("the thread that reads it ended"))),
        }
    }

    /// The reading under way, or that of a pipe; else a new one.
    fn reading(&self, path: &Path) -> io::Result<Reading> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reading) = &*last
            && is_good(reading)
        {
            return Ok(reading.clone());
        }
        let reading = begin(path.to_owned())?;
        *last = Some(reading.clone());
        Ok(reading)
    }
}

fn is_good(reading: &Reading) -> bool {
    match &*reading.borrow() {
        // A thread that ended without a result is no longer reading.
        None => reading.has_changed().is_ok(),
        Some(Ok(contents)) => contents.gone,
        Some(Err(_)) => false,
    }
}

/// The thread may wait for ever for someone to write to the pipe. A thread of the runtime would
/// keep the runtime from ending.
fn begin(path: PathBuf) -> io::Result<Reading> {
    let (sender, reading) = watch::channel(None);
    let read = move || {
        let _ = sender.send(Some(contents(&path).map_err(Arc::new)));
    };
    let thread = thread::Builder::new().name("bigtable-credentials".to_owned());
    thread.spawn(read)?;
    Ok(reading)
}

fn contents(path: &Path) -> io::Result<Contents> {
    let file = File::open(path)?;
    let gone = !file.metadata()?.is_file();
    let mut text = String::new();
    let bytes = file.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if bytes as u64 > MOST_BYTES {
        return Err(io::Error::new(
            ErrorKind::InvalidData,
            "it has more than 1 MiB",
        ));
    }
    if gone && text.is_empty() {
        return Err(io::Error::new(
            ErrorKind::UnexpectedEof,
            "nothing came out of it",
        ));
    }
    Ok(Contents {
        text: text.into(),
        gone,
    })
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::fs;
    use std::process::Command;
    use std::time::Duration;

    use futures::FutureExt;

    use super::*;

    /// A folder that is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("bigtable-model-file-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn pipe(&self) -> PathBuf {
            let path = self.0.join("pipe");
            let made = Command::new("mkfifo").arg(&path).status();
            assert!(made.unwrap().success());
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[tokio::test]
    async fn a_pipe_is_read_once_and_what_came_out_of_it_is_kept() {
        let folder = Folder::new("once");
        let pipe = folder.pipe();
        let file = CredentialsFile::default();
        // Nobody writes yet: calls come and give up.
        for _ in 0..3 {
            assert!(file.read(&pipe).now_or_never().is_none());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let to = pipe.clone();
        let write = tokio::task::spawn_blocking(move || fs::write(to, "secret").unwrap());
        let readers = futures::future::join_all((0..10).map(|_| file.read(&pipe)));
        let read = tokio::time::timeout(Duration::from_secs(60), readers).await;
        for text in read.unwrap() {
            assert_eq!(&*text.unwrap(), "secret");
        }
        write.await.unwrap();
        assert_eq!(&*file.read(&pipe).await.unwrap(), "secret");
        assert!(!format!("{file:?}").contains("secret"), "{file:?}");
    }

    #[tokio::test]
    async fn a_file_is_read_again_when_it_is_asked_for_again() {
        let folder = Folder::new("again");
        let path = folder.0.join("key.json");
        let file = CredentialsFile::default();
        let missing = file.read(&path).await.unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        for text in ["one", "", "two"] {
            fs::write(&path, text).unwrap();
            assert_eq!(&*file.read(&path).await.unwrap(), text);
        }
    }

    #[tokio::test]
    async fn what_is_no_file_of_credentials_is_an_error() {
        let folder = Folder::new("none");
        let file = CredentialsFile::default();
        for (path, words) in [
            (&folder.0, "directory"),
            (&PathBuf::from("/dev/zero"), "more than 1 MiB"),
            (&PathBuf::from("/dev/null"), "nothing came out of it"),
        ] {
            let error = file.read(path).await.unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
