//! The channels to the server: connections, credentials, headers, and calls in flight.

pub mod auth;
mod dial;
mod endpoint;
pub(super) mod flow;
mod gathered;
pub(super) mod headers;
pub(super) mod in_flight;
pub(super) mod instance;
pub(super) mod pool;
mod roots;
mod trailers;
pub(super) mod transport;
