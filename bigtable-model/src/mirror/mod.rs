//! Copies of events in other tables: in another order of the key, the latest value of each series,
//! a table with less in it.
//!
//! A model names the models that hold copies of its events:
//! `#[bigtable(mirror(CurrentMetric, GameByDate))]`. Each of these says by [`MirrorOf`], or simply
//! by `From<&Source>`, what it keeps of an event. Then [`insert`](crate::BackendExt::insert) and
//! [`insert_many`](crate::BackendExt::insert_many) write the event and after it its copies;
//! [`insert_if`](crate::BackendExt::insert_if) does where the event is written.
//!
//! Bigtable has no transaction over rows, so that copies may be missing where a write broke off.
//! Every write can be repeated: the same event gives the same cells.
//! [`Query::repair`](crate::query::Query::repair) makes the copies of a query's events right again,
//! and [`delete_strays`](crate::BackendExt::delete_strays) takes away those whose event is gone.
//!
//! ```
//! use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//!
//! /// A player's games, one after another.
//! #[derive(Debug, Clone, PartialEq, Model)]
//! #[bigtable(table = "GAME_BY_PLAYER", family = "GAME", mirror(GameByDate))]
//! struct Game {
//!     #[bigtable(key)]
//!     game: String,
//!     #[bigtable(key)]
//!     player: String,
//!     #[bigtable(time, format = "%Y%m%d", truncate)]
//!     at: Timestamp,
//!     #[bigtable(column = "WIN", text)]
//!     win: bool,
//! }
//!
//! /// The same games, all of a day together.
//! #[derive(Debug, Clone, PartialEq, Model)]
//! #[bigtable(table = "GAME_BY_DATE", family = "GAME")]
//! struct GameByDate {
//!     #[bigtable(key)]
//!     game: String,
//!     #[bigtable(time, format = "%Y%m%d", truncate)]
//!     at: Timestamp,
//!     #[bigtable(key)]
//!     player: String,
//!     #[bigtable(column = "WIN", text)]
//!     win: bool,
//! }
//!
//! impl From<&Game> for GameByDate {
//!     fn from(game: &Game) -> Self {
//!         let Game { game, player, at, win } = game.clone();
//!         Self { game, player, at, win }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let db = MemoryBackend::new();
//! db.ensure_tables::<Game>().await?;
//! let at = |day: &str| format!("2015-03-{day}T00:00:00Z").parse::<Timestamp>();
//! let game = Game { game: "LoL".into(), player: "Corrie".into(), at: at("01")?, win: true };
//! db.insert(&game).await?;
//!
//! let march = GameByDate::query().game("LoL").at(at("01")?..at("31")?).fetch(&db).await?;
//! assert_eq!(march, [GameByDate::from(&game)]);
//! # Ok(())
//! # }
//! ```
//!
//! # What stays the caller's
//!
//! - `delete`, `update` and `delete_cell` of an event leave its copies as they are, and so do
//!   `delete_if` and `send_if`: what these hold is not known from a key.
//!   [`delete_mirrored`](crate::BackendExt::delete_mirrored) takes the whole event, and deletes its
//!   copies with it.
//! - Where several events share one copy, such as a row for each device with its current value, a
//!   write replaces the copy whatever the event's time; only layout `latest` keeps the newest
//!   event. A repair writes the copy of the newest of its query's events.
//! - An event that replaces another may have copies at other keys, when these are made of columns:
//!   the old ones stay. Choose keys of copies that are made of the event's identity, or give the
//!   copies [`source_key`](MirrorOf::source_key) and use
//!   [`delete_strays`](crate::BackendExt::delete_strays).

mod insert;
mod lookup;
mod newest;
mod outcome;
mod remove;
mod repair;
mod report;
mod strays;

use crate::model::{EventRow, Model, ModelSchema, insert_row};
pub use crate::model::{Mirror, TableRepair};
use crate::{Error, Timestamp};

