//! Credentials of Google's crate, on a thread of their own.
//!
//! They keep their token fresh in a task that waits for its server without a timeout. If it waits
//! in vain, only the end of its runtime stops it, so it has a runtime of its own. Nor does it end
//! with the runtime of the first call.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread;

use futures::FutureExt;
use google_cloud_auth::credentials::{CacheableResource, Credentials, EntityTag};
use http::{Extensions, HeaderMap};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::kinds;
use crate::grpc::protocol::causes::with_causes;

/// Credentials that run until the last clone is dropped.
#[derive(Debug, Clone)]
pub(super) struct Library {
    credentials: Credentials,
    _runs: Arc<oneshot::Sender<()>>,
}

/// The answer of credentials.
pub(super) enum Answer {
    New(EntityTag, HeaderMap),
    Unchanged,
    Failed {
        transient: bool,
        reason: String,
    },
    /// No answer in time.
    Silence,
}

impl Library {
    /// The credentials that a file's text describes.
    pub(super) async fn start(text: Arc<str>) -> Result<Self, String> {
        let (told, made) = oneshot::channel();
        let (runs, ends) = oneshot::channel::<()>();
        let run = move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = match runtime.enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => {
                    let _ = told.send(Err(format!("they have no runtime: {error}")));
                    return;
                }
            };
            let made = {
                let _inside = runtime.enter();
                kinds::described(&text)
            };
            if told.send(made).is_ok() {
                let _ = runtime.block_on(ends);
            }
            // A name that is being looked up could hold up the thread.
            runtime.shutdown_background();
        };
        let thread = thread::Builder::new().name("bigtable-tokens".to_owned());
        let started = thread.spawn(run);
        started.map_err(|error| format!("they have no thread: {error}"))?;
        let credentials = made.await.map_err(|_| PANICKED.to_owned())??;
        Ok(Self {
            credentials,
            _runs: Arc::new(runs),
        })
    }

    /// Their headers, if they differ from those with this tag.
    pub(super) async fn headers(&self, tag: Option<EntityTag>, deadline: Instant) -> Answer {
        let mut known = Extensions::new();
        if let Some(tag) = tag {
            known.insert(tag);
        }
        // They panic if their task has, for instance on a lifetime that no clock can add.
        let headers = AssertUnwindSafe(self.credentials.headers(known)).catch_unwind();
        match tokio::time::timeout_at(deadline, headers).await {
            Err(_) => Answer::Silence,
            Ok(Err(_)) => Answer::Failed {
                transient: false,
                reason: PANICKED.to_owned(),
            },
            Ok(Ok(Ok(CacheableResource::New { entity_tag, data }))) => {
                Answer::New(entity_tag, data)
            }
            Ok(Ok(Ok(CacheableResource::NotModified))) => Answer::Unchanged,
            Ok(Ok(Err(error))) => Answer::Failed {
                transient: error.is_transient(),
                reason: with_causes(&error),
            },
        }
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self._runs, &other._runs)
    }
}

const PANICKED: &str = "Google's crate panicked over the answer of the token's server";
