//! Writes of many events, which return those that fail.

use std::borrow::Borrow;
use std::fmt;
use std::future::IntoFuture;
use std::marker::PhantomData;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt as _};

use super::args::{EventArg, EventKind, OwnedEvent};
use crate::backend::setting::at_least_one;
use crate::backend::{Backend, InvalidSetting};
use crate::model::{InsertWriter, Made, Model};
use crate::send::limits::REQUESTS_IN_FLIGHT;
use crate::send::{
    Ages, Bulk, DeadLetter, EventRows, Expired, GivenBack, InsertOutcome, InsertProgress, Inserted,
    Make, OnProgress, Stamps, UnderWay, insert_many_with_copies, insert_with_copies,
};
use crate::{Error, Timestamp};

/// A write of many events, which is sent when it is awaited; see
/// [`BackendExt::insert_many`](super::BackendExt::insert_many) and
/// [`insert_stream`](super::BackendExt::insert_stream).
#[must_use = "nothing is written before it is awaited"]
pub struct Inserts<'a, M, Kind: EventKind<'a, M>> {
    backend: Arc<dyn Backend>,
    events: BoxStream<'a, Kind::Event>,
    requests: usize,
    refuse_expired: bool,
    progress: Option<OnProgress<'a>>,
}

impl<'a, M: Model, Kind: EventKind<'a, M>> Inserts<'a, M, Kind> {
    pub(super) fn new<S>(backend: Arc<dyn Backend>, events: S) -> Self
    where
        S: Stream<Item: EventArg<'a, M, Kind>> + Send + 'a,
    {
        Self {
            backend,
            events: events.map(EventArg::given).boxed(),
            requests: REQUESTS_IN_FLIGHT,
            refuse_expired: false,
            progress: None,
        }
    }

    /// How many requests may be in flight at once: 4 by default, at least 1. For a model with
    /// mirrors it applies to each of their tables.
    ///
    /// # Errors
    /// [`InvalidSetting`] for 0.
    pub fn requests_in_flight(mut self, requests: usize) -> Result<Self, InvalidSetting> {
        at_least_one("Inserts::requests_in_flight", requests)?;
        self.requests = requests;
        Ok(self)
    }

    /// Refuses events that have already expired under the model's own `gc(max_age = ...)`, with
    /// [`Error::Expired`], instead of counting them in [`InsertOutcome::expired`].
    ///
    /// ```
    /// use bigtable_model::{BackendExt, Error, MemoryBackend, Model, Timestamp};
    ///
    /// #[derive(Model)]
    /// #[bigtable(table = "QUOTE", family = "MD", gc(max_age = "30d"))]
    /// struct Quote {
    ///     #[bigtable(key)]
    ///     symbol: String,
    ///     #[bigtable(time, unit = "s")]
    ///     at: Timestamp,
    ///     bid: f64,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// let db = MemoryBackend::new();
    /// db.ensure_tables::<Quote>().await?;
    /// let of_2015 = |second: i64| Quote {
    ///     symbol: "ZXZZT".into(),
    ///     at: Timestamp::from_seconds(1_426_535_612 + second),
    ///     bid: 600.55,
    /// };
    /// assert!(db.insert(&of_2015(0)).await?.expired);
    /// let outcome = db.insert_many((0..100).map(of_2015)).await;
    /// assert_eq!((outcome.written(), outcome.expired()), (100, 100)); // no query finds them
    ///
    /// let outcome = db.insert_many((0..100).map(of_2015)).refuse_expired().await;
    /// assert_eq!((outcome.written(), outcome.failed().len()), (0, 100));
    /// assert!(matches!(outcome.failed()[0].error, Error::Expired { .. }));
    /// # Ok(())
    /// # }
    /// ```
    pub fn refuse_expired(mut self) -> Self {
        self.refuse_expired = true;
        self
    }

    /// Calls a function with the numbers so far: after the answers to each request, and after
    /// each event that the model refuses. For a model with mirrors, an event counts as written once
    /// its copies are, so the calls come after up to 1,000 events at a time.
    pub fn on_progress(mut self, progress: impl FnMut(InsertProgress) + Send + 'a) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }
}

impl<'a, M: Model, Kind: EventKind<'a, M>> IntoFuture for Inserts<'a, M, Kind> {
    type Output = InsertOutcome;
    type IntoFuture = BoxFuture<'a, InsertOutcome>;

    fn into_future(self) -> BoxFuture<'a, InsertOutcome> {
        let Self {
            backend,
            events,
            requests,
            ..
        } = self;
        let expired = Expired::default();
        let tally = Inserted {
            outcome: InsertOutcome::default(),
            expired: expired.clone(),
            progress: self.progress,
        };
        let refused = self.refuse_expired;
        Box::pin(async move {
            let backend = &*backend;
            let ages = Ages {
                backend,
                refused,
                expired,
            };
            // A constant, so that the other branch is not compiled.
            let tally = if const { M::MIRRORS.is_empty() } {
                let bulk = Bulk::new(backend, M::SCHEMA, tally).requests_in_flight(requests);
                bulk.run(events, Events::<M>::new(ages)).await
            } else {
                let rows = |_, event: Kind::Event, now| {
                    ages.check::<M>(event.borrow())?;
                    EventRows::new::<M>(event.borrow(), now)
                };
                insert_many_with_copies::<M, _, _>(backend, requests, events, rows, tally).await
            };
            tally.finish()
        })
    }
}

