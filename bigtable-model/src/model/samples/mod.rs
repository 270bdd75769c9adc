//! Sample values of a model's fields: they show the stored forms that only the types know.

#[cfg(feature = "prost")]
mod bundle;
mod payload;
mod proto;
mod segments;

use bytes::Bytes;

use crate::key::{SegmentForm, SegmentKind, SegmentValue};
use crate::value::Takes;
use crate::value::payload::PayloadFormat;

use super::{FieldAccess, MapAccess, Schema};
use segments::{as_typed, candidates};

pub(crate) use payload::PayloadSample;
pub use payload::PayloadSamples;
pub(crate) use proto::proto_file;
#[cfg(feature = "prost")]
pub(crate) use proto::schema_bundle;

/// Sample values of a model's fields, and the names of their stored forms. Generated code fills it.
#[derive(Debug)]
pub struct Samples {
    schema: Schema,
    segments: Vec<SegmentSample>,
    columns: Vec<ColumnSample>,
    payload: Vec<PayloadSample>,
}

/// The sample of a segment of the key.
#[derive(Debug, Default, Clone)]
pub(crate) struct SegmentSample {
    place: usize,
    /// `None` if its type accepts none of the candidates.
    pub(crate) value: Option<SegmentValue>,
    /// All values of a type with a fixed set of names.
    pub(crate) names: Option<&'static [&'static str]>,
    /// Whether only code decides which values the type takes.
    pub(crate) is_own: bool,
}

/// What a sample is of: the index of a column, or that of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sampled {
    Column(usize),
    Map(usize),
}

/// The sample of a column, or of the columns of a map.
#[derive(Debug, Clone)]
pub(crate) struct ColumnSample {
    column: Sampled,
    /// The name of the stored form.
    pub(crate) form: &'static str,
    pub(crate) values: Vec<Bytes>,
    pub(crate) takes: Takes,
}

impl Samples {
    pub(crate) fn new(schema: &Schema) -> Self {
        Self {
            schema: schema.clone(),
            segments: Vec::new(),
            columns: Vec::new(),
            payload: Vec::new(),
        }
    }

    /// Adds the segment at an index of the key, counting the salt: all names of its type, and how
    /// the type restores a value from its bytes.
    pub fn segment(&mut self, place: usize, (names, is_own, restore): SegmentForm) {
        let Some(segment) = self.schema.key.segments.get(place) else {
            return;
        };
        let separator = self.schema.key.separator_byte();
        let candidates = candidates(segment, names).into_iter();
        let mut taken =
            candidates.filter_map(|value| as_typed(segment, separator, &value, restore));
        self.segments.push(SegmentSample {
            place,
            value: taken.next(),
            names,
            is_own,
        });
    }

    /// Adds the column at an index.
    pub fn column<T>(&mut self, index: usize, access: &FieldAccess<T>) {
        self.columns.push(ColumnSample {
            column: Sampled::Column(index),
            form: access.form,
            values: (access.samples)(),
            takes: (access.takes)(),
        });
    }

    /// Adds the run-time columns of the map at an index.
    pub fn map<T>(&mut self, index: usize, access: &MapAccess<T>) {
        self.columns.push(ColumnSample {
            column: Sampled::Map(index),
            form: access.form,
            values: (access.samples)(),
            takes: (access.takes)(),
        });
    }

    /// Adds the column that holds serialised events, by a function that adds each field to a
    /// payload.
    pub fn payload<F: PayloadFormat>(
        &mut self,
        write: impl FnOnce(&mut PayloadSamples, &mut F::Writer<'_>),
    ) {
        let mut fields = PayloadSamples::default();
        let mut bytes = Vec::new();
        let mut writer = F::writer(&mut bytes);
        write(&mut fields, &mut writer);
        let is_whole = F::finish(writer).is_ok() && !fields.lacks_some;
        self.payload = fields.fields;
        self.columns.push(ColumnSample {
            column: Sampled::Column(0),
            form: F::NAME,
            values: is_whole.then(|| bytes.into()).into_iter().collect(),
            takes: Takes::Own,
        });
    }

    /// The sample of the segment at an index.
    pub(crate) fn of_segment(&self, place: usize) -> Option<&SegmentSample> {
        self.segments.iter().find(|one| one.place == place)
    }

    /// The sample of the column at an index.
    pub(crate) fn of_column(&self, index: usize) -> Option<&ColumnSample> {
        self.sample(Sampled::Column(index))
    }

    /// The sample of the run-time columns of the map at an index.
    pub(crate) fn of_map(&self, index: usize) -> Option<&ColumnSample> {
        self.sample(Sampled::Map(index))
    }

    fn sample(&self, of: Sampled) -> Option<&ColumnSample> {
        self.columns.iter().find(|one| one.column == of)
    }

    /// The fields of serialised events, in order.
    pub(crate) fn of_payload(&self) -> &[PayloadSample] {
        &self.payload
    }

    /// The values of a key's segments for each of the sample times; a single set for an entity.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Vec<SegmentValue>> + '_ {
        let times = match self.schema.key.time_segment() {
            Some((_, segment)) => candidates(segment, None),
            None => SegmentKind::Time.samples().into_iter().take(1).collect(),
        };
        times.into_iter().filter_map(|time| self.key_at(time))
    }

    fn key_at(&self, time: SegmentValue) -> Option<Vec<SegmentValue>> {
        let values = self.schema.key.valued().map(|(place, segment)| {
            if !segment.role.is_named() {
                return Some(time.clone());
            }
            let sample = self.of_segment(place)?.value.clone();
            // A type that accepts none of the values still has a form.
            sample.or_else(|| candidates(segment, None).into_iter().next())
        });
        values.collect()
    }
}
