//! Google's Bigtable emulator, started for a test binary and stopped with it.
//!
//! The program is searched in this order:
//!
//! 1. the environment variable `BIGTABLE_MODEL_EMULATOR`: the path of the program `cbtemulator`;
//! 2. `PATH`;
//! 3. the folders of Google's packages: `google-cloud-sdk` under `/usr/lib`, `/usr/local`, `/opt`
//!    and the home directory.
//!
//! Without it, the tests that need it print a message and pass. If the variable `CI` is set they
//! fail, so a broken installation is noticed.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot have its server has nothing else to do"
)]

use std::env;
use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};

/// The variable with the emulator's path.
pub const PROGRAM: &str = "BIGTABLE_MODEL_EMULATOR";

/// Kills the emulator when its standard input ends, which happens however the test's process ends,
/// even by a signal. Otherwise a killed test would leave its emulator running.
const WATCH: &str =
    r#""$0" -host=127.0.0.1 -port="$1" </dev/null & read -r line; kill -s KILL $!; wait"#;

/// A running emulator.
#[derive(Debug)]
pub struct Emulator {
    address: String,
    shell: Child,
    stdin: Option<ChildStdin>,
    /// Kept open: writing into a closed pipe would kill the emulator.
    _stdout: BufReader<ChildStdout>,
}

impl Emulator {
    /// The emulator that the tests of this binary share; `None` if it is not installed, with the
    /// reason printed.
    ///
    /// One is enough for all, though starting takes only 5 ms. Tests are separated by the names of
    /// their instances.
    ///
    /// # Panics
    ///
    /// If it is not installed and `CI` is set, or if it is installed but does not start.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Emulator>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// A separate emulator, killed (SIGKILL) when it is dropped.
    ///
    /// # Panics
    ///
    /// Like [`shared`](Self::shared).
    pub fn start() -> Option<Self> {
        Self::start_at(0)
    }

    /// The same, at a port such as [`lasting_port`].
    ///
    /// # Panics
    ///
    /// Like [`shared`](Self::shared).
    pub fn start_at(port: u16) -> Option<Self> {
        let Some(program) = find() else {
            let reason = format!(
                "Google's Bigtable emulator is not installed: install google-cloud-cli-bigtable-emulator, or set {PROGRAM} to the path of cbtemulator"
            );
            assert!(env::var_os("CI").is_none(), "{reason}");
            // Bypass the captured output, so the message is seen.
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
        // Nothing depends on its exit code.
        let _ = self.shell.wait();
    }
}

/// A free port that stays free while a server is restarted on it: it is below the ports that the
/// system assigns automatically.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn lasting_port() -> u16 {
    const FIRST: u16 = 20_000;
    const COUNT: u16 = 10_000;
    static TRIED: AtomicU16 = AtomicU16::new(0);
    // Parallel test processes begin at different ports.
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
