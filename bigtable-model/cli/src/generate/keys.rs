//! Keys of one shape, split into the bytes of their segments.

use std::collections::{BTreeMap, BTreeSet};

use bigtable_model::data::Row;
use bigtable_model::schema::SegmentKind;

use super::segments;
use crate::text;

/// Rows whose keys have one shape.
#[derive(Debug)]
pub(super) struct Shape<'a> {
    /// A text that all of these keys begin with, and no others; often empty.
    pub(super) prefix: String,
    pub(super) separator: &'static str,
    /// Whether the separator also begins and ends the keys.
    pub(super) is_enclosed: bool,
    pub(super) rows: Vec<&'a Row>,
    /// The bytes of each segment: a list for each row.
    pub(super) parts: Vec<Vec<&'a [u8]>>,
}

/// Separators, the likeliest first.
const STRONG: [&str; 8] = ["#", "|", "::", "/", "~", ";", ",", ":"];

/// Characters that names and times contain too: one separates if all keys have equally many of it.
const WEAK: [&str; 5] = ["_", "-", ".", " ", "@"];

/// The separator of keys that have none.
const NONE: &str = "#";

/// How many values of a first segment may be names of kinds of rows.
const MOST_KINDS: usize = 8;

/// Keys with more different numbers of segments than this are one shape with a rest.
const MOST_LENGTHS: usize = 4;

/// The shapes of keys, each with its rows.
pub(super) fn shapes<'a>(table: &str, rows: &[&'a Row]) -> Vec<Shape<'a>> {
    let (texts, bytes): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| text::is_plain(&row.key));
    let mut shapes = Vec::new();
    let mut rest = texts;
    while !rest.is_empty() {
        let (separator, weak) = separator(&rest);
        let Some(separator) = separator else {
            shapes.push(whole(rest));
            break;
        };
        let (with, without): (Vec<&Row>, Vec<&Row>) =
            rest.iter().partition(|row| has(&row.key, separator));
        let split = of_texts(table, with, separator, weak);
        match split.iter().all(is_readable) {
            true => shapes.extend(split),
            // If the parts are not readable but the keys are, they are paths: each is one text.
            false if is_text(&rest) => {
                shapes.push(whole(rest));
                break;
            }
            false => shapes.extend(split),
        }
        rest = without;
    }
    if !bytes.is_empty() {
        shapes.push(of_bytes(bytes));
    }
    if shapes.len() > 1 {
        shapes = shapes.into_iter().map(with_prefix).collect();
    }
    shapes
}

/// Whether the first segment is more than bytes.
fn is_readable(shape: &Shape<'_>) -> bool {
    let first = shape.parts.first().map(Vec::as_slice).unwrap_or_default();
    let part = segments::guess(first, shape.separator, shape.parts.len() == 1);
    part.is_some_and(|part| part.segment.kind != SegmentKind::Bytes)
}

/// Whether keys as a whole are texts.
fn is_text(rows: &[&Row]) -> bool {
    let keys: Vec<&[u8]> = rows.iter().map(|row| &*row.key).collect();
    let part = segments::guess(&keys, NONE, true);
    part.is_some_and(|part| part.segment.kind == SegmentKind::String)
}

fn has(key: &[u8], separator: &str) -> bool {
    parts(key, separator, usize::MAX).len() > 1
}

/// The segments of a key; the last may contain separators if there would be more than `most`.
fn parts<'a>(key: &'a [u8], separator: &str, most: usize) -> Vec<&'a [u8]> {
    let separator = separator.as_bytes();
    let (mut parts, mut rest) = (Vec::new(), key);
    while parts.len() + 1 < most
        && let Some(at) = rest
            .windows(separator.len())
            .position(|window| window == separator)
    {
        let (part, after) = rest.split_at(at);
        parts.push(part);
        rest = after.get(separator.len()..).unwrap_or_default();
    }
    parts.push(rest);
    parts
}

