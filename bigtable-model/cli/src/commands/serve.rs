//! A Bigtable on this machine: tables in memory over Bigtable's own protocol, for `cbt` and clients
//! in any language.

use std::io::Write as _;
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bigtable_model::MemoryBackend;
use bigtable_model::backend::memory::{MemoryBackendBuilder, Profile};
use bigtable_model::server::{InstanceFolder, Instances, Server, ServerOptions};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use crate::args::{Behaviour, Serve};
use crate::failure::Failure;
use crate::signal::interrupted;

/// The time that calls in progress have after Ctrl-C.
const GRACE: Duration = Duration::from_secs(2);

/// The instances in memory; every call may add new ones.
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

impl From<Behaviour> for Profile {
    fn from(behaviour: Behaviour) -> Self {
        match behaviour {
            Behaviour::Service => Self::Service,
            Behaviour::Emulator => Self::Emulator,
        }
    }
}

pub(super) fn run(arguments: &Serve) -> Result<(), Failure> {
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
        let served = serve(arguments, instances, &calls).await;
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
async fn serve(arguments: &Serve, instances: Instances, calls: &Runtime) -> Result<(), Failure> {
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
            let _ = Failure::from(error).report();
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
