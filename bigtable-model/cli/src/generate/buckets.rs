//! Rows that are buckets of events: their cells are where an event's time is.

use std::borrow::Cow;
use std::collections::BTreeSet;

use bigtable_model::Timestamp;
use bigtable_model::data::{self, Cell, GcRule, Row};
use bigtable_model::schema::bucket::{Bucket, BucketLabel, BucketSpan, Offset};
use bigtable_model::schema::{
    CalendarField, CalendarFormat, CalendarItem, FamilyRule, Layout, Presence, SegmentFormat,
    SegmentRole,
};
use bytes::Bytes;

use super::calendar::OFFSETS;
use super::columns::{self, Column};
use super::keys::Shape;
use super::kind::{Kind, Named, allowed, key, schema};
use super::names::Names;
use super::segments::Part;

/// Rows that are buckets of events, if the cells of all of them are where their time is.
pub(super) fn in_buckets<'a>(
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
        // The rate of events is unknown, and rows of a year need one.
        allowed.extend((bucket(grid).span == BucketSpan::Year).then_some("wide_rows"));
        schema.key = key(shape, &parts);
        let kind = Kind {
            rows: shape.rows.clone(),
            parts,
            columns,
            copies: Vec::new(),
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

/// The name of a cell's column and the parts that give its time.
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

/// The spans that a label may name: that of its finest field, and a longer one if all times
/// begin it.
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

/// The offset that ends all qualifiers, and the grid of its times.
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

/// The part of a qualifier after its last colon.
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
