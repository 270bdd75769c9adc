//! Random buckets, labels and offsets.

use crate::calendar::{self, DAY, Fine, HOUR, MINUTE, SECOND, Span};
use crate::draw::Draw;
use crate::model::{Bucket, Label, Layout, Offset};
use crate::places::{Place, SPREADS, Times};

/// A span, the formats of its labels that sort, those that do not, and for how many of the spreads
/// the buckets are few enough to be listed.
type Described = (
    Span,
    &'static [&'static str],
    &'static [&'static str],
    usize,
);

const SPANS: [Described; 12] = [
    (
        Span::Day,
        &["%Y%m%d", "%Y-%m-%d", "%Y%j", "%Y/%m/%dT"],
        &["%d%m%Y", "%j-%Y", "%Y%m%-d", "%Y-%m-%-d"],
        7,
    ),
    (
        Span::Hour,
        &["%Y%m%d%H", "%Y%jT%H"],
        &["%H%d%m%Y", "%Y%m%d-%-H"],
        5,
    ),
    (
        Span::Minute,
        &["%Y%m%d%H%M"],
        &["%M%H%d%m%Y", "%Y%m%d%H.%-M"],
        3,
    ),
    (
        Span::Week,
        &["%G-W%V", "%G%V", "%Y%m%d"],
        &["W%V-%G", "%G-W%-V"],
        8,
    ),
    (Span::Month, &["%Y%m", "%Y-%m"], &["%m%Y", "%Y-%-m"], 8),
    (Span::Year, &["%Y"], &[], 8),
    (
        Span::Every(15 * MINUTE),
        &["%Y%m%d%H%M"],
        &["%M%H%d%m%Y", "%Y%m%d%H.%-M"],
        4,
    ),
    (Span::Every(6 * HOUR), &["%Y%m%d%H"], &["%H%d%m%Y"], 5),
    (Span::Every(7 * HOUR), &["%Y%m%d%H"], &[], 5),
    (Span::Every(DAY), &["%Y%m%d"], &["%d.%m.%Y"], 7),
    (Span::Every(90 * SECOND), &["%Y%m%d%H%M%S"], &[], 3),
    (Span::Every(250_000), &["%Y%m%d%H%M%S%3f"], &[], 1),
];

/// All of a series in one row.
pub(super) fn endless(draw: &mut Draw<'_>) -> Bucket {
    Bucket {
        span: Span::Endless,
        zone: None,
        label: Label::Absent,
        grid: draw.one_of(&[1_000, SECOND]),
        truncate: draw.chance(35),
    }
}

/// Buckets; those of layout `columns` may be endless.
pub(super) fn draw(
    draw: &mut Draw<'_>,
    place: &Place,
    times: &mut Times,
    separator: &str,
    columns: bool,
) -> Bucket {
    if columns && draw.chance(10) {
        times.spread = draw.one_of(&SPREADS);
        return endless(draw);
    }
    let (span, sorted, unsorted, spreads) = SPANS[draw.below(SPANS.len())];
    times.spread = SPREADS[draw.below(spreads)];
    let dates = matches!(span, Span::Day | Span::Week | Span::Month | Span::Year);
    let label = match draw.below(8) {
        0..=2 => Label::Fields {
            format: draw.one_of(sorted),
            sorts: true,
        },
        3 | 4 if !unsorted.is_empty() => Label::Fields {
            format: draw.one_of(unsorted),
            sorts: false,
        },
        5 => {
            let unit = unit(draw, span);
            let digits = match unit {
                SECOND => 10,
                1_000 => 13,
                _ => 16,
            };
            Label::Start {
                unit,
                width: draw.one_of(&[digits, 19]),
                reverse: draw.chance(40),
            }
        }
        6 => Label::BinaryStart {
            unit: unit(draw, span),
            reverse: draw.chance(40),
        },
        _ => Label::Counted {
            origin: times.anchor + draw.one_of(&[-2, -1, 0, 1]) * (times.spread / 2),
            before: draw.one_of(&["w", "", "week"]),
            after: draw.one_of(&["", "x"]),
            width: draw.one_of(&[7, 0, 3, 1]),
        },
    };
    Bucket {
        span,
        zone: place.zone.filter(|_| dates),
        label: match is_readable(&label, separator) {
            true => label,
            false => Label::Fields {
                format: sorted[0],
                sorts: true,
            },
        },
        grid: 1_000,
        truncate: draw.chance(35),
    }
}

