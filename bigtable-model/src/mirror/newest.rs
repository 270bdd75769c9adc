//! Several events that share a copy: it is that of the newest.

use bytes::Bytes;

use super::lookup::Sought;
use crate::data::Mutation;
use crate::model::{Layout, Model, Newest, Rank, insert_mutations};
use crate::{Error, Timestamp};

impl Rank {
    pub(super) fn of<S: Model>(event: &S, now: Timestamp) -> Result<Self, Error> {
        let written = insert_mutations(event, now)?;
        let mut qualifiers = written.mutations.iter().filter_map(|one| match one {
            Mutation::SetCell {
                qualifier, value, ..
            } if value.is_empty() => Some(qualifier.clone()),
            _ => None,
        });
        let value = match S::SCHEMA.layout {
            Layout::Qualifiers => qualifiers.next().unwrap_or_default(),
            _ => Bytes::new(),
        };
        Ok(Self {
            time: S::SCHEMA.stored_time(event.time()),
            key: written.key,
            value,
        })
    }
}

impl Newest {
    /// Whether an event is the newest of its copy so far. It is noted then, unless the copy has its
    /// time: such a copy is shared only with newer events, whose times are rounded down to it.
    pub(super) fn take(&mut self, copy: &Sought, event: &Rank, is_timed: bool) -> bool {
        let place = (copy.row.clone(), copy.time);
        if self.0.get(&place).is_some_and(|known| known > event) {
            return false;
        }
        if !is_timed {
            self.0.insert(place, event.clone());
        }
        true
    }
}
