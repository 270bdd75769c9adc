//! Checks the laws of all models for a user's model, with random keys, events and queries.

mod keys;
mod queries;
mod random;

use std::fmt::Display;

use crate::Model;
use crate::backend::Backend;
use crate::key::KeyError;
use crate::model::{ModelKey as _, ModelSchema};
use random::Random;

/// The number of random keys.
const KEYS: usize = 500;

/// The environment variable with the seed that repeats a run.
const SEED: &str = "BIGTABLE_MODEL_SEED";

/// Checks the laws that every model keeps, with random keys, events and queries: one line in a
/// test.
///
/// - A key decodes to its values, begins with the encoding of its first segments, and sorts like
///   its values.
/// - A query returns the same events as comparing every event, for random events in a memory
///   backend.
///
/// Columns hold random bytes: their types are not decoded. Segments have values that the key can
/// hold; user-defined types may refuse to decode some of them.
///
/// ```
/// # use bigtable_model::{Model, Timestamp};
/// # #[derive(Model)]
/// # #[bigtable(table = "QUOTE", family = "MD")]
/// # struct Quote { #[bigtable(key)] symbol: String, #[bigtable(time)] at: Timestamp, bid: f64 }
/// bigtable_model::testing::check_laws::<Quote>();
/// ```
///
/// # Panics
/// If a law is broken; the message names the law, the example, and the seed that repeats it.
#[allow(clippy::panic, reason = "it is what a test fails by")]
pub fn check_laws<M: Model>() {
    let seed = seed();
    if let Err(broken) = check::<M>(seed) {
        panic!(
            "`{}` breaks a law: {broken}\n{SEED}={seed} draws the same again",
            M::SCHEMA.model
        );
    }
}

/// Checks the law of queries of a model on any backend, such as Google's emulator, for this many
/// tables of random events: each query returns the same events as comparing every event. It writes
/// to the model's table and empties it, so nothing else may use that table.
///
/// ```
/// # use bigtable_model::{MemoryBackend, Model, Timestamp};
/// # #[derive(Model)]
/// # #[bigtable(table = "QUOTE", family = "MD")]
/// # struct Quote { #[bigtable(key)] symbol: String, #[bigtable(time)] at: Timestamp, bid: f64 }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// bigtable_model::testing::check_queries::<Quote>(&MemoryBackend::new(), 3).await;
/// # });
/// ```
///
/// # Panics
/// Like [`check_laws`].
#[allow(clippy::panic, reason = "it is what a test fails by")]
pub async fn check_queries<M: Model>(backend: &dyn Backend, tables: usize) {
    let seed = seed();
    let mut random = Random::new(M::SCHEMA, seed);
    if let Err(broken) = queries::check_on(backend, M::SCHEMA, &mut random, tables).await {
        panic!(
            "`{}` breaks a law: {broken}\n{SEED}={seed} draws the same again",
            M::SCHEMA.model
        );
    }
}

/// A broken law, with its example.
struct Broken(String);

impl Broken {
    fn new(law: &str, example: impl Display) -> Self {
        Self(format!("{law}: {example}"))
    }
}

impl Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

fn check<M: Model>(seed: u64) -> Result<(), Broken> {
    let schema = M::SCHEMA;
    if let Err(error) = schema.key.check() {
        return Err(Broken::new("keys sort and read back", error));
    }
    let tables = schema.table.by_period();
    if let Some(reason) = tables.and_then(|tables| tables.refusal(&schema.key)) {
        return Err(Broken::new("a row lies in one table", reason));
    }
    let mut random = Random::new(schema, seed);
    let drawn = keys::draw(&mut random, KEYS)?;
    keys::round_trip(schema, &drawn)?;
    for key in &drawn {
        typed::<M>(&key.bytes)?;
    }
    keys::beginnings(schema, &drawn)?;
    keys::order(schema, &drawn)?;
    // The caller may be an asynchronous test, and blocking inside a runtime is not allowed.
    std::thread::scope(|scope| {
        let run = scope.spawn(|| queries::check(schema, &mut random));
        run.join()
            .unwrap_or_else(|_| Err(Broken::new("queries do not panic", "one did")))
    })
}

/// The model's own type decodes the key, unless a user-defined type refuses a value. Its text reads
/// as the same key.
fn typed<M: Model>(key: &[u8]) -> Result<(), Broken> {
    match M::Key::decode_at(key, None) {
        Ok(typed) => match typed.to_text().map(|text| M::Key::from_text(&text)) {
            Ok(Ok(read)) if read == typed => Ok(()),
            other => Err(Broken::new(
                "the text of a key makes the key",
                format!(
                    "{typed}: {:?}",
                    other.map(|read| read.map(|key| key.to_string()))
                ),
            )),
        },
        Err(KeyError::Segment { .. }) => Ok(()),
        Err(error) => Err(Broken::new(
            "a key reads back",
            format!("{}: {error}", M::SCHEMA.key.describe(key)),
        )),
    }
}

/// The seed from the environment, or else from the clock.
fn seed() -> u64 {
    let set = std::env::var(SEED).ok().and_then(|text| text.parse().ok());
    set.unwrap_or_else(|| crate::Timestamp::now().as_micros().unsigned_abs())
}

/// The values as text, for messages.
fn shown(schema: &ModelSchema, values: &[crate::key::SegmentValue]) -> String {
    let segments = schema.key.valued().zip(values);
    let parts: Vec<_> = segments
        .map(|((_, segment), value)| format!("{}={value}", segment.name))
        .collect();
    parts.join(" ")
}
