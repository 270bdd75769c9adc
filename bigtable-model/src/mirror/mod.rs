//! Copies of events in other tables: with another order of the key, with the latest value of each
//! series, or with fewer columns.
//!
//! A model names the models that hold copies of its events:
//! `#[bigtable(mirror(CurrentMetric, GameByDate))]`. Each of these defines, with [`MirrorOf`] or
//! simply with `From<&Source>`, what it keeps of an event. [`insert`](crate::BackendExt::insert)
//! and [`insert_many`](crate::BackendExt::insert_many) then write the event followed by its copies;
//! [`insert_if`](crate::BackendExt::insert_if) does so if it writes the event. A copy that is only
//! a key has nothing to store: give its model a `marker = "..."`.
//!
//! Bigtable has no transactions over several rows, so copies may be missing after a failed write.
//! Every write can be repeated: the same event makes the same cells.
//! [`repair`](crate::BackendExt::repair) corrects the copies of a query's events, and
//! [`delete_strays`](crate::BackendExt::delete_strays) deletes copies whose event no longer exists.
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
//! let march = db.fetch(&GameByDate::query().game("LoL").at(at("01")?..at("31")?)).await?;
//! assert_eq!(march, [GameByDate::from(&game)]);
//! # Ok(())
//! # }
//! ```
//!
//! # What the caller must do
//!
//! - `delete`, `update` and `delete_cell` of an event do not change its copies, and neither do
//!   `delete_if` and `send_if`: a key does not determine the contents of the copies.
//!   [`delete_mirrored`](crate::BackendExt::delete_mirrored) takes the whole event, and deletes its
//!   copies with it; [`delete_all`](crate::BackendExt::delete_all) reads the events of a query, and
//!   deletes their copies too.
//! - If several events share one copy, such as a row for each device with its current value, a
//!   write replaces the copy regardless of the event's time; only layout `latest` keeps the newest
//!   event. A repair writes the copy of the newest of its query's events.
//! - If keys of copies contain columns, an event that replaces another may have copies at other
//!   keys, and the old copies stay. Build keys of copies from the event's key and time only, or
//!   give the copies a [`source_key`](MirrorOf::source_key) and use
//!   [`delete_strays`](crate::BackendExt::delete_strays).

mod lookup;
mod newest;
mod remove;
mod repair;
mod report;
mod strays;

#[doc(hidden)]
pub use crate::model::Mirror;
pub use crate::model::TableRepair;
use crate::model::{EventRow, Model, insert_row};
use crate::{Error, Timestamp};

pub(crate) use remove::{Deletions, delete_mirrored};
pub use report::RepairReport;
pub(crate) use strays::delete_strays;

/// A model whose events are copies of `Source`'s.
///
/// `impl From<&Source>` is enough for a copy of every event. Implement this trait instead if not
/// every event has a copy, or if copies contain their event's key, by which copies without an event
/// are found:
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
    /// The copy of an event; `None` if it has no copy here.
    ///
    /// The same event must always make the same copy: a repair writes it again.
    fn mirror_of(source: &Source) -> Option<Self>;

    /// The key of this copy's event; `None` if the copy does not contain it.
    fn source_key(&self) -> Option<Source::Key>;

    /// Whether any copies contain it.
    #[doc(hidden)]
    const KNOWS_SOURCE: bool = true;
}

impl<S: Model, C: Model + for<'a> From<&'a S>> MirrorOf<S> for C {
    fn mirror_of(source: &S) -> Option<Self> {
        Some(source.into())
    }

    fn source_key(&self) -> Option<S::Key> {
        None
    }

    const KNOWS_SOURCE: bool = false;
}

impl<S: Model> Mirror<S> {
    /// `C` as a mirror.
    ///
    /// # Panics
    /// If `C` has mirrors itself, which no write would reach, or is append-only. The derive calls
    /// this in a constant, so it is a build error.
    #[must_use]
    pub const fn of<C: MirrorOf<S>>() -> Self {
        assert!(
            C::MIRRORS.is_empty(),
            "a mirror has no mirrors of its own: name all of them on the model that is written"
        );
        assert!(
            !C::SCHEMA.of_struct().append_only,
            "repairs rewrite copies, so a mirror cannot be append-only: remove `append_only` there"
        );
        Self {
            schema: C::SCHEMA,
            row: row::<S, C>,
            deletion: deletion::<S, C>,
            repair: repair::batch::<S, C>,
            release: remove::of_events::<S, C>,
            knows_source: C::KNOWS_SOURCE,
            strays: strays::of_table::<S, C>,
        }
    }
}

/// The write of an event's copy.
fn row<S: Model, C: MirrorOf<S>>(event: &S, now: Timestamp) -> Result<Option<EventRow>, Error> {
    let copy = C::mirror_of(event);
    copy.map(|copy| insert_row(&copy, now)).transpose()
}

/// The delete of an event's copy.
fn deletion<S: Model, C: MirrorOf<S>>(
    event: &S,
    now: Timestamp,
) -> Result<Option<EventRow>, Error> {
    match C::mirror_of(event) {
        Some(copy) => remove::deletion(&copy, now),
        None => Ok(None),
    }
}
