//! Writes that hold no more memory than their own.

use bytes::{Bytes, BytesMut};

use crate::data::{Mutation, ReadModifyWriteRule, RowMutations, RuleAction};
use crate::memory::turns::{Turn, steps_of_copy};

/// Parts of at least this size get their own memory, so the rest of a row does not keep a large
/// value that was replaced.
const LARGE: usize = 1 << 10;

/// Bytes that are copied at once: a value may have a hundred megabytes.
const PIECE: usize = 1 << 18;

/// Steps of a part without its bytes.
const STEPS: usize = 4;

/// Copies what a backend may keep. Received bytes are a part of the request's message: a row of a
/// hundred bytes would keep all rows that were written with it in memory.
pub(super) async fn owned(mut row: RowMutations, turn: &mut Turn) -> RowMutations {
    let parts = row.mutations.iter().flat_map(parts);
    let mut room = Room::for_all([&row.key].into_iter().chain(parts));
    room.take_in(&mut row.key, turn).await;
    for part in row.mutations.iter_mut().flat_map(parts_mut) {
        room.take_in(part, turn).await;
    }
    row
}

/// The same for the mutations of a conditional write.
pub(super) async fn owned_mutations(mutations: Vec<Mutation>, turn: &mut Turn) -> Vec<Mutation> {
    let row = RowMutations {
        key: Bytes::new(),
        mutations,
    };
    owned(row, turn).await.mutations
}

/// The same for the rules of a read-modify-write, which computes new values from theirs.
pub(super) async fn owned_rules(
    mut rules: Vec<ReadModifyWriteRule>,
    turn: &mut Turn,
) -> Vec<ReadModifyWriteRule> {
    for rule in &mut rules {
        rule.qualifier = copied(&rule.qualifier, turn).await;
        if let RuleAction::Append(value) = &mut rule.action {
            *value = copied(value, turn).await;
        }
    }
    rules
}

/// Families are left out: a table has its own copies of their names.
fn parts(mutation: &Mutation) -> impl Iterator<Item = &Bytes> {
    let parts = match mutation {
        Mutation::SetCell {
            qualifier, value, ..
        } => [Some(qualifier), Some(value)],
        Mutation::MergeToCell {
            qualifier, input, ..
        } => [Some(qualifier), Some(input)],
        Mutation::AddToCell { qualifier, .. } => [Some(qualifier), None],
        _ => [None, None],
    };
    parts.into_iter().flatten()
}

fn parts_mut(mutation: &mut Mutation) -> impl Iterator<Item = &mut Bytes> {
    let parts = match mutation {
        Mutation::SetCell {
            qualifier, value, ..
        } => [Some(qualifier), Some(value)],
        Mutation::MergeToCell {
            qualifier, input, ..
        } => [Some(qualifier), Some(input)],
        Mutation::AddToCell { qualifier, .. } => [Some(qualifier), None],
        _ => [None, None],
    };
    parts.into_iter().flatten()
}

/// One piece of memory for all small parts side by side, which is faster than one for each.
struct Room(BytesMut);

impl Room {
    fn for_all<'a>(parts: impl Iterator<Item = &'a Bytes>) -> Self {
        let small = parts.map(Bytes::len).filter(|len| *len < LARGE);
        Self(BytesMut::with_capacity(small.sum()))
    }

    async fn take_in(&mut self, part: &mut Bytes, turn: &mut Turn) {
        if part.len() < LARGE {
            turn.take(STEPS + steps_of_copy(part.len())).await;
            self.0.extend_from_slice(part);
            *part = self.0.split().freeze();
        } else {
            *part = copied(part, turn).await;
        }
    }
}

/// A copy that is made in turns.
async fn copied(bytes: &[u8], turn: &mut Turn) -> Bytes {
    let mut copy = Vec::with_capacity(bytes.len());
    turn.take(STEPS).await;
    for piece in bytes.chunks(PIECE) {
        turn.take(steps_of_copy(piece.len())).await;
        copy.extend_from_slice(piece);
    }
    copy.into()
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use futures::executor::block_on;

    use super::*;

    #[test]
    fn nothing_of_the_message_is_held() {
        let message = Bytes::from(vec![7; 100 << 10]);
        let set = |qualifier, value| Mutation::SetCell {
            family: "f".into(),
            qualifier: message.slice(qualifier),
            timestamp_micros: 0,
            value: message.slice(value),
        };
        let row = RowMutations {
            key: message.slice(..3),
            mutations: vec![
                set(0..0, 3..2 << 10),
                Mutation::DeleteFromRow,
                set(5..9, 9..100),
            ],
        };
        let rule = |action| ReadModifyWriteRule {
            family: "f".into(),
            qualifier: message.slice(..2),
            action,
        };
        let rules = vec![
            rule(RuleAction::Increment(1)),
            rule(RuleAction::Append(message.slice(..9))),
        ];
        let mut turn = Turn::default();
        let copies = (
            block_on(owned(row.clone(), &mut turn)),
            block_on(owned_mutations(row.mutations.clone(), &mut turn)),
            block_on(owned_rules(rules.clone(), &mut turn)),
        );
        assert_eq!(copies.0, row);
        assert_eq!(copies.1, row.mutations);
        assert_eq!(copies.2, rules);
        drop((row, rules));
        assert!(message.is_unique());
    }
    #[test]
    fn a_large_value_is_copied_in_turns() {
        let value = Bytes::from(vec![7; 16 << 20]);
        let mutation = Mutation::SetCell {
            family: "f".into(),
            qualifier: Bytes::new(),
            timestamp_micros: 0,
            value: value.clone(),
        };
        let mut turn = Turn::default();
        let mut copying = pin!(owned_mutations(vec![mutation.clone()], &mut turn));
        let mut cx = Context::from_waker(Waker::noop());
        let mut polls = 0;
        while copying.as_mut().poll(&mut cx).is_pending() {
            polls += 1;
        }
        assert!(polls > 10, "{polls}");
    }
}
