//! The events of a load.

use std::fmt;
use std::sync::Arc;

use bigtable_model::packed::PackJob;
use bigtable_model::schema::ModelSchema;
use bigtable_model::{Backend, BackendExt as _, Error, Model, Timestamp};
use futures::future::BoxFuture;

use crate::LoadError;
use crate::num::{count, float, whole};
use crate::rate::{Profile, Rate, Span};
use crate::sizes::Sizes;

/// The events that are written of one model, given to [`Load::writes`](crate::Load::writes).
pub struct Writes<M> {
    source: Source<M>,
    factor: Option<Factor>,
    mistake: Option<LoadError>,
}

type Factor = Box<dyn Fn(Timestamp) -> f64 + Send + Sync>;

enum Source<M> {
    Made {
        sizes: Sizes,
        rate: Rate,
        event: Box<dyn Fn(u64, Timestamp) -> M + Send + Sync>,
    },
    Sample {
        events: Vec<M>,
        each: f64,
    },
}

impl<M: Model> Writes<M> {
    /// Events that `event` makes, each of a series, numbered from 0, and at a time. `rate` is the
    /// rate of all series together; the events of a series come at equal intervals.
    ///
    /// ```
    /// # use bigtable_model::{Model, Timestamp};
    /// use bigtable_load::{Rate, Sizes, Writes};
    /// # #[derive(Clone, Model)]
    /// # #[bigtable(table = "SENSOR", family = "METER")]
    /// # struct Reading {
    /// #     #[bigtable(key)]
    /// #     sensor: String,
    /// #     #[bigtable(time, unit = "s", truncate)]
    /// #     at: Timestamp,
    /// #     celsius: f64,
    /// # }
    ///
    /// let reading = |series, at| Reading { sensor: format!("s{series:05}"), at, celsius: 19.5 };
    /// let writes = Writes::of(Sizes::equal(10_000), Rate::per_second(500.0), reading);
    /// # let _ = writes;
    /// ```
    pub fn of(
        sizes: Sizes,
        rate: Rate,
        event: impl Fn(u64, Timestamp) -> M + Send + Sync + 'static,
    ) -> Self {
        Self {
            source: Source::Made {
                sizes,
                rate,
                event: Box::new(event),
            },
            factor: None,
            mistake: None,
        }
    }

    /// The same at the rate that the model's `expect(every = ...)` gives a series, on average.
    ///
    /// ```
    /// # use bigtable_model::{Model, Timestamp};
    /// use bigtable_load::{Load, Sizes, Writes};
    ///
    /// #[derive(Clone, Model)]
    /// #[bigtable(table = "SENSOR", family = "METER", expect(every = "5s", size = 100))]
    /// struct Reading {
    ///     #[bigtable(key)]
    ///     sensor: u32,
    ///     #[bigtable(time, unit = "s", truncate)]
    ///     at: Timestamp,
    ///     celsius: f64,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let reading = |series, at| Reading { sensor: series as u32, at, celsius: 19.5 };
    /// let hour = Timestamp::from_seconds(0)..Timestamp::from_seconds(3_600);
    /// let load = Load::over(hour).writes(Writes::expected(Sizes::equal(10), reading));
    /// assert_eq!(load.prices().await?.tables[0].writes_a_second, 2.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn expected(
        sizes: Sizes,
        event: impl Fn(u64, Timestamp) -> M + Send + Sync + 'static,
    ) -> Self {
        let every = M::EXPECTED_EVERY;
        let rate = every.map_or(Rate::per_second(0.0), Rate::every);
        let rate = rate.times(sizes.series());
        let missing = || LoadError::NotExpected {
            model: M::SCHEMA.model.to_string(),
        };
        Self {
            mistake: every.is_none().then(missing),
            ..Self::of(sizes, rate, event)
        }
    }

    /// These events at their times, such as the first thousands of a live table. Questions are
    /// given the index of one of them as their series.
    pub fn sample(events: impl IntoIterator<Item = M>) -> Self {
        Self {
            source: Source::Sample {
                events: events.into_iter().collect(),
                each: 1.0,
            },
            factor: None,
            mistake: None,
        }
    }

    /// Each event of a sample represents this many; a rate becomes this many times as high.
    #[must_use]
    pub fn times(mut self, factor: f64) -> Self {
        match &mut self.source {
            Source::Made { rate, .. } => *rate = Rate::per_second(rate.a_second() * factor),
            Source::Sample { each, .. } => *each *= factor,
        }
        self
    }

    /// A rate that changes: `factor` says how much higher or lower it is at a time. The mean over
    /// the span stays. The times of a sample stay as they are.
    #[must_use]
    pub fn changing(mut self, factor: impl Fn(Timestamp) -> f64 + Send + Sync + 'static) -> Self {
        self.factor = Some(Box::new(factor));
        self
    }
}

