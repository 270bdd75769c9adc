//! Several scans as one.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::task::{Context, Poll};

use bytes::Bytes;

use super::Order;
use super::scan::ScanEvents;
use crate::model::RowEvents;
use crate::{Error, Timestamp};

/// The events of all scans in order of time, equal times by their keys; descending is exactly the reverse. Without an order they
/// are handed out as they come.
///
/// Of each scan one row is held at most: the next is asked for once its events were handed out.
#[derive(Debug)]
pub(super) struct Merge {
    scans: Vec<ScanEvents>,
    ordered: bool,
    descending: bool,
    /// How many events are still wanted.
    missing: Option<u64>,
    /// The scan of the event at hand.
    current: Option<usize>,
    /// Scans whose next event is awaited, all at once.
    awaited: Vec<usize>,
    /// The next event of each other scan that is not at its end.
    heads: BinaryHeap<Head>,
    ended: bool,
}

/// The next event of a scan.
#[derive(Debug)]
struct Head {
    time: Option<Timestamp>,
    key: Bytes,
    scan: usize,
    descending: bool,
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
            current: None,
            awaited: (0..scans.len()).collect(),
            heads: BinaryHeap::with_capacity(scans.len()),
            ended: limit == Some(0),
            scans,
        }
    }

    /// Ends all scans; reads under way are cancelled. The event at hand stays.
    fn stop(&mut self) {
        self.ended = true;
        self.heads = BinaryHeap::new();
        self.awaited = Vec::new();
        self.scans.iter_mut().for_each(ScanEvents::stop);
    }

    /// The event at hand.
    pub(super) fn current(&self) -> Option<(&RowEvents, usize)> {
        self.scans.get(self.current?).map(ScanEvents::current)
    }

    /// Goes to the next event; none at the end. An error of the backend ends all scans, others are of one row.
    pub(super) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<(), Error>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        self.awaited.extend(self.current.take());
        if let Err(error) = self.poll_awaited(context) {
            if matches!(error, Error::Backend { .. }) {
                self.stop();
            }
            return Poll::Ready(Some(Err(error)));
        }
        if !self.awaited.is_empty() && (self.ordered || self.heads.is_empty()) {
            return Poll::Pending;
        }
        let Some(head) = self.heads.pop() else {
            self.ended = true;
            return Poll::Ready(None);
        };
        self.current = Some(head.scan);
        if let Some(missing) = &mut self.missing {
            *missing = missing.saturating_sub(1);
            if *missing == 0 {
                self.stop();
            }
        }
        Poll::Ready(Some(Ok(())))
    }

    /// Asks each awaited scan; those that have an event become heads, and those at their end are left out.
    fn poll_awaited(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        let mut at = 0;
        while let Some(scan) = self.awaited.get(at).copied() {
            let Some(events) = self.scans.get_mut(scan) else {
                break;
            };
            match events.poll_next(context) {
                Poll::Pending => at += 1,
                Poll::Ready(None) => {
                    self.awaited.swap_remove(at);
                }
                Poll::Ready(Some(next)) => {
                    // After an error of one row its scan goes on, and is still awaited.
                    next?;
                    let (time, key) = match self.ordered {
                        true => events.place()?,
                        false => (None, Bytes::new()),
                    };
                    self.awaited.swap_remove(at);
                    self.heads.push(Head {
                        time,
                        key,
                        scan,
                        descending: self.descending,
                    });
                }
            }
        }
        Ok(())
    }
}

/// The greatest head is the next result, as [`BinaryHeap`] takes the greatest first.
impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = (self.time, &self.key).cmp(&(other.time, &other.key));
        match self.descending {
            true => place,
            false => place.reverse(),
        }
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Head {}
