//! No metrics, without the feature `metrics`.

use std::sync::Arc;

use crate::Code;
use crate::grpc::protocol::method::Method;

pub(crate) fn describe() {}

#[derive(Debug)]
pub(crate) struct Meter;

impl Meter {
    pub(crate) fn operation(_: Method, _: &str, _: &Arc<str>) -> Self {
        Self
    }

    pub(crate) fn attempt(&self) -> Self {
        Self
    }

    pub(crate) fn answered(&mut self) {}

    pub(crate) fn retrying(&self, _: Code) {}

    pub(crate) fn ended(self, _: Code, _: bool) {}
}
