//! From an event's columns to mutations in its layout.

use std::borrow::Cow;
use std::mem;
use std::ops::Range;

use bytes::Bytes;

use crate::data::{Mutation, MutationRef, RowMutations, ValueRef};
use crate::key::KeyError;
use crate::model::layout::{NamedBy, Target, TimeIn};
use crate::model::packed::names::{GUARD, PACKED_FAMILY};
use crate::model::{ColumnSchema, ModelSchema, Presence, shared};
use crate::value::ValueError;
use crate::{Error, Timestamp};

use super::{Change, EventWriter, Place, column_error, key_error};

/// A complete event: where its cells go.
#[derive(Debug, Default)]
pub(super) struct Settled {
    target: Target,
    /// Where the qualifiers with an offset begin, in layouts that have them.
    qualifiers: Option<usize>,
    /// The timestamp of the cells that packing adds.
    packed_micros: i64,
}

/// A change as written. Its bytes are parts of the event's bytes.
#[derive(Debug)]
struct Written<'a> {
    family: &'a Cow<'static, str>,
    qualifier: Part<'a>,
    action: Action<'a>,
}

#[derive(Debug)]
enum Action<'a> {
    Set(i64, Part<'a>),
    Add(i64, i64),
    Delete(i64, i64),
}

/// Bytes of a mutation.
#[derive(Debug)]
enum Part<'a> {
    Empty,
    /// A part of the event's bytes.
    Own(Range<usize>),
    Name(&'a Cow<'static, str>),
    Shared(&'a Bytes),
}

/// Writes the changes of an event one after another.
struct Writing<'a> {
    writer: &'a EventWriter,
    settled: &'a Settled,
    again: bool,
    is_named: bool,
    /// The times of deleted cells.
    deleted: (i64, i64),
    /// Where the next qualifier with an offset begins.
    next: usize,
}

impl<'a> Writing<'a> {
    /// A change as written; `None` if nothing is. Inlined, since its result is taken apart at once:
    /// a single event takes a tenth longer if it goes through memory.
    #[inline(always)]
    fn written(&mut self, change: &'a Change) -> Option<Written<'a>> {
        let (settled, again) = (self.settled, self.again);
        let target = &settled.target;
        let place = change.place();
        let (family, name) = self.writer.column(place)?;
        let of_row = place.is_of_row(&self.writer.schema);
        let timestamp_micros = match of_row {
            true => target.row_timestamp_micros,
            false if place.is_of_packing() => settled.packed_micros,
            false => target.timestamp_micros,
        };
        let has_offset = settled.qualifiers.is_some() && !of_row && !place.is_of_packing();
        let qualifier = match has_offset {
            false => name,
            true => {
                let start = self.next;
                self.next += name.prefix_len(self.is_named) + target.offset.len();
                Part::Own(start..self.next)
            }
        };
        let (start_micros, end_micros) = self.deleted;
        let (qualifier, action) = match change {
            Change::Set(..) | Change::Share(..) if of_row && again => return None,
            Change::Set(Place::Guard, _) | Change::Delete(Place::Guard) if again => return None,
            // The column belongs to the row's other events too.
            Change::Delete(_) if of_row => return None,
            // The value is the qualifier.
            Change::Set(Place::Column(_), value) if self.writer.by_value && !of_row => (
                Part::Own(value.clone()),
                Action::Set(timestamp_micros, Part::Empty),
            ),
            Change::Set(_, value) => {
                let value = Part::Own(value.clone());
                (qualifier, Action::Set(timestamp_micros, value))
            }
            Change::Share(_, value) => {
                let value = Part::Shared(value);
                (qualifier, Action::Set(timestamp_micros, value))
            }
            Change::Add(_, input) => (qualifier, Action::Add(target.aggregate_micros, *input)),
            Change::Delete(Place::Guard) => (qualifier, Action::Delete(0, 0)),
            Change::Delete(_) => (qualifier, Action::Delete(start_micros, end_micros)),
        };
        Some(Written {
            family,
            qualifier,
            action,
        })
    }
}

impl EventWriter {
    /// The mutations of the changes, after existing mutations. `now` becomes the cells' timestamp
    /// with [`CellTime::Write`](crate::model::CellTime::Write).
    pub(super) fn finish(
        &mut self,
        now: Timestamp,
        mutations: Vec<Mutation>,
    ) -> Result<RowMutations, Error> {
        let mut settled = Settled::default();
        self.settle(now, &mut settled)?;
        let bytes = mem::take(&mut self.bytes).into();
        Ok(self.row(&settled, bytes, mutations))
    }

