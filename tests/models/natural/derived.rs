//! The models: every layout, identifiers of every kind and position, with salts, prefixes,
//! separators, zones and periods.

use std::collections::BTreeMap;
use std::ops::Bound;

use bigtable_model::condition::Condition;
use bigtable_model::key::SaltFunction;
use bigtable_model::query::{self, starts_with};
use bigtable_model::{Backend, BackendExt as _, Error, Model, Timestamp};
use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use uuid::Uuid;

use super::calendar::{HOUR, MINUTE, SECOND, Span};
use super::event::{Cell, Event};
use super::fields::{Natural, Symbol, Venue};
use super::model::{
    Bucket, Codec, Column, Form, Hot, Identifier, Kind, Label, Layout, Model as Described, Offset,
    Part, Periods, Stamp, When,
};
use super::question::{Ask, Order, Question, Test};
use super::store::Change;
use super::typed::{self, Answers, Doing, Latest as _, NoLatest as _, Timed, Typed};
use super::value::Value;
use super::written;

/// The attributes of the struct.
#[derive(Debug, Clone)]
pub(super) struct About {
    layout: Layout,
    prefix: &'static str,
    separator: &'static str,
    enclosed: bool,
    /// The position of a salt, its shards, and the positions of its sources, not counting the salt.
    salt: Option<(usize, u64, Vec<usize>)>,
    /// The position of the hot values, not counting the salt, and the values with their shards.
    hot: Option<(usize, Vec<(&'static str, u64)>)>,
    write_time: bool,
    periods: Option<Periods>,
}

fn about(layout: Layout) -> About {
    About {
        layout,
        prefix: "",
        separator: "#",
        enclosed: false,
        salt: None,
        hot: None,
        write_time: false,
        periods: None,
    }
}

impl About {
    fn described(
        self,
        mut parts: Vec<Part>,
        columns: Vec<Column>,
        marker: bool,
        serialized: bool,
    ) -> Described {
        if let Some((at, shards, of)) = self.salt {
            let of = of.into_iter().map(|place| place + usize::from(at <= place));
            let of = of.collect();
            let hot = self.hot.map(|(place, values)| Hot {
                place: place + usize::from(at <= place),
                values: values
                    .into_iter()
                    .map(|(value, shards)| (Value::Text(value.to_owned()), shards))
                    .collect(),
            });
            parts.insert(at, Part::Salt { shards, of, hot });
        }
        Described {
            prefix: self.prefix,
            separator: self.separator,
            enclosed: self.enclosed,
            parts,
            layout: self.layout,
            columns,
            marker,
            serialized,
            write_time: self.write_time,
            periods: self.periods,
        }
    }
}

fn named(name: &'static str, (form, pool): (Form, Vec<Value>)) -> Identifier {
    Identifier {
        name,
        form,
        tie: false,
        pool,
    }
}

/// An identifier with values drawn for its form.
fn of(form: Form) -> (Form, Vec<Value>) {
    (form, Vec::new())
}

fn venues() -> (Form, Vec<Value>) {
    let names = ["Nyse", "NYSE-ARCA", "Amex", "Iex", "Nyse"];
    let names = names.map(|name| Value::Text(name.to_owned()));
    (Form::Variable, names.to_vec())
}

/// Values of which some are hot.
fn texts(form: Form) -> (Form, Vec<Value>) {
    let names = ["a", "ab", "b", "zz", "0"];
    (
        form,
        names.map(|name| Value::Text(name.to_owned())).to_vec(),
    )
}

fn column(name: &'static str, codec: Codec) -> Column {
    Column {
        name,
        family: "MD",
        codec,
        kind: Kind::Plain,
        copy_of: None,
        in_map: false,
    }
}

fn total() -> Column {
    Column {
        family: "sum",
        kind: Kind::Sum,
        ..column("total", Codec::Signed)
    }
}

fn signed(cell: &Option<Cell>) -> Option<i64> {
    cell.as_ref().map(|cell| match cell {
        Cell::Signed(number) => *number,
        other => panic!("{other:?}"),
    })
}

fn unsigned(cell: &Option<Cell>) -> Option<u64> {
    cell.as_ref().map(|cell| match cell {
        Cell::Unsigned(number) => *number,
        other => panic!("{other:?}"),
    })
}

fn float(cell: &Option<Cell>) -> Option<f64> {
    cell.as_ref().map(|cell| match cell {
        Cell::Float(number) => *number,
        other => panic!("{other:?}"),
    })
}

fn text(cell: &Option<Cell>) -> Option<String> {
    cell.as_ref().map(|cell| match cell {
        Cell::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    })
}

fn entries(cell: &Option<Cell>) -> Option<BTreeMap<String, i64>> {
    cell.as_ref().map(|cell| match cell {
        Cell::Entries(entries) => entries.clone(),
        other => panic!("{other:?}"),
    })
}

fn ticks(unit: i64, width: usize) -> When {
    When::Stamp(Stamp::Ticks {
        unit,
        width,
        reverse: false,
        truncate: false,
    })
}

fn bucket(span: Span, label: Label) -> Bucket {
    Bucket {
        span,
        zone: None,
        label,
        grid: 1_000,
        truncate: false,
    }
}

fn fields(format: &'static str) -> Label {
    Label::Fields {
        format,
        sorts: true,
    }
}

fn counted(origin: &str, before: &'static str, width: usize) -> Label {
    let origin: jiff::Timestamp = origin.parse().unwrap();
    Label::Counted {
        origin: origin.as_microsecond(),
        before,
        after: "",
        width,
    }
}

/// A user-defined hash.
struct Fnv1a;

impl SaltFunction for Fnv1a {
    const NAME: &'static str = "fnv1a";

    fn hash(bytes: &[u8]) -> u64 {
        written::fnv1a(bytes)
    }
}

derived! {
    row full 8 [table = "T"] about(Layout::Row) =>
        text first: String [key] = of(Form::Variable);
        plain second: u8 [key] = of(Form::Digits { bits: 8, width: 3 });
        time at: Timestamp [time, unit = "ms"] = ticks(1_000, 13);
}
derived! {
    row_reversed marked 8 [
        table = "T",
        prefix = "P",
        separator = "::",
        cell_time = "write",
        salt(shards = 5, of(first, at))
    ] About { prefix: "P", separator: "::", salt: Some((0, 5, vec![0, 2])), write_time: true, ..about(Layout::Row) } =>
        text first: String [key, escape] = of(Form::Escaped);
        plain second: i64 [key] = of(Form::SignedDigits { bits: 64, width: 20 });
        time at: Timestamp [time, unit = "us", reverse, truncate] = When::Stamp(Stamp::Ticks {
            unit: 1,
            width: 19,
            reverse: true,
            truncate: true,
        });
}
derived! {
    row_of_time_first full 5 [table = "T", salt(shards = 3, of(at))]
    About { salt: Some((0, 3, vec![0])), ..about(Layout::Row) } =>
        time at: Timestamp [time, unit = "s", truncate] = When::Stamp(Stamp::Ticks {
            unit: SECOND,
            width: 10,
            reverse: false,
            truncate: true,
        });
        plain first: f64 [key, binary] = of(Form::Double);
        text second: Symbol [key, width = 4] = of(Form::Padded { width: 4, pad: ' ' });
}
derived! {
    row_hot full 8 [table = "T", salt(shards = 6, of(first, at), hot(first("ab" = 4, "a" = 2)))]
    About { salt: Some((0, 6, vec![0, 2])), hot: Some((0, vec![("a", 2), ("ab", 4)])), ..about(Layout::Row) } =>
        text first: String [key] = texts(Form::Variable);
        plain second: u8 [key] = of(Form::Digits { bits: 8, width: 3 });
        time at: Timestamp [time, unit = "ms"] = ticks(1_000, 13);
}
derived! {
    row_of_binary_time serialized 8 [table = "T", serialize(json), separator = "/"]
    About { separator: "/", ..about(Layout::Row) } =>
        plain first: i16 [key, binary] = of(Form::SignedBigEndian { bits: 16 });
        time at: Timestamp [time, unit = "ms", binary, reverse] = When::Stamp(Stamp::Binary {
            unit: 1_000,
            reverse: true,
            truncate: false,
        });
        plain second: bool [key] = of(Form::Bool { binary: false });
}
derived! {
    row_of_days serialized 8 [table = "T", serialize(postcard)] about(Layout::Row) =>
        text first: Venue [key] = venues();
        plain second: char [key] = of(Form::Char { binary: false });
        time at: Timestamp [time, format = "%Y-%m-%d", truncate] = When::Stamp(Stamp::Fields {
            format: "%Y-%m-%d",
            ahead: 0,
            truncate: true,
        });
}
derived! {
    row_of_local_hours full 5 [table = "T_{at:%Y%m%d}"]
    About {
        periods: Some(Periods { format: "%Y%m%d", span: Span::Day, zone: Some("Asia/Kolkata"), after: "" }),
        ..about(Layout::Row)
    } =>
        text first: String [key] = of(Form::Variable);
        time at: Timestamp [time, format = "%Y%m%dT%H", zone = "+05:30", truncate] = When::Stamp(Stamp::Fields {
            format: "%Y%m%dT%H",
            ahead: 330 * MINUTE,
            truncate: true,
        });
        plain second: u8 [key] = of(Form::Digits { bits: 8, width: 3 });
}
derived! {
    row_mapped mapped 8 [table = "T"] about(Layout::Row) =>
        text first: Symbol [key, escape] = of(Form::Escaped);
        time at: Timestamp [time, unit = "ms"] = ticks(1_000, 13);
}
derived! {
    row_by_month full 7 [table = "T_{at:%Y%m}"]
    About { periods: Some(Periods { format: "%Y%m", span: Span::Month, zone: None, after: "" }), ..about(Layout::Row) } =>
        plain first: Uuid [key, binary] = of(Form::Uuid { binary: true });
        time at: Timestamp [time, unit = "s"] = ticks(SECOND, 10);
}
derived! {
    cells full 5 [table = "T", layout = "cells"] about(Layout::Cells) =>
        text first: String [key, width = 5, pad = '_'] = of(Form::Padded { width: 5, pad: '_' });
        plain second: u64 [key, width = 4] = of(Form::Digits { bits: 64, width: 4 });
        bucket at: Timestamp [time, bucket = "hour"] = When::Bucket(bucket(Span::Hour, fields("%Y%m%d%H")));
}
derived! {
    cells_of_weeks marked 8 [table = "T", layout = "cells", salt(shards = 11, of(at), hash = Fnv1a)]
    About { salt: Some((0, written::OWN_SHARDS, vec![1])), ..about(Layout::Cells) } =>
        text first: Venue [key] = venues();
        bucket at: Timestamp [time, bucket = "week", label = "w{n}", origin = "1960-01-04", unit = "s", truncate] = When::Bucket(Bucket {
            grid: SECOND,
            truncate: true,
            ..bucket(Span::Week, counted("1960-01-04T00:00:00Z", "w", 0))
        });
        plain second: f32 [key, binary] = of(Form::Single);
}
derived! {
    cells_hot marked 5 [
        table = "T",
        layout = "cells",
        salt(shards = 9, first = 1, of(first, second, at), hot(first("a" = 9, "zz" = 3)))
    ] About {
        salt: Some((0, 9, vec![0, 1, 2])),
        hot: Some((0, vec![("a", 9), ("zz", 3)])),
        ..about(Layout::Cells)
    } =>
        text first: String [key, width = 5, pad = '_'] = texts(Form::Padded { width: 5, pad: '_' });
        bucket at: Timestamp [time, bucket = "hour"] = When::Bucket(bucket(Span::Hour, fields("%Y%m%d%H")));
        plain second: u8 [key] = of(Form::Digits { bits: 8, width: 3 });
}
derived! {
    cells_in_sao_paulo serialized 7 [table = "T", layout = "cells", serialize(proto)] about(Layout::Cells) =>
        plain first: [u8; 2] [key] = of(Form::Hex { len: 2 });
        bucket at: Timestamp [time, bucket = "day", zone = "America/Sao_Paulo"] = When::Bucket(Bucket {
            zone: Some("America/Sao_Paulo"),
            ..bucket(Span::Day, fields("%Y%m%d"))
        });
}
derived! {
    cells_of_time_first full 5 [table = "T", layout = "cells", allow(time_first)] about(Layout::Cells) =>
        bucket at: Timestamp [time, bucket = "6h"] = When::Bucket(bucket(
            Span::Every(6 * HOUR),
            Label::Start { unit: SECOND, width: 10, reverse: false },
        ));
        text first: String [key] = of(Form::Variable);
        plain second: u128 [key, binary] = of(Form::BigEndian { bits: 128 });
}
derived! {
    columns full 7 [table = "T", layout = "columns"] about(Layout::Columns {
        offset: Offset::Ticks { unit: 1_000, width: 8, reverse: true },
        named: true,
    }) =>
        text first: String [key, escape] = of(Form::Escaped);
        bucket at: Timestamp [time, bucket = "day", unit = "ms", reverse] = When::Bucket(bucket(
            Span::Day,
            Label::Start { unit: SECOND, width: 19, reverse: true },
        ));
        plain second: i16 [key] = of(Form::SignedDigits { bits: 16, width: 6 });
}
derived! {
    columns_of_one one 7 [table = "T_{at:%Y}.x", layout = "columns", cell_time = "write"]
    About {
        write_time: true,
        periods: Some(Periods { format: "%Y", span: Span::Year, zone: None, after: ".x" }),
        ..about(Layout::Columns { offset: Offset::Fields("%H%M"), named: false })
    } =>
        plain first: u8 [key, binary] = of(Form::BigEndian { bits: 8 });
        bucket at: Timestamp [time, bucket = "day", offset = "%H%M"] = When::Bucket(Bucket {
            grid: MINUTE,
            ..bucket(Span::Day, fields("%Y%m%d"))
        });
}
derived! {
    qualifiers one 7 [table = "T", layout = "qualifiers", separator = "_"]
    About { separator: "_", ..about(Layout::Qualifiers) } =>
        plain first: char [key, binary] = of(Form::Char { binary: true });
        bucket at: Timestamp [time, bucket = "day", zone = "Australia/Lord_Howe", truncate] = When::Bucket(Bucket {
            zone: Some("Australia/Lord_Howe"),
            truncate: true,
            ..bucket(Span::Day, fields("%Y%m%d"))
        });
}
derived! {
    latest mapped 8 [table = "T", layout = "latest", allow(kept_forever)] about(Layout::Latest) =>
        text first: String [key] = of(Form::Variable);
        plain second: bool [key, binary] = of(Form::Bool { binary: true });
        bucket at: Timestamp [time] = When::Bucket(bucket(Span::Endless, Label::Absent));
}

/// The separator of key segments in ordered code.
const CODE: &str = "\0\u{1}";

derived! {
    row_in_code full 8 [table = "T", encoding = "structured"]
    About { separator: CODE, ..about(Layout::Row) } =>
        text first: Symbol [key] = of(Form::CodedText { escape: false, last: false });
        plain second: i64 [key] = of(Form::CodedSigned { bits: 64 });
        time at: Timestamp [time, unit = "ms"] = When::Stamp(Stamp::Coded { unit: 1_000, truncate: false });
}
derived! {
    row_in_code_by_month marked 8 [
        table = "T_{at:%Y%m}",
        encoding = "structured",
        prefix = "P",
        salt(shards = 4, of(at, second))
    ] About {
        prefix: "P",
        separator: CODE,
        salt: Some((0, 4, vec![1, 2])),
        periods: Some(Periods { format: "%Y%m", span: Span::Month, zone: None, after: "" }),
        ..about(Layout::Row)
    } =>
        plain first: Uuid [key, binary] = of(Form::CodedUuid);
        time at: Timestamp [time, unit = "s", truncate] = When::Stamp(Stamp::Coded { unit: SECOND, truncate: true });
        text second: String [key, escape] = of(Form::CodedText { escape: true, last: true });
}
derived! {
    columns_in_code full 7 [table = "T", layout = "columns", encoding = "structured"]
    About {
        separator: CODE,
        ..about(Layout::Columns { offset: Offset::Ticks { unit: 1_000, width: 8, reverse: false }, named: true })
    } =>
        text first: String [key, escape] = of(Form::CodedText { escape: true, last: false });
        bucket at: Timestamp [time, bucket = "day", unit = "ms"] = When::Bucket(bucket(Span::Day, fields("%Y%m%d")));
        plain second: u8 [key] = of(Form::CodedUnsigned { bits: 8 });
}
derived! {
    row_structured full 8 [table = "T", encoding = "structured", separator = "!"]
    About { separator: "!", ..about(Layout::Row) } =>
        text first: String [key] = of(Form::Variable);
        plain second: u8 [key] = of(Form::Digits { bits: 8, width: 3 });
        time at: Timestamp [time, unit = "ms"] = ticks(1_000, 13);
}

derived! {
    cells_enclosed full 7 [table = "T", layout = "cells", separator = "|", enclosed, allow(time_first)]
    About { separator: "|", enclosed: true, ..about(Layout::Cells) } =>
        bucket at: Timestamp [time, bucket = "day"] = When::Bucket(bucket(Span::Day, fields("%Y%m%d")));
        text first: String [key, escape] = of(Form::Escaped);
}

/// Passes the modules of all models to a macro.
macro_rules! every {
    ($callback:ident) => {
        $callback! {
            row row_hot cells_hot row_mapped row_reversed row_of_time_first row_of_binary_time row_of_days row_of_local_hours
            row_by_month
            cells cells_of_weeks cells_in_sao_paulo cells_of_time_first columns columns_of_one
            qualifiers latest row_in_code row_in_code_by_month columns_in_code row_structured
            cells_enclosed
        }
    };
}
pub(super) use every;
