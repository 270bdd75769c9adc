//! How calls are authenticated over TLS to the test's server, and what must not be sent.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod child;
mod default_credentials;
mod failures;
mod http_server;
mod own_tokens;
#[cfg(unix)]
mod pipes;
mod provider;
mod server;
