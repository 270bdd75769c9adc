//! `--example nightly` on Google's emulator, killed again and again while it copies.
//!
//! 1,000 meters; 10,000 if `BIGTABLE_MODEL_NIGHTLY` is set.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use bigtable_model::Backend;
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{ReadRows, Row};
use futures::TryStreamExt as _;

#[path = "../../tests/src/emulator.rs"]
#[allow(dead_code, unreachable_pub, reason = "its other users need more of it")]
mod emulator;

const TARGET: &str = "SENSOR_20170726";

/// The number of kills.
const KILLS: usize = 5;

/// The maximum number of restarts if the job ends before it was killed often enough.
const ATTEMPTS: usize = 40;

struct Nightly {
    address: String,
    meters: usize,
    checkpoint: PathBuf,
}

impl Nightly {
    /// Cargo builds examples before it tests their package, and puts them next to the tests'
    /// folder.
    fn command(&self, step: &str) -> Command {
        let tests = std::env::current_exe().unwrap();
        let built = tests.parent().and_then(Path::parent).unwrap();
        let program = built.join("examples/nightly");
        assert!(
            program.exists(),
            "{} is not built: run `cargo build -p bigtable-model-examples --example nightly`",
            program.display()
        );
        let mut command = Command::new(program);
        command.env("BIGTABLE_EMULATOR_HOST", &self.address);
        command.args(["--backend", "bigtable://nightly/test", "--only", step]);
        command.args(["--meters", &self.meters.to_string()]);
        command.args(["--rows-per-write", &(self.meters / 100).to_string()]);
        command.args(["--parallelism", "4"]);
        command.arg("--checkpoint").arg(&self.checkpoint);
        command
    }

    fn saved(&self) -> Vec<u8> {
        fs::read(&self.checkpoint).unwrap_or_default()
    }

    /// Kills a copy some time after a few saves; returns false if it ended before.
    fn kill(&self, random: &mut fastrand::Rng) -> bool {
        let mut copy = self.command("copy").stdout(Stdio::null()).spawn().unwrap();
        let mut seen = self.saved();
        for _ in 0..random.u32(1..4) {
            loop {
                if let Some(status) = copy.try_wait().unwrap() {
                    assert!(status.success());
                    return false;
                }
                let now = self.saved();
                if now != seen {
                    seen = now;
                    break;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        std::thread::sleep(Duration::from_millis(random.u64(0..10)));
        kill(copy)
    }
}

/// Whether it was still running.
fn kill(mut child: Child) -> bool {
    let _ = child.kill();
    !child.wait().unwrap().success()
}

fn said(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{error}");
    said
}

async fn rows(db: &GrpcBackend, table: &str) -> Vec<Row> {
    let request = ReadRows {
        table: table.to_owned(),
        ..ReadRows::default()
    };
    db.read_rows(request).rows().try_collect().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_copy_that_is_killed_ends_with_exactly_the_day() {
    let Some(emulator) = emulator::Emulator::start() else {
        return;
    };
    let name = format!("nightly-{}.checkpoint", std::process::id());
    let nightly = Nightly {
        address: emulator.address().to_owned(),
        meters: match std::env::var_os("BIGTABLE_MODEL_NIGHTLY") {
            Some(_) => 10_000,
            None => 1_000,
        },
        checkpoint: std::env::temp_dir().join(name),
    };
    said(&nightly.command("write").output().unwrap());
    let settings = GrpcSettings::new("nightly", "test").emulator(&nightly.address);
    let db = GrpcBackend::new(&settings).unwrap();
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut kills = 0;
    for _ in 0..ATTEMPTS {
        if kills == KILLS {
            break;
        }
        kills += 1;
        if !nightly.kill(&mut random) {
            kills = 0;
            fs::remove_file(&nightly.checkpoint).unwrap();
            db.tables().delete(TARGET).await.unwrap();
        }
    }
    assert_eq!(kills, KILLS, "it was always done before it could be killed");
    let said = said(&nightly.command("copy").output().unwrap());
    let first = said.lines().next().unwrap_or_default();
    assert!(first.starts_with("Earlier runs had copied "), "{said}");
    assert!(!first.contains(" copied 0 readings"), "{said}");
    assert!(said.contains("and compared: checksum"), "{said}");
    println!("{said}");

    let mut day = rows(&db, "SENSOR").await;
    assert_eq!(day.len(), 3 * nightly.meters);
    day.retain(|row| row.key.ends_with(b"#20170726"));
    assert_eq!(day.len(), nightly.meters);
    // One more cell: a column of the row.
    assert!(day.iter().all(|row| row.cells.len() == 96 + 1));
    assert!(rows(&db, TARGET).await == day, "the tables differ");
    fs::remove_file(&nightly.checkpoint).unwrap();
}
