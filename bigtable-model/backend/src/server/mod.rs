//! Serves a backend over Bigtable's own protocol (feature `server`), for `cbt`, for the official
//! clients of any language and for this crate's own.
//!
//! It serves the data API and the table admin API, except what a [`Backend`] cannot express (SQL,
//! change streams, backups, views): such calls answer `UNIMPLEMENTED`, and so do requests with such
//! a setting, for instance deletion protection or a type of values that is not an aggregate.
//! Idempotency tokens are passed to the backend. The statistics of a read are those of
//! [`RowBatches::counts`](crate::RowBatches::counts). There is no encryption and no authentication,
//! so an address that other machines can reach is refused unless [`ServerOptions::remote`] allows
//! it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use bigtable_backend::grpc::{GrpcBackend, GrpcSettings};
//! use bigtable_backend::server::{Instances, Server, ServerOptions};
//! use bigtable_backend::{Backend, MemoryBackend};
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let instances = Instances::new(|_name| Arc::new(MemoryBackend::new()));
//! let server = Server::bind("127.0.0.1:0", instances, &ServerOptions::default()).await?;
//! let address = server.local_addr().to_string(); // what BIGTABLE_EMULATOR_HOST is set to
//! tokio::spawn(server.serve());
//!
//! let client = GrpcBackend::new(&GrpcSettings::new("p", "i").emulator(address))?;
//! assert!(client.tables().list().await?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An [`InstanceFolder`] keeps instances in files, so a server keeps its data across restarts.
//!
//! A program can serve its own backend, for instance to inspect it with `cbt`: an
//! `Arc<dyn Backend>` becomes [`Instances`] that are all this one.

mod admin;
mod bounded;
mod budget;
mod chunks;
mod cuts;
mod folder;
mod instances;
mod options;
mod owned;
mod raw;
mod read;
mod service;
mod stats;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::{TcpListener, ToSocketAddrs};
use tonic::transport::server::TcpIncoming;

pub use folder::{FolderError, InstanceFolder};
pub use instances::Instances;
pub use options::ServerOptions;
#[doc(hidden)]
pub use raw::RawServer;

#[cfg(doc)]
use crate::Backend;
use crate::grpc::server::GrpcService;
use bounded::Bounded;
use budget::Budget;
use service::Service;

/// How many bytes of a request may be in transit before they are taken; HTTP/2's default of 64 KiB
/// starves bulk writes.
const STREAM_WINDOW_BYTES: u32 = 1 << 20;

/// The same for all calls of a connection together: HTTP/2's largest, which leaves the limit to the
/// calls.
const CONNECTION_WINDOW_BYTES: u32 = (1 << 31) - 1;

/// The maximum size of a frame: bulk writes take less work than with HTTP/2's 16 KiB.
const FRAME_BYTES: u32 = 256 << 10;

/// Why a server does not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// There is no Tokio runtime to serve in.
    #[error("a server runs inside a Tokio runtime only")]
    NoRuntime,
    /// The address is invalid, or names no host.
    #[error("the address cannot be resolved")]
    Address(#[source] io::Error),
    /// Other machines could reach the address.
    #[error(
        "{0} is reached by other machines: bind to 127.0.0.1, or allow it with ServerOptions::remote"
    )]
    Remote(SocketAddr),
    /// The address cannot be listened on.
    #[error("the address cannot be listened on")]
    Bind(#[source] io::Error),
    /// Serving ended on its own.
    #[error("the server failed")]
    Serve(#[source] tonic::transport::Error),
}

/// A server bound to its address; clients may already connect, and wait until it serves.
#[derive(Debug)]
#[must_use = "nobody is answered before `serve` is called"]
pub struct Server {
    incoming: TcpIncoming,
    address: SocketAddr,
    service: Bounded<GrpcService<Service>>,
}

impl Server {
    /// Binds to an address such as `127.0.0.1:8086`; port 0 chooses a free port.
    ///
    /// # Errors
    ///
    /// [`ServerError`], except [`Serve`](ServerError::Serve).
    pub async fn bind(
        address: impl ToSocketAddrs,
        instances: impl Into<Instances>,
        options: &ServerOptions,
    ) -> Result<Self, ServerError> {
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(ServerError::NoRuntime);
        }
        let resolved = tokio::net::lookup_host(address).await;
        let addresses: Vec<_> = resolved.map_err(ServerError::Address)?.collect();
        let remote = addresses.iter().find(|address| !address.ip().is_loopback());
        if let Some(remote) = remote.filter(|_| !options.remote) {
            return Err(ServerError::Remote(*remote));
        }
        let listener = TcpListener::bind(&*addresses).await;
        let listener = listener.map_err(ServerError::Bind)?;
        let address = listener.local_addr().map_err(ServerError::Bind)?;
        let budget = Budget::new(options.unsent_bytes);
        let service = Service::new(instances.into(), options.clone(), Arc::clone(&budget));
        let service = GrpcService::new(Arc::new(service));
        Ok(Self {
            incoming: TcpIncoming::from(listener).with_nodelay(Some(true)),
            address,
            service: Bounded::new(service, budget),
        })
    }

    /// The address on which it listens.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the future is dropped or the runtime ends. The runtime needs its time enabled,
    /// as in `tokio::main`: a call whose request stops in the middle for a minute ends with
    /// `DEADLINE_EXCEEDED`.
    ///
    /// # Errors
    ///
    /// [`ServerError::Serve`].
    pub async fn serve(self) -> Result<(), ServerError> {
        self.serve_with_shutdown(std::future::pending()).await
    }

    /// Serves until `shutdown` completes; then it accepts no more calls, and finishes those in
    /// progress.
    ///
    /// A client that does not read its answer delays this; use a timeout if that matters. So does
    /// one that does not send its request, by a minute at most.
    ///
    /// # Errors
    ///
    /// [`ServerError::Serve`].
    pub async fn serve_with_shutdown(
        self,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), ServerError> {
        tonic::transport::Server::builder()
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_frame_size(FRAME_BYTES)
            .serve_with_incoming_shutdown(self.service, self.incoming, shutdown)
            .await
            .map_err(ServerError::Serve)
    }
}
