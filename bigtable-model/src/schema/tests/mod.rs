//! Compares rules with a check of every cell, and differences as data and words.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod bundles;
mod changes;
mod row_keys;
mod rules;
mod wanted;

use std::time::Duration;

use crate::data::{FamilySchema, GcRule, TableSchema};
use crate::key::{KeyLayout, Salt, SaltHash, Segment, SegmentFormat, SegmentKind, SegmentRole};
use crate::model::{CellTime, ColumnKind, ColumnSchema, FamilyRule, Layout, ModelSchema, Presence};

fn versions(kept: i32) -> GcRule {
    GcRule::MaxVersions(kept)
}

fn age(millis: u64) -> GcRule {
    GcRule::MaxAge(Duration::from_millis(millis))
}

fn days(days: u64) -> GcRule {
    age(days * 86_400_000)
}

fn either<const N: usize>(rules: [GcRule; N]) -> GcRule {
    GcRule::Union(rules.to_vec().into())
}

fn both<const N: usize>(rules: [GcRule; N]) -> GcRule {
    GcRule::Intersection(rules.to_vec().into())
}

fn family(rule: impl Into<Option<GcRule>>) -> FamilySchema {
    FamilySchema {
        gc_rule: rule.into(),
        aggregate: None,
    }
}

fn table<const N: usize>(families: [(&str, FamilySchema); N]) -> TableSchema {
    TableSchema {
        table: "t".to_owned(),
        families: families.map(|(name, one)| (name.to_owned(), one)).into(),
        ..TableSchema::default()
    }
}

/// A model with a column in each of these families.
fn model<const N: usize>(families: [(&'static str, Option<GcRule>); N]) -> ModelSchema {
    let columns = families.iter().map(|(family, _)| ColumnSchema {
        field: "value".into(),
        family: (*family).into(),
        qualifier: "value".into(),
        codec: "native".into(),
        optional: false,
        kind: ColumnKind::Plain,
        aliases: Default::default(),
        sensitive: false,
        copy_of: None,
    });
    let rule = |(family, rule): (&'static str, Option<GcRule>)| {
        let family = family.into();
        rule.map(|rule| FamilyRule { family, rule })
    };
    ModelSchema {
        model: "Model".into(),
        table: "t".into(),
        key: salted("", None),
        layout: Layout::Row,
        columns: columns.collect(),
        map_families: Vec::new().into(),
        presence: Presence::Column(0),
        cell_time: CellTime::Event,
        gc_rules: families.into_iter().filter_map(rule).collect(),
        append_only: false,
        pack_after_micros: None,
        rollups: std::borrow::Cow::Borrowed(&[]),
        former: None,
    }
}

/// `{host}`, with a salt at this place among the segments.
fn salted(prefix: &'static str, salt: Option<(usize, u16)>) -> KeyLayout {
    let segment = |name: &'static str, role, kind, format| Segment {
        name: name.into(),
        role,
        kind,
        format,
    };
    let host = SegmentFormat::Padded {
        width: 4,
        pad: b' ',
    };
    let mut segments = vec![segment(
        "host",
        SegmentRole::Identifier,
        SegmentKind::String,
        host,
    )];
    if let Some((place, shards)) = salt {
        let salt = Salt {
            shards,
            first: 0,
            of: vec![1 - place].into(),
            hash: SaltHash::Xxh64,
            hot: None,
        };
        let format = SegmentFormat::Salt(salt);
        let kind = SegmentKind::String;
        segments.insert(place, segment("salt", SegmentRole::Salt, kind, format));
    }
    KeyLayout {
        prefix: prefix.into(),
        separator: "#".into(),
        enclosed: false,
        segments: segments.into(),
    }
}
