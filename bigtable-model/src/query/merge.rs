//! Several scans, each in order of time, as one.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::stream::{FuturesUnordered, StreamFuture};
use futures::{Stream, StreamExt};

use super::scan::ScanRows;
use crate::data::Row;
use crate::key::KeyLayout;
use crate::{Error, Timestamp};

/// The rows of all scans in order of time, equal times by their keys; descending is exactly the reverse.
///
/// Of each scan one row is held at most: the next is asked for once it was handed out.
#[derive(Debug)]
pub(super) struct Merge {
    table: String,
    /// Reads the times of keys; without it the order is that of the keys.
    key: Option<KeyLayout>,
    descending: bool,
    /// How many rows are still wanted.
    missing: Option<u64>,
    /// Scans whose next row is awaited, all at once.
    awaited: FuturesUnordered<StreamFuture<ScanRows>>,
    /// The next row of each other scan that is not at its end.
    heads: BinaryHeap<Head>,
}

/// The next row of a scan.
#[derive(Debug)]
struct Head {
    time: Option<Timestamp>,
    row: Row,
    scan: ScanRows,
    descending: bool,
}

impl Merge {
    pub(super) fn new(
        table: String,
        key: Option<KeyLayout>,
        descending: bool,
        limit: Option<u64>,
        scans: Vec<ScanRows>,
    ) -> Self {
        Self {
            table,
            key,
            descending,
            missing: limit,
            awaited: scans.into_iter().map(StreamExt::into_future).collect(),
            heads: BinaryHeap::new(),
        }
    }

    /// Ends all scans; reads under way are cancelled.
    fn stop(&mut self) {
        self.awaited = FuturesUnordered::new();
        self.heads = BinaryHeap::new();
    }

    fn head(&self, row: Row, scan: ScanRows) -> Result<Head, Error> {
        let time = self.key.as_ref().map(|key| key.time_of(&row.key));
        match time.transpose() {
            Ok(time) => Ok(Head {
                time: time.flatten(),
                row,
                scan,
                descending: self.descending,
            }),
            Err(source) => Err(Error::ForeignKey {
                table: self.table.clone(),
                key: row.key,
                source,
            }),
        }
    }

    /// Takes the first of the heads, once every scan has one or is at its end.
    fn pop(&mut self) -> Option<Row> {
        let head = self.heads.pop()?;
        self.awaited.push(head.scan.into_future());
        if let Some(missing) = &mut self.missing {
            *missing = missing.saturating_sub(1);
            if *missing == 0 {
                self.stop();
            }
        }
        Some(head.row)
    }
}

impl Stream for Merge {
    type Item = Result<Row, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let merge = self.get_mut();
        while let Some((next, scan)) = ready!(merge.awaited.poll_next_unpin(context)) {
            let head = match next {
                None => continue,
                Some(row) => row.and_then(|row| merge.head(row, scan)),
            };
            match head {
                Ok(head) => merge.heads.push(head),
                Err(error) => {
                    merge.stop();
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
        Poll::Ready(merge.pop().map(Ok))
    }
}

/// The greatest head is the next result, as [`BinaryHeap`] takes the greatest first.
impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = (self.time, &self.row.key).cmp(&(other.time, &other.row.key));
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
