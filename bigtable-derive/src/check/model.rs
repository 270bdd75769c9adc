//! A model as a whole.

use syn::spanned::Spanned;
use syn::{GenericParam, Ident};

use crate::errors::Errors;
use crate::model::{
    CellTime, Column, Encoding, Kind, MapColumn, Marker, Model, Offset, Segment, Volume,
};
use crate::syntax::{RawModel, Text};

use super::columns::{Columns, judge_presence};
use super::key::{salt, segments, structured, ties, types};
use super::layout::{self, Contents};
use super::layouts;
use super::roles::{Role, role};
use super::time::bucket::Surroundings;
use super::time::{pack, volume};
use super::{gc, generics, kinds, mirror, names, payload, runtime, table};

/// The checked model; every mistake is in `errors`, with something harmless in its place. `None`
/// for a struct with lifetimes, for which all generated code would raise further errors.
pub(crate) fn model(raw: RawModel, errors: &mut Errors) -> Option<Model> {
    let owned = owns_its_data(&raw, errors);
    let encoding = structured::encoding(&raw, errors);
    let (prefix, separator) = literals(&raw, encoding, errors);
    if let Some(family) = &raw.family {
        names::family(family, errors);
    }
    let kind = layouts::kind(&raw, errors);
    let mut columns = Columns::new(raw.family.as_ref(), &raw.allow, kind);
    let around = Surroundings {
        layout: kind,
        allow: &raw.allow,
        separator: &separator,
    };
    let mut fields = fields(&raw, around, &mut columns, errors);
    let payload = payload::payload(&raw, fields.payload.take(), &mut columns, errors);
    let marker = marker(&raw, payload.is_some(), &mut columns, errors);
    let salt = salt::salt(&raw, &fields.segments, errors);
    let timeless = segments::key(
        &raw.ident,
        &mut fields.segments,
        salt.as_ref(),
        &raw.allow,
        &raw.fields,
        errors,
    );
    let encoding = structured::judge(
        encoding,
        &raw,
        (&fields.segments, &separator),
        columns.families.iter().map(String::as_str),
        errors,
    );
    ties::in_qualifiers(
        &raw,
        kind,
        &fields.segments,
        salt.as_ref(),
        encoding,
        errors,
    );
    let table = table::table(&raw, &fields.segments, errors);
    let Columns {
        list,
        maps,
        families,
        family_missing,
        ..
    } = columns;
    let contents = Contents {
        segments: &fields.segments,
        columns: &list,
        payload: payload.as_ref(),
        maps: &maps,
        marker: marker.as_ref(),
    };
    let volume = volume(kind, &raw, &contents, errors);
    let families = gc::Families {
        written: &families,
        missing: family_missing,
        of_events: contents
            .places()
            .into_iter()
            .map(|(family, _)| family)
            .chain(maps.iter().map(|map| map.family.as_str()))
            .collect(),
    };
    let mut gc_rules = gc::rules(&raw, kind, &families, volume.as_ref(), errors);
    let layout = layout::layout(kind, &raw, fields.offset, &contents, errors);
    let has_time = fields.segments.iter().any(Segment::is_time);
    let cell_time = cell_time(raw.cell_time.as_ref(), has_time, errors);
    let cell_time = layout::keeps_the_time(kind, &raw, cell_time, errors);
    keeps_history(cell_time, &list, &maps, errors);
    kinds::append_only(&raw, kind, errors);
    let pack_after = raw.pack.as_ref().and_then(|pack| {
        let bucket = fields.segments.iter().find_map(Segment::bucket);
        let packed = pack::Packed {
            pack,
            kind,
            cell_time,
            bucket,
            written: families.written,
            of_events: &families.of_events,
        };
        packed.after(&raw, &mut gc_rules, errors)
    });
    let mirrors = mirror::mirrors(raw.mirror, kind, errors);
    let krate = runtime(raw.krate);
    let former = mirror::former(
        raw.was,
        kind,
        !mirrors.is_empty(),
        raw.rollup.is_some(),
        errors,
    );
    let by_age = gc_rules.iter().any(|one| one.rule.deletes_newest());
    if let (Some(former), CellTime::Write, true) = (&former, cell_time, by_age) {
        errors.at(
            former,
            "with `cell_time = \"write\"` an event expires by when it was written, and its former self by another time: leave out `max_age` while `was` stands",
        );
    }
    let rollups = mirror::rollups(raw.rollup, kind, errors);
    let model = owned.then_some(Model {
        ident: raw.ident,
        visibility: raw.visibility,
        generics: generics::bounded(raw.generics, &fields.segments, &krate, errors),
        krate,
        table,
        prefix,
        separator,
        encoding,
        enclosed: raw.enclosed.is_some(),
        layout,
        segments: fields.segments,
        timeless,
        salt,
        columns: list,
        payload,
        maps,
        skipped: fields.skipped,
        marker,
        cell_time,
        append_only: raw.append_only.is_some(),
        pack_after,
        mirrors,
        rollups,
        former,
        volume,
        gc_rules,
    });
    // Only without mistakes: parts that were left out for a mistake would be missing here.
    if let (Some(model), true) = (&model, errors.is_empty()) {
        types::judge(model, errors);
        judge_presence(model, errors);
    }
    model
}

