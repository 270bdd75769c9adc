//! Rows that may be packed: refuses what does not go with packing.

use std::collections::BTreeSet;

use crate::errors::Errors;
use crate::model::{Bucket, CellTime, FamilyRule, GcRule, Kind};
use crate::syntax::{RawModel, RawPack};

use super::{duration, zone};
use crate::check::kinds;

/// The family of blocks.
const FAMILY: &str = "_packed";

/// `pack(...)`, and what it depends on.
pub(in crate::check) struct Packed<'a> {
    pub(in crate::check) pack: &'a RawPack,
    pub(in crate::check) kind: Kind,
    pub(in crate::check) cell_time: CellTime,
    pub(in crate::check) bucket: Option<&'a Bucket>,
    /// The families that are written to, and those that each event writes to.
    pub(in crate::check) written: &'a BTreeSet<String>,
    pub(in crate::check) of_events: &'a BTreeSet<&'a str>,
}

impl Packed<'_> {
    /// How long after the end of its bucket a row may be packed. The family of blocks gets a rule
    /// with the age at which the last events of a row are deleted.
    pub(in crate::check) fn after(
        &self,
        raw: &RawModel,
        rules: &mut Vec<FamilyRule>,
        errors: &mut Errors,
    ) -> Option<i64> {
        let before = errors.count();
        let after = self.micros(errors)?;
        if !self.kind.has_many() || !self.kind.has_places() {
            errors.at_span(
                self.pack.span,
                format!(
                    "`pack` puts the cells of a bucket's events into blocks, and `layout = \"{}\"` has none such: write `layout = \"cells\"` or `layout = \"columns\"`, or remove `pack`",
                    self.kind.word()
                ),
            );
            return None;
        }
        let length = self.length(errors);
        if self.cell_time == CellTime::Write {
            let span = raw
                .cell_time
                .as_ref()
                .map_or(self.pack.span, |text| text.span);
            errors.at_span(
                span,
                "a block has the times of events, not those of writes: remove `cell_time = \"write\"`, or `pack`",
            );
        }
        if self.written.contains(FAMILY) {
            errors.at_span(
                self.pack.span,
                "the family `_packed` holds the blocks of packed rows: give the model's own another name",
            );
        }
        refuse_fields(raw, errors);
        let age = length.and_then(|length| self.age(raw, rules, length + after, errors));
        if let Some(age) = age {
            rules.push(FamilyRule {
                family: FAMILY.to_owned(),
                rule: GcRule::MaxAge(age),
            });
        }
        (errors.count() == before).then_some(after)
    }

    fn micros(&self, errors: &mut Errors) -> Option<i64> {
        let Some(text) = &self.pack.after else {
            if self.pack.is_sound {
                errors.at_span(
                    self.pack.span,
                    "say how long after the end of its bucket a row has settled: write `pack(after = \"1h\")`",
                );
            }
            return None;
        };
        let micros = duration::micros(&text.value);
        if micros.is_none() {
            errors.at_span(
                text.span,
                "`after` is a duration of 1 ms or more, in `ms`, `s`, `m`, `h` or `d`: write `after = \"1h\"`",
            );
        }
        micros
    }

    /// The length of the longest bucket.
    fn length(&self, errors: &mut Errors) -> Option<i64> {
        let bucket = self.bucket?;
        let more = zone::more_micros(bucket.zone.as_deref(), false);
        let longest = bucket.span.longest_micros(more);
        if longest.is_none() {
            errors.at_span(
                self.pack.span,
                "a row is packed when its bucket has ended, and this one never does: write a bucket like `bucket = \"day\"`, or remove `pack`",
            );
        }
        longest
    }

    /// After how many milliseconds the last event of a row is deleted; `None` if some never are.
    fn age(
        &self,
        raw: &RawModel,
        rules: &[FamilyRule],
        settled: i64,
        errors: &mut Errors,
    ) -> Option<u64> {
        let mut longest = Some(0);
        for family in self.of_events {
            let rule = rules.iter().find(|one| one.family == *family);
            let span = raw.gc.first().map_or(self.pack.span, |gc| gc.span);
            let millis = match rule.map(|one| &one.rule) {
                None => None,
                Some(GcRule::MaxAge(millis)) => Some(*millis),
                Some(GcRule::MaxVersions(_)) if !self.kind.is_cell_time() => None,
                Some(_) => {
                    errors.at_span(
                        span,
                        format!("events in blocks go by their age alone: write `gc(max_age = ...)` for family `{family}`, or remove `pack`"),
                    );
                    None
                }
            };
            let needed = u64::try_from(settled / 1_000).unwrap_or(u64::MAX);
            if millis.is_some_and(|millis| millis < needed) {
                errors.at_span(
                    self.pack.span,
                    "events expire before their row has settled, so none is ever packed: write a longer `max_age`, or a shorter bucket",
                );
            }
            longest = longest.zip(millis).map(|(one, other)| u64::max(one, other));
        }
        longest.filter(|millis| *millis > 0)
    }
}

/// Refuses fields that blocks have no place for.
fn refuse_fields(raw: &RawModel, errors: &mut Errors) {
    for field in &raw.fields {
        for (word, span) in kinds::words(field) {
            if let Some(span) = span {
                errors.at_span(
                    span,
                    format!("the server changes a column with `{word}` in its cell, and a block has none: remove `{word}`, or `pack` from the struct"),
                );
            }
        }
    }
}
