//! Recomputes buckets of a roll-up that the server adds.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use bytes::Bytes;
use futures::TryStreamExt as _;

use super::Rollup;
use super::cover::is_edge;
use super::fill::{Fill, Names, bucket, of_buckets, scans, times};
use super::job::DEFAULT_SETTLE;
use super::kept::Kept;
use super::marking::keys_alone;
use super::report::{Done, RollupReport};
use super::row::{bucket_mutations, incomplete};
use super::tier::{Span, Tier, tiers};
use super::windows::{names, rolled, span};
use crate::Timestamp;
use crate::backend::{Backend, Method};
use crate::data::{Mutation, RowMutations};
use crate::error::{Error, RollupError};
use crate::model::Model;
use crate::query::{AsQuery, BadRows, QueryState};
use crate::send::{at_table, write_ready};

/// Recomputes buckets of a roll-up that the server adds from events, in all of its tables. They are
/// the buckets of the query's series that contain a time of the query; its other parts are ignored,
/// and so are identifiers that the roll-up leaves out.
///
/// A bucket whose events are no longer all stored, because a rule deletes them by age or their
/// table by period is missing, is computed from shorter buckets that are stored. If some of these
/// are missing too, it keeps its values, and the report lists it as incomplete.
///
/// Use it for events older than the roll-up, after writes that ended with
/// [`NotAdded`](super::NotAdded) without tokens, and after events were written or deleted without
/// the model. **Do not write events of these buckets meanwhile**: an event that is written while
/// its bucket is computed may be counted twice, or not at all.
///
/// It can be repeated. All buckets of the query's time are held in memory; if there are many, split
/// the time.
///
/// # Errors
/// [`Error::Query`] if the query cannot be planned or its time has an open end, [`Error::Rollup`]
/// if a column cannot hold its aggregate, [`Error::Backend`] if events cannot be read or buckets
/// cannot be written: then repeat the call.
pub async fn recount<R: Rollup>(
    query: &impl AsQuery<Model = R::Source, State: QueryState<R::Source>>,
    backend: &dyn Backend,
) -> Result<RollupReport, Error> {
    const {
        assert!(
            R::ADDED,
            "the buckets of this roll-up are computed by `RollupJob`, once `mark_events` marks them"
        );
    }
    let selection = query.as_query().selection();
    let schema = R::Source::SCHEMA;
    let asked = span(schema, &selection).map_err(|source| Error::Query {
        table: schema.table.to_string(),
        source,
    })?;
    // A bucket of many series is computed from all of them.
    let mut names = names(schema, &selection);
    names.retain(|(name, _)| R::SCHEMA.key.has_identifier(name));
    let tiers = tiers(R::LEVELS)?;
    let mut report = RollupReport::default();
    for (at, tier) in tiers.iter().enumerate() {
        let mut kept = Kept::of::<R>(backend, DEFAULT_SETTLE);
        let mut rest = vec![whole(tier, asked)?];
        while let Some(span) = rest.pop() {
            let recount = Recount::<R> {
                backend,
                kept: &kept,
                shorter: tiers.get(..at).unwrap_or_default(),
                tier,
                names: &names,
                rollup: PhantomData,
            };
            let again = recount.all(span, &mut report).await?;
            if !again.is_empty() {
                rest.extend(again);
                kept = kept.again();
            }
        }
    }
    Ok(report)
}

/// The buckets of a level that contain a time of a span.
fn whole(Tier { grid, .. }: &Tier, (from, to): Span) -> Result<Span, Error> {
    if from >= to {
        return Ok((from, from));
    }
    let first = grid.cell(Timestamp::from_micros(from))?;
    let last = grid.cell(Timestamp::from_micros(to - 1))?;
    Ok((first.start.as_micros(), last.end.as_micros()))
}

/// The source of buckets.
#[derive(Debug, PartialEq)]
enum Origin {
    /// Their events, which are all stored.
    Events,
    /// Shorter buckets, since some events are no longer stored.
    Shorter,
    /// The rest, for this reason: a bucket that has a row keeps it.
    Rest(RollupError),
}

impl Origin {
    fn is_like(&self, other: &Self) -> bool {
        let expired = |one: &Self| matches!(one, Self::Rest(RollupError::Expired { .. }));
        self == other || (expired(self) && expired(other))
    }
}

/// Recounts the buckets of a level with the same origin.
struct Recount<'a, R> {
    backend: &'a dyn Backend,
    kept: &'a Kept<'a>,
    shorter: &'a [Tier],
    tier: &'a Tier,
    names: &'a Names,
    rollup: PhantomData<fn() -> R>,
}

