//! Each example prints the same on every backend: in memory, on our server and on Google's
//! emulator.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use bigtable_model::server::{Server as BigtableServer, ServerOptions};
use bigtable_model::{Backend, MemoryBackend};
use tokio::runtime::Runtime;

#[path = "../../tests/src/emulator.rs"]
#[allow(dead_code, unreachable_pub, reason = "its other users need more of it")]
mod emulator;

/// For its test: Cargo does not build the program of an example that is a test.
#[path = "../weather.rs"]
#[allow(dead_code, reason = "the program is run, see `said`")]
mod weather_example;

/// Our server with tables in memory, which ends with its runtime.
struct Server {
    address: String,
    _runtime: Runtime,
}

impl Server {
    fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
        let options = ServerOptions::default();
        let bound = BigtableServer::bind("127.0.0.1:0", memory, &options);
        let server = runtime.block_on(bound).unwrap();
        let address = server.local_addr().to_string();
        runtime.spawn(server.serve());
        Self {
            address,
            _runtime: runtime,
        }
    }
}

/// The output of an example on a backend: at an address, or in memory.
fn said(example: &str, arguments: &[&str], address: Option<&str>) -> String {
    let mut command = Command::new(support::example(example));
    command.args(arguments);
    if let Some(address) = address {
        command.env("BIGTABLE_EMULATOR_HOST", address);
        command.args(["--backend", "bigtable://examples/test"]);
    }
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{example}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn check(example: &str, arguments: &[&str], words: &str) {
    let memory = said(example, arguments, None);
    assert!(memory.contains(words), "{memory}");
    let server = Server::start();
    assert_eq!(memory, said(example, arguments, Some(&server.address)));
    if let Some(emulator) = emulator::Emulator::start() {
        assert_eq!(memory, said(example, arguments, Some(emulator.address())));
    }
}

/// The first observations of the year.
struct Weather(PathBuf);

impl Weather {
    fn new() -> Self {
        let all = concat!(env!("CARGO_MANIFEST_DIR"), "/data/nyc-weather-2013.csv");
        let all = std::fs::read_to_string(all).unwrap();
        let some: Vec<_> = all.lines().take(1_001).collect();
        let name = format!("weather-{}.csv", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, some.join("\n")).unwrap();
        Self(file)
    }
}

impl Drop for Weather {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn weather() {
    let file = Weather::new();
    let arguments = ["--csv", file.0.to_str().unwrap()];
    check("weather", &arguments, "\n1,000 observations are stored.");
}

#[test]
fn by_name() {
    let words =
        "station=EWR at=2013-01-16T05:00:00Z local_date=2013-01-16 temp=33.98 wind_direction=20";
    check("by_name", &[], words);
}

#[test]
fn market() {
    let words = "2,400 quotes of ";
    check("market", &["--messages", "3000"], words);
}

#[test]
fn meters() {
    let words = "50 meters reported 96 times each: 50 rows";
    check("meters", &["--meters", "50"], words);
}

#[test]
fn balloons() {
    let words = "1,000 measurements of 2 balloons";
    check("balloons", &["--minutes", "500"], words);
    let said = said("balloons", &["--minutes", "1"], None);
    for published in [
        "us-west2#3698#2021-03-05-1200",
        "asia-south2#3698#week1",
        "us-west2#3698#pressure#week1",
    ] {
        assert!(said.contains(published), "{said}");
    }
}

#[test]
fn games() {
    let words = "a repair finds nothing to do";
    check("games", &["--games", "500"], words);
}

#[test]
fn servers() {
    let words = "of 20 machines, of which 20 show";
    check("servers", &["--machines", "20"], words);
}

#[test]
fn trader() {
    let words = "8,730 trades of GOOG on 1,455 days";
    check("trader", &["--symbol", "GOOG", "--days", "60"], words);
}

#[test]
fn nightly() {
    let words = "4,800 readings of 50 meters copied to SENSOR_20170726";
    check("nightly", &["--meters", "50"], words);
}
