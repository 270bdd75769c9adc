//! The backend of a command, by its target or by a name in a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bigtable_model::Backend;
use bigtable_model::backend::grpc::auth;
use clap::Args;
use serde::Deserialize;

use crate::failure::{Doing as _, Failure};

/// The file that names backends, in the folder where the command runs.
const FILE: &str = "bigtable-model.toml";

/// Which tables a command is about.
#[derive(Debug, Clone, Args)]
pub(crate) struct Target {
    /// bigtable://PROJECT/INSTANCE, or a name in bigtable-model.toml. BIGTABLE_EMULATOR_HOST sends
    /// it to an emulator or to `serve`
    #[arg(long, global = true, env = "BIGTABLE_BACKEND", value_name = "TARGET")]
    pub(crate) backend: Option<String>,
    /// The file that names backends
    #[arg(long, global = true, value_name = "FILE", help_heading = "More")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The names of backends, and their targets.
    #[serde(default)]
    backends: BTreeMap<String, String>,
}

impl Target {
    /// Opens the backend.
    pub(crate) async fn open(&self) -> Result<Arc<dyn Backend>, Failure> {
        match &self.backend {
            Some(target) => self.open_named(target).await,
            None => Err(Failure::new(
                "which Bigtable? Give `--backend bigtable://PROJECT/INSTANCE`, or set BIGTABLE_BACKEND; with BIGTABLE_EMULATOR_HOST any names will do",
            )),
        }
    }

    /// Opens another backend than the command's.
    pub(crate) async fn open_named(&self, target: &str) -> Result<Arc<dyn Backend>, Failure> {
        let target = match target.contains(':') {
            true => target.to_owned(),
            false => self.named(target)?,
        };
        auth::install_crypto_provider();
        Ok(bigtable_model::connect(&target).await?)
    }

    fn named(&self, name: &str) -> Result<String, Failure> {
        let path = self.config.as_deref().unwrap_or(Path::new(FILE));
        let read = std::fs::read_to_string(path);
        let text = read.doing(|| format!("{}, which names backends", path.display()))?;
        let config: Config = toml::from_str(&text).doing(|| path.display().to_string())?;
        match config.backends.get(name) {
            Some(target) => Ok(target.clone()),
            None => {
                let known: Vec<_> = config.backends.into_keys().collect();
                Err(Failure::new(format_args!(
                    "{} has no backend `{name}`, but {}",
                    path.display(),
                    known.join(", ")
                )))
            }
        }
    }
}
