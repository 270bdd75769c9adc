//! Calls one at a time, in each order that concurrent actors could have.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bigtable_model::backend::{EntryOutcome, RowBatches, Wrapper};
use bigtable_model::data::{CheckAndMutateRow, EntryBatch, ReadRows, RowMutations};
use bigtable_model::{Backend, Status};
use fastrand::Rng;
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _};

/// A backend whose calls wait for their turn.
#[derive(Debug, Clone)]
pub struct InTurn {
    inner: Arc<dyn Backend>,
    turn: Arc<Mutex<Turn>>,
}

#[derive(Debug, Default)]
struct Turn {
    may_call: bool,
    waiting: Option<Waker>,
}

impl InTurn {
    async fn turn(&self) {
        poll_fn(|context| {
            let mut turn = self.turn.lock().unwrap();
            match std::mem::take(&mut turn.may_call) {
                true => Poll::Ready(()),
                false => {
                    turn.waiting = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await;
    }
}

impl Wrapper for InTurn {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        let this = self.clone();
        let rows = async move {
            this.turn().await;
            let rows: Vec<_> = this.inner.read_rows(request).rows().collect().await;
            futures::stream::iter(rows)
        };
        RowBatches::of_rows(rows.into_stream().flatten())
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        async move {
            self.turn().await;
            self.inner.mutate_row(table, row).await
        }
        .boxed()
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        async move {
            self.turn().await;
            self.inner.mutate_rows(table, entries).await
        }
        .boxed()
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        async move {
            self.turn().await;
            self.inner.check_and_mutate_row(request).await
        }
        .boxed()
    }
}

/// What somebody does on a backend.
pub type Act = fn(Arc<dyn Backend>) -> BoxFuture<'static, ()>;

/// Plays concurrent acts in every order of their calls, each order on a new backend. `check` is
/// called after each call, and with `true` at the end. Returns the number of orders.
pub fn every_order(
    new: impl Fn() -> Arc<dyn Backend>,
    acts: &[Act],
    check: impl Fn(&dyn Backend, bool),
) -> u64 {
    let mut orders = 0;
    let mut choices: Vec<usize> = Vec::new();
    loop {
        let next = |call, _| choices.get(call).copied().unwrap_or(0);
        let among = play(&new(), acts, next, &check);
        orders += 1;
        choices.resize(among.len(), 0);
        // The next order: the last choice that has another.
        while let Some(last) = choices.pop() {
            if last + 1 < among[choices.len()] {
                choices.push(last + 1);
                break;
            }
        }
        if choices.is_empty() {
            return orders;
        }
    }
}

/// The same in this many random orders, for acts that may disturb each other for long.
pub fn some_orders(
    orders: u64,
    new: impl Fn() -> Arc<dyn Backend>,
    acts: &[Act],
    check: impl Fn(&dyn Backend, bool),
) {
    for seed in 0..orders {
        let mut rng = Rng::with_seed(seed);
        play(&new(), acts, |_, among| rng.usize(..among), &check);
    }
}

/// Plays one order, in which `next` chooses among actors at each call; returns their numbers.
fn play(
    db: &Arc<dyn Backend>,
    acts: &[Act],
    mut next: impl FnMut(usize, usize) -> usize,
    check: &impl Fn(&dyn Backend, bool),
) -> Vec<usize> {
    let mut context = Context::from_waker(Waker::noop());
    let mut actors: Vec<_> = acts
        .iter()
        .map(|act| {
            let turn = Arc::new(Mutex::new(Turn::default()));
            let inner = db.clone();
            let backend: Arc<dyn Backend> = Arc::new(InTurn {
                inner,
                turn: turn.clone(),
            });
            (turn, act(backend))
        })
        .collect();
    // All go to the first call.
    actors.retain_mut(|(_, act)| act.poll_unpin(&mut context).is_pending());
    let mut among = Vec::new();
    while !actors.is_empty() {
        let at = next(among.len(), actors.len());
        among.push(actors.len());
        let (turn, act) = &mut actors[at];
        let waiting = {
            let mut turn = turn.lock().unwrap();
            turn.may_call = true;
            turn.waiting.take()
        };
        if let Some(waiting) = waiting {
            waiting.wake();
        }
        if act.poll_unpin(&mut context).is_ready() {
            drop(actors.remove(at));
        }
        check(&**db, actors.is_empty());
    }
    among
}