    /// The row of a complete event, which shares these bytes. Its mutations follow existing ones.
    pub(super) fn row(
        &self,
        settled: &Settled,
        bytes: Bytes,
        mut mutations: Vec<Mutation>,
    ) -> RowMutations {
        mutations.reserve_exact(self.changes.len());
        let mut writing = self.writing(settled, false);
        let written = self.changes.iter().filter_map(|one| writing.written(one));
        written.for_each(|one| mutations.push(one.mutation(&bytes)));
        // The key comes first, so that it can reuse this reference to the bytes.
        let mut key = bytes;
        key.truncate(self.key_len);
        RowMutations { key, mutations }
    }

    /// Decides where the cells go, once all changes are known.
    pub(super) fn settle(&mut self, now: Timestamp, settled: &mut Settled) -> Result<(), Error> {
        self.check_values()?;
        let (by_offset, is_named) = {
            let layout = self.schema.in_layout();
            let by_offset = matches!(layout.time_in(), TimeIn::Qualifier(_));
            (by_offset, layout.named_by() == NamedBy::Prefix)
        };
        settled.target = self.target_at(now)?;
        settled.qualifiers = by_offset.then_some(self.bytes.len());
        if by_offset {
            self.write_qualifiers(&settled.target, is_named);
        }
        if self.schema.is_packed() {
            settled.packed_micros = self.guard(&settled.target);
        }
        Ok(())
    }

    /// Where the event's cells go. Its offset is appended to the bytes, with the tie-breakers.
    pub(super) fn target_at(&mut self, now: Timestamp) -> Result<Target, Error> {
        let layout = self.schema.in_layout();
        let target = layout.target(&self.schema, self.time, now, &mut self.bytes);
        let mut target = target.map_err(|source| self.refused_time(source))?;
        if let Some(ties) = self.ties.clone() {
            self.bytes.push(b':');
            self.bytes.extend_from_within(ties);
            target.offset.end = self.bytes.len();
        }
        Ok(target)
    }

    /// Begins to write the changes; with `again` without the values of columns that belong to the
    /// row, which an earlier event has written.
    fn writing<'a>(&'a self, settled: &'a Settled, again: bool) -> Writing<'a> {
        Writing {
            writer: self,
            settled,
            again,
            is_named: self.schema.in_layout().named_by() == NamedBy::Prefix,
            deleted: self.schema.deleted_times(&settled.target),
            next: settled.qualifiers.unwrap_or_default(),
        }
    }

    /// The changes as mutations that borrow the event's bytes.
    pub(super) fn mutations<'a>(
        &'a self,
        settled: &'a Settled,
        again: bool,
    ) -> impl Iterator<Item = MutationRef<'a>> {
        let mut writing = self.writing(settled, again);
        let written = self.changes.iter();
        let written = written.filter_map(move |one| writing.written(one));
        written.map(|one| one.borrowed(&self.bytes))
    }

    /// The error of a time that the layout cannot hold.
    #[cold]
    pub(super) fn refused_time(&self, source: KeyError) -> Error {
        key_error(&self.schema, self.time, self.described_key(), source)
    }

    /// Checks that there is a value if it is the qualifier.
    fn check_values(&self) -> Result<(), Error> {
        if !self.by_value {
            return Ok(());
        }
        let absent = self.changes.iter().find_map(|change| match change {
            Change::Delete(place) if !place.is_of_row(&self.schema) => Some(place),
            _ => None,
        });
        match absent {
            Some(place) => {
                let source = ValueError::refused("a qualifier", "it cannot be absent");
                Err(column_error(self, self.refused(place, source)))
            }
            None => Ok(()),
        }
    }

    /// Appends the qualifiers with an offset, one after another, for all changes except to columns
    /// of the row.
    fn write_qualifiers(&mut self, target: &Target, named: bool) {
        for change in &self.changes {
            let place = change.place();
            if place.is_of_row(&self.schema) {
                continue;
            }
            match (place, place.declared(&self.schema)) {
                _ if !named => {}
                (Place::Map(_, name), _) => self.bytes.extend_from_within(name.clone()),
                (_, Some((_, name))) => self.bytes.extend_from_slice(name.as_bytes()),
                (_, None) => {}
            }
            if named {
                self.bytes.push(b':');
            }
            self.bytes.extend_from_within(target.offset.clone());
        }
    }

    /// Family and name of a column.
    fn column(&self, place: &Place) -> Option<(&Cow<'static, str>, Part<'_>)> {
        match place {
            Place::Map(map, qualifier) => {
                let family = self.schema.map_families.get(*map)?;
                Some((family, Part::Own(qualifier.clone())))
            }
            Place::Guard => Some((&PACKED_FAMILY, Part::Name(&GUARD))),
            Place::Hidden(qualifier) => Some((&PACKED_FAMILY, Part::Own(qualifier.clone()))),
            declared => {
                let (family, qualifier) = declared.declared(&self.schema)?;
                Some((family, Part::Name(qualifier)))
            }
        }
    }
}

