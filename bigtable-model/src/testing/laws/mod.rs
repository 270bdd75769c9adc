//! The laws that every model keeps, checked for one of the user's own by random keys, events and
//! queries.

mod keys;
mod queries;
mod random;

use std::fmt::Display;

use crate::Model;
use crate::backend::Backend;
use crate::key::KeyError;
use crate::model::ModelSchema;
use random::Random;

/// Keys that are drawn for the laws of keys.
const KEYS: usize = 500;

/// The variable that holds a seed, to draw the same again.
const SEED: &str = "BIGTABLE_MODEL_SEED";

/// Checks the laws that every model keeps, with random keys, events and queries: one line of a
/// test.
///
/// - A key reads back; it begins with what its first segments give; keys sort as their values.
/// - A query answers as looking at every event does, on events written to memory.
///
/// Columns are drawn as bytes: what their types make of them is not looked at. The values of
/// segments are drawn by what the key holds; types of your own may refuse some when they are read.
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
/// When a law is broken; the message says which, for what, and the seed that draws the same again.
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

/// Checks the law of queries of a model on a backend of one's own, such as Google's emulator, over
/// so many tables of random events: each query answers as looking at every event does. It writes to
/// the model's table, which should be used by nothing else, and empties it.
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
/// As [`check_laws`].
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

/// A law that does not hold, and for what.
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
    // Blocking inside a runtime is not allowed, and the caller may be an asynchronous test.
    std::thread::scope(|scope| {
        let run = scope.spawn(|| queries::check(schema, &mut random));
        run.join()
            .unwrap_or_else(|_| Err(Broken::new("queries do not panic", "one did")))
    })
}

/// The model's own type takes the key apart, but for values that types of the user's refuse.
fn typed<M: Model>(key: &[u8]) -> Result<(), Broken> {
    match M::decode_key(key) {
        Ok(_) | Err(KeyError::Segment { .. }) => Ok(()),
        Err(error) => Err(Broken::new(
            "a key reads back",
            format!("{}: {error}", M::SCHEMA.key.describe(key)),
        )),
    }
}

/// The seed of the environment, else one of the clock.
fn seed() -> u64 {
    let set = std::env::var(SEED).ok().and_then(|text| text.parse().ok());
    set.unwrap_or_else(|| crate::Timestamp::now().as_micros().unsigned_abs())
}

/// The text of values, for messages.
fn shown(schema: &ModelSchema, values: &[crate::key::SegmentValue]) -> String {
    let segments = schema.key.valued().zip(values);
    let parts: Vec<_> = segments
        .map(|((_, segment), value)| format!("{}={value}", segment.name))
        .collect();
    parts.join(" ")
}
