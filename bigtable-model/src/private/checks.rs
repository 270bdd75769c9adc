//! Checks of a model while it is compiled: a mistake stops the build with what to write instead.

use crate::key::{KeyLayout, SegmentFormat, SegmentKind, SegmentOptions, TimeUnit};
use crate::model::ColumnSchema;

/// Stops the build at an identifier whose options do not fit its type.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_segment(
    kind: SegmentKind,
    options: SegmentOptions,
    last: bool,
    (names, separator): (Option<&[&str]>, &str),
) {
    if let Some(message) = SegmentFormat::refusal(kind, options, last) {
        panic!("{}", message);
    }
    if let Some(message) = SegmentFormat::unstorable(kind, options, names, separator) {
        panic!("{}", message);
    }
}

/// Stops the build at a segment that Bigtable's encodings cannot express, in a model that declares
/// them.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_structured(format: SegmentFormat, separator: &str) {
    if let Some(problem) = format.inexpressible(separator) {
        panic!("{}", problem.advice());
    }
    // It borrows constants, which have no destructors to run.
    std::mem::forget(format);
}

/// Stops the build at a time at the start of the key that is declared as an identifier: only its
/// type shows it.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_first(kind: SegmentKind, message: &'static str) {
    if kind.is_time() {
        panic!("{}", message);
    }
}

/// Stops the build at an identifier with hot values that is no text.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_hot(kind: SegmentKind, message: &'static str) {
    if !matches!(kind, SegmentKind::String) {
        panic!("{}", message);
    }
}

/// So few values before the time make a hot spot, like the time itself.
const FEW: usize = 3;

/// Stops the build at a key that begins with one of few values, followed by the time.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_few(
    kind: SegmentKind,
    names: Option<&'static [&'static str]>,
    message: &'static str,
) {
    let few = match names {
        Some(names) => names.len() <= FEW,
        None => matches!(kind, SegmentKind::Bool),
    };
    if few {
        panic!("{}", message);
    }
}

/// Stops the build at a field marked `time` whose type or options do not fit a time.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_time(kind: SegmentKind, options: SegmentOptions, last: bool) {
    if !kind.is_time() {
        panic!("`time` is for a field that holds a time: write `key` for other types");
    }
    if too_narrow(options) {
        panic!(
            "no time of today has so few digits: a time takes 10 in `s`, 13 in `ms`, 16 in `us`"
        );
    }
    check_segment(kind, options, last, (None, ""));
}

const fn too_narrow(options: SegmentOptions) -> bool {
    let unit = match options.unit {
        Some(unit) => unit,
        None => TimeUnit::Micros,
    };
    matches!((options.width, options.format), (Some(width), None) if width < unit.digits())
}

/// Stops the build at a model without a marker of events: all of its columns may be absent.
#[track_caller]
pub const fn check_presence(columns: &[ColumnSchema]) {
    check_found(presence_column(columns), columns);
}

/// The same for a model with many events in a row.
#[track_caller]
pub const fn check_presence_in_bucket(columns: &[ColumnSchema], time: usize) {
    check_found(presence_column_in_bucket(columns, time), columns);
}

#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
const fn check_found(column: usize, columns: &[ColumnSchema]) {
    if column == columns.len() {
        panic!(
            "every column may be absent, so that nothing marks an event: add `marker = \"EVENT\"` to the struct, or a column that is not an `Option`"
        );
    }
}

/// Stops the build at a column that is declared to mark events but may be absent.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_declared_presence(optional: bool) {
    if optional {
        panic!(
            "the column that marks an event is never absent: remove the `Option`, or write `presence` on another column, or `marker = \"EVENT\"` on the struct"
        );
    }
}

/// The first column that every event has, or the number of columns if there is none.
#[must_use]
#[allow(clippy::indexing_slicing, reason = "the index is below the length")]
pub const fn presence_column(columns: &[ColumnSchema]) -> usize {
    let mut index = 0;
    while index < columns.len() && columns[index].optional {
        index += 1;
    }
    index
}

/// The first column that every event has in a row of many: copies of identifiers belong to the row,
/// a copy of the time to the event.
#[must_use]
#[allow(clippy::indexing_slicing, reason = "the index is below the length")]
pub const fn presence_column_in_bucket(columns: &[ColumnSchema], time: usize) -> usize {
    let mut index = 0;
    while index < columns.len() {
        let of_event = match columns[index].copy_of {
            Some(segment) => segment == time,
            None => true,
        };
        if of_event && !columns[index].optional {
            break;
        }
        index += 1;
    }
    index
}

/// Stops the build at a value that may be absent but is the only one of an event.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_value(optional: bool) {
    if optional {
        panic!(
            "in `layout = \"qualifiers\"` the value marks the event and is never absent: remove the `Option`, or write `layout = \"cells\"`"
        );
    }
}

/// Stops the build at a key that breaks a rule of whole keys.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_key(layout: KeyLayout) {
    if let Some(message) = layout.refusal() {
        panic!("{}", message);
    }
    // It borrows constants, which have no destructors to run.
    std::mem::forget(layout);
}
