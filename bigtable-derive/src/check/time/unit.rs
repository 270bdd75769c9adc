//! Units of times.

use crate::errors::Errors;
use crate::model::{Kind, Unit};
use crate::syntax::RawField;

/// Units of time as attributes write them.
const UNITS: &[(&str, Unit)] = &[
    ("s", Unit::Seconds),
    ("ms", Unit::Millis),
    ("us", Unit::Micros),
];

/// The unit of times in a layout with buckets: if they are cells' timestamps, at least a
/// millisecond.
pub(in crate::check) fn unit_of_bucket(
    field: &RawField,
    layout: Kind,
    errors: &mut Errors,
) -> Unit {
    let declared = unit(field, errors);
    if !layout.is_cell_time() {
        return declared.unwrap_or(Unit::Micros);
    }
    if let (Some(Unit::Micros), Some(unit)) = (declared, &field.unit) {
        errors.at_span(
            unit.span,
            format!(
                "in `layout = \"{}\"` the time is the cells' timestamp, which Bigtable keeps in milliseconds: write `unit = \"ms\"`, or `layout = \"{}\"`",
                layout.word(),
                layout.finer()
            ),
        );
    }
    declared
        .filter(|unit| *unit != Unit::Micros)
        .unwrap_or(Unit::Millis)
}

pub(in crate::check) fn unit(field: &RawField, errors: &mut Errors) -> Option<Unit> {
    let unit = field.unit.as_ref()?;
    let known = UNITS.iter().find(|(word, _)| *word == unit.value);
    if known.is_none() {
        errors.at_span(
            unit.span,
            format!(
                "unknown unit `{}`: write \"s\", \"ms\" or \"us\"",
                unit.value
            ),
        );
    }
    known.map(|(_, unit)| *unit)
}
