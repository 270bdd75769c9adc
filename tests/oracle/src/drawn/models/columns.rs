//! Random columns.

use crate::draw::Draw;
use crate::model::{Codec, Column, Kind, Layout, Model, Part, When};

const PLAIN: [Codec; 12] = [
    Codec::Text,
    Codec::Signed,
    Codec::Unsigned,
    Codec::Float,
    Codec::Bytes,
    Codec::Bool,
    Codec::Char,
    Codec::Micros,
    Codec::SignedText,
    Codec::FloatText,
    Codec::Json,
    Codec::Postcard,
];
/// Codecs of qualifiers, whose bytes sort like the values.
const QUALIFIERS: [Codec; 6] = [
    Codec::Text,
    Codec::Unsigned,
    Codec::Bytes,
    Codec::Bool,
    Codec::Char,
    Codec::SignedText,
];

/// Adds columns that the layout takes, and chooses how events are marked.
pub(super) fn add(draw: &mut Draw<'_>, model: &mut Model) {
    let one = matches!(
        model.layout,
        Layout::Qualifiers | Layout::Columns { named: false, .. }
    );
    let column = |name, family, codec, kind| Column {
        name,
        family,
        codec,
        kind,
        copy_of: None,
        in_map: false,
    };
    let codec = match model.layout {
        Layout::Qualifiers => draw.one_of(&QUALIFIERS),
        _ => draw.one_of(&PLAIN),
    };
    model.columns.push(column("bid", "MD", codec, Kind::Plain));
    if one {
        return add_copy(draw, model);
    }
    for (name, family) in [("ask", "MD"), ("a.b", "X-1")] {
        if draw.chance(60) {
            let codec = draw.one_of(&PLAIN);
            let in_map = draw.chance(40) && !model.has_ties_in_cells();
            model.columns.push(Column {
                in_map,
                ..column(name, family, codec, Kind::Plain)
            });
        }
    }
    let counted = matches!(model.layout, Layout::Row | Layout::Columns { .. });
    if counted && draw.chance(20) {
        let count = column("count", "MD", Codec::Signed, Kind::Counter);
        model.columns.push(count);
        model
            .columns
            .push(column("log", "MD", Codec::Text, Kind::Append));
    }
    if model.layout != Layout::Latest && draw.chance(30) {
        let kinds = [
            ("total", "sum", Kind::Sum),
            ("low", "min", Kind::Least),
            ("high", "max", Kind::Greatest),
        ];
        let (name, family, kind) = draw.one_of(&kinds);
        model
            .columns
            .push(column(name, family, Codec::Signed, kind));
    }
    add_copy(draw, model);
    model.marker = draw.chance(30);
    let counted = model
        .columns
        .iter()
        .any(|one| matches!(one.kind, Kind::Counter | Kind::Append));
    model.write_time =
        !counted && matches!(model.layout, Layout::Row | Layout::Columns { .. }) && draw.chance(30);
}

/// A column that repeats an identifier, or the time if each event has its own row.
fn add_copy(draw: &mut Draw<'_>, model: &mut Model) {
    let repeats =
        |(_, part): &(usize, &Part)| matches!(part, Part::Name(_) | Part::Time(When::Stamp(_)));
    let places: Vec<usize> = model
        .valued()
        .filter(repeats)
        .map(|(place, _)| place)
        .collect();
    // In layout `columns` without names, a column of the row would look like an offset.
    let taken = matches!(model.layout, Layout::Columns { named: false, .. });
    if places.is_empty() || taken || !draw.chance(15) {
        return;
    }
    let family = match model.layout {
        Layout::Qualifiers => "ROW",
        _ => "MD",
    };
    model.columns.push(Column {
        name: "copy",
        family,
        codec: Codec::Text,
        kind: Kind::Plain,
        copy_of: Some(draw.one_of(&places)),
        in_map: false,
    });
}