impl<M: Model> fmt::Debug for Writes<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Writes");
        shown.field("model", &M::SCHEMA.model);
        shown.finish_non_exhaustive()
    }
}

/// An event as it is counted: its table, its key, and its time as a share of the span.
pub(crate) type Sink<'a> = dyn FnMut(&str, &[u8], f64) + 'a;

/// A part of a span: shares of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Window {
    pub(crate) const ALL: Self = Self { from: 0.0, to: 1.0 };
}

/// A write that says how many events it wrote.
pub(crate) type Call = BoxFuture<'static, Result<u64, Error>>;

/// The writes of any model, over a span.
pub(crate) trait AnyWrites: fmt::Debug + Send + Sync {
    fn schema(&self) -> &ModelSchema;

    /// How many events are written.
    fn events(&self) -> f64;

    /// How many real events each generated one represents, if one of `thin` is generated.
    fn weight(&self, thin: f64) -> f64;

    /// The keys of the events in a window; only one of `thin` events of each series.
    fn keys(&self, window: Window, thin: f64, sink: &mut Sink<'_>) -> Result<(), LoadError>;

    /// Calls that write the events in a window, at most `at_once` in each, and say how many they
    /// wrote. Nothing is done until they are awaited.
    fn calls(
        &self,
        db: &Arc<dyn Backend>,
        window: Window,
        at_once: usize,
    ) -> Result<Vec<Call>, LoadError>;

    /// Creates the tables.
    fn ensure_tables<'a>(&'a self, db: &'a dyn Backend) -> BoxFuture<'a, Result<(), Error>>;

    /// The job that packs the model's rows; none if they are not packed.
    fn packs(&self) -> Option<PackJob>;

    /// The series at a number between 0 and 1.
    fn draw(&self, at: f64) -> u64;
}

/// The writes of a model over a span.
pub(crate) struct Planned<M> {
    span: Span,
    source: Source<M>,
    profile: Option<Profile>,
}

impl<M> fmt::Debug for Planned<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planned").finish_non_exhaustive()
    }
}

impl<M: Model + Clone> Planned<M> {
    pub(crate) fn new(writes: Writes<M>, span: Span) -> Result<Arc<Self>, LoadError> {
        let Writes {
            source,
            factor,
            mistake,
        } = writes;
        if let Some(mistake) = mistake {
            return Err(mistake);
        }
        match &source {
            Source::Made { rate, .. } => {
                rate.check(&format!("writes of {}", M::SCHEMA.model))?;
            }
            Source::Sample { events, each } => {
                Rate::per_second(*each).check(&format!("the sample of {}", M::SCHEMA.model))?;
                for event in events {
                    check_time(event, span)?;
                }
            }
        }
        let profile = factor.map(|factor| Profile::new(span, &*factor));
        Ok(Arc::new(Self {
            span,
            source,
            profile,
        }))
    }

