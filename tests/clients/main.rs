//! Google's own clients on our server: programs that share no code with it. The scripts next to
//! this file say what they do and check the results.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use bigtable_model::MemoryBackend;
use bigtable_model::server::{Instances, Server, ServerOptions};

/// A script's exit code if a tool is missing.
const SKIPPED: i32 = 77;

async fn serve(seed: u64) -> String {
    let instances = Instances::new(|_| Arc::new(MemoryBackend::new()));
    let options = ServerOptions::default().chunk_seed(Some(seed));
    let server = Server::bind("127.0.0.1:0", instances, &options).await;
    let server = server.unwrap();
    let address = server.local_addr().to_string();
    tokio::spawn(server.serve());
    address
}

/// Runs a script of this folder with the server's address.
async fn run(script: &'static str, address: String) -> Output {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("clients")
        .join(script);
    let output = tokio::task::spawn_blocking(move || {
        Command::new("bash")
            .arg(path)
            .env("BIGTABLE_EMULATOR_HOST", address)
            .env("BIGTABLE_MODEL_VENV", env!("CARGO_TARGET_TMPDIR"))
            .output()
    });
    output.await.unwrap().unwrap()
}

/// Panics with the script's output, unless it succeeded or lacks a tool.
fn check(script: &str, output: &Output, may_skip: bool) {
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => {}
        Some(SKIPPED) if may_skip => eprintln!("skipped {script}: {}", said.trim_end()),
        _ => panic!("{script}: {}\n{said}\n{errors}", output.status),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn cbt() {
    let output = run("cbt.sh", serve(0).await).await;
    check("cbt.sh", &output, std::env::var_os("CI").is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn python() {
    let output = run("python.sh", serve(0).await).await;
    check("python.sh", &output, true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn node() {
    let output = run("node.sh", serve(0).await).await;
    check("node.sh", &output, true);
}
