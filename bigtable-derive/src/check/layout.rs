//! Where an event's time and fields go, and what each layout cannot hold.

use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::model::{
    CellTime, Column, Kind, Layout, MapColumn, Marker, Offset, Payload, Role, Segment,
};
use crate::syntax::RawModel;

use super::time::offset;

/// What a layout has to hold.
pub(super) struct Contents<'a> {
    pub(super) segments: &'a [Segment],
    pub(super) columns: &'a [Column],
    pub(super) payload: Option<&'a Payload>,
    pub(super) maps: &'a [MapColumn],
    pub(super) marker: Option<&'a Marker>,
}

impl Contents<'_> {
    /// The columns that belong to an event; the others belong to its row.
    fn per_event(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|one| !self.is_of_row(one))
    }

    /// The copies of identifiers, which are the same for all events of a row.
    fn per_row(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|one| self.is_of_row(one))
    }

    fn is_of_row(&self, column: &Column) -> bool {
        let segment = column.segment.and_then(|index| self.segments.get(index));
        segment.is_some_and(Segment::is_identifier)
    }

    /// Cells of each event, and cells of each row; in `row` all are the event's.
    pub(super) fn cells(&self) -> (usize, usize) {
        let beside = usize::from(self.payload.is_some()) + usize::from(self.marker.is_some());
        (self.per_event().count() + beside, self.per_row().count())
    }

    /// The bytes of the families and qualifiers of the cells that each event writes.
    pub(super) fn name_bytes(&self) -> usize {
        let columns = self
            .per_event()
            .map(|one| one.family.len() + one.qualifier.len());
        let payload = self
            .payload
            .map(|one| one.family.len() + one.qualifier.len());
        let marker = self
            .marker
            .map(|one| one.family.len() + one.qualifier.len());
        columns.chain(payload).chain(marker).sum()
    }

    /// Family and qualifier of each cell that an event writes.
    pub(super) fn places(&self) -> Vec<(&str, &str)> {
        let columns = self.per_event();
        let columns = columns.flat_map(|one| {
            let aliases = one.aliases.iter().map(String::as_str);
            let names = std::iter::once(one.qualifier.as_str()).chain(aliases);
            names.map(|name| (one.family.as_str(), name))
        });
        let payload = self
            .payload
            .map(|one| (one.family.as_str(), one.qualifier.as_str()));
        let marker = self
            .marker
            .map(|one| (one.family.as_str(), one.qualifier.as_str()));
        columns.chain(payload).chain(marker).collect()
    }
}

/// The layout; reports everything that it cannot hold.
pub(super) fn layout(
    kind: Kind,
    raw: &RawModel,
    offset: Option<Offset>,
    contents: &Contents<'_>,
    errors: &mut Errors,
) -> Layout {
    if kind.is_in_qualifier() {
        no_maps(kind, raw, contents, errors);
    }
    let named = contents.cells().0 != 1 || contents.marker.is_some() || !contents.maps.is_empty();
    if let Some(offset) = &offset {
        offsets_are_told_apart(offset, named, contents, errors);
        names_are_stored(named, contents, errors);
    }
    if kind.is_in_qualifier() {
        one_value(raw, contents, errors);
    }
    Layout {
        kind,
        offset,
        named,
    }
}

/// In `qualifiers` a qualifier is a value, not a name.
fn no_maps(kind: Kind, raw: &RawModel, contents: &Contents<'_>, errors: &mut Errors) {
    for map in contents.maps {
        let field = raw.fields.iter().find(|field| field.ident == map.ident);
        let span = field.and_then(|field| field.columns);
        errors.at_span(
            span.unwrap_or_else(|| map.ident.span()),
            format!(
                "`layout = \"{}\"` has values in place of the names of columns, so it takes no columns named at run time: write another layout, `cells` for example",
                kind.word()
            ),
        );
    }
}

/// A column whose name is not in its qualifiers cannot have had another name.
fn names_are_stored(named: bool, contents: &Contents<'_>, errors: &mut Errors) {
    let mut columns = contents.columns.iter();
    if let Some(column) = columns.find(|one| !named && !one.aliases.is_empty()) {
        errors.at(
            &column.ident,
            "the one column of an event has its offset as the qualifier here, and no name: remove `alias`",
        );
    }
}

