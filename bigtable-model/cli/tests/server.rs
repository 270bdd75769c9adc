//! `serve` across restarts: what it keeps when it is stopped, and when it is killed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use bigtable_model::Backend;
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{
    FamilySchema, GcRule, Mutation, ReadRows, RowFilter, RowMutations, TableSchema,
};
use futures::TryStreamExt as _;

const PATIENCE: Duration = Duration::from_secs(20);

/// A temporary folder, deleted at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let name = format!("server-{test}-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn command(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bigtable-model"));
    command.args(["serve", "--port", "0", "--save-every", "1", "--data"]);
    command.arg(data);
    command
}

/// A server that keeps nothing.
fn memory_only() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bigtable-model"));
    command.args(["serve", "--port", "0"]);
    command
}

/// A running server, killed when it is dropped.
struct Running {
    process: Child,
    client: GrpcBackend,
}

impl Running {
    fn start(data: &Path) -> Self {
        Self::launch(&mut command(data))
    }

    fn launch(command: &mut Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let stdout = process.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("BIGTABLE_EMULATOR_HOST=").unwrap();
        let settings = GrpcSettings::new("p", "i").emulator(address);
        let client = GrpcBackend::new(&settings).unwrap();
        Self { process, client }
    }

    fn stop(mut self, signal: &str) -> ExitStatus {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(sent.unwrap().success());
        self.process.wait().unwrap()
    }

    async fn create_table(&self) {
        self.create_table_of(FamilySchema::default()).await;
    }

    async fn create_table_of(&self, family: FamilySchema) {
        let schema = TableSchema {
            table: "t".to_owned(),
            families: [("f".to_owned(), family)].into(),
            ..TableSchema::default()
        };
        self.client
            .tables()
            .create(schema, Vec::new())
            .await
            .unwrap();
    }

    async fn write(&self, key: &'static str) {
        let set = Mutation::SetCell {
            family: "f".into(),
            qualifier: "q".into(),
            timestamp_micros: 1_000,
            value: key.into(),
        };
        let row = RowMutations {
            key: key.into(),
            mutations: vec![set],
        };
        self.client.mutate_row("t", row).await.unwrap();
    }

    /// The number of cells in the table.
    async fn cells(&self) -> usize {
        let rows: Vec<_> = self
            .client
            .read_rows(ReadRows {
                table: "t".to_owned(),
                ..ReadRows::default()
            })
            .rows()
            .try_collect()
            .await
            .unwrap();
        rows.iter().map(|row| row.cells.len()).sum()
    }

    async fn keys(&self) -> Vec<String> {
        let mut rows = self
            .client
            .read_rows(ReadRows {
                table: "t".to_owned(),
                ..ReadRows::default()
            })
            .rows();
        let mut keys = Vec::new();
        while let Some(row) = rows.try_next().await.unwrap() {
            assert_eq!(row.cells[0].value, row.key);
            keys.push(String::from_utf8(row.key.to_vec()).unwrap());
        }
        keys
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until the snapshot has changed since `before`.
fn await_change(file: &Path, before: Option<std::time::SystemTime>) -> std::time::SystemTime {
    let start = Instant::now();
    loop {
        let saved = fs::metadata(file).and_then(|file| file.modified()).ok();
        match saved {
            Some(saved) if Some(saved) != before => return saved,
            _ => assert!(start.elapsed() < PATIENCE, "nothing was saved"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_was_written_is_there_after_a_stop() {
    let folder = Folder::new("stop");
    let server = Running::start(&folder.0);
    server.create_table().await;
    server.write("r1").await;
    assert!(server.stop("TERM").success());

    let server = Running::start(&folder.0);
    assert_eq!(server.keys().await, ["r1"]);
    server.write("r2").await;
    assert!(server.stop("INT").success());

    let server = Running::start(&folder.0);
    assert_eq!(server.keys().await, ["r1", "r2"]);
    let other = command(&folder.0).output().unwrap();
    refused(&other, "is in use by another server");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_was_saved_is_there_after_a_kill() {
    let folder = Folder::new("kill");
    let file = folder.0.join("p.i.snapshot");
    let server = Running::start(&folder.0);
    server.create_table().await;
    let first = await_change(&file, None);
    server.write("r1").await;
    let second = await_change(&file, Some(first));
    assert!(!server.stop("KILL").success());

    let server = Running::start(&folder.0);
    assert_eq!(server.keys().await, ["r1"]);
    assert!(server.stop("TERM").success());
    let third = fs::metadata(&file).and_then(|file| file.modified());
    assert_eq!(third.unwrap(), second, "nothing was written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn garbage_is_collected() {
    for in_files in [true, false] {
        let folder = Folder::new("garbage");
        let mut command = match in_files {
            true => command(&folder.0),
            false => memory_only(),
        };
        let server = Running::launch(command.args(["--gc-every", "1"]));
        let family = FamilySchema {
            gc_rule: Some(GcRule::MaxVersions(1)),
            ..FamilySchema::default()
        };
        server.create_table_of(family).await;
        let set = |micros| Mutation::SetCell {
            family: "f".into(),
            qualifier: "q".into(),
            timestamp_micros: micros,
            value: "v".into(),
        };
        let row = RowMutations {
            key: "r".into(),
            mutations: (0..100).map(|number| set(number * 1_000)).collect(),
        };
        server.client.mutate_row("t", row).await.unwrap();
        let start = Instant::now();
        while server.cells().await > 1 {
            assert!(start.elapsed() < PATIENCE, "no garbage was collected");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Large cells, matched by many regexes, in more reads than there are threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_stop_is_heard_beside_reads_that_take_long() {
    let folder = Folder::new("busy");
    let server = Running::start(&folder.0);
    server.create_table().await;
    server.write("aaaaaaaaaa0").await;
    let both = RowFilter::Interleave(vec![RowFilter::PassAll; 2]);
    let regexes = (0..900).map(|number| RowFilter::ValueRegex(format!("a+{number}").into()));
    let mut filters = vec![both; 16];
    filters.push(RowFilter::Interleave(regexes.collect()));
    for _ in 0..8 {
        let mut rows = server
            .client
            .read_rows(ReadRows {
                table: "t".to_owned(),
                filter: Some(RowFilter::Chain(filters.clone())),
                ..ReadRows::default()
            })
            .rows();
        tokio::spawn(async move { rows.try_next().await });
    }
    // They are in progress once the server answers another call.
    server.write("other").await;
    let start = Instant::now();
    assert!(server.stop("TERM").success());
    assert!(start.elapsed() < PATIENCE);

    let server = Running::start(&folder.0);
    assert_eq!(server.keys().await, ["aaaaaaaaaa0", "other"]);
}

#[test]
fn a_stop_right_after_the_announcement_is_heard() {
    let folder = Folder::new("at-once");
    for _ in 0..20 {
        assert!(Running::start(&folder.0).stop("TERM").success());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_damaged_file_is_refused_at_the_start() {
    let folder = Folder::new("damaged");
    let server = Running::start(&folder.0);
    server.create_table().await;
    assert!(server.stop("TERM").success());
    let file = folder.0.join("p.i.snapshot");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    let output = command(&folder.0).output().unwrap();
    refused(&output, "p.i.snapshot is damaged at byte");
    assert!(output.stdout.is_empty());
}

fn refused(output: &Output, words: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(said.contains(words), "{said}");
}
