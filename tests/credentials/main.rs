//! What authenticates calls, over TLS to a server of the test's own, and what does not go out.

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
