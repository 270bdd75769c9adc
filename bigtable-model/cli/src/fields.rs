//! Commands whose options are the fields of a model.

use std::ops::Bound;

use bigtable_model::dynamic::{AnyModel, AnyQuery, Value};
use bigtable_model::schema::{ColumnSchema, Segment, SegmentKind, SegmentRole};
use clap::{Arg, ArgAction, ArgMatches, Command};
use jiff::{SignedDuration, Timestamp};

use crate::args::GLOBALS;
use crate::failure::Failure;

/// The options of a query that are not fields.
const LIMIT: &str = "limit";
const NEWEST_FIRST: &str = "newest-first";
const COLUMNS: &str = "columns";
const SCAN: &str = "scan";
const SET: &str = "set";

/// A command about the events of a model that its options select.
pub(crate) fn query_command(name: &'static str, model: &AnyModel) -> Command {
    let schema = model.schema();
    let mut command = Command::new(format!("bigtable-model {name} {}", schema.model))
        .about(format!("Events of {} in table {}", schema.model, schema.table))
        .after_help(format!("The keys are {}. A value `A..B` is a range without its end, `A..` and `..B` are open, `AB*` begins so; below 0 write `--FIELD=-3..5`; `--set` takes a value as it is. Times are dates, `2015-03-16T19:53:32Z`, or `now-1h`.", schema.key))
        .max_term_width(100)
        .no_binary_name(true);
    for (_, segment) in schema.key.valued() {
        if !is_taken(&option(&segment.name)) {
            command = command.arg(of_segment(segment));
        }
    }
    for (column, form) in columns_of(model) {
        let name = option(&column.field);
        if !is_taken(&name) {
            let range = match has_ranges(form) {
                true => ", or a range of it",
                false => "",
            };
            let help = format!("a column{range}, stored as {}", column.codec);
            command = command.arg(repeated(name, help).help_heading("Columns"));
        }
    }
    command.arg(
        repeated(
            SET.to_owned(),
            "a field and its value, for any name and any value".to_owned(),
        )
        .value_name("FIELD=VALUE")
        .help_heading("More"),
    )
}

/// Adds the options of a query that are not fields.
pub(crate) fn with_output(command: Command) -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .help(help)
            .action(ArgAction::SetTrue)
            .help_heading("More")
    };
    command
        .arg(
            Arg::new(LIMIT)
                .long(LIMIT)
                .help("at most this many events")
                .value_parser(clap::value_parser!(u64))
                .help_heading("More"),
        )
        .arg(flag(NEWEST_FIRST, "the newest first"))
        .arg(
            Arg::new(COLUMNS)
                .long(COLUMNS)
                .help("only these columns")
                .value_delimiter(',')
                .help_heading("More"),
        )
}

/// Adds the option that allows reading a whole table.
pub(crate) fn with_scan(command: Command) -> Command {
    command.arg(
        Arg::new(SCAN)
            .long(SCAN)
            .help("allows to read the whole table")
            .action(ArgAction::SetTrue)
            .help_heading("More"),
    )
}

fn of_segment(segment: &Segment) -> Arg {
    let help = match segment.role {
        SegmentRole::Time | SegmentRole::Bucket => "the time, or a range of times".to_owned(),
        SegmentRole::Identifier => format!("an identifier, {}", segment.kind),
        _ => format!("{}", segment.kind),
    };
    repeated(option(&segment.name), help).help_heading("The key")
}

fn repeated(name: String, help: String) -> Arg {
    Arg::new(name.clone())
        .long(name)
        .help(help)
        .value_name("VALUE")
        .allow_negative_numbers(true)
        .action(ArgAction::Append)
}

/// The option of a field: `bid_size` is `--bid-size`.
fn option(field: &str) -> String {
    field.replace('_', "-")
}

/// The query that the options ask for.
pub(crate) fn query(model: &AnyModel, options: &ArgMatches) -> Result<AnyQuery, Failure> {
    let mut query = AnyQuery::of(model);
    for (_, segment) in model.schema().key.valued() {
        let values = values_of(options, &segment.name);
        if !values.is_empty() {
            query = select(query, segment, &values)?;
        }
    }
    for (column, form) in columns_of(model) {
        let values = values_of(options, &column.field);
        let value = |text: &str| -> Result<Value, Failure> {
            match form {
                "micros" => Ok(time(text)?.into()),
                _ => Ok(text.into()),
            }
        };
        if !values.is_empty() {
            query = chosen(query, &column.field, &values, has_ranges(form), value)?;
        }
    }
    for set in all(options, SET) {
        let Some((field, value)) = set.split_once('=') else {
            return Err(Failure::new(format_args!(
                "`--set {set}` has no `=`: write `--set FIELD=VALUE`"
            )));
        };
        query = query.set(field, value);
    }
    if given(options, SCAN) {
        query = query.scan();
    }
    if given(options, NEWEST_FIRST) {
        query = query.newest_first();
    }
    if let Some(limit) = limit(options) {
        query = query.limit(limit);
    }
    let columns = self::columns(options);
    if !columns.is_empty() {
        query = query.columns(columns.iter().map(String::as_str));
    }
    Ok(query)
}

/// Refuses an open-ended selection of keys: a delete names its values, or both ends of a range.
pub(crate) fn check_closed(model: &AnyModel, options: &ArgMatches) -> Result<(), Failure> {
    for (_, segment) in model.schema().key.valued() {
        for value in values_of(options, &segment.name) {
            let is_text = segment.kind == SegmentKind::String;
            let is_open = match value.split_once("..") {
                _ if is_text => value.ends_with('*'),
                Some((from, to)) => from.is_empty() || to.is_empty(),
                None => false,
            };
            if is_open {
                return Err(Failure::new(format_args!(
                    "`--{} {value}` has no end: a delete names its values, or both ends of a range",
                    option(&segment.name)
                )));
            }
        }
    }
    Ok(())
}