impl<M: Model> Inserts<'_, M, OwnedEvent> {
    /// Writes owned events, and returns those that were not written: `failed` is called with each
    /// as soon as it has failed, in any order. An event is held until its outcome is known; a
    /// stream may be endless.
    ///
    /// For a model with mirrors, an event is returned, with the first error, if it or one of its
    /// copies was not written. An event returned with [`Error::NotAdded`] was written, but a
    /// roll-up may lack it: do not write it again. In every case [`DeadLetter::repeat`] does the
    /// rest.
    ///
    /// ```
    /// use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
    ///
    /// #[derive(Debug, Clone, PartialEq, Model)]
    /// #[bigtable(table = "QUOTE", family = "MD")]
    /// struct Quote {
    ///     #[bigtable(key)]
    ///     symbol: String,
    ///     #[bigtable(time, unit = "s")]
    ///     at: Timestamp,
    ///     bid: f64,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// let db = MemoryBackend::new();
    /// db.ensure_tables::<Quote>().await?;
    /// let quotes = ["ZXZZT", "ZW#ZT"].map(|symbol| Quote {
    ///     symbol: symbol.into(), // the second holds the separator
    ///     at: Timestamp::from_seconds(7),
    ///     bid: 600.55,
    /// });
    /// let mut dead = Vec::new();
    /// let counts = db.insert_many(quotes.clone()).give_back(|letter| dead.push(letter)).await;
    /// assert_eq!((counts.written, counts.failed), (1, 1));
    /// assert_eq!((dead[0].index, &dead[0].event), (1, &quotes[1]));
    /// println!("{}", dead[0].error);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn give_back(self, failed: impl FnMut(DeadLetter<M>) + Send) -> InsertProgress {
        let Self {
            backend,
            events,
            requests,
            ..
        } = self;
        let backend = &*backend;
        let under_way = UnderWay::default();
        let expired = Expired::default();
        let ages = Ages {
            backend,
            refused: self.refuse_expired,
            expired: expired.clone(),
        };
        let tally = GivenBack {
            under_way: under_way.clone(),
            failed,
            outcome: InsertProgress::default(),
            expired,
            progress: self.progress,
        };
        if const { !M::MIRRORS.is_empty() } {
            let rows = |index, event: M, now| {
                let rows = ages.check(&event);
                let rows = rows.and_then(|()| EventRows::new(&event, now));
                under_way.add(index, event);
                rows
            };
            let written =
                insert_many_with_copies::<M, _, _>(backend, requests, events, rows, tally);
            return written.await.counts();
        }
        let make = Held {
            events: Events::new(ages),
            under_way,
        };
        let bulk = Bulk::new(backend, M::SCHEMA, tally).requests_in_flight(requests);
        bulk.run(events.enumerate(), make).await.counts()
    }
}

/// Makes the entries of a model's events.
struct Events<'a, M> {
    ages: Ages<'a>,
    stamps: Stamps,
    writer: InsertWriter,
    model: PhantomData<fn() -> M>,
}

impl<'a, M: Model> Events<'a, M> {
    fn new(ages: Ages<'a>) -> Self {
        Self {
            ages,
            stamps: Stamps::new(&[M::SCHEMA]),
            writer: InsertWriter::new(M::SCHEMA),
            model: PhantomData,
        }
    }
}

impl<M: Model, E: Borrow<M>> Make<E> for Events<'_, M> {
    fn make(&mut self, event: E) -> Result<Option<Made<'_>>, Error> {
        self.ages.check::<M>(event.borrow())?;
        let now = self.stamps.next();
        self.writer.write(event.borrow(), now).map(Some)
    }
}

/// Makes the entries of events, which are held until their outcomes are known.
struct Held<'a, M> {
    events: Events<'a, M>,
    under_way: UnderWay<M>,
}

impl<M: Model> Make<(usize, M)> for Held<'_, M> {
    fn make(&mut self, (index, event): (usize, M)) -> Result<Option<Made<'_>>, Error> {
        let made = self.events.make(&event);
        self.under_way.add(index, event);
        made
    }
}

impl<M: Model> DeadLetter<M> {
    /// Does what the write left undone: adds an event that a roll-up may lack
    /// ([`Error::NotAdded`](crate::Error::NotAdded)), without writing it again, and inserts any
    /// other event again, with its copies. It can be repeated.
    ///
    /// Others may have written any other event since: inserting it again replaces what they wrote.
    ///
    /// # Errors
    /// Those of [`insert`](crate::BackendExt::insert); [`Error::NotAdded`](crate::Error::NotAdded)
    /// with the additions that may still be missing.
    pub async fn repeat(&self, backend: &dyn Backend) -> Result<(), Error> {
        match &self.error {
            Error::NotAdded(missing) => missing.send_again(backend).await,
            _ => {
                let rows = EventRows::new(&self.event, Timestamp::now())?;
                insert_with_copies(backend, rows).await
            }
        }
    }
}

impl<'a, M, Kind: EventKind<'a, M>> fmt::Debug for Inserts<'a, M, Kind> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inserts")
            .field("backend", &self.backend)
            .field("requests", &self.requests)
            .finish_non_exhaustive()
    }
}
