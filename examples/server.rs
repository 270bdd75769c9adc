//! A Bigtable server for development: serves tables in memory over Bigtable's own protocol, for
//! `cbt` and clients in any language.
//!
//! ```sh
//! cargo run --release --example server -- --port 8086
//! BIGTABLE_EMULATOR_HOST=127.0.0.1:8086 cbt -project any -instance any ls
//! ```
//!
//! The first line that it prints is the variable's setting. It ends with Ctrl-C or SIGTERM. The
//! data is then lost, unless `--data FOLDER` keeps it. If it is killed, it loses what was written
//! since the last save began.
//!
//! It collects garbage every ten seconds, as the families' rules say; `--gc-every` sets another
//! interval, or never. With `--profile emulator` it collects only in tables whose families were
//! modified, like the emulator.

use std::error::Error;
use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bigtable_model::MemoryBackend;
use bigtable_model::backend::memory::{MemoryBackendBuilder, Profile};
use bigtable_model::server::{InstanceFolder, Instances, Server, ServerOptions};
use bigtable_model_examples::signal::interrupted;
use clap::{Parser, ValueEnum};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

/// The time that calls in progress have after Ctrl-C.
const GRACE: Duration = Duration::from_secs(2);

/// Serves tables in memory over Bigtable's protocol.
#[derive(Debug, Parser)]
struct Arguments {
    /// The address to listen on. If other machines can reach it, they can read and write everything
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port to listen on; 0 picks a free one
    #[arg(long, default_value_t = 8086)]
    port: u16,
    /// Which server it imitates: Bigtable, or Google's emulator with its faults
    #[arg(long, value_enum, default_value = "service")]
    profile: Behaviour,
    /// The seed for where responses of reads are cut; the same seed cuts them the same way
    #[arg(long, default_value_t = 0, conflicts_with = "uncut")]
    seed: u64,
    /// Cuts only responses that are too large for one message
    #[arg(long)]
    uncut: bool,
    /// Lets messages end inside rows, which Google's clients for Go and Python do not accept
    #[arg(long, conflicts_with = "uncut")]
    split_rows: bool,
    /// The folder that keeps the data across restarts, a file for each instance; without it the
    /// data is lost when the server ends
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// The interval between saves while the server runs; it also saves at the end
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = "data")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    save_every: u64,
    /// The interval between collections of garbage: cells that the families' rules delete are read
    /// until then; 0 never collects
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    gc_every: u64,
}

/// The instances in memory, of which new ones may come with every call.
#[derive(Clone)]
enum Kept {
    InFiles(InstanceFolder),
    InMemory(Arc<Mutex<Vec<MemoryBackend>>>),
}

impl Kept {
    fn instances(&self, builder: MemoryBackendBuilder) -> Instances {
        match self {
            Self::InFiles(folder) => folder.instances(),
            Self::InMemory(kept) => {
                let kept = Arc::clone(kept);
                Instances::new(move |_name| {
                    let db = builder.clone().build();
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    kept.push(db.clone());
                    Arc::new(db)
                })
            }
        }
    }

    fn run_gc(&self) {
        match self {
            Self::InFiles(folder) => folder.run_gc(),
            Self::InMemory(kept) => {
                let kept = kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
                kept.iter().for_each(|db| db.run_gc(db.clock().now()));
            }
        }
    }
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
    let kept = match &folder {
        Some(folder) => Kept::InFiles(folder.clone()),
        None => Kept::InMemory(Arc::default()),
    };
    let instances = kept.instances(builder);
    let calls = runtime()?;
    // Signals, the grace period and saves must not wait for calls, which other threads serve.
    let own = Builder::new_current_thread().enable_all().build()?;
    let served = own.block_on(async {
        let saving = folder.clone().map(|folder| {
            let pause = Duration::from_secs(arguments.save_every);
            tokio::spawn(keep_saving(folder, pause))
        });
        let collecting = (arguments.gc_every > 0).then(|| {
            let pause = Duration::from_secs(arguments.gc_every);
            tokio::spawn(keep_collecting(kept, pause))
        });
        let served = serve(&arguments, instances, &calls).await;
        for task in [saving, collecting].into_iter().flatten() {
            task.abort();
        }
        served
    });
    // All calls end with the runtime, so nothing is written after the last save.
    calls.shutdown_timeout(GRACE);
    if let Some(folder) = folder {
        folder.save()?;
    }
    served
}

/// Half of the cores are left to the clients, which usually run on the same machine; a thread for
/// every core would compete with them and move calls between threads.
fn runtime() -> std::io::Result<Runtime> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    Builder::new_multi_thread()
        .worker_threads((cores / 2).max(1))
        .enable_all()
        .build()
}

/// Serves calls on their threads until the program is interrupted.
async fn serve(
    arguments: &Arguments,
    instances: Instances,
    calls: &Runtime,
) -> Result<(), Box<dyn Error>> {
    // An address that was given explicitly is intended.
    let options = ServerOptions::default()
        .remote(true)
        .split_rows(arguments.split_rows)
        .chunk_seed((!arguments.uncut).then_some(arguments.seed));
    let address = (arguments.host.clone(), arguments.port);
    // The listener belongs to the runtime that serves it.
    let bound = calls.spawn(async move { Server::bind(address, instances, &options).await });
    let server = bound.await??;
    // A program that reads the announcement may send the signal at once.
    let interrupted = interrupted();
    announce(&server)?;
    let (stop, stopped) = oneshot::channel::<()>();
    let mut serving = calls.spawn(server.serve_with_shutdown(async {
        // Stopped by a signal, or the sender is gone.
        let _ = stopped.await;
    }));
    tokio::select! {
        served = &mut serving => return Ok(served??),
        () = interrupted => {}
    }
    let _ = stop.send(());
    match tokio::time::timeout(GRACE, serving).await {
        Ok(served) => Ok(served??),
        // The remaining calls end with the runtime.
        Err(_) => Ok(()),
    }
}

/// A failed save is reported and retried: the disk may have space later.
async fn keep_saving(folder: InstanceFolder, pause: Duration) {
    loop {
        tokio::time::sleep(pause).await;
        let folder = folder.clone();
        if let Ok(Err(error)) = tokio::task::spawn_blocking(move || folder.save()).await {
            report(&error);
        }
    }
}

/// Bigtable collects garbage in its own time; here it is often enough for tests to see it.
async fn keep_collecting(kept: Kept, pause: Duration) {
    loop {
        tokio::time::sleep(pause).await;
        let kept = kept.clone();
        // A panic ends this collection, not the server.
        let _ = tokio::task::spawn_blocking(move || kept.run_gc()).await;
    }
}

/// A program that reads this through a pipe waits for the line, so flush it at once.
fn announce(server: &Server) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "BIGTABLE_EMULATOR_HOST={}", server.local_addr())?;
    out.flush()
}
