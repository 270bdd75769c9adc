//! A checkpoint as text: lines of words, the last one with a checksum of those before it.
//!
//! | line | words after the first |
//! |---|---|
//! | `bigtable-model copy checkpoint` | the version of the format |
//! | `job` | the job's hash, the source's ID, the target's |
//! | `started` | microseconds since 1970 |
//! | `into`, one for each table by period that was written to | its ID |
//! | `part`, one for each | the source's table, first key, first key after it, last row done, `open` or `done`, rows, events, bytes, checksum, first and last key written |
//! | `end` | XXH64 of all lines before it |
//!
//! Version 1 had no `into`, and no table in `part`: source and target were one table each.
//!
//! Hashes are 16 hexadecimal digits. In keys, bytes that are not printable, `%` and a lone `-` are
//! written as `%` and two digits; `-` means no key.
//!
//! It does not use serde. A job that an earlier release began resumes from versions 1 and 2, so
//! both would have to be read alongside a third. JSON is an optional feature that jobs do not need,
//! and keys of any bytes would need the same escapes. The error of a damaged file names its line.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::str::{FromStr, SplitAsciiWhitespace};

use bytes::Bytes;
use xxhash_rust::xxh64::xxh64;

use super::checkpoint::{Checkpoint, Copied, JobId, Part};
use super::split::KeySpan;
use super::tally::Tally;
use crate::Timestamp;

const HEADER: &str = "bigtable-model copy checkpoint ";
pub(super) const VERSION: u32 = 1;

/// Why a text cannot be read as a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Damage {
    UnknownVersion(u32),
    /// In this line, from 1.
    At(usize, String),
}

pub(super) fn write(checkpoint: &Checkpoint) -> String {
    let JobId {
        hash,
        source,
        target,
    } = &checkpoint.job;
    let mut text = format!("{HEADER}{VERSION}\n");
    // Writing into a string cannot fail.
    let _ = writeln!(
        text,
        "job {hash:016x} {} {}",
        word(source.as_bytes()),
        word(target.as_bytes())
    );
    let _ = writeln!(text, "started {}", checkpoint.started.as_micros());
    for table in &checkpoint.tables {
        let _ = writeln!(text, "into {}", word(table.as_bytes()));
    }
    for part in &checkpoint.parts {
        write_part(part, &mut text);
    }
    let sum = xxh64(text.as_bytes(), 0);
    let _ = writeln!(text, "end {sum:016x}");
    text
}

fn write_part(part: &Part, text: &mut String) {
    let Copied {
        rows,
        bytes,
        tally,
        keys,
    } = &part.copied;
    let (first, last) = keys.clone().unwrap_or_default();
    let _ = writeln!(
        text,
        "part {} {} {} {} {} {rows} {} {bytes} {:016x} {} {}",
        word(part.table.as_bytes()),
        word(&part.span.from),
        word(&part.span.to),
        word(part.done.as_deref().unwrap_or_default()),
        if part.finished { "done" } else { "open" },
        tally.events,
        tally.checksum,
        word(&first),
        word(&last),
    );
}

pub(super) fn read(bytes: &[u8]) -> Result<Checkpoint, Damage> {
    let at = |line: usize, what: &str| Damage::At(line, what.to_owned());
    let text = str::from_utf8(bytes).map_err(|_| at(1, "it is not text"))?;
    let version = text
        .strip_prefix(HEADER)
        .and_then(|rest| rest.lines().next());
    match version.and_then(|version| version.parse().ok()) {
        Some(VERSION) => {}
        Some(other) => return Err(Damage::UnknownVersion(other)),
        None => return Err(at(1, "it is no checkpoint of a copy")),
    };
    let lines = checked(text).ok_or_else(|| {
        at(
            text.lines().count(),
            "the checksum is not that of the lines before: it was cut off or changed",
        )
    })?;
    let mut lines = lines.lines().enumerate().skip(1).peekable();
    let job = line(lines.next(), "job", job)?;
    let started = line(lines.next(), "started", |words| {
        words.number().map(Timestamp::from_micros)
    })?;
    let mut tables = BTreeSet::new();
    while let Some(into) = lines.next_if(|(_, line)| line.starts_with("into ")) {
        tables.insert(line(Some(into), "into", |words| words.table())?);
    }
    let parts =
        lines.map(|part_line| line(Some(part_line), "part", |words| part(words.table()?, words)));
    let parts = parts.collect::<Result<_, _>>()?;
    Ok(Checkpoint {
        job,
        started,
        tables,
        parts,
    })
}