/// Whether a label without a fixed width ends at the separator, and whether one in ordered code is
/// text.
fn is_readable(label: &Label, separator: &str) -> bool {
    let first = separator.as_bytes()[0];
    let text = match label {
        Label::Fields { format, .. } if format.contains("%-") => {
            format.replace(['%', '-'], "") + "0"
        }
        Label::Counted {
            before,
            after,
            width: 0,
            ..
        } => format!("{before}0{after}"),
        Label::BinaryStart { .. } => return first > 0,
        _ => return true,
    };
    let dashes =
        matches!(label, Label::Fields { format, .. } if format.replace("%-", "").contains('-'));
    text.bytes().all(|byte| byte > first) && (!dashes || first < b'-')
}

/// A unit that divides the starts of these spans.
fn unit(draw: &mut Draw<'_>, span: Span) -> i64 {
    let units = match span {
        Span::Every(250_000) => &[1_000, 1][..],
        _ => &[SECOND, 1_000, 1],
    };
    draw.one_of(units)
}

/// The layout `columns` for these buckets.
pub(super) fn columns(draw: &mut Draw<'_>, bucket: &Bucket) -> Layout {
    let fields: &[&'static str] = match bucket.span {
        _ if bucket.zone.is_some() => &[],
        Span::Year => &["%m%d%H%M%S%3f", "%m-%d", "%d%m%H", "%m/%-d"],
        Span::Month => &["%d%H%M%S%6f", "%-d", "%d", "%H%d"],
        Span::Day | Span::Every(DAY) => &[
            "%H%M",
            "%H%M%S%3f",
            "%H:%M:%S%6f",
            "%M%H",
            "%-H",
            "%3f%S%M%H",
        ],
        Span::Every(micros) if DAY % micros == 0 && micros % MINUTE == 0 => &["%H%M", "%H%M%S%3f"],
        Span::Hour => &["%M%S%3f", "%M", "%-M"],
        Span::Minute => &["%S%3f", "%3f%S", "%S"],
        _ => &[],
    };
    let offset = match fields {
        [] => None,
        fields => draw.chance(40).then(|| Offset::Fields(draw.one_of(fields))),
    };
    let offset = offset.unwrap_or_else(|| Offset::Ticks {
        unit: draw.one_of(&[1_000, 1, SECOND]),
        width: draw.one_of(&[16, 19, 12, 9, 6]),
        reverse: draw.chance(40),
    });
    Layout::Columns {
        offset,
        named: draw.chance(60),
    }
}

/// The bucket, with a grid whose times its layout can store.
pub(super) fn with_grid(draw: &mut Draw<'_>, bucket: Bucket, layout: &Layout) -> Bucket {
    let grid = match layout {
        Layout::Columns {
            offset: Offset::Fields(format),
            ..
        } => match calendar::finest(&format.replace("%-", "%")) {
            Fine::Even(length) => length,
            Fine::Dates(_) => DAY,
        },
        Layout::Columns {
            offset: Offset::Ticks { unit, .. },
            ..
        } => match *unit {
            1 => draw.one_of(&[1, 1_000, SECOND]),
            1_000 => draw.one_of(&[1_000, SECOND]),
            unit => draw.one_of(&[unit, MINUTE]),
        },
        _ => draw.one_of(&[1_000, SECOND, MINUTE]),
    };
    Bucket { grid, ..bucket }
}
