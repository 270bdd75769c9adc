//! Layout `row`: a row is an event.

use crate::Timestamp;
use crate::data::RowFilter;
use crate::key::KeyError;
use crate::model::ModelSchema;

use super::filter::of_names;
use super::{Cells, Compares, EventPlace, Holds, InLayout, Target, TimeIn, Wanted};

#[derive(Debug)]
pub(crate) struct Row;

impl<'a> InLayout<'a> for Row {
    fn name(&self) -> &'static str {
        "row"
    }

    fn time_in(&self) -> TimeIn<'a> {
        TimeIn::Key
    }

    fn holds(&self) -> Holds {
        Holds::One
    }

    fn compares(&self) -> Compares {
        Compares::Events
    }

    fn target(
        &self,
        schema: &ModelSchema,
        time: Option<Timestamp>,
        now: Timestamp,
        _out: &mut Vec<u8>,
    ) -> Result<Target, KeyError> {
        Ok(Target::of_row(schema, time, now))
    }

    fn place(&self, _target: &Target, _offset: &[u8]) -> EventPlace {
        EventPlace::Row
    }

    fn event_filter(&self, _schema: &ModelSchema, _target: &Target, _offset: &[u8]) -> RowFilter {
        RowFilter::CellsPerColumnLimit(1)
    }

    fn cells(&self, wanted: &Wanted<'_>) -> Cells {
        let newest_version = RowFilter::CellsPerColumnLimit(1);
        let rest: Vec<_> = [newest_version]
            .into_iter()
            .chain(wanted.strip.clone())
            .collect();
        Cells {
            filter: of_names(wanted.columns.as_ref(), self.named_by(), &rest),
            newest: None,
        }
    }
}
