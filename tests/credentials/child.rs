//! A process of its own: credentials are found by environment variables, which a process has only once.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, ServiceSettings};
use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::{Backend, connect};
use tokio::process::Command;

use crate::server::Place;

/// Where the child finds the server over TLS; without it, it does what `connect` does.
const ADDRESS: &str = "TEST_ADDRESS";
const CERTIFICATE: &str = "TEST_CERTIFICATE";

/// How a child went.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// All that it printed, with the `Debug` form of its settings and its backend.
    pub(crate) printed: String,
}

impl Outcome {
    /// What became of its calls: two lines, of a call of the data API and of one of the admin API.
    pub(crate) fn answers(&self) -> Vec<&str> {
        let lines = self.printed.lines();
        lines
            .filter_map(|line| line.split_once("answer: ").map(|(_, rest)| rest))
            .collect()
    }
}

/// Runs a child with these variables and no others that name credentials.
pub(crate) async fn run(place: Option<&Place>, home: &Path, variables: &[(&str, &str)]) -> Outcome {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child::process", "--ignored", "--nocapture"]);
    command.env_clear().env("HOME", home).env("APPDATA", home);
    command.envs(variables.iter().copied());
    if let Some(place) = place {
        command.env(ADDRESS, &place.address);
        command.env(CERTIFICATE, &place.certificate);
    }
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let output = tokio::time::timeout(Duration::from_secs(60), command.output());
    let Output { stdout, stderr, .. } = output.await.unwrap().unwrap();
    let printed = [stdout, stderr].concat();
    Outcome {
        printed: String::from_utf8(printed).unwrap(),
    }
}

#[test]
#[ignore = "a process of its own, which the other tests start"]
fn process() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let backend: Box<dyn Backend> = match std::env::var(ADDRESS) {
            Ok(address) => {
                let service = ServiceSettings::new()
                    .data_address(&address)
                    .admin_address(&address)
                    .root_certificates(std::env::var(CERTIFICATE).unwrap());
                let settings = GrpcSettings::new("p", "i").service(service);
                println!("{settings:?}");
                match GrpcBackend::new(&settings) {
                    Ok(backend) => Box::new(backend),
                    Err(error) => return println!("answer: refused: {error}"),
                }
            }
            Err(_) => match connect("bigtable://p/i").await {
                Ok(backend) => {
                    call(&*backend).await;
                    return;
                }
                Err(error) => return println!("answer: refused: {error}"),
            },
        };
        call(&*backend).await;
    });
}

async fn call(backend: &dyn Backend) {
    let (written, listed) = futures::join!(write(backend), backend.list_tables());
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
