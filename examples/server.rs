//! A Bigtable for development: tables in memory behind Bigtable's own protocol, for `cbt` and for
//! clients of any language.
//!
//! ```sh
//! cargo run --release --example server -- --port 8086
//! BIGTABLE_EMULATOR_HOST=127.0.0.1:8086 cbt -project any -instance any ls
//! ```
//!
//! The first line that it prints is the variable's setting. It ends with Ctrl-C or SIGTERM, and
//! what was written with it, unless `--data FOLDER` keeps it. Killed, it has lost what was written
//! since its last save began.

use std::error::Error;
use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::MemoryBackend;
use bigtable_model::backend::memory::Profile;
use bigtable_model::server::{InstanceFolder, Instances, Server, ServerOptions};
use bigtable_model_examples::signal::interrupted;
use clap::{Parser, ValueEnum};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

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
    /// The folder that keeps the data over a restart, a file for each instance; without it the data
    /// ends with the server
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// How often the data is saved while the server runs; it is also saved at the end
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = "data")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    save_every: u64,
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

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&*error);
            ExitCode::FAILURE
        }
    }
}

fn report(error: &dyn Error) {
    eprintln!("error: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        eprintln!("  because: {error}");
        cause = error.source();
    }
}

fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let profile = arguments.profile.into();
    let builder = MemoryBackend::builder().profile(profile);
    let folder = match &arguments.data {
        Some(path) => Some(InstanceFolder::open(path, builder.clone())?),
        None => None,
    };
    let instances = match &folder {
        Some(folder) => folder.instances(),
        None => Instances::new(move |_name| Arc::new(builder.clone().build())),
    };
    let calls = runtime()?;
    // Signals, the grace and the saves do not wait for calls: these are served by other threads.
    let own = Builder::new_current_thread().enable_all().build()?;
    let served = own.block_on(async {
        let saving = folder.clone().map(|folder| {
            let pause = Duration::from_secs(arguments.save_every);
            tokio::spawn(keep_saving(folder, pause))
        });
        let served = serve(&arguments, instances, &calls).await;
        if let Some(saving) = saving {
            saving.abort();
        }
        served
    });
    // With the runtime all calls end, so that nothing is written after the last save.
    calls.shutdown_timeout(GRACE);
    if let Some(folder) = folder {
        folder.save()?;
    }
    served
}

/// Half of the cores are for the clients, which mostly run on the same machine; a thread for every
/// core would only get in their way and hand calls from one to the other.
fn runtime() -> std::io::Result<Runtime> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    Builder::new_multi_thread()
        .worker_threads((cores / 2).max(1))
        .enable_all()
        .build()
}

/// Serves on the threads for calls until the program is interrupted.
async fn serve(
    arguments: &Arguments,
    instances: Instances,
    calls: &Runtime,
) -> Result<(), Box<dyn Error>> {
    // An address that was typed is one that is meant.
    let options = ServerOptions::default()
        .remote(true)
        .split_rows(arguments.split_rows)
        .chunk_seed((!arguments.uncut).then_some(arguments.seed));
    let address = (arguments.host.clone(), arguments.port);
    // What is bound belongs to the runtime that serves it.
    let bound = calls.spawn(async move { Server::bind(address, instances, &options).await });
    let server = bound.await??;
    // Who reads the announcement may end the program at once.
    let interrupted = interrupted();
    announce(&server)?;
    let (stop, stopped) = oneshot::channel::<()>();
    let mut serving = calls.spawn(server.serve_with_shutdown(async {
        // Told, or never to be told any more.
        let _ = stopped.await;
    }));
    tokio::select! {
        served = &mut serving => return Ok(served??),
        () = interrupted => {}
    }
    let _ = stop.send(());
    match tokio::time::timeout(GRACE, serving).await {
        Ok(served) => Ok(served??),
        // The calls that are left end with the runtime.
        Err(_) => Ok(()),
    }
}

/// A save that fails is said and tried again: the disk may have room later.
async fn keep_saving(folder: InstanceFolder, pause: Duration) {
    loop {
        tokio::time::sleep(pause).await;
        let folder = folder.clone();
        if let Ok(Err(error)) = tokio::task::spawn_blocking(move || folder.save()).await {
            report(&error);
        }
    }
}

/// What reads this through a pipe waits for the line, so it goes out at once.
fn announce(server: &Server) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "BIGTABLE_EMULATOR_HOST={}", server.local_addr())?;
    out.flush()
}
