//! Layout `latest`: a row is a series, which has one event, the newest.

use crate::Timestamp;
use crate::data::RowFilter;
use crate::key::KeyError;
use crate::model::ModelSchema;

use super::filter::of_names;
use super::{Cells, Compares, Holds, InLayout, Target, TimeIn, Wanted};

#[derive(Debug)]
pub(crate) struct Latest;

impl<'a> InLayout<'a> for Latest {
    fn name(&self) -> &'static str {
        "latest"
    }

    fn time_in(&self) -> TimeIn<'a> {
        TimeIn::Stamp
    }

    fn holds(&self) -> Holds {
        Holds::Newest
    }

    fn deletes_what_it_reads(&self, schema: &ModelSchema) -> bool {
        schema.has_maps()
    }

    fn compares(&self) -> Compares {
        Compares::Nothing
    }

    fn target(
        &self,
        schema: &ModelSchema,
        time: Option<Timestamp>,
        _now: Timestamp,
        _out: &mut Vec<u8>,
    ) -> Result<Target, KeyError> {
        Target::at_its_time(schema, time)
    }

    /// Only later cells show whether the event is its series' newest.
    fn event_filter(&self, _schema: &ModelSchema, target: &Target, _offset: &[u8]) -> RowFilter {
        RowFilter::TimestampRange {
            start_micros: target.timestamp_micros,
            end_micros: 0,
        }
    }

    /// Times cannot narrow the cells, or an older event at a wanted time would be taken for the
    /// newest.
    fn cells(&self, wanted: &Wanted<'_>) -> Cells {
        let rest: Vec<_> = wanted.strip.iter().cloned().collect();
        Cells {
            filter: of_names(wanted.columns.as_ref(), self.named_by(), &rest),
            newest: Some(1),
        }
    }
}
