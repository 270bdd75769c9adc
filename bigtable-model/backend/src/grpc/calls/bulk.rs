//! Bulk writes: one outcome per entry, in as many requests as it takes.
//!
//! If an attempt fails as a whole, the entries without an answer have failed. A failed entry is
//! resent if it is safe to repeat and its failure is transient; the others are done. A request that
//! the server has certainly not processed is sent once more as a whole.
//!
//! The service applies entries for one row in any order, so a request never has two: the second is
//! sent once the first is done, whether it succeeded or not. So when a later entry of a row is
//! applied, each earlier one has been applied or has failed permanently (unless the caller asked
//! for [no order](crate::grpc::CallOptions::unordered)). An entry that failed permanently, for
//! instance with `DEADLINE_EXCEEDED`, may still have been applied.

mod pending;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use tokio::time::Instant;
use tonic::body::Body;
use tracing::Instrument;

use crate::EntryOutcome;
use crate::grpc::channel::instance::Instance;
use crate::grpc::channel::transport::Answers;
use crate::grpc::protocol::departure::Ticketed;
use crate::grpc::protocol::entries::{Entries, EntriesBody, Outcomes};
use crate::grpc::protocol::failure::{Cookies, Failure};
use crate::grpc::protocol::method::Method;
use crate::grpc::protocol::names::Target;
use crate::grpc::protocol::request::data;
use crate::grpc::protocol::routing::Params;
use crate::grpc::retry::operation::{Call, Operation, Retry, in_time};
use crate::grpc::retry::window::{is_over, within_window};
use crate::grpc::settings::options::Options;
use crate::{Code, Status};
use pending::Pending;

/// Writes the entries, except those whose token a server may have forgotten.
///
/// When no entry was answered and all failed alike, the call as a whole fails. Else each entry has
/// its own outcome.
pub(crate) async fn mutate_rows(
    instance: &Instance,
    options: &Options,
    table: &str,
    entries: Entries,
) -> Result<Vec<EntryOutcome>, Status> {
    let starts = (0..entries.len()).filter_map(|index| entries.start(index));
    let timeout = options.timeout(options.timeouts.mutate_rows);
    let timeout = match starts.filter(|start| !is_over(*start)).min() {
        Some(started) => within_window(timeout, started),
        None => timeout,
    };
    let mut operation = Operation::begin(
        options,
        Method::MUTATE_ROWS,
        table,
        Retry::Transient,
        timeout,
    );
    let span = operation.span().clone();
    let mut bulk = Bulk::new(entries, options.unordered);
    let target = instance.target(table, options);
    let way = Way {
        routing: data(&target.table, &target.view, &target.app_profile).params()?,
        instance,
        target,
    };
    let written = bulk.write(&way, &mut operation).instrument(span).await;
    let outcomes = bulk.outcomes(written.err());
    operation.ended(outcomes.as_ref().err());
    outcomes
}

/// The table that is written to, and how its server is reached.
struct Way<'a> {
    instance: &'a Instance,
    target: Target,
    routing: Params,
}

impl Way<'_> {
    async fn send(
        &self,
        call: &Call,
        entries: Entries,
        chosen: Arc<Vec<usize>>,
    ) -> Result<Answers<Outcomes>, Failure> {
        let body = |ticket| {
            let body = EntriesBody::new(entries.clone(), Arc::clone(&chosen), &self.target)?;
            Ok(Body::new(Ticketed::new(body, ticket)))
        };
        let transport = &self.instance.transport;
        transport
            .answers(Method::MUTATE_ROWS, call, &self.routing, body)
            .await
    }
}

/// A bulk write in flight.
struct Bulk {
    entries: Entries,
    /// Whether an entry was ever sent.
    sent: Vec<bool>,
    /// The last answer to each entry. An entry to be resent has its last failure; an entry that was
    /// not sent has none.
    outcomes: Vec<Option<EntryOutcome>>,
    /// Whether the server has answered for any entry.
    answered: bool,
    pending: Pending,
}

impl Bulk {
    fn new(entries: Entries, unordered: bool) -> Self {
        Self {
            pending: Pending::new(&entries, unordered),
            sent: vec![false; entries.len()],
            outcomes: vec![None; entries.len()],
            answered: false,
            entries,
        }
    }

    /// The entries of the next request. An entry whose token a server may have forgotten is not
    /// sent: it could be applied a second time.
    fn next_request(&mut self) -> Option<Vec<usize>> {
        loop {
            let mut chosen = self.pending.next_request(&self.entries)?;
            let before = chosen.len();
            chosen.retain(|index| !self.gives_up(*index));
            // If all were given up, the next entries of their rows may be sent now.
            if !chosen.is_empty() || before == 0 {
                return Some(chosen);
            }
        }
    }

    fn gives_up(&mut self, index: usize) -> bool {
        let over = self.entries.start(index).is_some_and(is_over);
        if over {
            self.pending.done(index, &self.entries);
        }
        over
    }

    /// Makes requests until every entry is done, or until the operation ends with an error for the
    /// rest.
    async fn write(&mut self, way: &Way<'_>, operation: &mut Operation) -> Result<(), Status> {
        while let Some(chosen) = self.next_request() {
            let chosen = Arc::new(chosen);
            if let Some(flow) = &way.instance.flow {
                flow.turn(operation.deadline()).await?;
            }
            if Instant::now() >= operation.deadline() {
                return Err(Status::new(Code::DeadlineExceeded, OVERDUE));
            }
            let (call, mut watch) = operation.attempt();
            let attempt = self.attempt(way, &call, Arc::clone(&chosen));
            let limit = call.limit();
            let ended = in_time(&limit, attempt);
            let ended = ended.instrument(watch.span().clone()).await;
            if call.departure.is_sent() {
                self.were_sent(&chosen);
            }
            watch.attempt_ended(ended.as_ref().err());
            if let (Some(flow), Err(failure)) = (&way.instance.flow, &ended) {
                flow.failed(&failure.status);
            }
            let failure = ended.map(|cookies| operation.keep(cookies)).err();
            match self.settle(&chosen, failure, operation)? {
                Some(pause) => tokio::time::sleep(pause).await,
                None => operation.next_request(),
            }
        }
        Ok(())
    }

