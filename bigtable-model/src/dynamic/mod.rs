//! Models without their structs: queries and writes by the names of fields, for programs that learn
//! a model at run time, from a lock file.
//!
//! A [lock file](crate::lock) describes each model: its row keys, its layout, the types of its
//! fields, and the other effects of a write. [`AnyModel`] is that description as a value.
//!
//! ```
//! use bigtable_model::dynamic::{AnyModel, AnyQuery, EventBatch, insert};
//! use bigtable_model::lock::Lock;
//! use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//!
//! # #[derive(Model)]
//! # #[bigtable(table = "READING", family = "R")]
//! # struct Reading {
//! #     #[bigtable(key)]
//! #     sensor: String,
//! #     #[bigtable(time, unit = "s")]
//! #     at: Timestamp,
//! #     celsius: f64,
//! #     humidity: Option<u8>,
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bigtable_model::Error> {
//! # let db = MemoryBackend::new();
//! # db.ensure_tables::<Reading>().await?;
//! # let lock = Lock::default().with::<Reading>();
//! // `Lock::open("layouts.lock")` reads the file.
//! let readings = AnyModel::of_lock(&lock, "Reading")?;
//!
//! let mut batch = EventBatch::new(&readings);
//! batch.push([
//!     ("sensor", "attic".into()),
//!     ("at", Timestamp::from_seconds(1_426_535_612).into()),
//!     ("celsius", 19.5.into()),
//! ])?;
//! insert(&db, &batch).await?;
//!
//! let day = AnyQuery::of(&readings)
//!     .set("sensor", "attic")
//!     .between("at", "2015-03-16T00:00:00Z", "2015-03-17T00:00:00Z");
//! let found = db.fetch(&day).await?;
//! let event = found.get(0).unwrap();
//! assert_eq!(event.to_string(), "sensor=attic at=2015-03-16T19:53:32Z celsius=19.5");
//! assert_eq!(event.value("humidity"), None);
//! # Ok(())
//! # }
//! ```
//!
//! # Column by column
//!
//! A batch holds typed vectors, one for each column, and each value of the key's identifiers once
//! for all consecutive events that have it. [`AnyQuery::by_column`] turns a query of structs into
//! batches: this is faster than structs if rows hold many events, and several times faster if they
//! are [packed](crate::packed). [`EventBatch::numbers`] is a column as a [series](crate::series),
//! for windows and the like.
//!
//! # What needs the struct
//!
//! | the model has | reads | writes |
//! |---|---|---|
//! | a field of a type, or with a codec, of one's own | as text or bytes | refused if they set it |
//! | `serialize(...)` | the event's bytes | refused |
//! | mirrors | yes | refused: a copy is made by `From` |
//! | roll-ups that a job computes | yes | yes: a write marks their buckets |
//! | roll-ups that the server adds | yes | refused unless [`AnyModel::of`] a struct: what is added is code |
//! | `was(...)` | refused unless of a struct: former events are converted by `From` | the same |
//! | a salt with a hash of one's own | refused unless of a struct | the same |
//!
//! The error names the model, the field and the reason. No batch is half written: it is checked
//! before anything is sent.
//!
//! ```
//! use bigtable_model::dynamic::{AnyModel, EventBatch, insert};
//! use bigtable_model::{MemoryBackend, Model};
//!
//! #[derive(Model)]
//! #[bigtable(table = "GAME", family = "G", mirror(ByPlayer))]
//! struct Game {
//!     #[bigtable(key)]
//!     game: String,
//!     player: String,
//! }
//!
//! #[derive(Model)]
//! #[bigtable(table = "BY_PLAYER", family = "G")]
//! struct ByPlayer {
//!     #[bigtable(key)]
//!     player: String,
//!     game: String,
//! }
//!
//! impl From<&Game> for ByPlayer {
//!     fn from(game: &Game) -> Self {
//!         Self { player: game.player.clone(), game: game.game.clone() }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bigtable_model::Error> {
//! let games = AnyModel::of::<Game>();
//! let mut batch = EventBatch::new(&games);
//! batch.push([("game", "1".into()), ("player", "Ada".into())])?;
//! let refused = insert(&MemoryBackend::new(), &batch).await.unwrap_err();
//! let reason = std::error::Error::source(&refused).unwrap().to_string();
//! assert!(reason.ends_with("a copy goes to `ByPlayer`, made by `From`"), "{reason}");
//! # Ok(())
//! # }
//! ```

mod batch;
mod model;
mod query;
mod values;
mod write;

pub use crate::error::ModelError;
pub use crate::model::{ColumnType, Described, Effect, Value};
pub use batch::{Event, EventBatch};
pub use model::AnyModel;
pub use query::AnyQuery;
pub use values::{ColumnValues, SegmentValues, Values};
pub use write::{audit, delete, ensure_tables, insert, insert_packed, pack};