/// The separator of most keys, and whether it is a weak one.
fn separator(rows: &[&Row]) -> (Option<&'static str>, bool) {
    let keys: Vec<&[u8]> = rows.iter().map(|row| &*row.key).collect();
    // A time or a UUID contains characters that separate elsewhere.
    if segments::is_special(&keys) {
        return (None, false);
    }
    let with = |separator: &str| keys.iter().filter(|key| has(key, separator)).count();
    let most = STRONG.iter().find(|one| with(one) * 10 >= keys.len() * 9);
    if let Some(separator) = most {
        return (Some(separator), false);
    }
    // A few keys may have any character in common.
    const ENOUGH: usize = 3;
    let weak = WEAK
        .iter()
        .filter(|_| keys.len() >= ENOUGH)
        .find(|separator| {
            let counts: BTreeSet<_> = keys
                .iter()
                .map(|key| parts(key, separator, usize::MAX).len())
                .collect();
            counts.len() == 1 && counts.iter().all(|count| (2..=6).contains(count))
        });
    let strong = STRONG.iter().max_by_key(|one| with(one));
    match strong.filter(|one| with(one) * 5 >= keys.len()) {
        Some(separator) => (Some(separator), false),
        None => (weak.copied(), true),
    }
}

/// Keys without a separator.
fn whole(rows: Vec<&Row>) -> Shape<'_> {
    Shape {
        prefix: String::new(),
        separator: NONE,
        is_enclosed: false,
        parts: vec![rows.iter().map(|row| &*row.key).collect()],
        rows,
    }
}

fn of_texts<'a>(
    table: &str,
    rows: Vec<&'a Row>,
    separator: &'static str,
    is_weak: bool,
) -> Vec<Shape<'a>> {
    let is_enclosed = rows.iter().all(|row| {
        let key = row.key.strip_prefix(separator.as_bytes());
        key.is_some_and(|key| key.ends_with(separator.as_bytes()) && key.len() > separator.len())
    });
    let inner = |row: &'a Row| -> &'a [u8] {
        let len = separator.len();
        match is_enclosed {
            true => row.key.get(len..row.key.len() - len).unwrap_or_default(),
            false => &row.key,
        }
    };
    let mut lengths: BTreeMap<usize, Vec<&'a Row>> = BTreeMap::new();
    for row in rows {
        let count = parts(inner(row), separator, usize::MAX).len();
        lengths.entry(count).or_default().push(row);
    }
    // Keys that differ so much end with a path or a text.
    if lengths.len() > MOST_LENGTHS {
        let least = lengths.keys().next().copied().unwrap_or(1);
        let all = lengths.into_values().flatten().collect();
        lengths = BTreeMap::from([(least, all)]);
    }
    let split = |rows: Vec<&'a Row>, most: usize| {
        let mut lists = vec![Vec::new(); most];
        for row in &rows {
            for (list, part) in lists.iter_mut().zip(parts(inner(row), separator, most)) {
                list.push(part);
            }
        }
        Shape {
            prefix: String::new(),
            separator,
            is_enclosed,
            parts: lists,
            rows,
        }
    };
    let is_alone = lengths.len() == 1;
    let shapes = lengths.into_iter().map(|(most, rows)| split(rows, most));
    shapes
        .flat_map(|shape| match is_weak {
            true => vec![shape],
            false => by_kind(table, shape, is_alone),
        })
        .collect()
}

/// Keys that end with bytes that are not text.
fn of_bytes(rows: Vec<&Row>) -> Shape<'_> {
    let texts = |separator: &str| {
        let leading = rows.iter().map(|row| {
            let parts = parts(&row.key, separator, usize::MAX);
            parts.iter().take_while(|part| text::is_plain(part)).count()
        });
        leading.min().unwrap_or_default()
    };
    let separator = STRONG.into_iter().chain(["_"]).max_by_key(|one| {
        // The first of those with equally many.
        (
            texts(one),
            std::cmp::Reverse(STRONG.iter().position(|other| other == one)),
        )
    });
    let Some(separator) = separator.filter(|one| texts(one) > 0) else {
        return whole(rows);
    };
    let most = texts(separator) + 1;
    let mut lists = vec![Vec::new(); most];
    for row in &rows {
        for (list, part) in lists.iter_mut().zip(parts(&row.key, separator, most)) {
            list.push(part);
        }
    }
    Shape {
        prefix: String::new(),
        separator,
        is_enclosed: false,
        parts: lists,
        rows,
    }
}

