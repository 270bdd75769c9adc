//! Lets the public conformance tests of Bigtable clients drive the gRPC backend.
//!
//! The tests are Go programs in the repository `googleapis/cloud-bigtable-clients-test` on GitHub:
//!
//! ```sh
//! cargo run --release --bin test-proxy -- --port 9999
//! cd cloud-bigtable-clients-test/tests && go test -v -proxy_addr=:9999
//! ```
//!
//! It listens only on this machine and prints its address.

use std::error::Error;
use std::io::Write;

use bigtable_model_tests::proxy::Proxy;
use clap::Parser;

/// Drives the gRPC backend for the public conformance tests.
#[derive(Debug, Parser)]
struct Arguments {
    /// The port to listen on; 0 picks a free one
    #[arg(long, default_value_t = 9999)]
    port: u16,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let (address, serving) = Proxy::default().serve(arguments.port)?;
    writeln!(std::io::stdout(), "listening on {address}")?;
    serving.await?;
    Ok(())
}
