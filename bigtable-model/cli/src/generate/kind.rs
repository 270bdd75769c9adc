//! A struct for the rows of one shape, as data.

use std::borrow::Cow;
use std::collections::BTreeSet;

use bigtable_model::bucket::{Bucket, BucketLabel, BucketSpan, Offset};
use bigtable_model::data::{Cell, GcRule, Row};
use bigtable_model::key::{
    CalendarField, CalendarFormat, CalendarItem, KeyLayout, SegmentFormat, SegmentRole,
};
use bigtable_model::model::{
    CellTime, ColumnSchema, ColumnType, Described, FamilyRule, Layout, ModelSchema, Presence,
    TableName,
};
use bigtable_model::value::Takes;
use bigtable_model::{Timestamp, data};
use bytes::Bytes;

use super::calendar::OFFSETS;
use super::columns::{self, Column, ValueType};
use super::keys::Shape;
use super::names::Names;
use super::segments::{self, Part};

/// A struct, and the rows that it is for.
#[derive(Debug)]
pub(super) struct Kind<'a> {
    pub(super) rows: Vec<&'a Row>,
    pub(super) parts: Vec<Part>,
    pub(super) columns: Vec<Named>,
    /// The type of columns that are named at run time.
    pub(super) entries: Option<ValueType>,
    /// The type of their names.
    pub(super) entry_name: &'static str,
    pub(super) schema: ModelSchema,
    /// What its attribute allows.
    pub(super) allowed: Vec<&'static str>,
    /// What it cannot say.
    pub(super) unsaid: Vec<String>,
}

/// A column with its field.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) field: String,
    pub(super) column: Column,
    pub(super) is_optional: bool,
}

/// At most so many structs for rows of one shape that have no column in common.
const MOST_COVERS: usize = 3;

/// The structs for rows of a shape.
pub(super) fn kinds<'a>(name: &str, table: &data::TableSchema, shape: &Shape<'a>) -> Vec<Kind<'a>> {
    let mut names = Names::default();
    let parts = parts(shape, &mut names);
    if let Some(kind) = in_buckets(name, table, shape, &parts, &names) {
        return vec![kind];
    }
    let mut kinds = Vec::new();
    let mut rest = shape.rows.clone();
    while !rest.is_empty() && kinds.len() < MOST_COVERS {
        let found = columns::columns(&rest);
        let presence = found
            .iter()
            .filter(|column| columns::is_nameable(&column.qualifier))
            // The first of those with as many rows.
            .rev()
            .max_by_key(|column| column.rows);
        let Some(presence) = presence else {
            break;
        };
        let has = |row: &&Row| has(row, presence);
        let rows: Vec<&Row> = shape.rows.iter().copied().filter(has).collect();
        rest.retain(|row| !has(row));
        let suffix = match kinds.len() {
            0 => String::new(),
            more => (more + 1).to_string(),
        };
        kinds.push(of_rows(
            &format!("{name}{suffix}"),
            table,
            shape,
            rows,
            &parts,
            names.clone(),
        ));
    }
    kinds
}

fn has(row: &Row, column: &Column) -> bool {
    let mut cells = row.cells.iter();
    cells.any(|cell| cell.family == column.family && cell.qualifier == column.qualifier)
}

/// The segments with their names and roles: the last time is the event's.
fn parts(shape: &Shape<'_>, names: &mut Names) -> Vec<Part> {
    let last = shape.parts.len().saturating_sub(1);
    let mut parts = Vec::new();
    for (at, values) in shape.parts.iter().enumerate() {
        let is_last = at == last && !shape.is_enclosed;
        match segments::guess(values, shape.separator, is_last) {
            Some(part) => parts.push(part),
            // The rest of the key, as bytes.
            None => {
                let rest = rest(shape, at);
                parts.extend(segments::guess(&rest, shape.separator, true));
                break;
            }
        }
    }
    let time = parts.iter().rposition(|part| !part.times.is_empty());
    for (at, part) in parts.iter_mut().enumerate() {
        let role = match time {
            Some(time) if time == at => SegmentRole::Time,
            _ => SegmentRole::Identifier,
        };
        if role == SegmentRole::Identifier && !part.times.is_empty() {
            let values = shape.parts.get(at).map(Vec::as_slice).unwrap_or_default();
            let is_last = at == last && !shape.is_enclosed;
            if let Some(other) = segments::without_time(values, shape.separator, is_last) {
                *part = other;
            }
        }
        part.segment.role = role;
        let name = match (role, part.ty) {
            (SegmentRole::Time, _) => "at".to_owned(),
            (_, "uuid::Uuid") => "id".to_owned(),
            _ => format!("part_{}", at + 1),
        };
        part.segment.name = Cow::Owned(names.take(&name));
    }
    parts
}

