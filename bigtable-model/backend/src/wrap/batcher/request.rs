//! One bulk write of a batcher.

use bytes::Bytes;
use futures::future::{BoxFuture, join};

use super::queue::Taken;
use crate::data::{EntryBatch, RowMutations};
use crate::status::missing::lacks_table;
use crate::{Backend, EntryOutcome};
use crate::{Code, Status};

/// The rows whose entries were answered, with the flush that waits for each.
pub(super) type Answered = Vec<(Bytes, usize)>;

/// Sends entries; each outcome goes to its caller.
pub(super) async fn send<B: Backend + ?Sized>(
    backend: &B,
    table: &str,
    entries: Vec<Taken>,
) -> Answered {
    let mut rows = Vec::with_capacity(entries.len());
    let mut callers = Vec::with_capacity(entries.len());
    let mut answered = Vec::with_capacity(entries.len());
    for Taken { item, flush, .. } in entries {
        answered.push((item.row.key.clone(), flush));
        rows.push(item.row);
        callers.push((item.answer, item.room));
    }
    let outcomes = write(backend, table, rows).await;
    for ((caller, room), outcome) in callers.into_iter().zip(outcomes) {
        drop(room);
        // A caller that is not interested has dropped the outcome.
        let _ = caller.send(outcome);
    }
    answered
}

/// Writes rows and returns an outcome for each.
///
/// A server may refuse all entries of a request because of one, such as one for a family that the
/// table lacks. Then nothing was written, and the two halves are sent separately. In the end only
/// the entry that is the cause is refused.
fn write<'a, B: Backend + ?Sized>(
    backend: &'a B,
    table: &'a str,
    rows: Vec<RowMutations>,
) -> BoxFuture<'a, Vec<EntryOutcome>> {
    Box::pin(async move {
        let count = rows.len();
        let entries: EntryBatch = rows.iter().collect();
        let mut first = rows;
        let mut outcomes = match backend.mutate_rows(table, entries.into()).await {
            Ok(outcomes) => outcomes,
            Err(status) => vec![Err(status); count],
        };
        let unanswered = Status::new(Code::Internal, "the entry was not answered");
        outcomes.resize(count, Err(unanswered));
        if count < 2 || !outcomes.iter().all(may_be_refused_for_another) {
            return outcomes;
        }
        let second = first.split_off(count / 2);
        let halves = join(write(backend, table, first), write(backend, table, second));
        let (mut outcomes, second) = halves.await;
        outcomes.extend(second);
        outcomes
    })
}

/// Whether an entry may have been refused because of another. If the table is missing, each is
/// refused for itself.
fn may_be_refused_for_another(outcome: &EntryOutcome) -> bool {
    let Err(status) = outcome else { return false };
    match status.code {
        Code::InvalidArgument => true,
        Code::NotFound => !lacks_table(status),
        _ => false,
    }
}
