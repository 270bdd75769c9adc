//! The text of a struct.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bigtable_model::data::GcRule;
use bigtable_model::schema::{Layout, Presence, SegmentRole};

use super::columns::Column;
use super::kind::{Kind, Named, Tried};
use crate::text;

/// What all structs need.
pub(super) fn head(kinds: &[Kind<'_>]) -> String {
    let mut text = String::new();
    if kinds.iter().any(|kind| kind.entries.is_some()) {
        text.push_str("use std::collections::BTreeMap;\n\n");
    }
    let parts = kinds.iter().flat_map(|kind| &kind.parts);
    match parts.into_iter().any(|part| part.ty == "Timestamp") {
        true => text.push_str("use bigtable_model::{Model, Timestamp};\n"),
        false => text.push_str("use bigtable_model::Model;\n"),
    }
    text
}

/// The struct of a kind of rows.
pub(super) fn of(kind: &Kind<'_>, tried: &Tried) -> String {
    let mut out = String::new();
    write(kind, tried, &mut out).map_or_else(|_| String::new(), |()| out)
}

fn write(kind: &Kind<'_>, tried: &Tried, out: &mut String) -> std::fmt::Result {
    let schema = &kind.schema;
    writeln!(out, "/// Keys `{}` in table {}.", schema.key, schema.table)?;
    writeln!(out, "///")?;
    let sampled = text::counted(as_u64(kind.rows.len()), "sampled row");
    match tried {
        Tried::Reads { rows, events, bad } => {
            write!(out, "/// It reads {} of {sampled}", text::thousands(*rows))?;
            if schema.layout != Layout::Row {
                write!(out, ", {}", text::counted(*events, "event"))?;
            }
            writeln!(out, ".")?;
            if let Some(reason) = bad {
                writeln!(out, "/// Others it does not: {}.", one_line(reason))?;
            }
        }
        Tried::Refused(reason) => {
            writeln!(out, "/// None of {sampled} is read: {}.", one_line(reason))?;
        }
    }
    for unsaid in &kind.unsaid {
        writeln!(out, "/// Not in it: {}.", one_line(unsaid))?;
    }
    writeln!(out, "#[derive(Debug, Clone, PartialEq, Model)]")?;
    let family = family(kind);
    writeln!(out, "#[bigtable({})]", of_struct(kind, family).join(", "))?;
    writeln!(out, "pub struct {} {{", schema.model)?;
    for (at, part) in kind.parts.iter().enumerate() {
        let segment = &part.segment;
        let role = match segment.role {
            SegmentRole::Time | SegmentRole::Bucket => "time",
            _ => "key",
        };
        let words = std::iter::once(role.to_owned()).chain(part.options.iter().cloned());
        let mut words: Vec<String> = words.collect();
        if let Some(copy) = kind.copies.iter().find(|copy| copy.part == at) {
            words.push(format!("column = {:?}", copy.qualifier));
            words.extend((copy.family != family).then(|| format!("family = {:?}", copy.family)));
            // A column that repeats the time of the key is text.
            words.extend((role == "time").then(|| "text".to_owned()));
        }
        writeln!(out, "    /// {}.", capital(&part.why))?;
        writeln!(out, "    #[bigtable({})]", words.join(", "))?;
        writeln!(out, "    pub {}: {},", segment.name, part.ty)?;
    }
    for (at, named) in kind.columns.iter().enumerate() {
        of_column(kind, at, named, family, out)?;
    }
    if let (Some(value), Some(map)) = (kind.entries, schema.map_families.first()) {
        writeln!(
            out,
            "    /// Columns that are named by data. Their values are {}.",
            value.why
        )?;
        let family = (map != family).then(|| format!("family = {map:?}"));
        let codec = value.codec.map(str::to_owned);
        let words = std::iter::once("columns".to_owned())
            .chain(family)
            .chain(codec);
        writeln!(
            out,
            "    #[bigtable({})]",
            words.collect::<Vec<_>>().join(", ")
        )?;
        writeln!(
            out,
            "    pub entries: BTreeMap<{}, {}>,",
            kind.entry_name, value.ty
        )?;
    }
    writeln!(out, "}}")
}

fn of_struct(kind: &Kind<'_>, family: &str) -> Vec<String> {
    let schema = &kind.schema;
    let mut words = vec![
        format!("table = \"{}\"", schema.table),
        format!("family = {family:?}"),
    ];
    if !schema.key.prefix.is_empty() {
        words.push(format!("prefix = {:?}", schema.key.prefix));
    }
    if schema.key.separator != "#" {
        words.push(format!("separator = {:?}", schema.key.separator));
    }
    words.extend(schema.key.enclosed.then(|| "enclosed".to_owned()));
    match schema.layout {
        Layout::Cells => words.push("layout = \"cells\"".to_owned()),
        Layout::Columns { .. } => words.push("layout = \"columns\"".to_owned()),
        _ if schema.key.time_segment().is_some() => words.push("cell_time = \"write\"".to_owned()),
        _ => {}
    }
    for one in &*schema.gc_rules {
        let own = (one.family != family).then(|| format!("family = {:?}, ", one.family));
        words.push(format!(
            "gc({}{})",
            own.unwrap_or_default(),
            rule(&one.rule)
        ));
    }
    if !kind.allowed.is_empty() {
        words.push(format!("allow({})", kind.allowed.join(", ")));
    }
    words
}

fn rule(of: &GcRule) -> String {
    let all = |rules: &[GcRule]| rules.iter().map(rule).collect::<Vec<_>>().join(", ");
    match of {
        GcRule::MaxVersions(versions) => format!("max_versions = {versions}"),
        GcRule::MaxAge(age) => {
            let millis = age.as_millis();
            let units = [
                (86_400_000, "d"),
                (3_600_000, "h"),
                (60_000, "m"),
                (1_000, "s"),
            ];
            let unit = units.iter().find(|(unit, _)| millis.is_multiple_of(*unit));
            let (count, name) = unit.map_or((millis, "ms"), |(unit, name)| (millis / unit, *name));
            format!("max_age = \"{count}{name}\"")
        }
        GcRule::Union(rules) => format!("any({})", all(rules)),
        GcRule::Intersection(rules) => format!("all({})", all(rules)),
    }
}

fn of_column(
    kind: &Kind<'_>,
    at: usize,
    named: &Named,
    family: &str,
    out: &mut String,
) -> std::fmt::Result {
    let Column {
        qualifier,
        value,
        rows,
        ..
    } = &named.column;
    let mut words = Vec::new();
    if !qualifier.is_empty() && qualifier != named.field.as_bytes() {
        words.push(format!("column = {:?}", String::from_utf8_lossy(qualifier)));
    }
    if named.column.family != family {
        words.push(format!("family = {:?}", named.column.family));
    }
    words.extend(value.codec.map(str::to_owned));
    let is_presence = kind.schema.presence == Presence::Column(at);
    let is_first = kind.columns.iter().position(|one| !one.is_optional) == Some(at);
    words.extend((is_presence && !is_first).then(|| "presence".to_owned()));
    let place = match (&kind.schema.layout, named.is_optional) {
        (Layout::Row, true) => format!(", in {rows} of {} rows", kind.rows.len()),
        (_, true) => ", not in all events".to_owned(),
        (_, false) => String::new(),
    };
    writeln!(out, "    /// {}{place}.", capital(value.why))?;
    if !words.is_empty() {
        writeln!(out, "    #[bigtable({})]", words.join(", "))?;
    }
    match named.is_optional {
        true => writeln!(out, "    pub {}: Option<{}>,", named.field, value.ty),
        false => writeln!(out, "    pub {}: {},", named.field, value.ty),
    }
}

/// The family of most columns.
fn family<'a>(kind: &'a Kind<'_>) -> &'a str {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for named in &kind.columns {
        *counts.entry(&named.column.family).or_default() += 1;
    }
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map_or("", |(family, _)| family)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A text within a comment.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn as_u64(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}
