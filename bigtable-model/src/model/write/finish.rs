//! From an event's columns to mutations in its layout.

use std::borrow::Cow;

use bytes::Bytes;
use bytestring::ByteString;

use crate::data::{Mutation, RowMutations};
use crate::key::KeyError;
use crate::model::layout::{NamedBy, Target, TimeIn};
use crate::model::{ColumnSchema, ModelSchema, Presence};
use crate::value::ValueError;
use crate::{Error, Timestamp};

use super::{Change, EventWriter, Place, column_error, key_error};

impl EventWriter {
    /// The mutations of the changes, after those that exist already. `now` becomes the cells'
    /// timestamp with [`CellTime::Write`](crate::model::CellTime::Write).
    pub(super) fn finish(
        mut self,
        now: Timestamp,
        mutations: Vec<Mutation>,
    ) -> Result<RowMutations, Error> {
        self.finish_with(now, mutations)
    }

    /// The same, with buffers that can be reused.
    pub(super) fn finish_with(
        &mut self,
        now: Timestamp,
        mut mutations: Vec<Mutation>,
    ) -> Result<RowMutations, Error> {
        let schema = self.schema;
        self.check_values()?;
        let layout = schema.in_layout();
        let target = layout
            .target(schema, self.time, now, &mut self.bytes)
            .map_err(|source| self.refused_time(source))?;
        let by_offset = matches!(layout.time_in(), TimeIn::Qualifier(_));
        let named = layout.named_by() == NamedBy::Prefix;
        let mut qualifiers = self.bytes.len();
        if by_offset {
            self.write_qualifiers(&target, named);
        }
        let bytes = self.share_bytes();
        let is_qualifier = layout.value_is_qualifier();
        mutations.reserve_exact(self.changes.len());
        for change in &self.changes {
            let place = change.place();
            let Some((family, name)) = self.column(place, &bytes) else {
                continue;
            };
            let of_row = place.is_of_row(schema);
            let timestamp_micros = match of_row {
                true => target.row_timestamp_micros,
                false => target.timestamp_micros,
            };
            let qualifier = match by_offset && !of_row {
                false => name,
                true => {
                    let len = prefix_len(&name, named) + target.offset.len();
                    qualifiers += len;
                    bytes.slice(qualifiers - len..qualifiers)
                }
            };
            mutations.push(match change {
                // The value is the qualifier.
                Change::Set(Place::Column(_), value) if is_qualifier && !of_row => set(
                    family,
                    bytes.slice(value.clone()),
                    timestamp_micros,
                    Bytes::new(),
                ),
                Change::Set(_, value) => set(
                    family,
                    qualifier,
                    timestamp_micros,
                    bytes.slice(value.clone()),
                ),
                Change::Share(_, value) => set(family, qualifier, timestamp_micros, value.clone()),
                Change::Add(_, input) => Mutation::AddToCell {
                    family,
                    qualifier,
                    timestamp_micros: target.aggregate_micros,
                    input: *input,
                },
                // It belongs to the row's other events too.
                Change::Delete(_) if of_row => continue,
                Change::Delete(_) => schema.delete_column(&target, family, qualifier),
            });
        }
        // The key comes first: what is left of the bytes is one reference less to count.
        let mut key = bytes;
        key.truncate(self.key_len);
        Ok(RowMutations { key, mutations })
    }

    /// The error of a time that the layout cannot hold.
    #[cold]
    pub(super) fn refused_time(&self, source: KeyError) -> Error {
        key_error(self.schema, self.time, self.described_key(), source)
    }

    /// A value that is the qualifier always exists.
    fn check_values(&self) -> Result<(), Error> {
        if !self.by_value {
            return Ok(());
        }
        let absent = self.changes.iter().find_map(|change| match change {
            Change::Delete(place) if !place.is_of_row(self.schema) => Some(place),
            _ => None,
        });
        match absent {
            Some(place) => {
                let source = ValueError::refused("a qualifier", "it can't be absent");
                Err(column_error(self, self.refused(place, source)))
            }
            None => Ok(()),
        }
    }

    /// Appends the qualifiers with an offset, one after another, for all changes except those of
    /// columns of the row.
    fn write_qualifiers(&mut self, target: &Target, named: bool) {
        for change in &self.changes {
            let place = change.place();
            if place.is_of_row(self.schema) {
                continue;
            }
            if let Some((_, name)) = place.declared(self.schema)
                && named
            {
                self.bytes.extend_from_slice(name.as_bytes());
                self.bytes.push(b':');
            }
            self.bytes.extend_from_within(target.offset.clone());
        }
    }

    /// Family and name of a column.
    fn column(&self, place: &Place, bytes: &Bytes) -> Option<(ByteString, Bytes)> {
        match place {
            Place::Map(qualifier) => {
                let name = self.schema.map_family.as_ref()?;
                Some((family(name), bytes.slice(qualifier.clone())))
            }
            declared => {
                let (name, qualifier) = declared.declared(self.schema)?;
                let qualifier = match qualifier {
                    Cow::Borrowed(text) => Bytes::from_static(text.as_bytes()),
                    Cow::Owned(text) => Bytes::copy_from_slice(text.as_bytes()),
                };
                Some((family(name), qualifier))
            }
        }
    }
}

impl Place {
    /// Family and name of a column that the model declares.
    pub(super) fn declared(
        &self,
        schema: &'static ModelSchema,
    ) -> Option<(&'static Cow<'static, str>, &'static Cow<'static, str>)> {
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
            Self::Map(_) | Self::Marker | Self::Alias(..) => None,
        };
        column.is_some_and(|column| schema.is_of_row(column))
    }
}

/// The length of name and colon before the offset in a qualifier.
fn prefix_len(name: &Bytes, named: bool) -> usize {
    if named { name.len() + 1 } else { 0 }
}

fn set(family: ByteString, qualifier: Bytes, timestamp_micros: i64, value: Bytes) -> Mutation {
    Mutation::SetCell {
        family,
        qualifier,
        timestamp_micros,
        value,
    }
}

#[allow(
    clippy::ptr_arg,
    reason = "a constant name is not copied, and only the `Cow` tells"
)]
pub(super) fn family(name: &Cow<'static, str>) -> ByteString {
    match name {
        Cow::Borrowed(text) => ByteString::from_static(text),
        Cow::Owned(text) => ByteString::from(text.as_str()),
    }
}
