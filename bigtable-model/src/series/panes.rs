//! The parts of a moving window: new ones are added at the front, and old ones are dropped.

use std::collections::VecDeque;

use crate::Timestamp;

use super::aggregate::Aggregate;

/// Some events that belong to the same windows, as an aggregate's state.
#[derive(Clone)]
pub(super) struct Pane<S> {
    /// Its position: a cell's index, or microseconds.
    pub(super) at: i64,
    /// The time of its first event.
    pub(super) first: Timestamp,
    pub(super) events: u64,
    pub(super) state: S,
}

impl<S> Pane<S> {
    pub(super) fn one<E, A: Aggregate<E, State = S>>(
        aggregate: &A,
        at: i64,
        time: Timestamp,
        event: &E,
    ) -> Self {
        let mut pane = Self {
            at,
            first: time,
            events: 0,
            state: aggregate.start(),
        };
        pane.add(aggregate, time, event);
        pane
    }

    #[inline]
    pub(super) fn add<E, A: Aggregate<E, State = S>>(
        &mut self,
        aggregate: &A,
        time: Timestamp,
        event: &E,
    ) {
        self.events += 1;
        aggregate.add(&mut self.state, time, event);
    }

    fn merge<E, A: Aggregate<E, State = S>>(&mut self, aggregate: &A, later: &Self) {
        self.events += later.events;
        aggregate.merge(&mut self.state, &later.state);
    }
}

/// Panes in order, and their merged total, without undoing merges. They form two stacks; the older
/// stack keeps for each pane its merge with the later panes of the stack. Each pane is merged at
/// most three times.
pub(super) struct Panes<S> {
    /// The earliest pane last: each pane, and its merge with those before it in this list.
    older: Vec<(Pane<S>, Pane<S>)>,
    newer: VecDeque<Pane<S>>,
    /// The merge of all newer panes.
    sum: Option<Pane<S>>,
}

impl<S: Clone> Panes<S> {
    pub(super) const fn new() -> Self {
        Self {
            older: Vec::new(),
            newer: VecDeque::new(),
            sum: None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.older.is_empty() && self.newer.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.older.len() + self.newer.len()
    }

    pub(super) fn push<E, A: Aggregate<E, State = S>>(&mut self, aggregate: &A, pane: Pane<S>) {
        match &mut self.sum {
            Some(sum) => sum.merge(aggregate, &pane),
            None => self.sum = Some(pane.clone()),
        }
        self.newer.push_back(pane);
    }

    /// Drops the panes before `at`; each is carried into `before`.
    pub(super) fn drop_before<E, A: Aggregate<E, State = S>>(
        &mut self,
        aggregate: &A,
        at: i64,
        before: &mut S,
    ) {
        while let Some(first) = self.first()
            && first.at < at
        {
            self.drop_first(aggregate, before);
        }
    }

    /// Drops the earliest pane.
    pub(super) fn drop_first<E, A: Aggregate<E, State = S>>(
        &mut self,
        aggregate: &A,
        before: &mut S,
    ) {
        if self.older.is_empty() {
            self.turn(aggregate);
        }
        if let Some((pane, _)) = self.older.pop() {
            aggregate.carry(before, &pane.state);
        }
    }

    fn first(&self) -> Option<&Pane<S>> {
        let older = self.older.last().map(|(pane, _)| pane);
        older.or_else(|| self.newer.front())
    }

    /// Moves the newer panes to the older ones.
    fn turn<E, A: Aggregate<E, State = S>>(&mut self, aggregate: &A) {
        self.sum = None;
        while let Some(pane) = self.newer.pop_back() {
            let mut all = pane.clone();
            if let Some((_, later)) = self.older.last() {
                all.merge(aggregate, later);
            }
            self.older.push((pane, all));
        }
    }

    /// All panes merged; `None` if there are none.
    pub(super) fn merged<E, A: Aggregate<E, State = S>>(&self, aggregate: &A) -> Option<Pane<S>> {
        let older = self.older.last().map(|(_, all)| all);
        match (older, &self.sum) {
            (Some(older), Some(newer)) => {
                let mut all = older.clone();
                all.merge(aggregate, newer);
                Some(all)
            }
            (one, other) => one.or(other.as_ref()).cloned(),
        }
    }
}
