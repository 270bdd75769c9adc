//! A range of time of all series: which rows the server looks at, and which it sends.

use std::fmt;
use std::sync::{Arc, Mutex};

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::backend::{RowBatches, Wrapper};
use bigtable_model::data::{ReadRows, Row};
use bigtable_model::server::{Server, ServerOptions};
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use futures::TryStreamExt as _;

use crate::support::{at, backends};

/// A reading of a meter: a row a day.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SOUGHT_SENSOR", family = "METER", layout = "columns")]
struct Reading {
    #[bigtable(key, width = 5)]
    meter: u32,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    value: f64,
}

/// A quote: a row each.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SOUGHT_QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    exchange: String,
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
}

/// A backend that keeps the requests of its reads, and counts what is sent.
#[derive(Clone)]
struct Seen {
    inner: Arc<dyn Backend>,
    requests: Arc<Mutex<Vec<ReadRows>>>,
    sent: Arc<Mutex<Figures>>,
}

/// Rows and their cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Figures {
    rows: usize,
    cells: usize,
}

impl Figures {
    fn add(&mut self, row: &Row) {
        self.rows += 1;
        self.cells += row.cells.len();
    }
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seen").finish_non_exhaustive()
    }
}

impl Wrapper for Seen {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        self.requests.lock().unwrap().push(request.clone());
        let sent = self.sent.clone();
        let count = move |row: &Row| sent.lock().unwrap().add(row);
        RowBatches::of_rows(self.inner.read_rows(request).rows().inspect_ok(count))
    }
}

impl Seen {
    fn of(inner: Arc<dyn Backend>) -> Self {
        Self {
            inner,
            requests: Arc::default(),
            sent: Arc::default(),
        }
    }

    /// What the reads since the last call looked at, with reads for one row counted apart, and what
    /// they sent.
    async fn figures(&self) -> (Figures, usize, Figures) {
        let requests = std::mem::take(&mut *self.requests.lock().unwrap());
        let sent = std::mem::take(&mut *self.sent.lock().unwrap());
        let mut looked_at = Figures::default();
        let mut probes = 0;
        for request in requests {
            if request.rows_limit == 1 {
                probes += 1;
                continue;
            }
            let all = ReadRows {
                filter: None,
                ..request
            };
            let rows: Vec<Row> = self
                .inner
                .read_rows(all)
                .rows()
                .try_collect()
                .await
                .unwrap();
            rows.iter().for_each(|row| looked_at.add(row));
        }
        (looked_at, probes, sent)
    }
}

/// Memory, the emulator if it is installed, and our server.
async fn all_backends() -> Vec<Seen> {
    let served: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let options = ServerOptions::default();
    let server = Server::bind("127.0.0.1:0", served, &options).await.unwrap();
    let settings = GrpcSettings::new("p", "sought").emulator(server.local_addr().to_string());
    tokio::spawn(server.serve());
    let server: Arc<dyn Backend> = Arc::new(GrpcBackend::new(&settings).unwrap());
    let mut all = backends("p", "sought");
    all.push(server);
    all.into_iter().map(Seen::of).collect()
}

/// Seconds of a day.
const DAY: i64 = 86_400;

fn second(second: i64) -> Timestamp {
    Timestamp::from_seconds(at("2024-03-01T00:00:00Z").as_seconds() + second)
}

