//! A web service that stores and serves sensor readings, on any backend.
//!
//! ```sh
//! cargo run --release --example service
//! ```
//!
//! It prints its address. It answers after the reading, or an array of readings, is written:
//!
//! ```sh
//! curl -s localhost:8080/readings --json '{"sensor": "attic", "at": "2024-05-01T12:00:00Z", "celsius": 21.5}'
//! curl -s localhost:8080/readings --json '[
//!   {"sensor": "attic", "at": "2024-05-01T12:01:00Z", "celsius": 21.4, "humidity": 40},
//!   {"sensor": "attic", "at": "2024-05-01T12:02:00Z", "celsius": 21.2, "humidity": 41}]'
//! ```
//!
//! ```json
//! {"written":2}
//! ```
//!
//! If one of them cannot be stored, none is written, and the answer names each error:
//!
//! ```sh
//! curl -s localhost:8080/readings --json '{"sensor": "a#b", "at": "2024-05-01T12:00:00Z", "celsius": 21.5}'
//! curl -s localhost:8080/readings --json '{"sensor": "attic", "at": "2024-05-01T12:00:00Z", "celsius": 21.5, "humidity": 101}'
//! ```
//!
//! ```json
//! {"errors":[{"index":0,"error":"table READING: sensor=a#b at=... is refused: ...","table":"READING","key":"sensor=a#b at=...","segment":"sensor"}]}
//! {"errors":[{"index":0,"error":"...","table":"READING","key":"sensor=attic at=2024-05-01T12:00:00Z","column":"M:HUMIDITY"}]}
//! ```
//!
//! Readings of a sensor by page, all of them line by line, and the newest:
//!
//! ```sh
//! curl -s 'localhost:8080/sensors/attic/readings?from=2024-05-01T00:00:00Z&to=2024-05-02T00:00:00Z&size=2'
//! curl -s 'localhost:8080/sensors/attic/readings.ndjson?from=2024-05-01T00:00:00Z'
//! curl -s 'localhost:8080/sensors/attic/latest?n=2'
//! curl -s localhost:8080/health
//! ```
//!
//! Pass a page's `next` as `&after=` to get the next page.
//!
//! After Ctrl-C or SIGTERM it accepts no more requests, finishes those in progress, and ends.
//! Nothing that was answered with 200 is lost, not even by a kill: it was already in the table.

mod answer;
mod api;
mod ingest;
mod reading;

use std::error::Error;
use std::io::Write as _;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::batcher::{Batcher, BatcherSettings};
use bigtable_model::{BackendExt as _, Model as _};
use bigtable_model_examples::print;
use bigtable_model_examples::signal::interrupted;
use bigtable_model_examples::store;
use clap::Parser;
use tokio::net::TcpListener;

use api::Service;
use reading::Reading;

/// The time that requests in progress have after a signal. Otherwise a client that never sends the
/// rest of its request would keep the service running; it has no answer yet, so nothing that was
/// promised is lost.
const GRACE: Duration = Duration::from_secs(20);

/// Stores and serves sensor readings over HTTP.
#[derive(Debug, Parser)]
struct Arguments {
    /// The backend of the readings: `memory:` or `bigtable://project/instance`
    #[arg(long, default_value = "memory:")]
    backend: String,
    /// The address to listen on; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The time that a reading waits for others to be written with, in milliseconds
    #[arg(long, default_value_t = 20)]
    delay: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(&Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", print::chain(&*error));
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let db = store::open(&arguments.backend).await?;
    db.ensure_tables::<Reading>().await?;
    let settings = BatcherSettings {
        delay: Duration::from_millis(arguments.delay),
        ..BatcherSettings::default()
    };
    let table = Reading::SCHEMA.table.to_string();
    let batcher = Batcher::new(Arc::clone(&db), table, settings)?;
    let service = Arc::new(Service {
        db,
        batcher: batcher.clone(),
    });
    let listener = TcpListener::bind(arguments.listen).await?;
    // A program that reads the announcement may send the signal at once.
    let (stop, interrupted) = (interrupted(), interrupted());
    announce(listener.local_addr()?)?;
    let serving = axum::serve(listener, api::routes(service));
    tokio::select! {
        served = serving.with_graceful_shutdown(stop) => served?,
        () = async { interrupted.await; tokio::time::sleep(GRACE).await } => {
            eprintln!("requests that were not complete after {GRACE:?} were given up");
        }
    }
    // Clients that left without waiting for an answer have passed readings too.
    batcher.close().await;
    Ok(())
}

/// A program that reads this through a pipe waits for the line, so flush it at once.
fn announce(address: SocketAddr) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "listening on http://{address}")?;
    out.flush()
}
