//! Layout `columns`: a row is a bucket, whose columns are named by the time within it.

use std::ops::Bound;

use bytes::Bytes;

use crate::Timestamp;
use crate::data::RowFilter;
use crate::key::KeyError;
use crate::key::time::bucket::Offset;
use crate::model::{CellTime, ModelSchema};

use super::filter::offsets::Offsets;
use super::filter::{ending_in, ending_in_of_event, family, of_family, of_names, stamps};
use super::{Cells, EventPlace, Holds, InLayout, NamedBy, Target, TimeIn, Wanted};

#[derive(Debug)]
pub(crate) struct Columns<'a> {
    pub(super) offset: &'a Offset,
    /// Whether the column's name precedes the offset.
    pub(super) named: bool,
}

impl<'a> InLayout<'a> for Columns<'a> {
    fn name(&self) -> &'static str {
        "columns"
    }

    fn time_in(&self) -> TimeIn<'a> {
        TimeIn::Qualifier(self.offset)
    }

    fn holds(&self) -> Holds {
        Holds::Many
    }

    fn named_by(&self) -> NamedBy {
        match self.named {
            true => NamedBy::Prefix,
            false => NamedBy::Family,
        }
    }

    fn deletes_what_it_reads(&self, schema: &ModelSchema) -> bool {
        schema.has_maps()
    }

    fn after_name(&self) -> usize {
        1 + self.offset.most_len()
    }

    fn parted<'q>(&self, qualifier: &'q [u8]) -> Option<(&'q [u8], &'q [u8])> {
        self.offset.parted(qualifier)
    }

    fn target(
        &self,
        schema: &ModelSchema,
        time: Option<Timestamp>,
        now: Timestamp,
        out: &mut Vec<u8>,
    ) -> Result<Target, KeyError> {
        Target::with_offset(schema, self.offset, time, now, out)
    }

    fn place(&self, _target: &Target, offset: &[u8]) -> EventPlace {
        EventPlace::Offset(Bytes::copy_from_slice(offset))
    }

    fn qualifier(&self, name: &[u8], offset: &[u8]) -> Bytes {
        match self.named {
            true => [name, b":", offset].concat().into(),
            false => Bytes::copy_from_slice(offset),
        }
    }

    /// Lets through the newest cell of each column of the event with this offset. With very many
    /// columns, or tie-breakers of thousands of bytes, it lets all columns of the event through,
    /// declared or not, or without tie-breakers the whole row, since filters have a size limit.
    fn event_filter(&self, schema: &ModelSchema, _target: &Target, offset: &[u8]) -> RowFilter {
        let newest = RowFilter::CellsPerColumnLimit(1);
        let declared = schema.of_event();
        let declared = declared.filter(|(family, _)| schema.maps().all(|map| map != *family));
        let of_maps = schema
            .maps()
            .map(|name| RowFilter::Chain(vec![family(name), ending_in(offset)]));
        let columns = declared.map(|(family, name)| {
            let qualifier = self.qualifier(name.as_bytes(), offset);
            RowFilter::QualifierRange {
                family: family.to_owned(),
                start: Bound::Included(qualifier.clone()),
                end: Bound::Included(qualifier),
            }
        });
        let one = RowFilter::interleave(columns.chain(of_maps)).into_iter();
        RowFilter::chain(one.chain([newest.clone()]))
            .filter(|filter| filter.wire_size() <= RowFilter::MAX_BYTES)
            .unwrap_or_else(|| match schema.key.has_ties_in_cells() {
                // The row may have other events of the time.
                true => RowFilter::Chain(vec![ending_in_of_event(schema, offset), newest]),
                false => newest,
            })
    }

    fn cells(&self, wanted: &Wanted<'_>) -> Cells {
        let schema = wanted.schema;
        let newest_version = RowFilter::CellsPerColumnLimit(1);
        let rest: Vec<_> = [newest_version]
            .into_iter()
            .chain(wanted.strip.clone())
            .collect();
        let columns = wanted.columns.as_ref();
        let stamps = match schema.cell_time {
            CellTime::Event if !schema.has_server_times() => {
                stamps::of_columns(&schema.key, wanted.times)
            }
            CellTime::Event | CellTime::Write => None,
        };
        let offsets = Offsets::new(&schema.key, self.offset, self.named, wanted.times);
        let within = offsets.filter(schema, columns, stamps.as_ref(), &rest);
        let filter = within.or_else(|| {
            let rest: Vec<_> = stamps.into_iter().chain(rest).collect();
            match self.named {
                true => of_names(columns, self.named_by(), &rest),
                false => of_family(schema, &rest),
            }
        });
        Cells {
            filter,
            newest: None,
        }
    }
}
