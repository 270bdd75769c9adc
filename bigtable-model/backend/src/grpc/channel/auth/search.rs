//! The places where Application Default Credentials are looked for, in words.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::ConnectError;

const FILE: &str = "GOOGLE_APPLICATION_CREDENTIALS";
const METADATA_HOST: &str = "GCE_METADATA_HOST";

/// The directory that the well-known file is in: the variable that names its root, and what
/// follows.
const WELL_KNOWN: (&str, &str) = if cfg!(windows) {
    ("APPDATA", "gcloud")
} else {
    ("HOME", ".config/gcloud")
};

/// The places, in order of precedence: the first that exists decides.
///
/// An error without them would leave the user guessing which of three places is meant.
#[derive(Debug)]
pub(super) struct Search {
    named: Option<PathBuf>,
    well_known: Option<PathBuf>,
    metadata_host: Option<String>,
}

impl Search {
    /// The search for the current environment.
    pub(super) fn new() -> Self {
        Self::with(|name| env::var_os(name))
    }

    fn with(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let (root, directory) = WELL_KNOWN;
        let well_known = variable(root).map(|root| {
            let directory = PathBuf::from(root).join(directory);
            directory.join("application_default_credentials.json")
        });
        Self {
            named: variable(FILE).map(PathBuf::from),
            well_known,
            metadata_host: variable(METADATA_HOST).map(|host| host.to_string_lossy().into_owned()),
        }
    }

    /// The file that is read, if any.
    pub(super) fn file(&self) -> Option<&Path> {
        self.named.as_deref().or(self.well_known.as_deref())
    }

    /// Whether the file must exist.
    pub(super) fn is_named(&self) -> bool {
        self.named.is_some()
    }

    /// Refuses a named file that cannot be read: every later call would fail. A pipe is read by the
    /// first call, since even opening one may take for ever.
    pub(super) fn check(&self) -> Result<(), ConnectError> {
        let Some(path) = &self.named else {
            return Ok(());
        };
        let readable = fs::metadata(path).and_then(|about| match about.is_file() {
            true => File::open(path).map(drop),
            false if about.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            false => Ok(()),
        });
        match readable {
            Ok(()) => Ok(()),
            Err(error) => Err(ConnectError::Credentials {
                reason: format!(
                    "the file {} that {FILE} names cannot be read: {error}",
                    path.display()
                ),
            }),
        }
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("looked for: ")?;
        if let Some(path) = &self.named {
            return write!(f, "the file {} that {FILE} names", path.display());
        }
        write!(f, "a file that {FILE} names (it is not set), ")?;
        match &self.well_known {
            Some(path) => match fs::metadata(path) {
                Ok(_) => return write!(f, "the file {} (it is there)", path.display()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    write!(f, "the file {} (it is not there), ", path.display())?;
                }
                Err(error) => {
                    return write!(
                        f,
                        "the file {} (it cannot be read: {error})",
                        path.display()
                    );
                }
            },
            None => write!(
                f,
                "a file below {} (the variable is not set), ",
                WELL_KNOWN.0
            )?,
        }
        match &self.metadata_host {
            Some(host) => write!(f, "the metadata server {host} that {METADATA_HOST} names"),
            None => f.write_str("the metadata server of Google Cloud, metadata.google.internal"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn search(variables: &[(&str, &str)]) -> Search {
        Search::with(|name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| value.into())
        })
    }

    #[test]
    fn a_named_file_is_the_only_place() {
        let search = search(&[(FILE, "/nowhere/key.json"), (WELL_KNOWN.0, "/nowhere")]);
        assert_eq!(
            search.to_string(),
            "looked for: the file /nowhere/key.json that GOOGLE_APPLICATION_CREDENTIALS names"
        );
        let error = search.check().unwrap_err().to_string();
        for words in ["/nowhere/key.json", FILE] {
            assert!(error.contains(words), "{error}");
        }
    }

    #[cfg(not(windows))]
    #[test]
    fn without_one_every_place_is_told() {
        let home = search(&[("HOME", "/nowhere")]);
        assert!(home.check().is_ok());
        assert_eq!(
            home.to_string(),
            "looked for: a file that GOOGLE_APPLICATION_CREDENTIALS names (it is not set), \
             the file /nowhere/.config/gcloud/application_default_credentials.json (it is not there), \
             the metadata server of Google Cloud, metadata.google.internal"
        );
        let host = search(&[(METADATA_HOST, "localhost:1")]).to_string();
        assert!(
            host.contains("a file below HOME (the variable is not set)"),
            "{host}"
        );
        assert!(
            host.ends_with("the metadata server localhost:1 that GCE_METADATA_HOST names"),
            "{host}"
        );
    }
}