/// The columns that are asked for; empty for all.
pub(crate) fn columns(options: &ArgMatches) -> Vec<String> {
    all(options, COLUMNS)
}

/// The maximum number of events that are asked for.
pub(crate) fn limit(options: &ArgMatches) -> Option<u64> {
    options.try_get_one(LIMIT).ok().flatten().copied()
}

fn given(options: &ArgMatches, name: &str) -> bool {
    matches!(options.try_get_one::<bool>(name), Ok(Some(true)))
}

fn all(options: &ArgMatches, name: &str) -> Vec<String> {
    let values = options.try_get_many::<String>(name).ok().flatten();
    values.into_iter().flatten().cloned().collect()
}

fn values_of(options: &ArgMatches, field: &str) -> Vec<String> {
    let name = option(field);
    match is_taken(&name) {
        true => Vec::new(),
        false => all(options, &name),
    }
}

/// Whether an option of the command has this name; the field is then set by `--set`.
fn is_taken(name: &str) -> bool {
    const OWN: [&str; 16] = [
        LIMIT,
        NEWEST_FIRST,
        COLUMNS,
        SCAN,
        SET,
        "format",
        "output",
        "help",
        "every",
        "chart",
        "times",
        "a-second",
        "html",
        "events",
        "confirm",
        "save",
    ];
    OWN.contains(&name) || GLOBALS.contains(&name)
}

fn select(query: AnyQuery, segment: &Segment, values: &[String]) -> Result<AnyQuery, Failure> {
    let name = &*segment.name;
    let is_text = segment.kind == SegmentKind::String;
    let value = |text: &str| -> Result<Value, Failure> {
        let is_time = matches!(segment.role, SegmentRole::Time | SegmentRole::Bucket);
        match is_time || segment.kind == SegmentKind::Time {
            true => Ok(time(text)?.into()),
            false => Ok(text.into()),
        }
    };
    match values {
        [one] if is_text && one.ends_with('*') => {
            Ok(query.starts_with(name, one.trim_end_matches('*')))
        }
        values => chosen(query, name, values, !is_text, value),
    }
}

/// The columns that are not copies of the key, and the names of their stored forms.
fn columns_of(model: &AnyModel) -> impl Iterator<Item = (&ColumnSchema, &str)> {
    let columns = model.schema().columns.iter();
    let forms = model.described().columns.iter().map(|one| &*one.form);
    columns.zip(forms).filter(|(one, _)| one.copy_of.is_none())
}

/// Whether a column's values are numbers or times, so that `A..B` is a range of them.
fn has_ranges(form: &str) -> bool {
    matches!(form, "int64" | "float32" | "float64" | "micros")
}

/// Events whose field has one of these values or, if it has ranges, is in the one that a text such
/// as `A..B`, `A..` or `..B` names.
fn chosen(
    query: AnyQuery,
    name: &str,
    values: &[String],
    has_ranges: bool,
    value: impl Fn(&str) -> Result<Value, Failure>,
) -> Result<AnyQuery, Failure> {
    let range = match values {
        [one] if has_ranges => one.split_once(".."),
        _ => None,
    };
    let Some((from, to)) = range else {
        let values = values.iter().map(|one| value(one));
        return Ok(query.among(name, values.collect::<Result<Vec<_>, _>>()?));
    };
    let bound = |text: &str, bound: fn(Value) -> Bound<Value>| match text {
        "" => Ok(Bound::Unbounded),
        text => value(text).map(bound),
    };
    let (from, to) = (bound(from, Bound::Included)?, bound(to, Bound::Excluded)?);
    Ok(query.range(name, from, to))
}

/// A time: RFC 3339, a date, which is midnight in UTC, or `now`, also minus a duration.
fn time(text: &str) -> Result<String, Failure> {
    let wrong = |reason: &str| {
        Failure::new(format_args!(
            "`{text}` is no time: {reason}; write 2015-03-16, 2015-03-16T19:53:32Z or now-1h"
        ))
    };
    if let Some(ago) = text.strip_prefix("now") {
        let ago = match ago.strip_prefix('-') {
            Some(ago) => ago
                .parse::<SignedDuration>()
                .map_err(|error| wrong(&error.to_string()))?,
            None if ago.is_empty() => SignedDuration::ZERO,
            None => return Err(wrong("what follows `now` is no `-` and a duration")),
        };
        let time = Timestamp::now().checked_sub(ago);
        return Ok(time.map_err(|error| wrong(&error.to_string()))?.to_string());
    }
    match text.parse::<jiff::civil::Date>() {
        Ok(date) if !text.contains(['T', 't', ' ']) => Ok(format!("{date}T00:00:00Z")),
        _ => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn times_are_dates_moments_or_ago() {
        assert_eq!(time("2015-03-16").unwrap(), "2015-03-16T00:00:00Z");
        let moment = "2015-03-16T19:53:32Z";
        assert_eq!(time(moment).unwrap(), moment);
        let ago: Timestamp = time("now-90m").unwrap().parse().unwrap();
        let minutes = Timestamp::now().duration_since(ago).as_mins();
        assert!((90..92).contains(&minutes), "{minutes}");
        assert!(time("now+1h").is_err() && time("now-x").is_err());
    }
}
