//! Random tables by period.

use crate::calendar::{DAY, HOUR, Span, Zone, length};
use crate::draw::Draw;
use crate::model::{Model, Periods, When};
use crate::places::{SPREADS, Times};

/// A period, the formats of its tables' names, and for how many of the spreads the touched tables
/// are few enough.
const PERIODS: [(Span, &[&str], usize); 5] = [
    (Span::Month, &["%Y%m", "%Y_%m"], 8),
    (Span::Day, &["%Y%m%d", "%Y%j"], 6),
    (Span::Year, &["%Y"], 8),
    (Span::Week, &["%G-W%V"], 7),
    (Span::Hour, &["%Y%m%d%H"], 4),
];

/// Gives some models tables by period.
pub(super) fn add(draw: &mut Draw<'_>, model: &mut Model, zone: Zone, times: &mut Times) {
    if !draw.chance(30) {
        return;
    }
    let (span, formats, spreads) = PERIODS[draw.below(PERIODS.len())];
    let zone = match model.when() {
        When::Bucket(bucket) => bucket.zone,
        When::Stamp(_) => zone.filter(|_| span != Span::Hour),
    };
    let fits = match model.when() {
        When::Stamp(_) => true,
        When::Bucket(bucket) => lies_in(bucket.span, span),
    };
    let most = SPREADS[spreads - 1];
    if !fits || times.spread > most || zone.is_some() && span == Span::Hour {
        return;
    }
    model.periods = Some(Periods {
        format: draw.one_of(formats),
        span,
        zone,
        after: draw.one_of(&["", ".x"]),
    });
}

/// Whether each span of the first kind lies in one of the second.
fn lies_in(span: Span, period: Span) -> bool {
    match (span, period) {
        (Span::Endless, _) => false,
        (span, period) if span == period => true,
        (Span::Month, Span::Year) => true,
        (Span::Week | Span::Month | Span::Year, _) => false,
        (Span::Day, period) => period != Span::Hour,
        (span, Span::Hour) => length(span).is_some_and(|length| HOUR % length == 0),
        (span, _) => length(span).is_some_and(|length| DAY % length == 0),
    }
}
