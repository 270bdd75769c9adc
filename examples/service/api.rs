//! The routes.

use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bigtable_model::backend::batcher::Batcher;
use bigtable_model::query::PageToken;
use bigtable_model::{Backend, BackendExt, Code, Error, Model as _, Status, Timestamp};
use futures::TryStreamExt as _;
use serde::{Deserialize, Deserializer, Serialize, de};

use crate::answer::Refusal;
use crate::ingest;
use crate::reading::Reading;

/// The maximum size of a request in bytes.
const MAX_BODY: usize = 8 << 20;

/// The maximum number of readings of a page.
const MAX_PAGE: u64 = 10_000;

/// The time that a healthy table may take to answer. The backend itself would retry for minutes.
const HEALTHY: Duration = Duration::from_secs(2);

/// The shared state of all requests.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) db: Arc<dyn Backend>,
    pub(crate) batcher: Batcher,
}

type Shared = State<Arc<Service>>;
type Sensor = Result<Path<String>, PathRejection>;
type Asked<T> = Result<Query<T>, QueryRejection>;

pub(crate) fn routes(service: Arc<Service>) -> Router {
    Router::new()
        .route("/readings", post(write))
        .route("/sensors/{sensor}/readings", get(page))
        .route("/sensors/{sensor}/readings.ndjson", get(lines))
        .route("/sensors/{sensor}/latest", get(latest))
        .route("/health", get(health))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(service)
}

#[derive(Debug, Serialize)]
struct Written {
    written: usize,
}

/// Answers once the readings are in the table.
async fn write(State(service): Shared, body: Bytes) -> Result<Json<Written>, Refusal> {
    let rows = ingest::rows(&body)?;
    let written = ingest::write(&service.batcher, rows).await?;
    Ok(Json(Written { written }))
}

/// A time range, including its start and excluding its end.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Window {
    #[serde(default, deserialize_with = "parsed")]
    from: Option<Timestamp>,
    #[serde(default, deserialize_with = "parsed")]
    to: Option<Timestamp>,
}

/// A page of readings in a time range.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    #[serde(default, deserialize_with = "parsed")]
    from: Option<Timestamp>,
    #[serde(default, deserialize_with = "parsed")]
    to: Option<Timestamp>,
    size: Option<u64>,
    #[serde(default, deserialize_with = "parsed")]
    after: Option<PageToken>,
}

/// A parameter, parsed by its type.
fn parsed<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let text = String::deserialize(from)?;
    match text.parse() {
        Ok(value) => Ok(Some(value)),
        Err(error) => Err(de::Error::custom(format!("\"{text}\": {error}"))),
    }
}

type Span = (Bound<Timestamp>, Bound<Timestamp>);

fn span(from: Option<Timestamp>, to: Option<Timestamp>) -> Span {
    (
        from.map_or(Bound::Unbounded, Bound::Included),
        to.map_or(Bound::Unbounded, Bound::Excluded),
    )
}

#[derive(Debug, Serialize)]
struct Page {
    readings: Vec<Reading>,
    /// The value of `after` for the next page; `None` on the last page.
    next: Option<String>,
}

async fn page(
    State(service): Shared,
    sensor: Sensor,
    part: Asked<Part>,
) -> Result<Json<Page>, Refusal> {
    let (Path(sensor), Query(part)) = (sensor?, part?);
    let query = Reading::query().sensor(sensor).at(span(part.from, part.to));
    let size = part.size.unwrap_or(100).min(MAX_PAGE);
    let page = service.db.page(&query, size, part.after.as_ref()).await;
    let page = page.map_err(bigtable_model::Error::from)?;
    Ok(Json(Page {
        readings: page.events,
        next: page.next.map(|token| token.to_string()),
    }))
}

/// Streams a reading per line, so the answer is never held as a whole. If it breaks off, it lacks
/// the end that HTTP gives to a complete answer.
async fn lines(
    State(service): Shared,
    sensor: Sensor,
    window: Asked<Window>,
) -> Result<Response, Refusal> {
    let (Path(sensor), Query(window)) = (sensor?, window?);
    let query = Reading::query()
        .sensor(sensor)
        .at(span(window.from, window.to));
    // An invalid query is reported before the answer begins.
    query.events().plan()?;
    let lines = service.db.stream(&query).map_err(Lost::Read);
    let lines = lines.and_then(|reading| std::future::ready(line(&reading)));
    let content = [(CONTENT_TYPE, "application/x-ndjson")];
    Ok((content, Body::from_stream(lines)).into_response())
}

/// Why an answer breaks off after it has begun.
#[derive(Debug)]
enum Lost {
    Read(Error),
    Write(serde_json::Error),
}

impl From<Lost> for axum::BoxError {
    fn from(lost: Lost) -> Self {
        match lost {
            Lost::Read(error) => error.into(),
            Lost::Write(error) => error.into(),
        }
    }
}

fn line(reading: &Reading) -> Result<Vec<u8>, Lost> {
    let mut line = serde_json::to_vec(reading).map_err(Lost::Write)?;
    line.push(b'\n');
    Ok(line)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Newest {
    n: Option<u64>,
}

async fn latest(
    State(service): Shared,
    sensor: Sensor,
    newest: Asked<Newest>,
) -> Result<Json<Vec<Reading>>, Refusal> {
    let (Path(sensor), Query(newest)) = (sensor?, newest?);
    let n = newest.n.unwrap_or(1).min(MAX_PAGE);
    let query = Reading::query().sensor(sensor);
    Ok(Json(
        service
            .db
            .fetch(&query.events().newest_first().limit(n))
            .await?,
    ))
}

#[derive(Debug, Serialize)]
struct Health {
    status: &'static str,
}

/// Healthy if the table answers in time.
async fn health(State(service): Shared) -> Result<Json<Health>, Refusal> {
    let table = Reading::SCHEMA.table.to_string();
    let found = tokio::time::timeout(HEALTHY, service.db.tables().get(&table)).await;
    let late = || Status::new(Code::DeadlineExceeded, "the table did not answer in time");
    let found = found.unwrap_or_else(|_| Err(late()));
    found.map_err(|source| Error::Backend {
        table,
        method: "GetTable",
        key: None,
        source,
    })?;
    Ok(Json(Health { status: "ok" }))
}
