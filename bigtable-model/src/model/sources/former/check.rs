//! Whether the events of two layouts can be united.

use std::borrow::Cow;

use crate::table::TOMBSTONES;

use super::shared::can_share;
use crate::key::borrow;
use crate::key::identifiers::{are_same, declared_text, named};
use crate::key::time::bucket::Bucket;
use crate::key::{KeyLayout, Segment, SegmentFormat, SegmentRole};
use crate::model::Layout;
use crate::model::{ColumnSchema, ModelSchema, TableName};

/// Stops the build unless both keys name an event by the same values.
pub(super) const fn keys(own: &KeyLayout, former: &KeyLayout) {
    let (own, former) = (own.declared(), former.declared());
    assert!(
        hold_all(own, former) && hold_all(former, own),
        "the former layout has other identifiers: both keys need the same identifiers, with the same field names and kinds of type; fields of the former model may be renamed, since no key holds their names"
    );
    assert!(
        order_ties_alike(own, former),
        "events of one time would come in another order from the former layout: both keys need the same tie-breakers in the same order, and the time reversed in both or in neither"
    );
    assert!(
        time(own).is_some() == time(former).is_some(),
        "one layout has a time and the other has none, so they cannot identify the same events"
    );
}

/// Stops the build if a column is in the family of the tombstones.
pub(super) const fn families(columns: &[ColumnSchema]) {
    let mut rest = columns;
    while let Some((column, others)) = rest.split_first() {
        assert!(
            !is_text(&column.family, TOMBSTONES),
            "the family `_deleted` holds tombstones while `was` is declared: give this one another name"
        );
        rest = others;
    }
}

/// Stops the build if a former layout cannot be united with any other.
pub(super) const fn former(table: &TableName, schema: &ModelSchema, is_alone: bool) {
    assert!(
        !can_share(table, &schema.table),
        "both layouts can be in one table, where each would read the other's rows as damaged: give the model another table"
    );
    assert!(
        !matches!(schema.layout, Layout::Latest | Layout::Qualifiers),
        "events in layouts `latest` and `qualifiers` cannot be merged: copy them with a `CopyJob`"
    );
    assert!(
        !schema.key.has_ties_in_cells(),
        "rows of the former layout hold several events of one time, which tombstones could not tell apart: copy them with a `CopyJob`"
    );
    assert!(
        is_alone && borrow::list(&schema.rollups).is_empty(),
        "the former layout has mirrors or roll-ups, which deletes of its events would not update: remove `mirror` and `rollup` there"
    );
    assert!(
        schema.former.is_none(),
        "the former layout has a former layout itself: empty that one first, and remove its `was`"
    );
}

/// Whether both layouts sort events at the same time alike; both hold the same tie-breakers.
const fn order_ties_alike(own: &[Segment], former: &[Segment]) -> bool {
    let (mut ones, mut others) = (tie_breakers(own), tie_breakers(former));
    if !ones.is_empty() && is_latest_first(own) != is_latest_first(former) {
        return false;
    }
    while let ([one, rest_of_ones @ ..], [other, rest_of_others @ ..]) = (ones, others) {
        if !is_text(&one.name, declared_text(&other.name))
            || one.format.is_reversed() != other.format.is_reversed()
        {
            return false;
        }
        (ones, others) = (rest_of_ones, rest_of_others);
    }
    true
}

/// The tie-breakers, which end the key.
const fn tie_breakers(segments: &[Segment]) -> &[Segment] {
    let mut rest = segments;
    while let Some((one, others)) = rest.split_first() {
        if matches!(one.role, SegmentRole::TieBreaker) {
            return rest;
        }
        rest = others;
    }
    rest
}

const fn is_latest_first(segments: &[Segment]) -> bool {
    match time(segments) {
        Some(time) => time.format.is_reversed(),
        None => false,
    }
}

