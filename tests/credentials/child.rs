//! A separate process: credentials are found by environment variables, which a process has only
//! once.

use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bigtable_model::backend::grpc::auth::{self, AccessToken, TokenSource};
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, ServiceSettings};
use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::{Backend, ConnectError, Status, connect};
use futures::future::BoxFuture;
use rustls::crypto::CryptoProvider;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::server::Place;

/// The TLS address of the server; if it is unset, the child uses `connect`.
const ADDRESS: &str = "TEST_ADDRESS";
const CERTIFICATE: &str = "TEST_CERTIFICATE";

/// Which crypto provider the child installs for itself: `ours`, `own`, or `none`.
pub(crate) const PROVIDER: &str = "TEST_PROVIDER";

/// Whether the child has its own token.
pub(crate) const TOKEN: &str = "TEST_TOKEN";

/// How often other work runs on the child's only thread.
const TICK: Duration = Duration::from_millis(20);

/// The outcome of a child.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Everything that it printed, with the `Debug` form of its settings and its backend.
    pub(crate) printed: String,
}

impl Outcome {
    /// The results of its calls: a line for the data API and one for the admin API.
    pub(crate) fn answers(&self) -> Vec<&str> {
        let lines = self.printed.lines();
        lines
            .filter_map(|line| line.split_once("answer: ").map(|(_, rest)| rest))
            .collect()
    }

    /// The only line with this beginning.
    pub(crate) fn told(&self, what: &str) -> &str {
        let mut lines = self.printed.lines().filter_map(|line| {
            let rest = line.strip_prefix(what)?;
            rest.strip_prefix(": ")
        });
        let line = lines.next();
        line.unwrap_or_else(|| panic!("no {what}: {}", self.printed))
    }
}

/// Runs a child with these variables and no others that set credentials.
pub(crate) async fn run(place: Option<&Place>, home: &Path, variables: &[(&str, &str)]) -> Outcome {
    run_with(place, home, variables, "").await
}

/// The same with data on the child's standard input.
pub(crate) async fn run_with(
    place: Option<&Place>,
    home: &Path,
    variables: &[(&str, &str)],
    input: &str,
) -> Outcome {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child::process", "--ignored", "--nocapture"]);
    command.env_clear().env("HOME", home).env("APPDATA", home);
    command.envs(variables.iter().copied());
    if let Some(place) = place {
        command.env(ADDRESS, &place.address);
        command.env(CERTIFICATE, &place.certificate);
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).await.unwrap();
    drop(stdin);
    let output = tokio::time::timeout(Duration::from_secs(60), child.wait_with_output());
    let Output { stdout, stderr, .. } = output.await.unwrap().unwrap();
    let printed = [stdout, stderr].concat();
    Outcome {
        printed: String::from_utf8(printed).unwrap(),
    }
}

#[test]
#[ignore = "a process of its own, which the other tests start"]
fn process() {
    let own = match std::env::var(PROVIDER).as_deref() {
        Ok("none") => None,
        Ok("own") => Some(install_own_provider()),
        _ => {
            auth::install_crypto_provider();
            None
        }
    };
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(async {
        let ticking = tokio::spawn(async {
            for ticks in 0.. {
                tokio::time::sleep(TICK).await;
                TICKS.store(ticks, Ordering::SeqCst);
            }
        });
        match open().await {
            Ok(backend) => call(&*backend).await,
            Err(error) => println!("answer: refused: {error}"),
        }
        ticking.abort();
    });
    let provider = match (CryptoProvider::get_default(), own) {
        (None, _) => "none",
        (Some(now), Some(own)) if Arc::ptr_eq(now, &own) => "own",
        (Some(_), _) => "ours",
    };
    println!("provider: {provider}");
    println!("ticks: {}", TICKS.load(Ordering::SeqCst));
}

static TICKS: AtomicUsize = AtomicUsize::new(0);

/// A provider with a single cipher suite.
fn install_own_provider() -> Arc<CryptoProvider> {
    let mut provider = rustls::crypto::ring::default_provider();
    provider.cipher_suites.truncate(1);
    provider.install_default().unwrap();
    Arc::clone(CryptoProvider::get_default().unwrap())
}

async fn open() -> Result<Arc<dyn Backend>, ConnectError> {
    let Ok(address) = std::env::var(ADDRESS) else {
        return connect("bigtable://p/i").await;
    };
    let service = ServiceSettings::new()
        .data_address(&address)
        .admin_address(&address)
        .root_certificates(std::env::var(CERTIFICATE).unwrap());
    let service = match std::env::var(TOKEN) {
        Ok(_) => service.credentials(Fixed),
        Err(_) => service,
    };
    let settings = GrpcSettings::new("p", "i").service(service);
    println!("{settings:?}");
    Ok(Arc::new(GrpcBackend::new(&settings)?))
}

/// A token of the program.
#[derive(Debug)]
struct Fixed;

impl TokenSource for Fixed {
    fn token(&self) -> BoxFuture<'_, Result<AccessToken, Status>> {
        Box::pin(async { AccessToken::bearer("of-the-program") })
    }
}

async fn call(backend: &dyn Backend) {
    let (written, listed) = futures::join!(write(backend), backend.tables().list());
    println!("answer: {}", shown(&written));
    println!("answer: {}", shown(&listed));
    println!("{backend:?}");
}

fn shown<T>(answer: &Result<T, bigtable_model::Status>) -> String {
    match answer {
        Ok(_) => "OK".to_owned(),
        Err(error) => error.to_string().replace('\n', " "),
    }
}

/// A call of the data API.
pub(crate) async fn write(backend: &dyn Backend) -> Result<(), bigtable_model::Status> {
    let row = RowMutations {
        key: "k".into(),
        mutations: vec![Mutation::DeleteFromRow],
    };
    backend.mutate_row("t", row).await
}