/// What follows in the keys from a segment on.
fn rest<'a>(shape: &Shape<'a>, from: usize) -> Vec<&'a [u8]> {
    let separator = shape.separator.len();
    let prefix = match shape.prefix.len() {
        0 => 0,
        len => len + separator,
    };
    let start = prefix + if shape.is_enclosed { separator } else { 0 };
    let rows = shape.rows.iter().enumerate().map(|(row, one)| {
        let before = shape.parts.iter().take(from);
        let before = before.map(|list| list.get(row).map_or(0, |part| part.len() + separator));
        one.key
            .get(start + before.sum::<usize>()..)
            .unwrap_or_default()
    });
    rows.collect()
}

/// The key of a shape.
fn key(shape: &Shape<'_>, parts: &[Part]) -> KeyLayout {
    KeyLayout {
        prefix: Cow::Owned(shape.prefix.clone()),
        separator: Cow::Borrowed(shape.separator),
        enclosed: shape.is_enclosed && parts.len() == shape.parts.len(),
        segments: parts.iter().map(|part| part.segment.clone()).collect(),
    }
}

fn allowed(parts: &[Part]) -> Vec<&'static str> {
    let first = parts.first().map(|part| part.segment.role);
    let is_first = matches!(first, Some(SegmentRole::Time | SegmentRole::Bucket));
    is_first.then_some("time_first").into_iter().collect()
}

/// A struct of which each row is an event.
fn of_rows<'a>(
    name: &str,
    table: &data::TableSchema,
    shape: &Shape<'_>,
    rows: Vec<&'a Row>,
    parts: &[Part],
    mut names: Names,
) -> Kind<'a> {
    let mut unsaid = Vec::new();
    let found = columns::columns(&rows);
    let mut kept = Vec::new();
    let mut entries: Option<(String, Vec<Column>)> = None;
    let families: BTreeSet<&str> = found.iter().map(|column| &*column.family).collect();
    for family in families {
        let of_family = || found.iter().filter(|column| column.family == family);
        let (always, rare): (Vec<&Column>, Vec<&Column>) =
            of_family().partition(|column| column.rows == rows.len());
        if entries.is_none() && columns::are_run_time(&rare, rows.len()) {
            kept.extend(always.into_iter().cloned());
            entries = Some((family.to_owned(), rare.into_iter().cloned().collect()));
        } else {
            kept.extend(of_family().cloned());
        }
    }
    kept.retain(|column| {
        let is_nameable = columns::is_nameable(&column.qualifier);
        if !is_nameable {
            let name = crate::text::of_bytes(&column.qualifier);
            unsaid.push(format!(
                "the column {}:{name}, since its qualifier is no text",
                column.family
            ));
        }
        is_nameable
    });
    if kept.iter().any(|column| column.has_versions) {
        unsaid.push("older versions of cells: the newest is read".to_owned());
    }
    let columns: Vec<Named> = kept
        .into_iter()
        .map(|column| Named {
            field: names.take(&String::from_utf8_lossy(&column.qualifier)),
            is_optional: column.rows < rows.len(),
            column,
        })
        .collect();
    let presence = columns.iter().position(|column| !column.is_optional);
    let are_texts = |(_, columns): &(String, Vec<Column>)| {
        let mut names = columns.iter().map(|column| &column.qualifier);
        names.all(|name| std::str::from_utf8(name).is_ok())
    };
    let entry_name = match entries.as_ref().is_none_or(are_texts) {
        true => "String",
        false => "bytes::Bytes",
    };
    let value = entries.as_ref().map(|(family, columns)| {
        let names: BTreeSet<&Bytes> = columns.iter().map(|column| &column.qualifier).collect();
        let cells = rows.iter().flat_map(|row| &row.cells);
        let cells = cells.filter(|cell| cell.family == *family && names.contains(&cell.qualifier));
        columns::value_type(cells.map(|cell| &*cell.value))
    });
    Kind {
        parts: parts.to_vec(),
        schema: ModelSchema {
            key: key(shape, parts),
            map_family: entries.map(|(family, _)| Cow::Owned(family)),
            presence: Presence::Column(presence.unwrap_or_default()),
            ..schema(name, table, Layout::Row, &columns)
        },
        entries: value,
        entry_name,
        allowed: allowed(parts),
        columns,
        rows,
        unsaid,
    }
}

