//! What is wrong with a load.

use std::sync::Arc;

use bigtable_model::key::KeyError;
use bigtable_model::{Error, Timestamp};

/// Why a load cannot be priced or run.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The span has no time in it.
    #[error("the load has no time: it ends at {end}, and begins at {start}")]
    NoTime {
        /// Its beginning.
        start: Timestamp,
        /// Its end.
        end: Timestamp,
    },
    /// A rate is negative or not a number.
    #[error("{of}: {per_second} times a second is no rate")]
    Rate {
        /// What happens at this rate.
        of: String,
        /// The rate.
        per_second: f64,
    },
    /// A rate was asked for from a model that declares none.
    #[error(
        "{model} does not say how often its events come: write `expect(every = \"5s\", size = 100)` on the struct, or `Writes::of` with a rate"
    )]
    NotExpected {
        /// The model.
        model: String,
    },
    /// Nothing is written.
    #[error("the load has no event: call `writes`, with at least one series and a rate above 0")]
    NoEvents,
    /// A question without events to ask for.
    #[error("the question \"{question}\" comes before `writes`, so there are no series to ask for")]
    NothingToAsk {
        /// Its name.
        question: String,
    },
    /// More events than memory should hold.
    #[error(
        "the load has {events} events, and prices are counted on at most {most} in memory: give \
         it a shorter span or fewer series"
    )]
    TooMany {
        /// The events of the load.
        events: u64,
        /// How many may be held.
        most: u64,
    },
    /// A sample holds an event outside the load's span, or one without a time.
    #[error("the sample of {model} has an event {what}")]
    Sample {
        /// The model.
        model: String,
        /// What is wrong with its time.
        what: String,
    },
    /// An event's key.
    #[error("an event of {model} has no key")]
    Key {
        /// The model.
        model: String,
        /// Which segment, and why.
        source: KeyError,
    },
    /// A write or a query.
    #[error("{doing}")]
    Model {
        /// What was done.
        doing: String,
        /// The error.
        source: Arc<Error>,
    },
}

impl LoadError {
    pub(crate) fn at(doing: impl Into<String>) -> impl FnOnce(Error) -> Self {
        let doing = doing.into();
        move |source| Self::Model {
            doing,
            source: Arc::new(source),
        }
    }

    /// What is wrong with an event's key.
    pub(crate) fn key(model: &str) -> impl FnOnce(KeyError) -> Self {
        move |source| Self::Key {
            model: model.to_owned(),
            source,
        }
    }
}