/// A qualifier must show its column, and whether it belongs to an event.
fn offsets_are_told_apart(
    offset: &Offset,
    named: bool,
    contents: &Contents<'_>,
    errors: &mut Errors,
) {
    let places = contents.places();
    let mut segments = contents.segments.iter();
    let has_ties = segments.any(|one| matches!(one.role, Role::TieBreaker));
    let is_of_event = |rest: &str| {
        let mut colons = rest.match_indices(':');
        let before_ties = |(at, _)| {
            rest.get(..at)
                .is_some_and(|rest| offset::is_one(offset, rest))
        };
        offset::is_one(offset, rest) || has_ties && colons.any(before_ties)
    };
    for column in contents.per_row() {
        let taken = places.iter().any(|(family, name)| {
            let rest = if named {
                let rest = column.qualifier.strip_prefix(name);
                rest.and_then(|rest| rest.strip_prefix(':'))
            } else {
                Some(column.qualifier.as_str())
            };
            *family == column.family && rest.is_some_and(is_of_event)
        });
        // Any name may precede the offset of a run-time column.
        let in_map = contents.maps.iter().any(|map| map.family == column.family);
        let mut colons = column.qualifier.match_indices(':');
        let is_entry = colons.any(|(at, _)| {
            let rest = column.qualifier.get(at + 1..);
            rest.is_some_and(|rest| offset::is_one(offset, rest))
        });
        if taken || (in_map && is_entry) {
            errors.at(
                &column.ident,
                format!(
                    "column `{}` of the row looks like an event's: rename it with `column = \"...\"`, or give it another `family`",
                    column.qualifier
                ),
            );
        }
    }
    for column in contents.per_event() {
        let begins = |other: &&(&str, &str)| {
            let rest = column.qualifier.strip_prefix(other.1);
            other.0 == column.family && rest.is_some_and(|rest| rest.starts_with(':'))
        };
        if let Some((_, other)) = places.iter().find(begins).filter(|_| named) {
            errors.at(
                &column.ident,
                format!(
                    "column `{}` begins like the events of column `{other}`, which are `{other}:` and the time: rename it with `column = \"...\"`",
                    column.qualifier
                ),
            );
        }
    }
}

/// The value is the qualifier: there is room for one, and it marks the event.
fn one_value(raw: &RawModel, contents: &Contents<'_>, errors: &mut Errors) {
    if let Some(serialize) = &raw.serialize {
        errors.at_span(
            serialize.span,
            "`layout = \"qualifiers\"` has one value in the qualifier, and no cell for a serialised event: write `layout = \"cells\"`, or remove `serialize`",
        );
        return;
    }
    if let Some(marker) = &raw.marker {
        errors.at_span(
            marker.span,
            "in `layout = \"qualifiers\"` the one value marks the event: remove `marker`",
        );
    }
    let mut columns = contents.per_event();
    let Some(value) = columns.next() else {
        let text = raw.layout.as_ref();
        errors.at_span(
            text.map_or_else(|| raw.ident.span(), |text| text.span),
            "`layout = \"qualifiers\"` writes the event's value as the qualifier, and there is none: add a column, or write `layout = \"cells\"`",
        );
        return;
    };
    for column in columns {
        errors.at(
            &column.ident,
            "`layout = \"qualifiers\"` has room for one value, which is the qualifier: remove this column, or write `layout = \"cells\"`",
        );
    }
    let field = raw.fields.iter().find(|field| field.ident == value.ident);
    if let Some(sensitive) = field.and_then(|field| field.sensitive) {
        errors.at_span(
            sensitive,
            "in `layout = \"qualifiers\"` the value is the name of a column, which errors and tools show: write `layout = \"cells\"`, or remove `sensitive`",
        );
    }
    if let Some(default) = field.and_then(|field| field.default.as_ref()) {
        errors.at_span(
            default.span,
            "in `layout = \"qualifiers\"` the value marks the event and is never absent: remove `default`",
        );
    }
    for column in contents.per_row().filter(|one| one.family == value.family) {
        errors.at(
            &column.ident,
            format!(
                "any qualifier of family `{}` may be an event's value: give this column of the row another `family`",
                value.family
            ),
        );
    }
}

/// If the time is only in the cells' timestamps, they cannot be the time of the write.
pub(super) fn keeps_the_time(
    kind: Kind,
    raw: &RawModel,
    cell_time: CellTime,
    errors: &mut Errors,
) -> CellTime {
    if let (CellTime::Write, true, Some(text)) = (cell_time, kind.is_cell_time(), &raw.cell_time) {
        errors.at_span(
            text.span.span(),
            format!(
                "in `layout = \"{}\"` the cells' timestamps are the events' times: remove `cell_time`, or write `layout = \"{}\"`",
                kind.word(),
                kind.finer()
            ),
        );
        return CellTime::Event;
    }
    cell_time
}
