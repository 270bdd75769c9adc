//! Finds which of several ordered sequences has the next element.
//!
//! `BinaryHeap` takes two to three times as long, even if `PeekMut` replaces its first element: for
//! random times from 2, 8 and 64 sequences it takes 7, 15 and 49 ns per element, against 4, 6 and
//! 14 ns here. A salted read pays that for each event.

use std::hint::select_unpredictable;

/// A tree of losers: a tournament of the heads of several sequences, in which each inner node holds
/// the head that lost there. When the winner's sequence has its next head, only the matches on its
/// path are replayed: one for each level, where a heap plays two. A match has no branch, since its
/// winner is hard to predict.
#[derive(Debug, Default)]
pub(in crate::query) struct LoserTree {
    /// The winner, and after it the losers; the parent of the node at `i` is at `i / 2`.
    nodes: Vec<Head>,
}

/// The head of a sequence, or its end.
#[derive(Debug, Clone, Copy)]
struct Head {
    /// The smallest wins.
    rank: i64,
    /// The index of its sequence; [`ENDED`] at a sequence's end.
    sequence: usize,
}

/// No sequence has this index.
const ENDED: usize = usize::MAX;

impl Head {
    fn new(rank: Option<i64>, sequence: usize) -> Self {
        match rank {
            Some(rank) => Self { rank, sequence },
            None => Self {
                rank: i64::MAX,
                sequence: ENDED,
            },
        }
    }

    #[inline]
    fn beats(self, other: Self, ties: &impl Fn(usize, usize) -> bool) -> bool {
        match self.rank == other.rank {
            true => self.beats_equal(other, ties),
            false => self.rank < other.rank,
        }
    }

    #[cold]
    fn beats_equal(self, other: Self, ties: &impl Fn(usize, usize) -> bool) -> bool {
        match (self.sequence, other.sequence) {
            (ENDED, _) => false,
            (_, ENDED) => true,
            (one, other) => ties(one, other),
        }
    }
}

impl LoserTree {
    /// Plays the first tournament with the ranks of the sequences' heads; a sequence without a head
    /// has ended. For two heads of the same rank, `ties` says whether the first comes before the
    /// second.
    pub(in crate::query) fn play(
        ranks: &[Option<i64>],
        ties: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let count = ranks.len();
        let heads = ranks.iter().zip(0..).map(|(rank, at)| Head::new(*rank, at));
        // The leaves come after the inner nodes, whose winners are not known yet.
        let mut winners = vec![Head::new(None, 0); count];
        winners.extend(heads);
        let mut nodes = winners.get(..count).unwrap_or_default().to_vec();
        for at in (1..count).rev() {
            let (Some(&left), Some(&right)) = (winners.get(2 * at), winners.get(2 * at + 1)) else {
                continue;
            };
            let (winner, loser) = match right.beats(left, &ties) {
                true => (right, left),
                false => (left, right),
            };
            if let (Some(won), Some(lost)) = (winners.get_mut(at), nodes.get_mut(at)) {
                (*won, *lost) = (winner, loser);
            }
        }
        if let (Some(first), Some(&winner)) = (nodes.first_mut(), winners.get(1)) {
            *first = winner;
        }
        Self { nodes }
    }

    /// The sequence whose head comes first; `None` if all have ended.
    #[inline]
    pub(in crate::query) fn winner(&self) -> Option<usize> {
        let winner = self.nodes.first()?.sequence;
        (winner != ENDED).then_some(winner)
    }

    /// Replaces the winner with the next head of its sequence, or records that the sequence has
    /// ended.
    #[inline]
    pub(in crate::query) fn replace_winner(
        &mut self,
        rank: Option<i64>,
        ties: impl Fn(usize, usize) -> bool,
    ) {
        let Some(sequence) = self.winner() else {
            return;
        };
        let mut winner = Head::new(rank, sequence);
        let mut at = (sequence + self.nodes.len()) / 2;
        while at > 0 {
            let Some(node) = self.nodes.get_mut(at) else {
                break;
            };
            let loser = *node;
            let swap = loser.beats(winner, &ties);
            *node = select_unpredictable(swap, winner, loser);
            winner = select_unpredictable(swap, loser, winner);
            at /= 2;
        }
        if let Some(first) = self.nodes.first_mut() {
            *first = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test may panic"
    )]

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merges_as_sorting_does(
            mut lists in prop::collection::vec(
                prop::collection::vec(prop_oneof![-3_i64..3, Just(i64::MAX), any::<i64>()], 0..8),
                0..20,
            ),
        ) {
            lists.iter_mut().for_each(|list| list.sort_unstable());
            let mut rests: Vec<_> = lists.iter().map(|list| list.iter().copied()).collect();
            let mut heads: Vec<_> = rests.iter_mut().map(Iterator::next).collect();
            let mut tree = LoserTree::play(&heads, |a, b| a < b);
            let mut merged = Vec::new();
            while let Some(winner) = tree.winner() {
                merged.push((heads[winner].unwrap(), winner));
                heads[winner] = rests[winner].next();
                tree.replace_winner(heads[winner], |a, b| a < b);
            }
            let in_turn = lists.iter().zip(0..);
            let mut sorted: Vec<_> = in_turn
                .flat_map(|(list, at)| list.iter().map(move |rank| (*rank, at)))
                .collect();
            sorted.sort_unstable();
            prop_assert_eq!(merged, sorted);
        }
    }
}
