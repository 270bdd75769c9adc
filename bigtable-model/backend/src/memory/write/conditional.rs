//! Writes that depend on a predicate about the row.

use std::sync::Arc;

use futures::FutureExt as _;

use super::mutate;
use crate::data::{CheckAndMutateRow, RowMutations};
use crate::memory::check::{self, invalid};
use crate::memory::filter::{Filter, Work};
use crate::memory::store::row::StoredRow;
use crate::memory::store::{Store, Table};
use crate::memory::{Profile, emulator};
use crate::{Code, Status};

/// How often a slow predicate is evaluated again because the row was written to meanwhile.
const ATTEMPTS: usize = 10;

/// The outcome of an attempt at a conditional write.
enum Attempt {
    Done(bool),
    Asking(Asking),
}

/// A row on which a predicate is evaluated while the table is not locked.
struct Asking {
    held: Arc<StoredRow>,
    /// The row without masked cells.
    visible: Arc<StoredRow>,
}

impl Store {
    /// A fast predicate is evaluated with the table locked. Others are evaluated on the row as it
    /// was; if the row has changed by then, they are evaluated again.
    pub(in crate::memory) async fn check_and_mutate(
        &self,
        request: &CheckAndMutateRow,
    ) -> Result<bool, Status> {
        let table = self.table(&request.table)?;
        if self.profile == Profile::Service {
            check::key(&request.key)?;
            if request.if_true.is_empty() && request.if_false.is_empty() {
                return Err(invalid("No mutations provided"));
            }
            check::mutations(&request.if_true)?;
            check::mutations(&request.if_false)?;
        }
        let filter = match &request.predicate {
            Some(predicate) => Filter::compile(predicate, self.profile)?,
            None => Filter::pass_all(),
        };
        let mut asked = None;
        for _ in 0..ATTEMPTS {
            let asking = match self.try_check_and_mutate(&table, request, &filter, asked)? {
                Attempt::Done(matched) => return Ok(matched),
                Attempt::Asking(asking) => asking,
            };
            let mut work = Work::default();
            let matched = filter.matches(&asking.visible, &mut work).await?;
            asked = Some((asking.held, matched));
        }
        Err(Status::new(
            Code::Aborted,
            format!(
                "The row '{}' was written to each time that the predicate was asked about it",
                request.key.escape_ascii()
            ),
        ))
    }

    /// Writes if it is known whether the predicate matches, or can be decided at once.
    fn try_check_and_mutate(
        &self,
        table: &Table,
        request: &CheckAndMutateRow,
        filter: &Filter,
        asked: Option<(Arc<StoredRow>, bool)>,
    ) -> Result<Attempt, Status> {
        let now = self.clock.cell_time();
        let content = &mut *table.write()?;
        filter.check_families(content, &table.id, self.profile)?;
        if self.profile == Profile::Service {
            mutate::check_families(&content.families, &table.id, &request.key, &request.if_true)?;
            mutate::check_families(
                &content.families,
                &table.id,
                &request.key,
                &request.if_false,
            )?;
        }
        let matched = match (content.rows.get(&request.key), asked) {
            (None, _) => {
                if self.profile == Profile::Emulator && request.predicate.is_some() {
                    filter.check_on_empty_row()?;
                }
                false
            }
            // As long as the row is held here, a write replaces it instead of changing it.
            (Some(held), Some((row, matched))) if Arc::ptr_eq(held, &row) => matched,
            (Some(held), _) => {
                let visible = self.visible(content, held);
                let mut work = Work::default();
                match filter.matches(&visible, &mut work).now_or_never() {
                    Some(matched) => matched?,
                    None => {
                        let held = Arc::clone(held);
                        return Ok(Attempt::Asking(Asking { held, visible }));
                    }
                }
            }
        };
        let mutations = match matched {
            true => &request.if_true,
            false => &request.if_false,
        };
        match self.profile {
            Profile::Emulator => emulator::apply(content, &request.key, mutations, now)?,
            Profile::Service => {
                let write = RowMutations {
                    key: request.key.clone(),
                    mutations: mutations.clone(),
                };
                mutate::apply_row(content, write, now)?;
            }
        }
        Ok(Attempt::Done(matched))
    }
}
