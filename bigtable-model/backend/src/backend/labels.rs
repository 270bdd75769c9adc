//! The labels that every metric of a call has (feature `metrics`).

use std::sync::Arc;

use metrics::{Label, SharedString};

use crate::Code;

/// The labels of one call, without its status.
#[derive(Debug, Clone)]
pub(crate) struct Labels {
    method: &'static str,
    table: Arc<str>,
    /// The label that distinguishes callers, with its name: the app profile or the backend.
    caller: (&'static str, Arc<str>),
}

impl Labels {
    pub(crate) fn new(method: &'static str, table: &str, caller: (&'static str, Arc<str>)) -> Self {
        Self {
            method,
            table: table.into(),
            caller,
        }
    }

    /// The labels of a call, or a row of it, that ended with `status`.
    pub(crate) fn with(&self, status: Code) -> Vec<Label> {
        let shared = |text: &Arc<str>| SharedString::from(Arc::clone(text));
        let (name, caller) = &self.caller;
        vec![
            Label::from_static_parts("method", self.method),
            Label::new("table", shared(&self.table)),
            Label::new(*name, shared(caller)),
            Label::from_static_parts("status", status.name()),
        ]
    }
}
