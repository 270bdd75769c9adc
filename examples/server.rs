//! A Bigtable for development: tables in memory behind Bigtable's own protocol, for `cbt` and for clients of any language.
//!
//! ```sh
//! cargo run --release --example server -- --port 8086
//! BIGTABLE_EMULATOR_HOST=127.0.0.1:8086 cbt -project any -instance any ls
//! ```
//!
//! The first line that it prints is the variable's setting; it ends with Ctrl-C, and what was written with it.

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::MemoryBackend;
use bigtable_model::backend::memory::Profile;
use bigtable_model::server::{Instances, Server, ServerOptions};
use clap::{Parser, ValueEnum};

/// How long calls in progress may go on after Ctrl-C.
const GRACE: Duration = Duration::from_secs(2);

/// Serves tables in memory over Bigtable's protocol.
#[derive(Debug, Parser)]
struct Arguments {
    /// The address to listen on. One that other machines reach lets them read and write everything
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port to listen on; 0 is any that is free
    #[arg(long, default_value_t = 8086)]
    port: u16,
    /// Whose behaviour it has: Bigtable's, or that of Google's emulator with its faults
    #[arg(long, value_enum, default_value = "service")]
    profile: Behaviour,
    /// Decides where answers of reads are cut; the same seed cuts them the same way
    #[arg(long, default_value_t = 0, conflicts_with = "uncut")]
    seed: u64,
    /// Cuts only what is too large for one message
    #[arg(long)]
    uncut: bool,
    /// Lets messages end inside rows, which Google's clients for Go and Python do not take
    #[arg(long, conflicts_with = "uncut")]
    split_rows: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Behaviour {
    Service,
    Emulator,
}

impl From<Behaviour> for Profile {
    fn from(behaviour: Behaviour) -> Self {
        match behaviour {
            Behaviour::Service => Self::Service,
            Behaviour::Emulator => Self::Emulator,
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                eprintln!("  because: {error}");
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let profile = arguments.profile.into();
    let instances =
        Instances::new(move |_name| Arc::new(MemoryBackend::builder().profile(profile).build()));
    // An address that was typed is one that is meant.
    let options = ServerOptions::default()
        .remote(true)
        .split_rows(arguments.split_rows)
        .chunk_seed((!arguments.uncut).then_some(arguments.seed));
    let address = (arguments.host.as_str(), arguments.port);
    let server = Server::bind(address, instances, &options).await?;
    announce(&server)?;
    tokio::select! {
        served = server.serve_with_shutdown(interrupted()) => served?,
        () = async { interrupted().await; tokio::time::sleep(GRACE).await } => {}
    }
    Ok(())
}

/// What reads this through a pipe waits for the line, so it goes out at once.
fn announce(server: &Server) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "BIGTABLE_EMULATOR_HOST={}", server.local_addr())?;
    out.flush()
}

/// Where the signal can't be listened for, the server runs until it is killed.
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
