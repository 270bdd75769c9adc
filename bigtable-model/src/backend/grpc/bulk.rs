//! Bulk writes: one request, one outcome per entry.

use futures::StreamExt;

use super::client::Client;
use super::status;
use super::wire::{MutateRowsEntry, MutateRowsResponse};
use crate::backend::EntryOutcome;
use crate::{Code, Status};

/// Sends the entries in one request.
///
/// When the call fails after it answered some of the entries, those keep their outcomes and the others get the error.
pub(crate) async fn mutate_rows(
    client: &Client,
    table: &str,
    entries: Vec<MutateRowsEntry>,
) -> Result<Vec<EntryOutcome>, Status> {
    let mut outcomes = Outcomes::new(entries.len());
    let mut answers = client.mutate_rows(table, entries).await?;
    while let Some(answer) = answers.next().await {
        match answer {
            Ok(answer) => outcomes.take(answer)?,
            Err(error) => return outcomes.finish(status::from_tonic(&error)),
        }
    }
    outcomes.finish(Status::new(
        Code::Internal,
        "the server ended the call without an answer for this entry",
    ))
}

/// The outcomes known so far, by the entry's index.
#[derive(Debug)]
struct Outcomes(Vec<Option<EntryOutcome>>);

impl Outcomes {
    fn new(entries: usize) -> Self {
        Self(vec![None; entries])
    }

    fn take(&mut self, answer: MutateRowsResponse) -> Result<(), Status> {
        for entry in answer.entries {
            let slot = (usize::try_from(entry.index).ok()).and_then(|index| self.0.get_mut(index));
            let Some(slot) = slot else {
                return Err(Status::new(
                    Code::Internal,
                    format!(
                        "the server answered for entry {}, which there is not",
                        entry.index
                    ),
                ));
            };
            *slot = Some(status::outcome(entry.status));
        }
        Ok(())
    }

    /// Entries without an answer get `missing`; when none has one, the call as a whole failed with it.
    fn finish(self, missing: Status) -> Result<Vec<EntryOutcome>, Status> {
        if !self.0.is_empty() && self.0.iter().all(Option::is_none) {
            return Err(missing);
        }
        let outcomes = self.0.into_iter();
        Ok(outcomes
            .map(|outcome| outcome.unwrap_or_else(|| Err(missing.clone())))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::backend::grpc::wire::{MutateRowsOutcome, RpcStatus};

    fn answer(index: i64, code: i32) -> MutateRowsResponse {
        MutateRowsResponse {
            entries: vec![MutateRowsOutcome {
                index,
                status: Some(RpcStatus {
                    code,
                    message: "words".to_owned(),
                    details: Vec::new(),
                }),
            }],
            rate_limit_info: None,
        }
    }

    #[test]
    fn answers_in_any_order_find_their_entries() {
        let mut outcomes = Outcomes::new(3);
        for (index, code) in [(2, 0), (0, 5), (1, 0)] {
            outcomes.take(answer(index, code)).unwrap();
        }
        let missing = Status::new(Code::Internal, "missing");
        let outcomes = outcomes.finish(missing).unwrap();
        assert_eq!(
            outcomes,
            [Err(Status::new(Code::NotFound, "words")), Ok(()), Ok(())]
        );
    }

    #[test]
    fn entries_without_an_answer_get_the_error_of_the_call() {
        let lost = Status::new(Code::Unavailable, "connection lost");
        let mut outcomes = Outcomes::new(2);
        outcomes.take(answer(1, 0)).unwrap();
        let outcomes = outcomes.finish(lost.clone()).unwrap();
        assert_eq!(outcomes, [Err(lost.clone()), Ok(())]);
        assert_eq!(Outcomes::new(2).finish(lost.clone()), Err(lost.clone()));
        assert_eq!(Outcomes::new(0).finish(lost), Ok(Vec::new()));
    }

    #[test]
    fn an_answer_for_no_entry_is_an_error() {
        for index in [-1, 2, i64::MAX] {
            let error = Outcomes::new(2).take(answer(index, 0)).unwrap_err();
            assert_eq!(error.code, Code::Internal);
        }
    }
}