impl<R: Rollup> Recount<'_, R> {
    /// Recounts the buckets of a span. Returns the spans to recount again, since a source expired
    /// while it was read.
    async fn all(&self, span: Span, report: &mut RollupReport) -> Result<Vec<Span>, Error> {
        let mut again = Vec::new();
        for (origin, span) in self.origins(span).await? {
            match self.computed(&origin, span).await? {
                Some(rows) => self.replace(origin, span, rows, report).await?,
                None => again.push(span),
            }
        }
        Ok(again)
    }

    /// The buckets of a span, by their sources.
    async fn origins(&self, span: Span) -> Result<Vec<(Origin, Span)>, Error> {
        if self.kept.is_everything() {
            return Ok(vec![(Origin::Events, span)]);
        }
        let mut origins: Vec<(Origin, Span)> = Vec::new();
        let mut next = span.0;
        while next < span.1 {
            let end = self.end(Timestamp::from_micros(next))?.as_micros();
            let bucket = (next, end);
            let origin = match self.kept.lost(&[], bucket, None).await? {
                None => Origin::Events,
                Some(why) if self.shorter.is_empty() => Origin::Rest(why),
                Some(_) => match self.kept.lost(self.shorter, bucket, None).await? {
                    None => Origin::Shorter,
                    Some(why) => Origin::Rest(why),
                },
            };
            match origins.last_mut() {
                // A shorter bucket in both would be read as a part of the first.
                Some((last, span))
                    if last.is_like(&origin)
                        && (origin == Origin::Events || is_edge(self.shorter, next)) =>
                {
                    span.1 = end;
                }
                _ => origins.push((origin, bucket)),
            }
            next = end;
        }
        Ok(origins)
    }

    /// Writes the buckets of a span, and deletes those without events.
    async fn replace(
        &self,
        origin: Origin,
        span: Span,
        mut rows: Vec<RowMutations>,
        report: &mut RollupReport,
    ) -> Result<(), Error> {
        let stored = stored::<R>(self.backend, self.tier, self.names, span).await?;
        let stored: BTreeSet<Bytes> = stored.into_iter().collect();
        let table = rolled::<R>().table(&self.tier.level);
        if let Origin::Rest(why) = origin {
            let why = |key: &Bytes| incomplete::<R>(table, key, why.clone());
            rows.retain(|row| !stored.contains(&row.key));
            for key in &stored {
                report.add(Ok(Done::Kept(why(key))));
            }
            for row in &rows {
                report.add(Ok(Done::ComputedInPart(why(&row.key))));
            }
        } else {
            let held: BTreeSet<Bytes> = rows.iter().map(|row| row.key.clone()).collect();
            let empty = stored.difference(&held).cloned();
            rows.extend(empty.map(|key| RowMutations {
                key,
                mutations: vec![Mutation::DeleteFromRow],
            }));
            for _ in &rows {
                report.add(Ok(Done::Computed));
            }
        }
        write(self.backend, table, rows).await
    }

    /// The rows of the buckets of a span with events; `None` if a source expired while it was read.
    async fn computed(
        &self,
        origin: &Origin,
        span: Span,
    ) -> Result<Option<Vec<RowMutations>>, Error> {
        let levels = match origin {
            Origin::Events => &[][..],
            Origin::Shorter | Origin::Rest(_) => self.shorter,
        };
        let fill = Fill::<R> {
            backend: self.backend,
            rolled: rolled::<R>(),
            tiers: levels,
            levels,
            window: &self.tier.grid,
            base: &of_buckets(),
            bad_rows: &BadRows::fail(),
            kept: self.kept,
            most: None,
            rollup: PhantomData,
        };
        let Some(windows) = fill.buckets(self.names, span).await? else {
            return Ok(None);
        };
        let rows = windows.iter().map(|window| {
            let end = self.end(window.time().unwrap_or_default())?;
            bucket_mutations(window, Timestamp::UNIX_EPOCH, end)
        });
        rows.collect::<Result<_, _>>().map(Some)
    }

    /// The end of the bucket that contains a time.
    fn end(&self, time: Timestamp) -> Result<Timestamp, Error> {
        Ok(self.tier.grid.cell(time)?.end)
    }
}

/// The rows of a level's table with buckets of some series in a span.
async fn stored<R: Rollup>(
    backend: &dyn Backend,
    tier: &Tier,
    names: &Names,
    span: Span,
) -> Result<Vec<Bytes>, Error> {
    let table = rolled::<R>().table(&tier.level);
    let scans = scans(R::SCHEMA, names, times(span), usize::MAX)?;
    let mut keys = Vec::new();
    for rows in &scans.rows {
        let mut rows = backend
            .read_rows(keys_alone(table, rows.clone(), scans.keys.clone()))
            .rows();
        let read = |source| at_table(table, Method::ReadRows, source);
        while let Some(row) = rows.try_next().await.map_err(read)? {
            let (_, start) = bucket(R::SCHEMA, table, &row)?;
            let is_in = (span.0..span.1).contains(&start.as_micros());
            if is_in && scans.hold(&row.key) {
                keys.push(row.key);
            }
        }
    }
    Ok(keys)
}

async fn write(backend: &dyn Backend, table: &str, rows: Vec<RowMutations>) -> Result<(), Error> {
    let rows = rows.into_iter().map(|row| (table, row));
    let mut outcomes = write_ready(backend, rows).await.into_iter();
    let failed = |source| at_table(table, Method::MutateRows, source);
    outcomes.try_for_each(|outcome| outcome.map_err(failed))
}