/// Whether all identifiers among some segments are among others.
const fn hold_all(held: &[Segment], sought: &[Segment]) -> bool {
    let mut sought = sought;
    while let Some((one, others)) = sought.split_first() {
        if one.role.is_named() && !holds(held, one) {
            return false;
        }
        sought = others;
    }
    true
}

const fn holds(segments: &[Segment], sought: &Segment) -> bool {
    match named(segments, declared_text(&sought.name)) {
        Some(one) => {
            let is_alike = matches!(
                (one.role, sought.role),
                (SegmentRole::Identifier, SegmentRole::Identifier)
                    | (SegmentRole::TieBreaker, SegmentRole::TieBreaker)
            );
            is_alike && one.kind.is_like(sought.kind)
        }
        None => false,
    }
}

const fn time(segments: &[Segment]) -> Option<&Segment> {
    let mut rest = segments;
    while let Some((one, others)) = rest.split_first() {
        if one.role.is_time() {
            return Some(one);
        }
        rest = others;
    }
    None
}

#[allow(
    clippy::ptr_arg,
    reason = "a constant function sees no text inside by itself"
)]
const fn is_text(one: &Cow<'static, str>, other: &str) -> bool {
    are_same(declared_text(one).as_bytes(), other.as_bytes())
}

/// Whether both layouts sort keys alike: the same segments follow one another in the same
/// direction, and the salts agree.
pub(crate) fn agree_in_key_order(own: &KeyLayout, former: &KeyLayout) -> bool {
    let segments = |key: &KeyLayout| -> usize { key.segments.len() };
    if segments(own) != segments(former) || own.salt().is_some() != former.salt().is_some() {
        return false;
    }
    let last = segments(own).saturating_sub(1);
    let mut pairs = own.segments.iter().zip(former.segments.iter()).enumerate();
    pairs.all(|(at, (one, other))| match (one.role, other.role) {
        (SegmentRole::Identifier, SegmentRole::Identifier)
        | (SegmentRole::TieBreaker, SegmentRole::TieBreaker) => {
            one.name == other.name && one.format.is_reversed() == other.format.is_reversed()
        }
        (SegmentRole::Salt, SegmentRole::Salt) => are_salted_alike(own, former),
        _ if !one.role.is_time() || !other.role.is_time() => false,
        _ => times_agree(one, other, at == last),
    })
}

/// Whether both salts compute the same shard, from the same values in the same form.
fn are_salted_alike(own: &KeyLayout, former: &KeyLayout) -> bool {
    let (Some((_, one)), Some((_, other))) = (own.salt(), former.salt()) else {
        return false;
    };
    let mut of = one.of.iter();
    let same = |at: &usize| match (own.segments.get(*at), former.segments.get(*at)) {
        (Some(one), Some(other)) => one.kind == other.kind && one.format == other.format,
        _ => false,
    };
    one == other && of.all(same)
}

/// Whether both segments sort events alike; `last` is whether nothing follows the segment.
fn times_agree(one: &Segment, other: &Segment, last: bool) -> bool {
    // Inside a bucket events sort by time.
    if let (Some(one), Some(other)) = (bucket(one), bucket(other))
        && one.span == other.span
        && one.zone == other.zone
        && one.label == other.label
    {
        return true;
    }
    let ascends = |segment: &Segment| {
        segment.is_absent() || segment.format.sorts() && !segment.format.is_reversed()
    };
    let by_time = |segment: &Segment| bucket(segment).is_none() && segment.format.sorts();
    match last {
        true => {
            ascends(one) && ascends(other)
                || by_time(one)
                    && by_time(other)
                    && one.format.is_reversed() == other.format.is_reversed()
        }
        false => {
            by_time(one) && by_time(other) && one.format.is_reversed() == other.format.is_reversed()
        }
    }
}

fn bucket(segment: &Segment) -> Option<&Bucket> {
    match &segment.format {
        SegmentFormat::Bucket(bucket) => Some(bucket),
        _ => None,
    }
}