    /// One request. Answers are recorded as they come, so they are kept if the request is
    /// interrupted.
    async fn attempt(
        &mut self,
        way: &Way<'_>,
        call: &Call,
        chosen: Arc<Vec<usize>>,
    ) -> Result<Cookies, Failure> {
        for index in chosen.iter() {
            // Its former outcome no longer counts.
            if let Some(outcome) = self.outcomes.get_mut(*index) {
                *outcome = None;
            }
        }
        let entries = self.entries.clone();
        let mut answers = way.send(call, entries, Arc::clone(&chosen)).await?;
        while let Some(answer) = answers.next().await {
            let mut answer = answer?;
            self.note(&chosen, &mut answer)?;
            if let (Some(flow), Some(info)) = (&way.instance.flow, answer.rate_limit_info()) {
                flow.advised(info);
            }
        }
        Ok(answers.cookies().await)
    }

    fn were_sent(&mut self, chosen: &[usize]) {
        for index in chosen {
            if let Some(sent) = self.sent.get_mut(*index) {
                *sent = true;
            }
        }
    }

    /// Records answers; an answer's index counts the entries of its request.
    fn note(&mut self, chosen: &[usize], answer: &mut Outcomes) -> Result<(), Status> {
        while let Some((number, became)) = answer.next()? {
            let index = usize::try_from(number).ok();
            let index = index.and_then(|index| chosen.get(index));
            let Some(outcome) = index.and_then(|index| self.outcomes.get_mut(*index)) else {
                return Err(Status::new(
                    Code::Internal,
                    format!("the server answered for entry {number}, which there is not"),
                ));
            };
            *outcome = Some(became);
            self.answered = true;
        }
        Ok(())
    }

    /// Decides for each entry of a request whether it is done. Returns the pause before the others
    /// are resent, or the error that ends the operation.
    fn settle(
        &mut self,
        chosen: &[usize],
        failure: Option<Failure>,
        operation: &mut Operation,
    ) -> Result<Option<Duration>, Status> {
        if chosen.is_empty() {
            return failure.map_or(Ok(None), |failure| Err(failure.status));
        }
        let of_entries = failure.is_none();
        let resent = (failure.as_ref()).is_some_and(|failure| operation.resends(failure));
        let mut summary = failure.unwrap_or_else(|| Failure::new(Code::Internal, UNANSWERED));
        let lost = summary.status.clone();
        let mut again = Vec::new();
        for index in chosen {
            let Some(outcome) = self.outcomes.get_mut(*index) else {
                continue;
            };
            let repeatable = self.entries.is_repeatable(*index);
            let met = match outcome {
                None => &lost,
                Some(Err(status)) => status,
                Some(Ok(())) => {
                    self.pending.done(*index, &self.entries);
                    continue;
                }
            };
            let met = met.clone();
            let again_now = resent || repeatable && operation.retries(&met);
            if again_now {
                let retry_delay = summary.status.retry_delay.max(met.retry_delay);
                if of_entries {
                    summary.status = met.clone();
                }
                summary.status.retry_delay = retry_delay;
                again.push(*index);
            } else {
                self.pending.done(*index, &self.entries);
            }
            let was_sent = self.sent.get(*index).copied().unwrap_or_default();
            *outcome = (was_sent || !again_now).then_some(Err(met));
        }
        if again.is_empty() {
            return Ok(None);
        }
        self.pending.again(again);
        operation.pause_after(summary, true).map(Some)
    }

    /// Entries without an answer get the error that ended the operation; entries that were never
    /// sent get an error that says so. If no entry was answered and all failed alike, the call as a
    /// whole failed.
    fn outcomes(self, failed: Option<Status>) -> Result<Vec<EntryOutcome>, Status> {
        if self.outcomes.is_empty() {
            return failed.map_or(Ok(Vec::new()), Err);
        }
        let lost = failed.unwrap_or_else(|| Status::new(Code::Internal, UNANSWERED));
        let unsent = Status::new(Code::DeadlineExceeded, format!("{UNSENT} was {lost}"));
        let too_old = Status::new(Code::FailedPrecondition, TOO_OLD);
        let entries = self.outcomes.into_iter().zip(self.sent).enumerate();
        let outcomes = entries.map(|(index, (outcome, sent))| match outcome {
            Some(outcome) => outcome,
            None if sent => Err(lost.clone()),
            None if self.entries.start(index).is_some_and(is_over) => Err(too_old.clone()),
            None => Err(unsent.clone()),
        });
        let outcomes: Vec<_> = outcomes.collect();
        if let Some(Err(first)) = outcomes.first()
            && !self.answered
            && outcomes.iter().all(|one| one.as_ref().err() == Some(first))
        {
            return Err(first.clone());
        }
        Ok(outcomes)
    }
}

const OVERDUE: &str = "the bulk write was not finished before its deadline";

const UNSENT: &str = "the entry was not sent before the deadline of the bulk write, and may be sent again; the last failure";

const TOO_OLD: &str = "the entry was not sent: its idempotency token is 14 minutes old or older, and a server forgets tokens after 15 minutes, so a write that was applied already could be applied again";

const UNANSWERED: &str = "the server ended the call without an answer for this entry";
