//! Writes that hold no more memory than their own.

use bytes::{Bytes, BytesMut};

use crate::data::{Mutation, ReadModifyWriteRule, RowMutations, RuleAction};

/// Parts of at least this size get their own memory, so the rest of a row does not keep a large
/// value that was replaced.
const LARGE: usize = 1 << 10;

/// Copies what a backend may keep. Received bytes are a part of the request's message: a row of a
/// hundred bytes would keep all rows that were written with it in memory.
pub(super) fn owned(mut row: RowMutations) -> RowMutations {
    let parts = row.mutations.iter().flat_map(parts);
    let mut room = Room::for_all([&row.key].into_iter().chain(parts));
    room.take_in(&mut row.key);
    for part in row.mutations.iter_mut().flat_map(parts_mut) {
        room.take_in(part);
    }
    row
}

/// The same for the mutations of a conditional write.
pub(super) fn owned_mutations(mut mutations: Vec<Mutation>) -> Vec<Mutation> {
    let mut room = Room::for_all(mutations.iter().flat_map(parts));
    for part in mutations.iter_mut().flat_map(parts_mut) {
        room.take_in(part);
    }
    mutations
}

/// The same for the rules of a read-modify-write, which computes new values from theirs.
pub(super) fn owned_rules(mut rules: Vec<ReadModifyWriteRule>) -> Vec<ReadModifyWriteRule> {
    for rule in &mut rules {
        rule.qualifier = Bytes::copy_from_slice(&rule.qualifier);
        if let RuleAction::Append(value) = &mut rule.action {
            *value = Bytes::copy_from_slice(value);
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

    fn take_in(&mut self, part: &mut Bytes) {
        if part.len() < LARGE {
            self.0.extend_from_slice(part);
            *part = self.0.split().freeze();
        } else {
            *part = Bytes::copy_from_slice(part);
        }
    }
}

#[cfg(test)]
mod tests {
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
        let copies = (
            owned(row.clone()),
            owned_mutations(row.mutations.clone()),
            owned_rules(rules.clone()),
        );
        assert_eq!(copies.0, row);
        assert_eq!(copies.1, row.mutations);
        assert_eq!(copies.2, rules);
        drop((row, rules));
        assert!(message.is_unique());
    }
}
