//! If several events share a copy, the newest makes it.

use bytes::Bytes;

use super::lookup::Sought;
use crate::data::Mutation;
use crate::model::{Model, Newest, Rank, insert_mutations};
use crate::{Error, Timestamp};

impl Rank {
    pub(super) fn of<S: Model>(event: &S, now: Timestamp) -> Result<Self, Error> {
        let time = event.time();
        let mut key = Vec::new();
        let encoded = event.encode_key(&mut key);
        encoded.map_err(|source| Error::Key {
            table: S::SCHEMA.table_in_errors(time),
            key: event.key().to_string(),
            source,
        })?;
        Ok(Self {
            time: S::SCHEMA.stored_time(time),
            key,
            value: match S::SCHEMA.in_layout().value_is_qualifier() {
                true => qualifier(event, now)?,
                false => Bytes::new(),
            },
        })
    }
}

/// The value of an event in layout `qualifiers`: the qualifier of its empty cell.
fn qualifier<S: Model>(event: &S, now: Timestamp) -> Result<Bytes, Error> {
    let written = insert_mutations(event, now)?;
    let mut qualifiers = written.mutations.into_iter().filter_map(|one| match one {
        Mutation::SetCell {
            qualifier, value, ..
        } if value.is_empty() => Some(qualifier),
        _ => None,
    });
    Ok(qualifiers.next().unwrap_or_default())
}

impl Newest {
    /// Whether an event is the newest of its copy so far. If so, it is recorded, unless the copy
    /// has its time: such a copy is shared only with newer events, whose times are rounded down to
    /// it.
    pub(super) fn take(&mut self, copy: &Sought, event: &Rank, is_timed: bool) -> bool {
        let place = (copy.key.clone(), copy.time);
        if self.0.get(&place).is_some_and(|known| known > event) {
            return false;
        }
        if !is_timed {
            self.0.insert(place, event.clone());
        }
        true
    }
}
