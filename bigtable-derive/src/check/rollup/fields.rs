//! What the fields of a roll-up hold.

use crate::errors::Errors;
use crate::model::{RolledBy, RolledField, RolledFrom, RolledRole};
use crate::syntax::{RawAggregate, RawRolled, RawSource, Role, keyword};

/// The fields; `None` if it is unknown what one of them holds.
pub(super) fn fields(raw: Vec<RawRolled>, errors: &mut Errors) -> Option<Vec<RolledField>> {
    let fields: Vec<_> = raw.into_iter().map(|one| field(one, errors)).collect();
    fields.into_iter().collect()
}

fn field(raw: RawRolled, errors: &mut Errors) -> Option<RolledField> {
    let role = match raw.role {
        Role::Column => column(&raw, errors)?,
        role => {
            refuse_aggregates(&raw, errors);
            match role {
                Role::Time => RolledRole::Start,
                Role::Skipped => RolledRole::Skipped,
                _ => RolledRole::Identifier,
            }
        }
    };
    Some(RolledField {
        ident: raw.ident,
        ty: raw.ty,
        role,
    })
}

/// A key segment comes from the events, and a field that is not stored holds nothing.
fn refuse_aggregates(raw: &RawRolled, errors: &mut Errors) {
    for aggregate in &raw.aggregates {
        errors.at_span(
            aggregate.span,
            format!(
                "columns hold aggregates, and `{}` is none: remove this one",
                raw.ident
            ),
        );
    }
}

/// A column holds one aggregate.
fn column(raw: &RawRolled, errors: &mut Errors) -> Option<RolledRole> {
    let Some((aggregate, more)) = raw.aggregates.split_first() else {
        if raw.is_sound {
            let list = keyword::list(keyword::AGGREGATES);
            errors.at(
                &raw.ident,
                format!(
                    "`{}` does not say what of the events it holds: add `#[rollup(max(price))]`, or another of {list}",
                    raw.ident
                ),
            );
        }
        return None;
    };
    for one in more {
        errors.at_span(
            one.span,
            "a column holds one aggregate: remove one, or give it a column of its own",
        );
    }
    Some(RolledRole::Column(by(aggregate), source(aggregate, raw)))
}

fn by(aggregate: &RawAggregate) -> RolledBy {
    RolledBy::Known(match (aggregate.word, &aggregate.own) {
        (_, Some(own)) => return RolledBy::Own(own.clone()),
        (keyword::SUM, _) => "Sum",
        (keyword::MIN, _) => "Min",
        (keyword::MAX, _) => "Max",
        (keyword::MEAN, _) => "MeanOf",
        (keyword::FIRST, _) => "First",
        (keyword::LAST, _) => "Last",
        _ => "Count",
    })
}

/// What is aggregated: a count takes the events; any other aggregate takes the field with the
/// column's name, unless another field is named.
fn source(aggregate: &RawAggregate, raw: &RawRolled) -> RolledFrom {
    match &aggregate.source {
        RawSource::Field(field) => RolledFrom::Field(field.clone()),
        RawSource::By(path) => RolledFrom::Function(path.clone()),
        RawSource::Absent if aggregate.word == keyword::COUNT => RolledFrom::Events,
        RawSource::Absent => RolledFrom::Field(raw.ident.clone()),
    }
}
