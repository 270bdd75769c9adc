//! Several scans as one.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::task::{Context, Poll, ready};

use bytes::Bytes;

use super::losers::LoserTree;
use super::scan::ScanEvents;
use crate::model::RowEvents;
use crate::query::Order;
use crate::{Error, Timestamp};

/// The events of all scans in order of time, and at equal times by their identifiers; descending is
/// the exact reverse. Without an order they are returned as they arrive.
///
/// At most one batch of rows of each scan is held; the next is requested when its rows are used up.
#[derive(Debug)]
pub(in crate::query) struct Merge {
    scans: Vec<ScanEvents>,
    descending: bool,
    /// How many events are still wanted.
    missing: Option<u64>,
    next: Next,
    /// The scan of the current event.
    at_hand: Option<usize>,
    /// Hides events that several sources have.
    union: Option<Union>,
    ended: bool,
}

/// The scans of several sources.
#[derive(Debug)]
struct Union {
    /// The source of each scan, ascending: 0 for the model's own rows.
    sources: Vec<usize>,
    seen: Seen,
}

/// What identifies an event.
type Identity = (Bytes, Option<Timestamp>);

/// The events so far, results or not, that may hide those of a source.
#[derive(Debug)]
enum Seen {
    /// The last event: in an ordered merge, the same event of other sources comes next.
    Last(Option<Identity>),
    /// All events, since sources are read one after another without an order: 128-bit hashes with
    /// keys of this query, so that no stored value can be crafted to hide another event.
    All {
        hashed: HashSet<[u64; 2]>,
        by: [RandomState; 2],
    },
}

impl Seen {
    fn add(&mut self, identity: Identity) {
        match self {
            Self::Last(last) => *last = Some(identity),
            Self::All { hashed, by } => {
                hashed.insert(by.each_ref().map(|by| by.hash_one(&identity)));
            }
        }
    }

    fn has(&self, identity: &Identity) -> bool {
        match self {
            Self::Last(last) => last.as_ref() == Some(identity),
            Self::All { hashed, by } => {
                hashed.contains(&by.each_ref().map(|by| by.hash_one(identity)))
            }
        }
    }
}

/// How the scan of the next event is found.
#[derive(Debug)]
enum Next {
    /// Waiting for the first event of each scan: the known ranks, with `None` for a scan that has
    /// ended.
    Beginning(Vec<Option<Option<i64>>>),
    /// The scan whose next event comes first.
    First(LoserTree),
    /// Any scan that has one; these have not ended.
    Any(Vec<usize>),
}

impl Merge {
    pub(in crate::query) fn new(
        order: Order,
        descending: bool,
        limit: Option<u64>,
        scans: Vec<ScanEvents>,
    ) -> Self {
        Self {
            descending,
            missing: limit,
            next: match order {
                Order::Any => Next::Any((0..scans.len()).collect()),
                Order::Time | Order::Key => Next::Beginning(vec![None; scans.len()]),
            },
            at_hand: None,
            union: None,
            ended: limit == Some(0),
            scans,
        }
    }

    /// The same for scans of these sources, ascending: an event is left out if an earlier source
    /// has it.
    pub(in crate::query) fn of_union(self, sources: Vec<usize>) -> Self {
        let seen = match self.next {
            Next::Any(_) => Seen::All {
                hashed: HashSet::new(),
                by: [RandomState::new(), RandomState::new()],
            },
            Next::Beginning(_) | Next::First(_) => Seen::Last(None),
        };
        Self {
            union: Some(Union { sources, seen }),
            ..self
        }
    }

    /// Whether the current event is no result: the model's own rows have deleted it or it is not
    /// selected, or an earlier source has it. If several have it, the first source's comes first.
    fn is_hidden(&mut self, at: usize) -> bool {
        let (Some(union), Some(scan)) = (&mut self.union, self.scans.get_mut(at)) else {
            return false;
        };
        let identity = scan.identity();
        let source = union.sources.get(at);
        let is_own = source == Some(&0);
        let hidden = !is_own && union.seen.has(&identity);
        if source < union.sources.last() {
            union.seen.add(identity);
        }
        hidden || scan.is_no_result()
    }

    /// Leaves out the current event, which is bad, or returns its error.
    #[cold]
    pub(in crate::query) fn judge(&self, error: Error) -> Result<(), Error> {
        match self.at_hand.and_then(|at| self.scans.get(at)) {
            Some(scan) => scan.judge(error),
            None => Err(error),
        }
    }

    /// Ends all scans and cancels reads in flight. The current event stays.
    fn stop(&mut self) {
        self.ended = true;
        self.scans.iter_mut().for_each(ScanEvents::stop);
    }

    /// The current event.
    pub(in crate::query) fn current(&self) -> Option<(&RowEvents, usize)> {
        self.scans.get(self.at_hand?).map(ScanEvents::current)
    }

