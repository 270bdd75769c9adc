//! Reads through a proxy that cuts connections at any byte.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bigtable_model::Backend;
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, PoolSettings, RetrySettings};
use bigtable_model_tests::runs::nightly;
use futures::{TryStreamExt, stream};
use tokio::io::{AsyncReadExt, copy};
use tokio::net::{TcpListener, TcpStream};

use super::Dice;
use super::reads::{Breaking, is_row, request};
use crate::scripted::serve;

const ROWS: usize = 1_000;

/// The number of reads at a time, on fewer connections.
const AT_ONCE: usize = 4;
const CHANNELS: usize = 2;

/// A read that does not end is a fault.
const PATIENCE: Duration = Duration::from_secs(60);

fn reads() -> usize {
    nightly(5_000, 300)
}

/// The proxy; counts the connections that it has cut.
#[derive(Debug, Clone)]
pub(super) struct Cutting {
    pub(super) dice: Arc<Dice>,
    pub(super) cuts: Arc<AtomicUsize>,
    /// Most connections end after fewer bytes of answers than this.
    pub(super) most: usize,
}

/// How a connection ends.
#[derive(Debug, Clone, Copy)]
enum Cut {
    Close,
    /// With a reset, which discards unread bytes.
    Reset,
    /// After a short pause.
    Stall,
}

impl Cutting {
    /// Starts a proxy for a server; returns its address.
    pub(super) async fn before(self, server: String) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let far = TcpStream::connect(&server).await.unwrap();
                tokio::spawn(self.clone().forward(near, far));
            }
        });
        address
    }

    /// Some connections end before the first answer, most in the middle of rows.
    async fn forward(self, mut near: TcpStream, mut far: TcpStream) {
        let bytes = match self.dice.roll(8) {
            0 => self.dice.roll(400),
            _ => self.most / 40 + self.dice.roll(self.most),
        };
        let cut = [Cut::Close, Cut::Reset, Cut::Stall][self.dice.roll(3)];
        let (mut from_client, mut to_client) = near.split();
        let (from_server, mut to_server) = far.split();
        let mut from_server = from_server.take(bytes as u64);
        tokio::select! {
            // The client has closed the connection.
            _ = copy(&mut from_client, &mut to_server) => return,
            _ = copy(&mut from_server, &mut to_client) => {}
        }
        if from_server.limit() > 0 {
            return;
        }
        self.cuts.fetch_add(1, Ordering::Relaxed);
        match cut {
            Cut::Close => {}
            Cut::Reset => near.set_zero_linger().unwrap(),
            Cut::Stall => tokio::time::sleep(Duration::from_millis(3)).await,
        }
    }
}

/// Does a random read, and compares every row.
async fn read(backend: GrpcBackend, dice: &Dice, number: usize) {
    let (request, expected) = request(dice, ROWS);
    let mut rows = backend.read_rows(request).rows();
    for row in expected {
        let read = rows.try_next().await.unwrap();
        let read = read.unwrap_or_else(|| panic!("read {number}: row {row} is missing"));
        assert!(is_row(row, &read), "read {number}: not row {row}: {read:?}");
    }
    assert_eq!(rows.try_next().await, Ok(None), "read {number}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_row_is_wrong_missing_or_repeated_however_often_the_connection_is_cut() {
    let seed = super::seeds().start;
    let cutting = Cutting {
        dice: Arc::new(Dice::new(seed)),
        cuts: Arc::default(),
        most: 40_000,
    };
    let dice = Arc::new(Dice::new(!seed));
    let server = Arc::new(Breaking::new(Arc::clone(&dice), ROWS));
    let address = cutting.clone().before(serve(&server)).await;
    let settings = GrpcSettings::new("p", "i")
        .emulator(address)
        .retry(RetrySettings {
            first_delay: Duration::from_millis(1),
            max_delay: Duration::from_millis(10),
            ..RetrySettings::default()
        })
        .pool(PoolSettings {
            channels: CHANNELS,
            ..PoolSettings::plaintext()
        });
    let backend = GrpcBackend::new(&settings).unwrap();
    stream::iter((0..reads()).map(Ok::<_, ()>))
        .try_for_each_concurrent(AT_ONCE, |number| {
            let (backend, dice) = (backend.clone(), Arc::clone(&dice));
            async move {
                let read = read(backend, &dice, number);
                let ended = tokio::time::timeout(PATIENCE, read).await;
                ended.unwrap_or_else(|_| panic!("read {number} has no end"));
                Ok(())
            }
        })
        .await
        .unwrap();
    let cuts = cutting.cuts.load(Ordering::Relaxed);
    println!("{} reads, {cuts} cuts", reads());
    assert!(cuts >= reads() / 2, "{cuts} cuts");
}
