//! How a server behaves.

/// How many bytes may wait to be sent unless it is set.
const UNSENT_BYTES: usize = 1 << 30;

/// How a [`Server`](super::Server) behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerOptions {
    pub(super) chunk_seed: Option<u64>,
    pub(super) split_rows: bool,
    pub(super) remote: bool,
    pub(super) unsent_bytes: usize,
}

impl Default for ServerOptions {
    /// Loopback only; answers cut with seed 0, but no row split over several messages; 1 GiB of
    /// answers that wait to be sent.
    fn default() -> Self {
        Self {
            chunk_seed: Some(0),
            split_rows: false,
            remote: false,
            unsent_bytes: UNSENT_BYTES,
        }
    }
}

impl ServerOptions {
    /// The seed with which the answers of reads are cut at random points, as Bigtable may cut them:
    /// values over several chunks, rows over messages. With the same seed, the n-th read of a
    /// server is always cut in the same way.
    ///
    /// Without a seed, only values too large for a chunk and rows too large for a message are cut.
    #[must_use]
    pub fn chunk_seed(mut self, seed: Option<u64>) -> Self {
        self.chunk_seed = seed;
        self
    }

    /// Whether a row may continue in the next message. The protocol allows that, and this crate's
    /// client supports it. Off by default, because Google's clients for Go (with `cbt`) and for
    /// Python end such a read with an error. Rows over 128 MiB are always cut.
    #[must_use]
    pub fn split_rows(mut self, split: bool) -> Self {
        self.split_rows = split;
        self
    }

    /// Whether addresses that other machines can reach are allowed. Off by default: whoever reaches
    /// the server may read and write everything.
    #[must_use]
    pub fn remote(mut self, allowed: bool) -> Self {
        self.remote = allowed;
        self
    }

    /// The maximum number of bytes of answers that wait to be sent, for all calls together. Clients
    /// that do not read keep them in memory: a row is at least one message, and every call may hold
    /// one. Beyond it, calls end with `RESOURCE_EXHAUSTED`.
    #[must_use]
    pub fn unsent_bytes(mut self, most: usize) -> Self {
        self.unsent_bytes = most;
        self
    }
}
