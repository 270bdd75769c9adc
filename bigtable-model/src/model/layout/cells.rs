//! Layout `cells`: a row is a bucket, whose columns have a cell for each event at its time.

use crate::Timestamp;
use crate::key::KeyError;
use crate::model::ModelSchema;

use super::filter::{of_names, stamps};
use super::{Cells, Holds, InLayout, Target, TimeIn, Wanted};

#[derive(Debug)]
pub(crate) struct OfCells;

impl<'a> InLayout<'a> for OfCells {
    fn name(&self) -> &'static str {
        "cells"
    }

    fn time_in(&self) -> TimeIn<'a> {
        TimeIn::Stamp
    }

    fn holds(&self) -> Holds {
        Holds::Many
    }

    fn deletes_what_it_reads(&self, schema: &ModelSchema) -> bool {
        schema.has_maps()
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

    fn cells(&self, wanted: &Wanted<'_>) -> Cells {
        let stamps = stamps::of_events(wanted.times);
        let rest: Vec<_> = stamps.into_iter().chain(wanted.strip.clone()).collect();
        Cells {
            filter: of_names(wanted.columns.as_ref(), self.named_by(), &rest),
            newest: wanted.newest,
        }
    }
}