/// Events are built from rows that are gone when the caller gets them.
fn owns_its_data(raw: &RawModel, errors: &mut Errors) -> bool {
    for parameter in &raw.generics.params {
        if let GenericParam::Lifetime(lifetime) = parameter {
            errors.at(
                lifetime,
                "a model owns its data: write `String` for `&str`, `Vec<u8>` or `Bytes` for `&[u8]`",
            );
        }
    }
    raw.generics.lifetimes().next().is_none()
}

fn literals(raw: &RawModel, encoding: Encoding, errors: &mut Errors) -> (String, String) {
    if let Some(prefix) = &raw.prefix {
        names::prefix(prefix, errors);
    }
    if let Some(separator) = &raw.separator {
        names::separator(separator, errors);
    }
    let value = |text: &Option<Text>, default: &str| {
        let text = text.as_ref().map(|text| text.value.clone());
        text.unwrap_or_else(|| default.to_owned())
    };
    let separator = match encoding {
        Encoding::OrderedCode => structured::ORDERED_CODE,
        Encoding::Own | Encoding::Delimited => "#",
    };
    (value(&raw.prefix, ""), value(&raw.separator, separator))
}

/// What the fields are; columns are collected elsewhere.
struct Fields {
    segments: Vec<Segment>,
    offset: Option<Offset>,
    payload: Option<payload::Fields>,
    skipped: Vec<Ident>,
}

fn fields(
    raw: &RawModel,
    around: Surroundings<'_>,
    columns: &mut Columns<'_>,
    errors: &mut Errors,
) -> Fields {
    let mut found = Fields {
        segments: Vec::new(),
        offset: None,
        payload: payload::Fields::new(raw),
        skipped: Vec::new(),
    };
    for field in &raw.fields {
        match (role(field, errors), &mut found.payload) {
            (Role::Segment, _) => {
                if field.column.is_some() {
                    columns.add(field, Some(found.segments.len()), errors);
                }
                let (segment, offset) = segments::segment(field, around, errors);
                found.segments.push(segment);
                found.offset = found.offset.or(offset);
            }
            (Role::Column, Some(payload)) => payload.add(field, errors),
            (Role::Column, None) => columns.add(field, None, errors),
            (Role::Map, None) if columns.add_map(field, errors) => {}
            (role, payload) => {
                if let Some(payload) = payload {
                    payload.check_skipped(field, errors);
                    if role == Role::Map {
                        payload::Fields::refuse_map(field, errors);
                    }
                }
                found.skipped.push(field.ident.clone());
            }
        }
    }
    found
}

/// What a row is expected to hold.
fn volume(
    kind: Kind,
    raw: &RawModel,
    contents: &Contents<'_>,
    errors: &mut Errors,
) -> Option<Volume> {
    let mut segments = contents.segments.iter();
    let bucket = segments.find_map(|segment| {
        let field = raw
            .fields
            .iter()
            .find(|field| field.ident == segment.ident)?;
        Some((field, segment.bucket()?))
    });
    let (per_event, per_row) = contents.cells();
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let cells = volume::Cells {
        per_event: number(per_event),
        per_row: number(per_row),
        names: number(contents.name_bytes()),
    };
    volume::volume(kind, raw.expect.as_ref(), bucket, cells, &raw.allow, errors)
}

/// The marker; a payload marks the event by itself.
fn marker(
    raw: &RawModel,
    has_payload: bool,
    columns: &mut Columns<'_>,
    errors: &mut Errors,
) -> Option<Marker> {
    let marker = raw.marker.as_ref().filter(|_| !has_payload)?;
    names::qualifier(marker, errors);
    let family = columns.family_of(None, marker.span, errors);
    columns.take(&family, marker, errors);
    columns.hold_plain(&family, "the marker", marker.span, errors);
    if let Some(column) = columns.list.iter().find(|column| column.presence) {
        errors.at_span(
            marker.span,
            format!(
                "column `{}` marks the event by `presence`: remove that, or `marker`",
                column.qualifier
            ),
        );
    }
    Some(Marker {
        family,
        qualifier: marker.value.clone(),
    })
}

/// An insert empties the family of a map, since it cannot know which columns are to go. Where
/// cells carry the time of the write, that would take the earlier versions of declared columns with
/// it.
fn keeps_history(cell_time: CellTime, columns: &[Column], maps: &[MapColumn], errors: &mut Errors) {
    let has_others = |map: &&MapColumn| columns.iter().any(|one| one.family == map.family);
    let by_write = cell_time == CellTime::Write;
    for map in maps.iter().filter(has_others).filter(|_| by_write) {
        errors.at(
            &map.ident,
            format!(
                "an insert empties family `{}`, and with `cell_time = \"write\"` earlier values of its columns are to be kept: give the map a family of its own",
                map.family
            ),
        );
    }
}

/// The event's time if there is one; an entity's cells carry the time of the write.
fn cell_time(declared: Option<&Text>, has_time: bool, errors: &mut Errors) -> CellTime {
    let by_default = if has_time {
        CellTime::Event
    } else {
        CellTime::Write
    };
    let Some(declared) = declared else {
        return by_default;
    };
    match declared.value.as_str() {
        "write" => CellTime::Write,
        "event" if has_time => CellTime::Event,
        "event" => {
            errors.at_span(
                declared.span.span(),
                "`cell_time = \"event\"` needs a field marked `time`: mark one, or write \"write\"",
            );
            by_default
        }
        other => {
            errors.at_span(
                declared.span,
                format!("unknown cell time `{other}`: write \"event\" or \"write\""),
            );
            by_default
        }
    }
}
