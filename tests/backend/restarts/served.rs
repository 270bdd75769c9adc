//! Our own server in a process that can be killed, with its data in a folder.

use std::env;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use bigtable_model::MemoryBackend;
use bigtable_model::server::{InstanceFolder, Server, ServerOptions};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

const PORT: &str = "TEST_PORT";
const FOLDER: &str = "TEST_FOLDER";

/// A temporary folder, deleted at the end.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// The name separates tests.
    pub(super) fn new(name: &str) -> Self {
        let process = std::process::id();
        Self(env::temp_dir().join(format!("bigtable-model-restarts-{name}-{process}")))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server that runs until it is killed, or until this process ends.
#[derive(Debug)]
pub(super) struct Served {
    process: Child,
    stdin: ChildStdin,
    said: Lines<BufReader<ChildStdout>>,
}

impl Served {
    pub(super) async fn start(port: u16, folder: &Folder) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "restarts::served::process", "--ignored"]);
        command.arg("--nocapture");
        command.env(PORT, port.to_string()).env(FOLDER, &folder.0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.kill_on_drop(true).spawn().unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let mut server = Self {
            stdin: process.stdin.take().unwrap(),
            said: stdout.lines(),
            process,
        };
        server.says("serving").await;
        server
    }

    async fn says(&mut self, word: &str) {
        while let Some(line) = self.said.next_line().await.unwrap() {
            if line == word {
                return;
            }
        }
        panic!("the server ended before it said \"{word}\"");
    }

    /// Writes all data to the folder; calls go on meanwhile.
    pub(super) async fn save(&mut self) {
        self.begin_save().await;
        self.says("saved").await;
    }

    /// Begins to save, and does not wait for the end.
    pub(super) async fn begin_save(&mut self) {
        self.stdin.write_all(b"save\n").await.unwrap();
    }

    /// Kills it (SIGKILL), and waits for its end.
    pub(super) async fn kill(mut self) {
        self.process.kill().await.unwrap();
    }
}

#[test]
#[ignore = "a process of its own, which another test starts"]
fn process() {
    let port: u16 = env::var(PORT).unwrap().parse().unwrap();
    let path = env::var(FOLDER).unwrap();
    let folder = InstanceFolder::open(path, MemoryBackend::builder()).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let instances = folder.instances();
    runtime.block_on(async {
        let address = ("127.0.0.1", port);
        let options = ServerOptions::default();
        let server = Server::bind(address, instances, &options).await.unwrap();
        tokio::spawn(server.serve());
    });
    // The test harness began the line before.
    say("\nserving");
    for line in std::io::stdin().lines() {
        assert_eq!(line.unwrap(), "save");
        folder.save().unwrap();
        say("saved");
    }
}

fn say(word: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "{word}").unwrap();
    out.flush().unwrap();
}
