//! Callers that wait until everything taken before is done.

use std::collections::VecDeque;

use tokio::sync::oneshot;

/// Flushes in order. Each entry has the number of the first flush that waits for it.
#[derive(Debug, Default)]
pub(super) struct Flushes {
    answered: usize,
    /// Flushes not yet answered.
    waiting: VecDeque<Flush>,
    /// The number of entries after the last flush that are not done.
    later: usize,
}

#[derive(Debug)]
struct Flush {
    /// The number of entries between the previous flush and this one that are not done.
    left: usize,
    done: oneshot::Sender<()>,
}

impl Flushes {
    /// An entry is taken; returns its number.
    pub(super) fn count(&mut self) -> usize {
        self.later += 1;
        self.answered + self.waiting.len()
    }

    /// A caller waits for all entries that were taken.
    pub(super) fn add(&mut self, done: oneshot::Sender<()>) {
        let left = std::mem::take(&mut self.later);
        self.waiting.push_back(Flush { left, done });
        self.answer();
    }

    /// Whether a caller waits for an entry with this number that is not done.
    pub(super) fn want(&self, number: usize) -> bool {
        number < self.answered + self.waiting.len()
    }

    /// An entry with this number is done.
    pub(super) fn done(&mut self, number: usize) {
        let place = number.checked_sub(self.answered);
        let flush = place.and_then(|place| self.waiting.get_mut(place));
        let left = flush.map_or(&mut self.later, |flush| &mut flush.left);
        *left = left.saturating_sub(1);
        self.answer();
    }

    fn answer(&mut self) {
        while self.waiting.front().is_some_and(|flush| flush.left == 0)
            && let Some(flush) = self.waiting.pop_front()
        {
            self.answered += 1;
            // The caller may have given up.
            let _ = flush.done.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_flush_waits_for_what_was_taken_before_it() {
        let mut flushes = Flushes::default();
        let flush = |flushes: &mut Flushes| {
            let (done, flushed) = oneshot::channel();
            flushes.add(done);
            flushed
        };
        let mut nothing = flush(&mut flushes);
        assert_eq!(nothing.try_recv(), Ok(()));
        let before = [flushes.count(), flushes.count()];
        assert!(!flushes.want(before[0]));
        let mut first = flush(&mut flushes);
        let between = flushes.count();
        let mut second = flush(&mut flushes);
        let last = flushes.count();
        assert!(flushes.want(before[0]) && flushes.want(between) && !flushes.want(last));
        flushes.done(between);
        flushes.done(before[1]);
        assert!(first.try_recv().is_err() && second.try_recv().is_err());
        flushes.done(before[0]);
        assert_eq!((first.try_recv(), second.try_recv()), (Ok(()), Ok(())));
        flushes.done(last);
        let mut end = flush(&mut flushes);
        assert_eq!(end.try_recv(), Ok(()));
    }
}
