//! The events of a batch as a load, for models without their types.

use std::sync::Arc;

use bigtable_model::dynamic::{EventBatch, ensure_tables, insert, pack};
use bigtable_model::key::SegmentValue;
use bigtable_model::packed::PackJob;
use bigtable_model::schema::ModelSchema;
use bigtable_model::{Backend, Error, Timestamp};
use futures::future::BoxFuture;

use crate::LoadError;
use crate::num::{count, float, whole};
use crate::rate::Span;
use crate::sizes::Sizes;
use crate::writes::{AnyWrites, Call, Sink, Window};

/// Events at their times.
#[derive(Debug)]
pub(crate) struct Batch {
    span: Span,
    events: EventBatch,
    /// The time of each event, as a share of the span.
    times: Vec<f64>,
}

impl Batch {
    pub(crate) fn new(events: EventBatch, span: Span) -> Result<Arc<Self>, LoadError> {
        let times = (0..events.len()).map(|index| {
            let time = time(&events, index);
            let share = time.and_then(|time| span.share_at(time));
            share.ok_or_else(|| LoadError::Sample {
                model: events.model().schema().model.to_string(),
                what: match time {
                    Some(time) => format!("at {time}, outside {} to {}", span.start, span.end),
                    None => "without a time".to_owned(),
                },
            })
        });
        let times = times.collect::<Result<_, _>>()?;
        Ok(Arc::new(Self {
            span,
            events,
            times,
        }))
    }

    fn model(&self) -> String {
        self.schema().model.to_string()
    }

    /// The events in a window, one of `thin`.
    fn chosen(&self, window: Window, thin: f64) -> impl Iterator<Item = (usize, f64)> {
        let step = usize::try_from(whole(thin)).unwrap_or(usize::MAX).max(1);
        let times = self.times.iter().copied().enumerate().step_by(step);
        times.filter(move |(_, time)| window.from <= *time && *time < window.to)
    }
}

/// The values of an event's key.
fn values(events: &EventBatch, index: usize) -> Vec<SegmentValue> {
    let segments = events.model().schema().key.valued();
    let values = segments.filter_map(|(_, segment)| events.segment(&segment.name)?.get(index));
    values.collect()
}

fn time(events: &EventBatch, index: usize) -> Option<Timestamp> {
    let (_, segment) = events.model().schema().key.time_segment()?;
    events.segment(&segment.name)?.times().get(index).copied()
}

impl AnyWrites for Batch {
    fn schema(&self) -> &ModelSchema {
        self.events.model().schema()
    }

    fn events(&self) -> f64 {
        float(count(self.events.len()))
    }

    fn weight(&self, thin: f64) -> f64 {
        float(whole(thin).max(1))
    }

    fn keys(&self, window: Window, thin: f64, sink: &mut Sink<'_>) -> Result<(), LoadError> {
        let schema = self.schema();
        let mut key = Vec::new();
        for (index, share) in self.chosen(window, thin) {
            key.clear();
            let encoded = schema.key.encode(&values(&self.events, index), &mut key);
            encoded.map_err(LoadError::key(&self.model()))?;
            let table = schema.table_of(time(&self.events, index));
            let table = table.map_err(LoadError::at(format!("an event of {}", self.model())))?;
            sink(&table, &key, share);
        }
        Ok(())
    }

    fn calls(
        &self,
        db: &Arc<dyn Backend>,
        window: Window,
        at_once: usize,
    ) -> Result<Vec<Call>, LoadError> {
        let mut calls: Vec<Call> = Vec::new();
        let mut chosen = self.chosen(window, 1.0).peekable();
        while chosen.peek().is_some() {
            let mut part = EventBatch::new(self.events.model());
            for (index, _) in chosen.by_ref().take(at_once.max(1)) {
                let Some(event) = self.events.get(index) else {
                    continue;
                };
                let entries = event.entries().iter().cloned();
                let pushed = part.push_with(event.values(), entries);
                pushed.map_err(LoadError::at(format!("an event of {}", self.model())))?;
            }
            let db = Arc::clone(db);
            calls.push(Box::pin(
                async move { insert(&*db, &part).await?.into_result() },
            ));
        }
        Ok(calls)
    }

    fn ensure_tables<'a>(&'a self, db: &'a dyn Backend) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            let times = self.span.start..self.span.end;
            ensure_tables(db, self.events.model(), times)
                .await
                .map(drop)
        })
    }

    fn packs(&self) -> Option<PackJob> {
        pack(self.events.model()).ok()
    }

    fn draw(&self, at: f64) -> u64 {
        Sizes::equal(count(self.events.len())).draw(at)
    }
}