/// A schema without a key.
fn schema(name: &str, table: &data::TableSchema, layout: Layout, columns: &[Named]) -> ModelSchema {
    let families: BTreeSet<&str> = columns.iter().map(|one| &*one.column.family).collect();
    let rules = table.families.iter().filter_map(|(family, schema)| {
        let is_used = families.contains(family.as_str());
        let rule = schema.gc_rule.clone().filter(|_| is_used)?;
        Some(FamilyRule {
            family: Cow::Owned(family.clone()),
            rule,
        })
    });
    let columns = columns.iter().map(|one| ColumnSchema {
        field: Cow::Owned(one.field.clone()),
        family: Cow::Owned(one.column.family.clone()),
        qualifier: Cow::Owned(String::from_utf8_lossy(&one.column.qualifier).into_owned()),
        codec: Cow::Borrowed(one.column.value.form),
        optional: one.is_optional,
        copy_of: None,
        kind: bigtable_model::model::ColumnKind::default(),
        aliases: Cow::Borrowed(&[]),
    });
    ModelSchema {
        model: Cow::Owned(name.to_owned()),
        table: TableName::Fixed(Cow::Owned(table.table.clone())),
        key: KeyLayout {
            prefix: Cow::Borrowed(""),
            separator: Cow::Borrowed("#"),
            enclosed: false,
            segments: Cow::Borrowed(&[]),
        },
        cell_time: match layout {
            Layout::Row => CellTime::Write,
            _ => CellTime::Event,
        },
        layout,
        columns: columns.collect(),
        map_family: None,
        presence: Presence::Column(0),
        gc_rules: rules.collect(),
        append_only: false,
        rollups: Cow::Borrowed(&[]),
        former: None,
    }
}

impl Kind<'_> {
    /// The model as data, with which it is tried.
    pub(super) fn described(&self) -> Described {
        let of = |value: ValueType| ColumnType {
            form: value.form.to_owned(),
            takes: Takes::All,
        };
        Described {
            columns: self
                .columns
                .iter()
                .map(|one| of(one.column.value))
                .collect(),
            map: self.entries.map(of),
            segments: self.parts.iter().map(|_| Takes::All).collect(),
            effects: Vec::new(),
            schema: self.schema.clone().into(),
        }
    }
}

/// Rows that are buckets of events, if the cells of all of them are where their time is.
fn in_buckets<'a>(
    name: &str,
    table: &data::TableSchema,
    shape: &Shape<'a>,
    parts: &[Part],
    names: &Names,
) -> Option<Kind<'a>> {
    let at = parts
        .iter()
        .position(|part| part.segment.role == SegmentRole::Time)?;
    let part = parts.get(at)?;
    let SegmentFormat::Calendar { format, .. } = &part.segment.format else {
        return None;
    };
    let found = columns::columns(&shape.rows);
    for span in spans(format, &part.times) {
        let label = BucketLabel::Calendar(format.clone());
        let bucket = |grid_micros| Bucket {
            span,
            zone: None,
            label: label.clone(),
            grid_micros,
            truncate: false,
        };
        let (layout, grid, fields) = if found.iter().any(|column| column.has_versions) {
            match are_stamped(shape, &part.times, &bucket(1_000)) {
                true => (Layout::Cells, 1_000, found.clone()),
                false => continue,
            }
        } else {
            let Some((offset, grid)) = offset(shape, &part.times, &found, &bucket) else {
                continue;
            };
            let fields = fields(&shape.rows, &found, &offset);
            let named = fields.len() > 1 || fields.iter().any(|one| !one.qualifier.is_empty());
            (Layout::Columns { offset, named }, grid, fields)
        };
        let mut names = names.clone();
        let columns: Vec<Named> = fields
            .into_iter()
            .map(|column| Named {
                field: match column.qualifier.is_empty() {
                    true => names.take("value"),
                    false => names.take(&String::from_utf8_lossy(&column.qualifier)),
                },
                is_optional: false,
                column,
            })
            .collect();
        let mut parts = parts.to_vec();
        if let Some(part) = parts.get_mut(at) {
            part.segment.role = SegmentRole::Bucket;
            part.segment.format = SegmentFormat::Bucket(bucket(grid));
            part.options = words(&bucket(grid), &layout);
        }
        let mut allowed = allowed(&parts);
        let mut schema = schema(name, table, layout, &columns);
        if schema.layout == Layout::Cells {
            allowed.extend(allowed_by(&schema.gc_rules));
        }
        schema.key = key(shape, &parts);
        let kind = Kind {
            rows: shape.rows.clone(),
            parts,
            columns,
            entries: None,
            entry_name: "String",
            allowed,
            unsaid: Vec::new(),
            schema,
        };
        return kind.with_presence();
    }
    None
}