    /// Moves to the next event that is to be read; `None` at the end. An error of the backend ends
    /// all scans, other errors are about one row.
    pub(in crate::query) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<(), Error>>> {
        loop {
            if self.ended {
                return Poll::Ready(None);
            }
            let found = match &mut self.next {
                Next::Any(_) => self.poll_any(context),
                Next::Beginning(_) => self.poll_beginning(context),
                Next::First(_) => self.poll_first(context),
            };
            return Poll::Ready(match ready!(found) {
                Ok(None) => {
                    self.ended = true;
                    None
                }
                Ok(Some(at)) => {
                    self.at_hand = Some(at);
                    if self.is_hidden(at) {
                        continue;
                    }
                    Some(Ok(()))
                }
                Err(error) => {
                    if matches!(error, Error::Backend { .. } | Error::Query { .. }) {
                        self.stop();
                    }
                    Some(Err(error))
                }
            });
        }
    }

    /// Counts the current event, and stops after the last wanted one.
    pub(in crate::query) fn count(&mut self) {
        if let Some(scan) = self.at_hand.and_then(|at| self.scans.get_mut(at)) {
            scan.count(1);
        }
        if let Some(missing) = &mut self.missing {
            *missing = missing.saturating_sub(1);
            if *missing == 0 {
                self.stop();
            }
        }
    }

    /// The scan of the next event in order.
    fn poll_first(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<usize>, Error>> {
        let Next::First(tree) = &mut self.next else {
            return Poll::Ready(Ok(None));
        };
        // The tree still has the previous event of this scan while the next is requested.
        if let Some(scan) = self.at_hand.and_then(|at| self.scans.get_mut(at)) {
            let rank = ready!(poll_rank(scan, self.descending, context))?;
            tree.replace_winner(rank, ties(&self.scans, self.descending));
        }
        Poll::Ready(Ok(tree.winner()))
    }

    /// Requests the first event of every scan, all at once.
    fn poll_beginning(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<usize>, Error>> {
        let Next::Beginning(ranks) = &mut self.next else {
            return Poll::Ready(Ok(None));
        };
        for (rank, scan) in ranks.iter_mut().zip(&mut self.scans) {
            if rank.is_none()
                && let Poll::Ready(first) = poll_rank(scan, self.descending, context)
            {
                *rank = Some(first?);
            }
        }
        let known: Option<Vec<_>> = ranks.iter().copied().collect();
        let Some(known) = known else {
            return Poll::Pending;
        };
        let tree = LoserTree::play(&known, ties(&self.scans, self.descending));
        let winner = tree.winner();
        self.next = Next::First(tree);
        Poll::Ready(Ok(winner))
    }

    /// A scan that has an event: the current scan while it has some, then the next. Scans of a
    /// source begin after those of earlier sources have ended, so that an event that is copied
    /// meanwhile is still in its source when that is read.
    fn poll_any(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<usize>, Error>> {
        let Next::Any(open) = &mut self.next else {
            return Poll::Ready(Ok(None));
        };
        let union = self.union.as_ref();
        let source_of = |scan: usize| union.and_then(|union| union.sources.get(scan));
        let mut waiting = 0;
        while waiting < open.len() {
            let Some(&at) = open.first() else { break };
            let source = source_of(at).filter(|source| **source > 0);
            if source.is_some() && open.iter().any(|open| source_of(*open) < source) {
                open.rotate_left(1);
                waiting += 1;
                continue;
            }
            let next = self.scans.get_mut(at).map(|scan| scan.poll_next(context));
            match next {
                Some(Poll::Ready(Some(next))) => return Poll::Ready(next.map(|()| Some(at))),
                Some(Poll::Pending) => {
                    open.rotate_left(1);
                    waiting += 1;
                }
                Some(Poll::Ready(None)) | None => {
                    open.remove(0);
                    // Scans of another source may have waited only for this one.
                    waiting = 0;
                }
            }
        }
        match open.is_empty() {
            true => Poll::Ready(Ok(None)),
            false => Poll::Pending,
        }
    }
}

/// The rank of a scan's next event, smaller for earlier ones; `None` at the scan's end.
fn poll_rank(
    events: &mut ScanEvents,
    descending: bool,
    context: &mut Context<'_>,
) -> Poll<Result<Option<i64>, Error>> {
    loop {
        let Some(next) = ready!(events.poll_next(context)) else {
            return Poll::Ready(Ok(None));
        };
        next?;
        match events.time() {
            Ok(time) => {
                // Entities have no time, so all have the same rank.
                let micros = time.map_or(0, Timestamp::as_micros);
                return Poll::Ready(Ok(Some(if descending { !micros } else { micros })));
            }
            Err(error) => events.judge(error)?,
        }
    }
}

/// Whether the current event of a scan comes before that of another at the same time.
fn ties(scans: &[ScanEvents], descending: bool) -> impl Fn(usize, usize) -> bool {
    move |a, b| {
        let order = match (scans.get(a), scans.get(b)) {
            (Some(a), Some(b)) => a.compare_ties(b),
            _ => Ordering::Equal,
        };
        match (order, descending) {
            // The same event of two sources: the first source's wins, whose scans come first.
            (Ordering::Equal, _) => a < b,
            (order, true) => order.is_gt(),
            (order, false) => order.is_lt(),
        }
    }
}