impl Written<'_> {
    /// The mutation, which shares the event's bytes.
    #[inline]
    fn mutation(self, bytes: &Bytes) -> Mutation {
        let family = shared(self.family);
        let qualifier = self.qualifier.shared(bytes);
        match self.action {
            Action::Set(timestamp_micros, value) => Mutation::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value: value.shared(bytes),
            },
            Action::Add(timestamp_micros, input) => Mutation::AddToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            },
            Action::Delete(start_micros, end_micros) => Mutation::DeleteFromColumn {
                family,
                qualifier,
                start_micros,
                end_micros,
            },
        }
    }
}

impl<'a> Written<'a> {
    /// The mutation, which borrows the event's bytes.
    #[inline]
    fn borrowed(self, bytes: &'a [u8]) -> MutationRef<'a> {
        let family = &**self.family;
        let qualifier = self.qualifier.borrowed(bytes);
        match self.action {
            Action::Set(timestamp_micros, value) => MutationRef::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value: match value {
                    Part::Shared(value) => ValueRef::Shared(value),
                    other => ValueRef::Copied(other.borrowed(bytes)),
                },
            },
            Action::Add(timestamp_micros, input) => MutationRef::AddToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            },
            Action::Delete(start_micros, end_micros) => MutationRef::DeleteFromColumn {
                family,
                qualifier,
                start_micros,
                end_micros,
            },
        }
    }
}

impl<'a> Part<'a> {
    #[inline]
    fn shared(self, bytes: &Bytes) -> Bytes {
        match self {
            Self::Empty => Bytes::new(),
            Self::Own(range) => bytes.slice(range),
            Self::Name(Cow::Borrowed(name)) => Bytes::from_static(name.as_bytes()),
            Self::Name(Cow::Owned(name)) => Bytes::copy_from_slice(name.as_bytes()),
            Self::Shared(bytes) => bytes.clone(),
        }
    }

    #[inline]
    fn borrowed(self, bytes: &'a [u8]) -> &'a [u8] {
        match self {
            Self::Empty => &[],
            Self::Own(range) => bytes.get(range).unwrap_or_default(),
            Self::Name(name) => name.as_bytes(),
            Self::Shared(bytes) => bytes,
        }
    }

    /// The length of name and colon before the offset in a qualifier.
    #[inline]
    fn prefix_len(&self, is_named: bool) -> usize {
        let len = match self {
            Self::Name(name) => name.len(),
            Self::Own(range) => range.len(),
            Self::Empty | Self::Shared(_) => 0,
        };
        if is_named { len + 1 } else { 0 }
    }
}

impl Place {
    /// Family and name of a column that the model declares.
    pub(super) fn declared<'s>(
        &self,
        schema: &'s ModelSchema,
    ) -> Option<(&'s Cow<'static, str>, &'s Cow<'static, str>)> {
        match (self, &schema.presence) {
            (Self::Column(index), _) => {
                let column = schema.columns.get(*index)?;
                Some((&column.family, &column.qualifier))
            }
            (Self::Marker, Presence::Marker { family, qualifier }) => Some((family, qualifier)),
            (Self::Alias(index, alias), _) => {
                let column = schema.columns.get(*index)?;
                Some((&column.family, column.aliases.get(*alias)?))
            }
            _ => None,
        }
    }

    /// Whether the column belongs to the row and not to each of its events.
    pub(super) fn is_of_row(&self, schema: &ModelSchema) -> bool {
        let column: Option<&ColumnSchema> = match self {
            Self::Column(index) => schema.columns.get(*index),
            _ => None,
        };
        column.is_some_and(|column| schema.is_of_row(column))
    }

    /// Whether this is a cell that packing adds.
    fn is_of_packing(&self) -> bool {
        matches!(self, Self::Guard | Self::Hidden(_))
    }
}