/// What a layout of cells has to allow: cells that are never deleted, or deleted by their number.
fn allowed_by(rules: &[FamilyRule]) -> Option<&'static str> {
    fn counts(rule: &GcRule) -> bool {
        match rule {
            GcRule::MaxVersions(_) => true,
            GcRule::MaxAge(_) => false,
            GcRule::Union(rules) | GcRule::Intersection(rules) => rules.iter().any(counts),
        }
    }
    match rules {
        [] => Some("kept_forever"),
        rules => rules
            .iter()
            .any(|one| counts(&one.rule))
            .then_some("dropped_events"),
    }
}

impl Kind<'_> {
    /// Marks columns that some events lack as optional; one has to be in all of them.
    fn with_presence(mut self) -> Option<Self> {
        let events = |columns: &[Named], wanted: Option<&Column>, layout: &Layout| {
            let mut seen: BTreeSet<(&[u8], i64, Vec<u8>)> = BTreeSet::new();
            for row in &self.rows {
                for cell in &row.cells {
                    let (name, time) = split(cell, layout);
                    let is_wanted =
                        |one: &Column| cell.family == one.family && one.qualifier == name;
                    let is_one = match wanted {
                        Some(wanted) => is_wanted(wanted),
                        None => columns.iter().any(|one| is_wanted(&one.column)),
                    };
                    if is_one {
                        seen.insert((&row.key, time.0, time.1));
                    }
                }
            }
            seen.len()
        };
        let all = events(&self.columns, None, &self.schema.layout);
        let optional: Vec<bool> = self
            .columns
            .iter()
            .map(|one| events(&self.columns, Some(&one.column), &self.schema.layout) < all)
            .collect();
        for (named, is_optional) in self.columns.iter_mut().zip(optional) {
            named.is_optional = is_optional;
        }
        let presence = self.columns.iter().position(|one| !one.is_optional)?;
        self.schema.presence = Presence::Column(presence);
        let columns = self.schema.columns.to_mut();
        for (column, named) in columns.iter_mut().zip(&self.columns) {
            column.optional = named.is_optional;
        }
        Some(self)
    }
}

/// The name of a cell's column and what gives its time.
fn split(cell: &Cell, layout: &Layout) -> (Bytes, (i64, Vec<u8>)) {
    match layout {
        Layout::Columns { named: true, .. } => {
            let at = cell.qualifier.iter().rposition(|byte| *byte == b':');
            let at = at.unwrap_or_default();
            let time = cell.qualifier.get(at..).unwrap_or_default().to_vec();
            (cell.qualifier.slice(..at), (0, time))
        }
        Layout::Columns { .. } => (Bytes::new(), (0, cell.qualifier.to_vec())),
        _ => (cell.qualifier.clone(), (cell.timestamp_micros, Vec::new())),
    }
}

