//! A call that a connection could not carry.

use std::error::Error;
use std::fmt;

use crate::grpc::protocol::status::Fate;

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) struct CallError {
    pub(in crate::grpc) error: tonic::transport::Error,
    pub(in crate::grpc) fate: Fate,
}

impl CallError {
    pub(crate) fn fate(&self) -> Fate {
        self.fate
    }
}

impl From<tonic::transport::Error> for CallError {
    fn from(error: tonic::transport::Error) -> Self {
        Self {
            error,
            fate: Fate::Open,
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for CallError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}
