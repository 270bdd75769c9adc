//! Google's Bigtable emulator, started for a test binary and stopped with it.
//!
//! It is looked for in this order:
//!
//! 1. the environment variable `BIGTABLE_MODEL_EMULATOR`: the path of the program `cbtemulator`;
//! 2. `PATH`;
//! 3. where Google's packages put it: `google-cloud-sdk` under `/usr/lib`, `/usr/local`, `/opt` and
//!    the home directory.
//!
//! Without it the tests that need it say so and pass, except where the variable `CI` is set: there
//! they fail, so that a broken installation does not pass for a success.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that can't have its server has nothing else to do"
)]

use std::env;
use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};

/// The variable that holds the emulator's path.
pub const PROGRAM: &str = "BIGTABLE_MODEL_EMULATOR";

/// Kills the emulator when its own standard input ends: that happens however the test's process
/// ends, also by a signal, and without it a killed test would leave its emulator behind.
const WATCH: &str =
    r#""$0" -host=127.0.0.1 -port="$1" </dev/null & read -r line; kill -s KILL $!; wait"#;

/// A running emulator.
#[derive(Debug)]
pub struct Emulator {
    address: String,
    shell: Child,
    stdin: Option<ChildStdin>,
    /// Kept open: the emulator would die of writing into a closed pipe.
    _stdout: BufReader<ChildStdout>,
}

impl Emulator {
    /// The emulator that the tests of this binary share; none, with the reason printed, when it is
    /// not installed.
    ///
    /// It is one for all because they need no more, not for speed: it starts within 5 ms. Tests
    /// stay apart by the names of their instances.
    ///
    /// # Panics
    ///
    /// When it is not installed and `CI` is set, and when it is installed but does not start.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Emulator>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// An emulator of one's own, killed (SIGKILL) when it is dropped.
    ///
    /// # Panics
    ///
    /// As [`shared`](Self::shared).
    pub fn start() -> Option<Self> {
        Self::start_at(0)
    }

    /// The same, at a port such as [`lasting_port`].
    ///
    /// # Panics
    ///
    /// As [`shared`](Self::shared).
    pub fn start_at(port: u16) -> Option<Self> {
        let Some(program) = find() else {
            let reason = format!(
                "Google's Bigtable emulator is not installed: install google-cloud-cli-bigtable-emulator, or set {PROGRAM} to the path of cbtemulator"
            );
            assert!(env::var_os("CI").is_none(), "{reason}");
            // Past the test's captured output, so that it is seen.
            let _ = writeln!(std::io::stderr(), "skipped: {reason}");
            return None;
        };
        Some(Self::run(&program, port))
    }

    fn run(program: &Path, port: u16) -> Self {
        let mut shell = Command::new("sh")
            .args(["-c", WATCH])
            .arg(program)
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh runs");
        let stdin = shell.stdin.take();
        let mut stdout = BufReader::new(shell.stdout.take().expect("it is piped"));
        let address = announced(&mut stdout)
            .unwrap_or_else(|| panic!("{} did not say where it listens", program.display()));
        Self {
            address,
            shell,
            stdin,
            _stdout: stdout,
        }
    }

    /// `host:port`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // Nothing depends on how it ended.
        let _ = self.shell.wait();
    }
}

/// A port that is free, and stays so while a server is started there again and again: it is below
/// those that the system gives to whoever asks for any.
///
/// # Panics
///
/// When there is none.
#[must_use]
pub fn lasting_port() -> u16 {
    const FIRST: u16 = 20_000;
    const COUNT: u16 = 10_000;
    static TRIED: AtomicU16 = AtomicU16::new(0);
    // Processes that test at the same time begin at different places.
    let begin = u16::try_from(std::process::id() * 16 % u32::from(COUNT)).unwrap_or_default();
    (0..COUNT)
        .map(|_| FIRST + (begin + TRIED.fetch_add(1, Ordering::Relaxed) % COUNT) % COUNT)
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .expect("one of 10,000 ports is free")
}

/// The address in "Cloud Bigtable emulator running on 127.0.0.1:38747", which it prints once it
/// listens.
fn announced(stdout: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    stdout.read_line(&mut line).ok()?;
    let (_, address) = line.rsplit_once(' ')?;
    let address = address.trim();
    address.contains(':').then(|| address.to_owned())
}

fn find() -> Option<PathBuf> {
    if let Some(path) = env::var_os(PROGRAM).filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        assert!(
            path.is_file(),
            "{PROGRAM} is {}, which is no file",
            path.display()
        );
        return Some(path);
    }
    candidates().into_iter().find(|path| path.is_file())
}

fn candidates() -> Vec<PathBuf> {
    let mut candidates: Vec<_> = env::var_os("PATH")
        .map(|path| env::split_paths(&path).collect::<Vec<_>>())
        .unwrap_or_default()
        .into_iter()
        .map(|folder| folder.join("cbtemulator"))
        .collect();
    let mut roots = ["/usr/lib", "/usr/local", "/opt"]
        .map(PathBuf::from)
        .to_vec();
    roots.extend(env::home_dir());
    candidates.extend(
        roots
            .into_iter()
            .map(|root| root.join("google-cloud-sdk/platform/bigtable-emulator/cbtemulator")),
    );
    candidates
}