#[tokio::test]
async fn a_day_of_all_meters_reads_the_rows_of_that_day() {
    let readings: Vec<Reading> = (0..100)
        .flat_map(|meter| {
            (0..10 * 96).map(move |quarter| Reading {
                meter,
                at: second(900 * quarter),
                value: f64::from(meter),
            })
        })
        .collect();
    let day = second(4 * DAY)..second(5 * DAY);
    for db in all_backends().await {
        db.ensure_tables::<Reading>().await.unwrap();
        db.insert_many(&readings).await.into_result().unwrap();
        db.figures().await;
        let query = || Reading::scan().at(day.clone()).events();
        let wanted = Figures {
            rows: 100,
            cells: 9_600,
        };

        let found = db.fetch(&query()).await.unwrap();
        assert_eq!(found.len(), 9_600);
        assert!(found.iter().all(|reading| day.contains(&reading.at)));
        let (looked_at, probes, sent) = db.figures().await;
        assert_eq!((looked_at, probes), (wanted, 101));
        // A probe is sent one cell.
        assert_eq!(
            sent,
            Figures {
                rows: 200,
                cells: 9_700
            }
        );

        // With fewer seeks than series the rows of the others are looked at, but not sent.
        assert_eq!(db.fetch(&query().max_seeks(40)).await.unwrap(), found);
        let (looked_at, probes, sent) = db.figures().await;
        assert_eq!((looked_at.rows, probes), (40 + 60 * 10, 40));
        assert_eq!(
            sent,
            Figures {
                rows: 140,
                cells: 9_640
            }
        );

        assert_eq!(db.fetch(&query().max_seeks(0)).await.unwrap(), found);
        let (looked_at, probes, sent) = db.figures().await;
        assert_eq!(
            (looked_at.rows, looked_at.cells, probes),
            (1_000, 96_000, 0)
        );
        assert_eq!(sent, wanted);

        assert_eq!(db.count(&query()).await.unwrap(), 9_600);
        assert_eq!(db.figures().await.0, wanted);
        // A limit is reached before all meters are found.
        let some = db.fetch(&query().limit(100)).await.unwrap();
        assert_eq!(some, found[..100]);
        let (_, probes, _) = db.figures().await;
        assert_eq!(probes, 32);
        let last = db.fetch(&query().reversed()).await.unwrap();
        assert!(last.iter().eq(found.iter().rev()));
        assert_eq!(db.figures().await.0, wanted);
    }
}

#[tokio::test]
async fn a_day_of_all_symbols_reads_the_quotes_of_that_day() {
    let exchanges = ["LSE", "NASDAQ", "NYSE"];
    let quotes: Vec<Quote> = exchanges
        .iter()
        .flat_map(|exchange| {
            (0..20).flat_map(move |symbol| {
                (0..60 * 8).map(move |nth| Quote {
                    exchange: (*exchange).to_owned(),
                    symbol: format!("S{symbol}"),
                    at: second(nth * DAY / 8),
                    bid: 1.0,
                })
            })
        })
        .collect();
    let yesterday = second(58 * DAY)..second(59 * DAY);
    for db in all_backends().await {
        db.ensure_tables::<Quote>().await.unwrap();
        db.insert_many(&quotes).await.into_result().unwrap();
        db.figures().await;
        let of_all = Quote::scan().at(yesterday.clone()).events();
        let found = db.fetch(&of_all).await.unwrap();
        assert_eq!(found.len(), 60 * 8);
        let (looked_at, probes, _) = db.figures().await;
        assert_eq!((looked_at.rows, probes), (60 * 8, 61));
        // Beyond the first series the server sends only the quotes of that day.
        assert_eq!(db.fetch(&of_all.clone().max_seeks(1)).await.unwrap(), found);
        let (_, _, sent) = db.figures().await;
        assert_eq!(sent.rows, 1 + 60 * 8);

        // After a set identifier and an open one, exact times too.
        let times = [second(9 * DAY), second(30 * DAY)];
        let of_two = Quote::scan().exchange(["NASDAQ", "LSE"]).at(times);
        assert_eq!(db.fetch(&of_two).await.unwrap().len(), 2 * 20 * 2);
        let (looked_at, probes, _) = db.figures().await;
        assert_eq!((looked_at.rows, probes), (80, 41));
        // One symbol of all exchanges.
        let of_one = Quote::scan().symbol("S7").at(yesterday.clone());
        assert_eq!(db.fetch(&of_one).await.unwrap().len(), 3 * 8);
        let (looked_at, probes, _) = db.figures().await;
        assert_eq!((looked_at.rows, probes), (24, 4));
    }
}

#[test]
fn the_explanation_says_what_is_sought() {
    let query = Reading::scan().at(second(0)..second(DAY)).events();
    let words = query.explain().to_string();
    let sought = "1 scan over series of the whole table SOUGHT_SENSOR\nsought: the first row of each meter, \
                  up to 128 in a scan, then its selected rows; of those beyond all rows are looked at";
    assert!(words.contains(sought), "{words}");
    let words = query.max_seeks(0).explain().to_string();
    assert!(!words.contains("sought"), "{words}");
    assert!(words.contains("full table scan"), "{words}");
}