/// The lines before the last, if that has their checksum.
fn checked(text: &str) -> Option<&str> {
    let (before, last) = text.strip_suffix('\n')?.rsplit_once('\n')?;
    let lines = text.get(..=before.len())?;
    let sum = format!("end {:016x}", xxh64(lines.as_bytes(), 0));
    (sum == last).then_some(lines)
}

/// The content of a line with this first word, which must end after it.
fn line<T>(
    line: Option<(usize, &str)>,
    name: &str,
    read: impl FnOnce(&mut Words<'_>) -> Option<T>,
) -> Result<T, Damage> {
    let (at, text) = line.unwrap_or_default();
    let mut words = Words(text.split_ascii_whitespace());
    let value = match words.0.next() {
        Some(first) if first == name => read(&mut words),
        _ => None,
    };
    let value = value.filter(|_| words.0.next().is_none());
    value.ok_or_else(|| {
        Damage::At(
            at + 1,
            format!("`{name}` and what belongs to it should be there"),
        )
    })
}

fn job(words: &mut Words<'_>) -> Option<JobId> {
    Some(JobId {
        hash: words.hash()?,
        source: words.table()?,
        target: words.table()?,
    })
}

fn part(table: String, words: &mut Words<'_>) -> Option<Part> {
    let from = words.key()?.unwrap_or_default();
    let to = words.key()?.unwrap_or_default();
    let done = words.key()?;
    let finished = match words.0.next()? {
        "open" => false,
        "done" => true,
        _ => return None,
    };
    let rows = words.number()?;
    let events = words.number()?;
    let bytes = words.number()?;
    let checksum = words.hash()?;
    Some(Part {
        table,
        span: KeySpan { from, to },
        done,
        finished,
        copied: Copied {
            rows,
            bytes,
            tally: Tally { events, checksum },
            keys: words.key()?.zip(words.key()?),
        },
    })
}

/// The words of a line that have not been read yet.
struct Words<'a>(SplitAsciiWhitespace<'a>);

impl Words<'_> {
    fn number<N: FromStr>(&mut self) -> Option<N> {
        self.0.next()?.parse().ok()
    }

    fn hash(&mut self) -> Option<u64> {
        u64::from_str_radix(self.0.next()?, 16).ok()
    }

    fn table(&mut self) -> Option<String> {
        String::from_utf8(self.key()??.to_vec()).ok()
    }

    /// `None` at the end of the line, and `Some(None)` for no key.
    #[allow(clippy::option_option, reason = "two things can be absent")]
    fn key(&mut self) -> Option<Option<Bytes>> {
        match self.0.next()? {
            "-" => Some(None),
            word => unescaped(word).map(|key| Some(key.into())),
        }
    }
}

/// A key as a word.
fn word(key: &[u8]) -> String {
    match key {
        b"" => "-".to_owned(),
        b"-" => "%2d".to_owned(),
        key => {
            let mut word = String::with_capacity(key.len());
            for &byte in key {
                match byte {
                    b'%' => word.push_str("%25"),
                    b'!'..=b'~' => word.push(char::from(byte)),
                    _ => drop(write!(word, "%{byte:02x}")),
                }
            }
            word
        }
    }
}

fn unescaped(word: &str) -> Option<Vec<u8>> {
    let mut rest = word.as_bytes();
    let mut key = Vec::with_capacity(rest.len());
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'%' {
            key.push(*byte);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        key.push(u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    Some(key)
}
