//! Parts of windows, as they are read.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::Rollup;
use super::cover::Needed;
use super::row::begun;
use crate::Timestamp;
use crate::error::Error;
use crate::series::{Cell, Grid};

/// How many events and buckets of several windows are read for each part that may be held.
const READ_FOR_EACH: usize = 4;

/// Partial windows, and what must stay while they are read.
pub(super) struct Parts<'a, R> {
    pub(super) needed: Needed,
    window: &'a Grid,
    /// The window of the last part.
    last: Option<Cell>,
    /// By the beginning of the window, the key of its roll-up, and the beginning of the part.
    held: BTreeMap<(Timestamp, Vec<u8>, Timestamp), R>,
    /// How many parts of more than one window may be held; `None` for any number.
    most: Option<usize>,
    /// The number of events and buckets that were read.
    read: usize,
    /// The beginnings of the first and of the last window that one of these is in.
    seen: Option<(Timestamp, Timestamp)>,
}

/// Some windows, or why there are none.
pub(super) enum Filled<R> {
    /// The windows, and the number of events and buckets that were read for them.
    Windows(Vec<R>, usize),
    /// Something that they are computed from expired while it was read.
    Expired,
    /// They have too many parts: those before this beginning of a window have fewer.
    Full(Timestamp),
}

impl<'a, R: Rollup> Parts<'a, R> {
    pub(super) const fn new(needed: Needed, window: &'a Grid, most: Option<usize>) -> Self {
        Self {
            needed,
            window,
            last: None,
            held: BTreeMap::new(),
            most,
            read: 0,
            seen: None,
        }
    }

    /// Adds the roll-up of some events of a window. `time` is the time of one of them; `from` is
    /// the start of the span that they were read from.
    pub(super) fn add(&mut self, from: Timestamp, time: Timestamp, rollup: R) -> Result<(), Error> {
        let start = self.note(time)?;
        let (rollup, key) = begun(rollup, start)?;
        match self.held.entry((start, key, from.max(start))) {
            Entry::Vacant(place) => {
                place.insert(rollup);
                Ok(())
            }
            Entry::Occupied(mut place) => merge(place.get_mut(), &rollup),
        }
    }

    /// Counts an event or a bucket, and returns the beginning of its window.
    pub(super) fn note(&mut self, time: Timestamp) -> Result<Timestamp, Error> {
        let start = self.window_of(time)?.start;
        self.read += 1;
        let (first, last) = self.seen.unwrap_or((start, start));
        self.seen = Some((first.min(start), last.max(start)));
        Ok(start)
    }

    /// Where to end instead, if there are more parts than may be held, or more was read for them
    /// than should be before the first of them is returned. One window is never too much.
    pub(super) fn full(&self) -> Option<Timestamp> {
        let (most, (first, last)) = self.most.zip(self.seen)?;
        let is_full = self.held.len() > most || self.read > most.saturating_mul(READ_FOR_EACH);
        (is_full && first < last).then(|| {
            let middle = self.held.keys().nth(self.held.len() / 2);
            let middle = middle.map(|(start, ..)| *start);
            middle.filter(|start| *start > first).unwrap_or(last)
        })
    }

    /// The window that holds a time: usually the same as for the previous time.
    fn window_of(&mut self, time: Timestamp) -> Result<Cell, Error> {
        match self.last {
            Some(last) if (last.start..last.end).contains(&time) => Ok(last),
            _ => Ok(*self.last.insert(self.window.cell(time)?)),
        }
    }

    /// The windows, each merged from its parts in time order.
    pub(super) fn merged(self) -> Result<Filled<R>, Error> {
        let mut windows: Vec<R> = Vec::new();
        let mut last = None;
        for ((start, key, _), part) in self.held {
            let window = (start, key);
            match windows.last_mut() {
                Some(before) if last.as_ref() == Some(&window) => merge(before, &part)?,
                _ => windows.push(part),
            }
            last = Some(window);
        }
        Ok(Filled::Windows(windows, self.read))
    }
}

fn merge<R: Rollup>(rollup: &mut R, later: &R) -> Result<(), Error> {
    let merged = rollup.merge(later);
    merged.map_err(|source| Error::Rollup {
        table: R::SCHEMA.table.to_string(),
        key: rollup.key().to_string(),
        source,
    })
}
