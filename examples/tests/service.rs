//! `--example service`: its requests and answers, and that it loses nothing that it accepted.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, Method};
use bigtable_model::data::ReadRows;
use bigtable_model::server::{Server, ServerOptions};
use bigtable_model::{Backend, MemoryBackend};
use futures::TryStreamExt as _;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// An HTTP client without TLS. The library requires a TLS provider nevertheless.
fn http() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::new()
}

const PATIENCE: Duration = Duration::from_secs(60);

/// The service with a table in this process, killed when it is dropped.
struct Running {
    process: Child,
    address: String,
    db: Arc<dyn Backend>,
}

impl Running {
    /// Bulk writes take a moment, so some are always in progress.
    async fn start() -> Self {
        let slow = FaultRule::new(Fault::Latency(Duration::from_millis(20)));
        let slow = vec![slow.method(Method::MutateRows)];
        let db = FaultyBackend::new(Arc::new(MemoryBackend::new()), 1, slow);
        let db: Arc<dyn Backend> = Arc::new(db.unwrap());
        let options = ServerOptions::default();
        let server = Server::bind("127.0.0.1:0", Arc::clone(&db), &options).await;
        let server = server.unwrap();
        let emulator = server.local_addr().to_string();
        tokio::spawn(server.serve());
        let mut process = Command::new(support::example("service"))
            .args(["--backend", "bigtable://p/i", "--listen", "127.0.0.1:0"])
            .env("BIGTABLE_EMULATOR_HOST", emulator)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = process.stdout.take().unwrap();
        // Reading blocks, and this runtime also answers the service.
        let line = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            BufReader::new(stdout).read_line(&mut line).map(|_| line)
        });
        let line = line.await.unwrap().unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap();
        Self {
            address: address.to_owned(),
            process,
            db,
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    async fn post(&self, body: &Value) -> (StatusCode, Value) {
        let sent = http().post(self.url("/readings")).json(body);
        let answer = sent.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap())
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        let answer = http().get(self.url(path)).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap())
    }

    fn signal(&self, signal: &str) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(sent.unwrap().success());
    }

    async fn ended(mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

async fn keys(db: &dyn Backend) -> BTreeSet<String> {
    let mut rows = db
        .read_rows(ReadRows {
            table: "READING".to_owned(),
            ..ReadRows::default()
        })
        .rows();
    let mut keys = BTreeSet::new();
    while let Some(row) = rows.try_next().await.unwrap() {
        keys.insert(String::from_utf8(row.key.to_vec()).unwrap());
    }
    keys
}

/// A reading at a second of 1970.
fn reading(sensor: &str, second: u32) -> Value {
    let at = format!("1970-01-01T00:{:02}:{:02}Z", second / 60, second % 60);
    json!({"sensor": sensor, "at": at, "celsius": 20.5})
}

/// The key of its row.
fn key(sensor: &str, second: u32) -> String {
    format!("{sensor}#{:013}", second * 1000)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_was_accepted_is_lost() {
    let service = Running::start().await;
    let accepted = Arc::new(Mutex::new(BTreeSet::new()));
    let clients = (0..8).map(|number| {
        let (url, accepted) = (service.url("/readings"), Arc::clone(&accepted));
        tokio::spawn(async move { keep_posting(number, &url, &accepted).await })
    });
    let clients: Vec<_> = clients.collect();
    let begun = Instant::now();
    while accepted.lock().unwrap().len() < 500 {
        assert!(begun.elapsed() < PATIENCE, "nothing is accepted");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let half = HalfSent::new(&service.address).await;
    service.signal("TERM");
    while TcpStream::connect(&service.address).await.is_ok() {
        assert!(begun.elapsed() < PATIENCE, "it goes on taking requests");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let answer = half.finish().await;
    assert!(answer.contains("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.ends_with(r#"{"written":1}"#), "{answer}");
    for client in clients {
        client.await.unwrap();
    }
    let db = Arc::clone(&service.db);
    assert_eq!(service.ended().await.code(), Some(0));
    let stored = keys(&*db).await;
    assert!(stored.contains(&key("late", 0)));
    let accepted = accepted.lock().unwrap();
    let lost: Vec<_> = accepted.difference(&stored).collect();
    assert!(lost.is_empty(), "{} are lost: {lost:?}", lost.len());
}

/// Posts ten readings at a time until the service stops.
async fn keep_posting(client: u32, url: &str, accepted: &Mutex<BTreeSet<String>>) {
    let http = http();
    for turn in 0_u32.. {
        let sensor = format!("s{client}-{turn}");
        let body: Vec<_> = (0..10).map(|second| reading(&sensor, second)).collect();
        let Ok(answer) = http.post(url).json(&body).send().await else {
            return;
        };
        assert_eq!(answer.status(), StatusCode::OK);
        let mut accepted = accepted.lock().unwrap();
        accepted.extend((0..10).map(|second| key(&sensor, second)));
    }
}

/// A request that the service has begun to handle, but whose body is incomplete.
struct HalfSent {
    connection: TcpStream,
    body: String,
}

impl HalfSent {
    async fn new(address: &str) -> Self {
        let body = reading("late", 0).to_string();
        let mut connection = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST /readings HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\nexpect: 100-continue\r\n\r\n",
            body.len()
        );
        connection.write_all(head.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        connection.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 100");
        Self { connection, body }
    }

    /// All answers until the connection is closed.
    async fn finish(mut self) -> String {
        self.connection
            .write_all(self.body.as_bytes())
            .await
            .unwrap();
        let mut answer = String::new();
        self.connection.read_to_string(&mut answer).await.unwrap();
        answer
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readings_come_back_in_pages_in_lines_and_newest_first() {
    let service = Running::start().await;
    let one =
        json!({"sensor": "attic", "at": "1970-01-01T00:00:00Z", "celsius": -1.5, "humidity": 40});
    assert_eq!(
        service.post(&one).await,
        (StatusCode::OK, json!({"written": 1}))
    );
    let many: Vec<_> = (1..6).map(|second| reading("attic", second)).collect();
    let (status, answer) = service.post(&json!(many)).await;
    assert_eq!((status, answer), (StatusCode::OK, json!({"written": 5})));
    assert_eq!(service.post(&json!([])).await.1, json!({"written": 0}));

    let from = "/sensors/attic/readings?from=1970-01-01T00:00:00Z&to=1970-01-01T00:00:05Z&size=3";
    let (status, first) = service.get(from).await;
    assert_eq!(status, StatusCode::OK, "{first}");
    assert_eq!(first["readings"], json!([one, many[0], many[1]]));
    let next = first["next"].as_str().unwrap();
    let (_, second) = service.get(&format!("{from}&after={next}")).await;
    assert_eq!(
        second,
        json!({"readings": [many[2], many[3]], "next": null})
    );

    let lines = service.url("/sensors/attic/readings.ndjson?from=1970-01-01T00:00:04Z");
    let lines = http().get(lines).send().await.unwrap();
    assert_eq!(lines.headers()["content-type"], "application/x-ndjson");
    let text = lines.text().await.unwrap();
    assert_eq!(
        text,
        format!("{}\n{}\n", in_order(&many[3]), in_order(&many[4]))
    );

    let (_, newest) = service.get("/sensors/attic/latest?n=2").await;
    assert_eq!(newest, json!([many[4], many[3]]));
    let (_, none) = service.get("/sensors/cellar/latest").await;
    assert_eq!(none, json!([]));
    let healthy = service.get("/health").await;
    assert_eq!(healthy, (StatusCode::OK, json!({"status": "ok"})));
    service.signal("INT");
    assert_eq!(service.ended().await.code(), Some(0));
}

/// In the service's format, with the fields in the struct's order.
fn in_order(reading: &Value) -> String {
    format!(
        r#"{{"sensor":{},"at":{},"celsius":{}}}"#,
        reading["sensor"], reading["at"], reading["celsius"]
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_refused_is_named_and_nothing_of_it_is_written() {
    let service = Running::start().await;
    let mut damp = reading("attic", 1);
    damp["humidity"] = json!(101);
    let mut unknown = reading("attic", 1);
    unknown["kelvin"] = json!(290);
    let body = json!([reading("attic", 0), reading("a#b", 0), damp, unknown]);
    let (status, answer) = service.post(&body).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let errors = answer["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 3, "{answer}");
    assert_eq!(errors[0]["index"], 1);
    assert_eq!(errors[0]["table"], "READING");
    assert_eq!(errors[0]["segment"], "sensor");
    assert_eq!(errors[0]["key"], "sensor=a#b at=1970-01-01T00:00:00Z");
    assert_eq!(errors[1]["index"], 2);
    assert_eq!(errors[1]["key"], "sensor=attic at=1970-01-01T00:00:01Z");
    assert_eq!(errors[1]["column"], "M:HUMIDITY");
    let words = errors[1]["error"].as_str().unwrap();
    assert!(words.contains("101 is above 100"), "{words}");
    let words = errors[2]["error"].as_str().unwrap();
    assert!(words.contains("unknown field `kelvin`"), "{words}");
    assert!(keys(&*service.db).await.is_empty());

    for (path, words) in [
        ("/sensors/attic/readings?from=noon", "noon"),
        ("/sensors/attic/readings?size=0", "at least one result"),
        ("/sensors/attic/readings?after=x", "page token"),
        ("/sensors/attic/latest?m=1", "unknown field"),
    ] {
        let (status, answer) = service.get(path).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{path}: {answer}");
        let said = answer["errors"][0]["error"].as_str().unwrap();
        assert!(said.contains(words), "{path}: {said}");
    }
    let (status, answer) = service.post(&json!("attic")).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
}