/// Splits rows by their first segment, if it names their kind.
fn by_kind<'a>(table: &str, shape: Shape<'a>, is_alone: bool) -> Vec<Shape<'a>> {
    let Some((first, rest)) = shape.parts.split_first() else {
        return vec![shape];
    };
    let names: BTreeSet<&[u8]> = first.iter().copied().collect();
    if rest.is_empty() || names.len() > MOST_KINDS || !names.iter().all(|name| is_name(name)) {
        return vec![shape];
    }
    if let [name] = names.iter().collect::<Vec<_>>()[..] {
        let is_table = |name: &str| table.to_lowercase().contains(&name.to_lowercase());
        let is_prefix = std::str::from_utf8(name).is_ok_and(|name| !is_alone || is_table(name));
        return match is_prefix {
            true => vec![with_prefix(shape)],
            false => vec![shape],
        };
    }
    let of_name = |name: &[u8]| Shape {
        prefix: String::new(),
        separator: shape.separator,
        is_enclosed: shape.is_enclosed,
        rows: chosen(&shape.rows, first, name),
        parts: shape
            .parts
            .iter()
            .map(|list| chosen(list, first, name))
            .collect(),
    };
    let kinds: Vec<Shape<'_>> = names.iter().map(|name| of_name(name)).collect();
    match kinds
        .windows(2)
        .all(|pair| matches!(pair, [one, other] if differ(one, other)))
    {
        true => kinds.into_iter().map(with_prefix).collect(),
        false => vec![shape],
    }
}

/// Makes the first segment the prefix, if all rows have the same and another one follows.
fn with_prefix(mut shape: Shape<'_>) -> Shape<'_> {
    if !shape.prefix.is_empty() || shape.parts.len() < 2 {
        return shape;
    }
    let first = shape.parts.first().cloned().unwrap_or_default();
    let Some(one) = first.first().filter(|one| is_name(one)) else {
        return shape;
    };
    if first.iter().all(|other| other == one) {
        shape.prefix = String::from_utf8_lossy(one).into_owned();
        shape.parts.remove(0);
    }
    shape
}

/// The values at the places where the first segment is this name.
fn chosen<T: Copy>(list: &[T], first: &[&[u8]], name: &[u8]) -> Vec<T> {
    let named = list.iter().zip(first).filter(|(_, first)| **first == name);
    named.map(|(value, _)| *value).collect()
}

/// Whether a segment may name a kind of rows, or a table.
fn is_name(bytes: &[u8]) -> bool {
    let begins = bytes.first().is_some_and(u8::is_ascii_alphabetic);
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    begins && bytes.len() <= 20 && bytes.iter().all(inner)
}

/// Whether rows are of different kinds: by their columns, or by what follows in their keys.
fn differ(one: &Shape<'_>, other: &Shape<'_>) -> bool {
    let columns = |shape: &Shape<'_>| -> BTreeSet<(String, Vec<u8>)> {
        let cells = shape.rows.iter().flat_map(|row| &row.cells);
        cells
            .map(|cell| (cell.family.to_string(), cell.qualifier.to_vec()))
            .collect()
    };
    let (one_has, other_has) = (columns(one), columns(other));
    if one_has.intersection(&other_has).count() * 3 < one_has.union(&other_has).count() {
        return true;
    }
    let second = |shape: &Shape<'_>| {
        let values = shape.parts.get(1).cloned().unwrap_or_default();
        segments::guess(&values, shape.separator, shape.parts.len() == 2)
            .map(|part| (part.segment.kind, part.ty))
    };
    second(one) != second(other)
}
