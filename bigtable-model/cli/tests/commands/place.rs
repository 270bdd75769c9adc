//! Where the commands run: a folder of their own, and a server.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

#[path = "../../../../tests/src/emulator.rs"]
#[allow(dead_code, unreachable_pub, reason = "its other users need more of it")]
mod emulator;

use emulator::Emulator;

const PROGRAM: &str = env!("CARGO_BIN_EXE_bigtable-model");

/// A folder with files, and a server.
pub(crate) struct Place {
    folder: PathBuf,
    address: String,
    _server: Option<Served>,
    _emulator: Option<Emulator>,
}

/// `serve`, killed when it is dropped.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) error: String,
}

/// The example `own_types`: Cargo puts examples next to programs.
pub(crate) fn own_types() -> PathBuf {
    let example = Path::new(PROGRAM)
        .parent()
        .unwrap()
        .join("examples/own_types");
    assert!(
        example.exists(),
        "`cargo build -p bigtable-model-cli --examples` builds it"
    );
    example
}

impl Place {
    fn at(address: String, served: Option<Served>, emulator: Option<Emulator>) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = format!("bigtable-model-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        Self {
            folder,
            address,
            _server: served,
            _emulator: emulator,
        }
    }

    pub(crate) fn served() -> Self {
        let mut process = Command::new(PROGRAM)
            .args(["serve", "--port", "0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = process.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("BIGTABLE_EMULATOR_HOST=").unwrap();
        Self::at(address.to_owned(), Some(Served(process)), None)
    }

    /// Our server, and the emulator where it is installed.
    pub(crate) fn all() -> Vec<Self> {
        let emulator = Emulator::start().map(|emulator| {
            let address = emulator.address().to_owned();
            Self::at(address, None, Some(emulator))
        });
        [Some(Self::served()), emulator]
            .into_iter()
            .flatten()
            .collect()
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(Path::new(PROGRAM), arguments)
    }

    pub(crate) fn command_of(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env("BIGTABLE_EMULATOR_HOST", &self.address)
            .env("BIGTABLE_BACKEND", "bigtable://cli/test")
            .env_remove("BIGTABLE_LOCK")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        said(&mut self.command(arguments))
    }

    /// Runs the program with types of its own, the example `own_types`.
    pub(crate) fn own(&self, arguments: &[&str]) -> Said {
        said(&mut self.command_of(&own_types(), arguments))
    }

    /// Runs a command that must succeed, and returns what it printed.
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let said = self.run(arguments);
        assert_eq!(said.code, 0, "{arguments:?}: {said:?}");
        said.out
    }

    /// Runs a command that must fail, and returns its one sentence.
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        let said = self.run(arguments);
        assert_eq!(said.code, 1, "{arguments:?}: {said:?}");
        let mut lines = said
            .error
            .lines()
            .filter(|line| line.starts_with("error: "));
        let (Some(line), None) = (lines.next(), lines.next()) else {
            unreachable!("{said:?}");
        };
        line.to_owned()
    }

    /// Runs a command with this as its standard input.
    pub(crate) fn with_input(&self, arguments: &[&str], input: &str) -> Said {
        let mut command = self.command(arguments);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = process.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        of(process.wait_with_output().unwrap())
    }
}

pub(crate) fn said(command: &mut Command) -> Said {
    of(command.output().unwrap())
}

fn of(output: std::process::Output) -> Said {
    Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        error: String::from_utf8(output.stderr).unwrap(),
    }
}