/// The spans that a label may be of: that of its finest field, and longer ones that begin so.
fn spans(format: &CalendarFormat, times: &[Timestamp]) -> Vec<BucketSpan> {
    let mut fields = format.items.iter().filter_map(|item| match item {
        CalendarItem::Field(field) => Some(*field),
        _ => None,
    });
    let own = match fields.next_back() {
        Some(CalendarField::Year) => BucketSpan::Year,
        Some(CalendarField::Month) => BucketSpan::Month,
        Some(CalendarField::Day | CalendarField::DayOfYear) => BucketSpan::Day,
        Some(CalendarField::Hour) => BucketSpan::Hour,
        Some(CalendarField::Minute) => BucketSpan::Minute,
        _ => return Vec::new(),
    };
    let is_first = |time: &Timestamp| time.to_string().contains("-01T00:00:00");
    let is_monthly = own == BucketSpan::Day && times.iter().all(is_first);
    let month = is_monthly.then_some(BucketSpan::Month);
    [own].into_iter().chain(month).collect()
}

/// Whether each cell's timestamp is within the bucket of its row.
fn are_stamped(shape: &Shape<'_>, starts: &[Timestamp], bucket: &Bucket) -> bool {
    shape.rows.iter().zip(starts).all(|(row, start)| {
        let end = bucket.next(*start);
        row.cells.iter().all(|cell| {
            let time = Timestamp::from_micros(cell.timestamp_micros);
            *start <= time && end.is_some_and(|end| time < end)
        })
    })
}

/// The offset with which all qualifiers end, and the grid of its times.
fn offset(
    shape: &Shape<'_>,
    starts: &[Timestamp],
    columns: &[Column],
    bucket: &dyn Fn(i64) -> Bucket,
) -> Option<(Offset, i64)> {
    // A row with one event may have a column that looks like a time.
    if columns.len() < 3 {
        return None;
    }
    OFFSETS.iter().find_map(|items| {
        let format = CalendarFormat {
            items: Cow::Borrowed(items),
        };
        let grid = match items.last() {
            Some(CalendarItem::Field(CalendarField::Second)) => 1_000_000,
            Some(CalendarItem::Field(CalendarField::Minute)) => 60_000_000,
            Some(CalendarItem::Field(CalendarField::Hour)) => 3_600_000_000,
            _ => 86_400_000_000,
        };
        let (offset, bucket) = (Offset::Calendar(format), bucket(grid));
        if bucket.refusal().is_some() || offset.refusal(&bucket).is_some() {
            return None;
        }
        let fits = shape.rows.iter().zip(starts).all(|(row, start)| {
            row.cells.iter().all(|cell| {
                let text = tail(&cell.qualifier);
                offset.decode(&bucket, *start, text).is_some()
            })
        });
        fits.then_some((offset, grid))
    })
}

/// What follows the last colon of a qualifier.
fn tail(qualifier: &[u8]) -> &[u8] {
    let at = qualifier.iter().rposition(|byte| *byte == b':');
    at.and_then(|at| qualifier.get(at + 1..))
        .unwrap_or(qualifier)
}

/// The columns that the qualifiers before their offsets name.
fn fields(rows: &[&Row], columns: &[Column], offset: &Offset) -> Vec<Column> {
    let layout = Layout::Columns {
        offset: offset.clone(),
        named: columns.iter().any(|one| one.qualifier.contains(&b':')),
    };
    let name = |cell: &Cell| (cell.family.to_string(), split(cell, &layout).0);
    let names: BTreeSet<_> = rows
        .iter()
        .flat_map(|row| row.cells.iter().map(name))
        .collect();
    let columns = names.into_iter().map(|(family, qualifier)| {
        let own = |cell: &&Cell| name(cell) == (family.clone(), qualifier.clone());
        let cells = rows.iter().flat_map(|row| &row.cells).filter(own);
        Column {
            value: columns::value_type(cells.map(|cell| &*cell.value)),
            rows: rows.len(),
            has_versions: false,
            family: family.clone(),
            qualifier: qualifier.clone(),
        }
    });
    columns.collect()
}

fn words(bucket: &Bucket, layout: &Layout) -> Vec<String> {
    let span = match bucket.span {
        BucketSpan::Minute => "minute",
        BucketSpan::Hour => "hour",
        BucketSpan::Month => "month",
        BucketSpan::Year => "year",
        _ => "day",
    };
    let mut words = vec![format!("bucket = \"{span}\"")];
    if let BucketLabel::Calendar(format) = &bucket.label {
        words.push(format!("label = \"{format}\""));
    }
    if let Layout::Columns {
        offset: Offset::Calendar(format),
        ..
    } = layout
    {
        words.push(format!("offset = \"{format}\""));
    }
    words
}
