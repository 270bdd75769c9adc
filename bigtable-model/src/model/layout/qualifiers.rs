//! Layout `qualifiers`: a row is a bucket, and the value of an event's one column is the qualifier
//! of an empty cell at its time.

use crate::Timestamp;
use crate::key::KeyError;
use crate::model::ModelSchema;

use super::filter::{of_family, stamps};
use super::{Cells, Holds, InLayout, NamedBy, Target, TimeIn, Wanted};

#[derive(Debug)]
pub(crate) struct Qualifiers;

impl<'a> InLayout<'a> for Qualifiers {
    fn name(&self) -> &'static str {
        "qualifiers"
    }

    fn time_in(&self) -> TimeIn<'a> {
        TimeIn::Stamp
    }

    fn holds(&self) -> Holds {
        Holds::Many
    }

    fn named_by(&self) -> NamedBy {
        NamedBy::Family
    }

    fn value_is_qualifier(&self) -> bool {
        true
    }

    fn deletes_what_it_reads(&self, _schema: &ModelSchema) -> bool {
        true
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
        let rest: Vec<_> = stamps::of_events(wanted.times).into_iter().collect();
        Cells {
            filter: of_family(wanted.schema, &rest),
            newest: None,
        }
    }
}
