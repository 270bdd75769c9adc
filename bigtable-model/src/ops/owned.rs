//! Writes of owned events, which are returned if they fail.

use futures::{Stream, StreamExt as _, stream};

use super::inserts::Events;
use super::{BackendExt as _, Inserts};
use crate::Error;
use crate::backend::Backend;
use crate::mirror;
use crate::model::{Made, Model};
use crate::send::{Bulk, DeadLetter, GivenBack, InsertProgress, Make, UnderWay};

impl<B: Backend + ?Sized, M: Model> Inserts<'_, B, M> {
    /// Writes the owned events of an iterator, and returns those that were not written: `failed` is
    /// called with each of them as soon as that is known, in any order. An event is held until its
    /// outcome is known. An event returned with [`Error::NotAdded`](crate::Error::NotAdded) was
    /// written, but a roll-up may lack it: the error says what to do, and not to write the event
    /// again. [`DeadLetter::repeat`] does what is still open in either case.
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
    /// db.ensure_table::<Quote>().await?;
    /// let quotes = ["ZXZZT", "ZW#ZT"].map(|symbol| Quote {
    ///     symbol: symbol.into(), // the second holds the separator
    ///     at: Timestamp::from_seconds(7),
    ///     bid: 600.55,
    /// });
    /// let mut dead = Vec::new();
    /// let counts = db.inserts().run_owned(quotes.clone(), |letter| dead.push(letter)).await;
    /// assert_eq!((counts.written, counts.failed), (1, 1));
    /// assert_eq!((dead[0].index, &dead[0].event), (1, &quotes[1]));
    /// println!("{}", dead[0].error);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run_owned<I>(
        self,
        events: I,
        failed: impl FnMut(DeadLetter<M>) + Send,
    ) -> InsertProgress
    where
        I: IntoIterator<Item = M>,
    {
        self.run_owned_stream(stream::iter(events), failed).await
    }

    /// Like [`run_owned`](Inserts::run_owned) for a stream, which is polled like by
    /// [`run_stream`](Inserts::run_stream) and may be endless.
    ///
    /// For a model with mirrors, an event is returned if it or one of its copies was not written,
    /// with the first error.
    pub async fn run_owned_stream<S>(
        self,
        events: S,
        failed: impl FnMut(DeadLetter<M>) + Send,
    ) -> InsertProgress
    where
        S: Stream<Item = M>,
    {
        let under_way = UnderWay::default();
        let tally = GivenBack {
            under_way: under_way.clone(),
            failed,
            outcome: InsertProgress::default(),
            progress: self.progress,
        };
        if !M::MIRRORS.is_empty() {
            let rows = |index, event: M, now| {
                let rows = mirror::EventRows::new(&event, now);
                under_way.add(index, event);
                rows
            };
            let (backend, requests) = (self.backend, self.requests);
            let written = mirror::insert_many::<_, M, _, _>(backend, requests, events, rows, tally);
            return written.await.outcome;
        }
        let events = events.enumerate();
        let make = Held {
            events: Events::new(),
            under_way,
        };
        let bulk = Bulk::new(self.backend, M::SCHEMA, tally).requests_in_flight(self.requests);
        bulk.run(events, make).await.outcome
    }
}

impl<M: Model> DeadLetter<M> {
    /// Does what is still open: adds an event that a roll-up may lack
    /// ([`Error::NotAdded`](crate::Error::NotAdded)), without writing it again, and inserts any
    /// other event again, with its copies. It can be repeated.
    ///
    /// An event that failed otherwise may have been written by others since: inserting it again
    /// replaces what they wrote.
    ///
    /// # Errors
    /// Those of [`insert`](crate::BackendExt::insert);
    /// [`Error::NotAdded`](crate::Error::NotAdded) with what may still be missing.
    pub async fn repeat(&self, backend: &dyn Backend) -> Result<(), Error> {
        match &self.error {
            Error::NotAdded(missing) => missing.send_again(backend).await,
            _ => backend.insert(&self.event).await,
        }
    }
}

/// Makes the entries of events, which are held until their outcomes are known.
struct Held<M> {
    events: Events<M>,
    under_way: UnderWay<M>,
}

impl<M: Model> Make<(usize, M)> for Held<M> {
    fn make(&mut self, (index, event): (usize, M)) -> Result<Option<Made<'_>>, Error> {
        let made = self.events.make(&event);
        self.under_way.add(index, event);
        made
    }
}
