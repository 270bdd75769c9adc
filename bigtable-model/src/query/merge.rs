//! Several scans as one.

use std::cmp::Ordering;
use std::task::{Context, Poll};

use super::Order;
use super::scan::ScanEvents;
use crate::model::RowEvents;
use crate::{Error, Timestamp};

/// The events of all scans in order of time, equal times by their identifiers; descending is exactly the reverse. Without an
/// order they are handed out as they come.
///
/// Of each scan one row is held at most: the next is asked for once its events were handed out.
#[derive(Debug)]
pub(super) struct Merge {
    scans: Vec<ScanEvents>,
    ordered: bool,
    descending: bool,
    /// How many events are still wanted.
    missing: Option<u64>,
    /// Scans whose next event is awaited, all at once.
    awaited: Vec<usize>,
    /// A heap of the next events of all other scans that are not at their end: the first is the next result, or the one at hand.
    heads: Vec<Head>,
    /// The scan of the event at hand.
    at_hand: Option<usize>,
    ended: bool,
}

/// The next event of a scan.
#[derive(Debug, Clone, Copy)]
struct Head {
    time: Option<Timestamp>,
    scan: usize,
}

impl Merge {
    pub(super) fn new(
        order: Order,
        descending: bool,
        limit: Option<u64>,
        scans: Vec<ScanEvents>,
    ) -> Self {
        Self {
            ordered: order != Order::Any,
            descending,
            missing: limit,
            awaited: (0..scans.len()).collect(),
            heads: Vec::with_capacity(scans.len()),
            at_hand: None,
            ended: limit == Some(0),
            scans,
        }
    }

    /// Ends all scans; reads under way are cancelled. The event at hand stays.
    fn stop(&mut self) {
        self.ended = true;
        self.heads = Vec::new();
        self.awaited = Vec::new();
        self.scans.iter_mut().for_each(ScanEvents::stop);
    }

    /// The event at hand.
    pub(super) fn current(&self) -> Option<(&RowEvents, usize)> {
        self.scans.get(self.at_hand?).map(ScanEvents::current)
    }

    /// The table of the event at hand.
    pub(super) fn table(&self) -> Option<&str> {
        self.scans.get(self.at_hand?).map(ScanEvents::table)
    }

    /// Goes to the next event; none at the end. An error of the backend ends all scans, others are of one row.
    pub(super) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<(), Error>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let moved = self.move_on(context);
        if let Err(error) = moved.and_then(|()| self.poll_awaited(context)) {
            if matches!(error, Error::Backend { .. }) {
                self.stop();
            }
            return Poll::Ready(Some(Err(error)));
        }
        if !self.awaited.is_empty() && (self.ordered || self.heads.is_empty()) {
            return Poll::Pending;
        }
        let Some(head) = self.heads.first() else {
            self.ended = true;
            return Poll::Ready(None);
        };
        self.at_hand = Some(head.scan);
        if let Some(missing) = &mut self.missing {
            *missing = missing.saturating_sub(1);
            if *missing == 0 {
                self.stop();
            }
        }
        Poll::Ready(Some(Ok(())))
    }

    /// Asks the scan of the event at hand for its next. Mostly that is there, and the heap's first is replaced, which is less
    /// than taking it out and putting the next one in.
    fn move_on(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        let Some(scan) = self.at_hand.take() else {
            return Ok(());
        };
        let next = match self.scans.get_mut(scan) {
            Some(events) => poll_head(events, scan, self.ordered, context),
            None => Poll::Ready(Ok(None)),
        };
        if let Poll::Ready(Ok(Some(head))) = next {
            if let Some(first) = self.heads.first_mut() {
                *first = head;
            }
            self.sift_down();
            return Ok(());
        }
        if !self.heads.is_empty() {
            self.heads.swap_remove(0);
            self.sift_down();
        }
        match next {
            Poll::Ready(Ok(_)) => Ok(()),
            Poll::Pending => {
                self.awaited.push(scan);
                Ok(())
            }
            Poll::Ready(Err(error)) => {
                // After an error of one row its scan goes on.
                self.awaited.push(scan);
                Err(error)
            }
        }
    }

    /// Asks each awaited scan; those that have an event become heads, and those at their end are left out.
    fn poll_awaited(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        let mut at = 0;
        while let Some(scan) = self.awaited.get(at).copied() {
            let Some(events) = self.scans.get_mut(scan) else {
                break;
            };
            match poll_head(events, scan, self.ordered, context) {
                Poll::Pending => at += 1,
                Poll::Ready(head) => {
                    // After an error of one row its scan goes on, and is still awaited.
                    let head = head?;
                    self.awaited.swap_remove(at);
                    if let Some(head) = head {
                        self.heads.push(head);
                        self.sift_up();
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether the first comes before the second.
    fn is_before(&self, a: Head, b: Head) -> bool {
        let order = a.time.cmp(&b.time).then_with(|| {
            match (self.ordered, self.scans.get(a.scan), self.scans.get(b.scan)) {
                (true, Some(a), Some(b)) => a.compare_ties(b),
                _ => Ordering::Equal,
            }
        });
        match self.descending {
            true => order.is_gt(),
            false => order.is_lt(),
        }
    }

    /// Moves the first head down to its place.
    fn sift_down(&mut self) {
        let mut place = 0;
        while let Some(&head) = self.heads.get(place) {
            let children = [2 * place + 1, 2 * place + 2];
            let mut first = place;
            let mut best = head;
            for child in children {
                if let Some(&other) = self.heads.get(child)
                    && self.is_before(other, best)
                {
                    (first, best) = (child, other);
                }
            }
            if first == place {
                return;
            }
            self.heads.swap(place, first);
            place = first;
        }
    }

    /// Moves the last head up to its place.
    fn sift_up(&mut self) {
        let mut place = self.heads.len().saturating_sub(1);
        while place > 0 {
            let parent = (place - 1) / 2;
            let (Some(&head), Some(&above)) = (self.heads.get(place), self.heads.get(parent))
            else {
                return;
            };
            if !self.is_before(head, above) {
                return;
            }
            self.heads.swap(place, parent);
            place = parent;
        }
    }
}

/// A scan's next event; none at its end.
fn poll_head(
    events: &mut ScanEvents,
    scan: usize,
    ordered: bool,
    context: &mut Context<'_>,
) -> Poll<Result<Option<Head>, Error>> {
    events.poll_next(context).map(|next| match next {
        None => Ok(None),
        Some(next) => {
            next?;
            let time = match ordered {
                true => events.time()?,
                false => None,
            };
            Ok(Some(Head { time, scan }))
        }
    })
}