pub(crate) use insert::{EventRows, checked, insert, insert_if, insert_many};
pub use outcome::{MirrorOutcome, TableOutcome, TableResult};
pub(crate) use remove::{Deletions, delete_mirrored};
pub use report::RepairReport;
pub(crate) use strays::delete_strays;

/// A model whose events are copies of `Source`'s.
///
/// `impl From<&Source>` is enough for a copy of every event. Implement this trait in its place
/// where not every event has a copy, or where copies can tell their event's key, by which those
/// that have lost it are found:
///
/// ```
/// use bigtable_model::mirror::MirrorOf;
/// # use bigtable_model::{Model, Timestamp};
/// # #[derive(Clone, Model)]
/// # #[bigtable(table = "METRIC", family = "M", mirror(Alarm))]
/// # struct Metric { #[bigtable(key)] host: String, #[bigtable(time)] at: Timestamp, load: f64 }
/// /// Only what is out of the ordinary.
/// #[derive(Model)]
/// #[bigtable(table = "ALARM", family = "M")]
/// struct Alarm {
///     #[bigtable(key)]
///     host: String,
///     #[bigtable(time)]
///     at: Timestamp,
///     load: f64,
/// }
///
/// impl MirrorOf<Metric> for Alarm {
///     fn mirror_of(metric: &Metric) -> Option<Self> {
///         let Metric { host, at, load } = metric.clone();
///         (load > 0.9).then_some(Self { host, at, load })
///     }
///
///     fn source_key(&self) -> Option<MetricKey> {
///         Some(MetricKey { host: self.host.clone(), at: self.at })
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made from `{Source}`",
    label = "no copy of `{Source}`",
    note = "write `impl From<&{Source}> for {Self}`, or `impl MirrorOf<{Source}> for {Self}` where not every event has a copy"
)]
pub trait MirrorOf<Source: Model>: Model {
    /// The copy of an event; none where it has no copy here.
    ///
    /// The same event must always give the same copy: writing it again is what makes it right
    /// again.
    fn mirror_of(source: &Source) -> Option<Self>;

    /// The key of the event that this is the copy of; none where the copy does not tell.
    fn source_key(&self) -> Option<Source::Key> {
        None
    }
}

impl<S: Model, C: Model + for<'a> From<&'a S>> MirrorOf<S> for C {
    fn mirror_of(source: &S) -> Option<Self> {
        Some(source.into())
    }
}

impl<S: Model> Mirror<S> {
    /// The mirror that `C` is.
    ///
    /// # Panics
    /// When `C` has mirrors itself, which no write would follow, or is append-only; the derive calls
    /// it in a constant, so that the build stops.
    #[must_use]
    pub const fn of<C: MirrorOf<S>>() -> Self {
        assert!(
            C::MIRRORS.is_empty(),
            "a mirror has no mirrors of its own: name all of them on the model that is written"
        );
        assert!(
            !C::SCHEMA.append_only,
            "repairs write copies anew, so that a mirror is not append-only: remove `append_only` there"
        );
        Self {
            schema: C::SCHEMA,
            row: row::<S, C>,
            deletion: deletion::<S, C>,
            repair: repair::batch::<S, C>,
            strays: strays::of_table::<S, C>,
        }
    }
}

/// What writes an event's copy.
fn row<S: Model, C: MirrorOf<S>>(event: &S, now: Timestamp) -> Result<Option<EventRow>, Error> {
    let copy = C::mirror_of(event);
    copy.map(|copy| insert_row(&copy, now)).transpose()
}

/// What deletes an event's copy.
fn deletion<S: Model, C: MirrorOf<S>>(
    event: &S,
    now: Timestamp,
) -> Result<Option<EventRow>, Error> {
    match C::mirror_of(event) {
        Some(copy) => remove::deletion(&copy, now),
        None => Ok(None),
    }
}

/// The tables of a model and of its mirrors, each with its families.
pub(crate) fn schemas<M: Model>() -> impl Iterator<Item = &'static ModelSchema> {
    let mirrors = M::MIRRORS.iter().map(Mirror::schema);
    std::iter::once(M::SCHEMA).chain(mirrors)
}