    /// Calls `each` with the events in a window and their times as shares of the span.
    fn each(
        &self,
        window: Window,
        thin: f64,
        each: &mut dyn FnMut(&M, f64) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        match &self.source {
            Source::Made { sizes, rate, event } => {
                let all = rate.a_second() * self.span.seconds() / thin;
                let share = |time| match &self.profile {
                    Some(profile) => profile.share_at(time),
                    None => time,
                };
                let (from, to) = (share(window.from), share(window.to));
                for series in 0..sizes.series() {
                    let events = sizes.share(series) * all;
                    let phase = phase(series);
                    // The first event that is not before the window.
                    let mut nth = (from * events - phase).ceil().max(0.0);
                    while nth + phase < to * events {
                        let share = (nth + phase) / events;
                        let time = match &self.profile {
                            Some(profile) => profile.time_of(share),
                            None => share,
                        };
                        each(&event(series, self.span.at(time)), time)?;
                        nth += 1.0;
                    }
                }
            }
            Source::Sample { events, .. } => {
                let step = usize::try_from(whole(thin)).unwrap_or(usize::MAX).max(1);
                for event in events.iter().step_by(step) {
                    let time = event.time().and_then(|time| self.span.share_at(time));
                    let time = time.unwrap_or(0.0);
                    if window.from <= time && time < window.to {
                        each(event, time)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The place of a series' first event within the interval between its events: different for
/// consecutive series, and spread evenly, by multiples of the golden ratio.
fn phase(series: u64) -> f64 {
    (float(series) * 0.618_033_988_749_894_9).fract()
}

fn check_time<M: Model>(event: &M, span: Span) -> Result<(), LoadError> {
    let what = match event.time() {
        Some(time) if span.share_at(time).is_some() => return Ok(()),
        Some(time) => format!("at {time}, outside {} to {}", span.start, span.end),
        None => "without a time".to_owned(),
    };
    Err(LoadError::Sample {
        model: M::SCHEMA.model.to_string(),
        what,
    })
}

impl<M: Model + Clone> AnyWrites for Planned<M> {
    fn schema(&self) -> &ModelSchema {
        M::SCHEMA
    }

    fn events(&self) -> f64 {
        match &self.source {
            Source::Made { sizes, rate, .. } if sizes.series() > 0 => {
                rate.a_second() * self.span.seconds()
            }
            Source::Made { .. } => 0.0,
            Source::Sample { events, each } => float(count(events.len())) * each,
        }
    }

    fn weight(&self, thin: f64) -> f64 {
        match &self.source {
            Source::Made { .. } => thin,
            Source::Sample { each, .. } => each * float(whole(thin).max(1)),
        }
    }

    fn keys(&self, window: Window, thin: f64, sink: &mut Sink<'_>) -> Result<(), LoadError> {
        let table_of = |event: &M| {
            let table = M::SCHEMA.table_of(event.time());
            table.map_err(LoadError::at(format!("an event of {}", M::SCHEMA.model)))
        };
        let fixed = M::SCHEMA.table.fixed();
        let mut key = Vec::new();
        self.each(window, thin, &mut |event, time| {
            key.clear();
            let encoded = event.encode_key(&mut key);
            encoded.map_err(LoadError::key(&M::SCHEMA.model))?;
            match fixed {
                Some(table) => sink(table, &key, time),
                None => sink(&table_of(event)?, &key, time),
            }
            Ok(())
        })
    }

    fn calls(
        &self,
        db: &Arc<dyn Backend>,
        window: Window,
        at_once: usize,
    ) -> Result<Vec<Call>, LoadError> {
        let mut calls = Vec::new();
        let mut events = Vec::new();
        let mut send = |events: Vec<M>| {
            let db = Arc::clone(db);
            let call: Call = Box::pin(async move {
                match &events[..] {
                    [event] => db.insert(event).await.map(|_| 1),
                    events => db.insert_many(events).await.into_result(),
                }
            });
            calls.push(call);
        };
        self.each(window, 1.0, &mut |event, _| {
            events.push(event.clone());
            if events.len() >= at_once {
                send(std::mem::take(&mut events));
            }
            Ok(())
        })?;
        if !events.is_empty() {
            send(events);
        }
        Ok(calls)
    }

    fn ensure_tables<'a>(&'a self, db: &'a dyn Backend) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            if M::SCHEMA.table.by_period().is_none() {
                return db.ensure_tables::<M>().await;
            }
            // The tables of the periods that the span touches.
            let schema = bigtable_model::dynamic::AnyModel::of::<M>();
            let times = self.span.start..self.span.end;
            let tables = bigtable_model::dynamic::ensure_tables(db, &schema, times).await;
            tables.map(drop)
        })
    }

    fn packs(&self) -> Option<PackJob> {
        PackJob::new(M::SCHEMA).ok()
    }

    fn draw(&self, at: f64) -> u64 {
        match &self.source {
            Source::Made { sizes, .. } => sizes.draw(at),
            Source::Sample { events, .. } => Sizes::equal(count(events.len())).draw(at),
        }
    }
}
