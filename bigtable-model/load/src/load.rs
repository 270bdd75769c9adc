//! A load as data: what is written, and what is asked.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bigtable_model::dynamic::EventBatch;
use bigtable_model::query::{Cost, Counted};
use bigtable_model::schema::ModelSchema;
use bigtable_model::{Backend, Error, Model, Timestamp};
use futures::future::BoxFuture;

use crate::LoadError;
use crate::batch::Batch;
use crate::num::whole;
use crate::rate::{Rate, Span};
use crate::writes::{AnyWrites, Planned, Writes};

/// What is written and asked over a span of time: of one model, or of all models of an application.
///
/// It can be [priced](Load::prices), seen as a [heat map](Load::heat), [compared](crate::compare)
/// with other models, and [run](Load::run) against any backend.
#[derive(Debug, Default)]
pub struct Load {
    times: Option<Range<Timestamp>>,
    parts: Vec<Arc<dyn AnyWrites>>,
    questions: Vec<Question>,
    /// The first mistake.
    mistake: Option<LoadError>,
}

/// What a question is asked about; see [`Load::asks`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asked {
    /// How often it was asked before.
    pub nth: u64,
    /// A series, drawn as often as it is written: its number in [`Writes::of`], or an index of a
    /// sample.
    pub series: u64,
    /// A time in the load's span.
    pub at: Timestamp,
}

pub(crate) struct Question {
    pub(crate) name: String,
    pub(crate) rate: Rate,
    /// The writes from which its series are drawn.
    of: usize,
    ask: Box<Ask>,
}

type Ask = dyn Fn(Asked, Arc<dyn Backend>) -> Running + Send + Sync;
pub(crate) type Running = BoxFuture<'static, Result<Cost, Error>>;

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Question");
        shown.field("name", &self.name).field("rate", &self.rate);
        shown.finish_non_exhaustive()
    }
}

impl Load {
    /// A load over a span of time. A mistake in a call is reported when the load is used.
    #[must_use]
    pub fn over(times: Range<impl Into<Timestamp>>) -> Self {
        Self {
            times: Some(times.start.into()..times.end.into()),
            ..Self::default()
        }
    }

    /// Adds the writes of a model; each may be called several times, also with one model.
    #[must_use]
    pub fn writes<M: Model + Clone>(mut self, writes: Writes<M>) -> Self {
        let planned = self.span().and_then(|span| Planned::new(writes, span));
        match planned {
            Ok(planned) => self.parts.push(planned),
            Err(error) => {
                self.mistake.get_or_insert(error);
            }
        }
        self
    }

    /// Adds events of a model without its type, at their times: those that a query by names found,
    /// or those of a file. Questions are given the index of one of them as their series.
    #[must_use]
    pub fn events(mut self, events: EventBatch) -> Self {
        match self.span().and_then(|span| Batch::new(events, span)) {
            Ok(batch) => self.parts.push(batch),
            Err(error) => {
                self.mistake.get_or_insert(error);
            }
        }
        self
    }

    /// Adds a question about the writes before it: `query` makes it, each time about another series
    /// and time.
    ///
    /// ```
    /// use bigtable_load::{Load, Rate, Sizes, Writes};
    /// # use bigtable_model::{Model, Timestamp};
    /// # use std::time::Duration;
    /// # #[derive(Clone, Model)]
    /// # #[bigtable(table = "SENSOR", family = "METER")]
    /// # struct Reading {
    /// #     #[bigtable(key)]
    /// #     sensor: u32,
    /// #     #[bigtable(time, unit = "s", truncate)]
    /// #     at: Timestamp,
    /// #     celsius: f64,
    /// # }
    ///
    /// # let (start, end) = (Timestamp::from_seconds(0), Timestamp::from_seconds(86_400));
    /// let reading = |series, at| Reading { sensor: series as u32, at, celsius: 19.5 };
    /// let load = Load::over(start..end)
    ///     .writes(Writes::of(Sizes::equal(100), Rate::per_second(1.0), reading))
    ///     .asks("an hour", Rate::per_day(1_000.0), |asked| {
    ///         let hour = asked.at..asked.at.saturating_add(Duration::from_secs(3_600));
    ///         Reading::query().sensor(asked.series as u32).at(hour)
    ///     });
    /// # let _ = load;
    /// ```
    #[must_use]
    pub fn asks<Q: Counted>(
        mut self,
        name: &str,
        rate: Rate,
        query: impl Fn(Asked) -> Q + Send + Sync + 'static,
    ) -> Self {
        let Some(of) = self.parts.len().checked_sub(1) else {
            self.mistake.get_or_insert(LoadError::NothingToAsk {
                question: name.to_owned(),
            });
            return self;
        };
        if let Err(error) = rate.check(&format!("the question \"{name}\"")) {
            self.mistake.get_or_insert(error);
        }
        self.questions.push(Question {
            name: name.to_owned(),
            rate,
            of,
            ask: Box::new(move |asked, db| query(asked).costed(db)),
        });
        self
    }

    pub(crate) fn span(&self) -> Result<Span, LoadError> {
        let never = Timestamp::UNIX_EPOCH..Timestamp::UNIX_EPOCH;
        Span::new(self.times.as_ref().unwrap_or(&never))
    }

    /// The load, if nothing is wrong with it.
    pub(crate) fn checked(&self) -> Result<Checked<'_>, LoadError> {
        if let Some(mistake) = &self.mistake {
            return Err(mistake.clone());
        }
        let span = self.span()?;
        let events: f64 = self.parts.iter().map(|part| part.events()).sum();
        match events > 0.0 {
            true => Ok(Checked {
                span,
                events,
                parts: &self.parts,
                questions: &self.questions,
            }),
            false => Err(LoadError::NoEvents),
        }
    }
}

/// A load without mistakes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checked<'a> {
    pub(crate) span: Span,
    /// How many events there are in all, not how many are generated.
    pub(crate) events: f64,
    pub(crate) parts: &'a [Arc<dyn AnyWrites>],
    pub(crate) questions: &'a [Question],
}

impl Checked<'_> {
    /// How many events are generated.
    pub(crate) fn generated(&self) -> u64 {
        let parts = self.parts.iter();
        whole(parts.map(|part| part.events() / part.weight(1.0)).sum())
    }

    pub(crate) async fn ensure_tables(&self, db: &dyn Backend) -> Result<(), LoadError> {
        for part in self.parts {
            let doing = format!("creating the tables of {}", part.schema().model);
            let ensured = part.ensure_tables(db).await;
            ensured.map_err(LoadError::at(doing))?;
        }
        Ok(())
    }

    /// The schemas of its models.
    pub(crate) fn schemas(&self) -> Vec<&ModelSchema> {
        self.parts.iter().map(|part| part.schema()).collect()
    }

    /// Asks a question. What it is about depends on the number alone, so that models are compared by
    /// the same questions.
    pub(crate) fn ask(&self, question: &Question, nth: u64, db: Arc<dyn Backend>) -> Running {
        let mut random = fastrand::Rng::with_seed(nth);
        let (series, time) = (random.f64(), random.f64());
        let asked = Asked {
            nth,
            series: self.parts.get(question.of).map_or(0, |of| of.draw(series)),
            at: self.span.at(time),
        };
        (question.ask)(asked, db)
    }
}
