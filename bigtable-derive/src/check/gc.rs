//! Which cells may be deleted: checks that the rules are valid, belong to families that are written
//! to, and lose no events by accident.

use std::collections::BTreeSet;

use crate::errors::Errors;
use crate::model::{FamilyRule, GcRule, Kind, Volume};
use crate::syntax::{RawGc, RawModel, RawRule, RawRuleKind, keyword};

use super::names;
use super::time::bucket::allows;
use super::time::duration;
use super::time::volume::grouped;

/// The maximum size of a rule in Bigtable's own form, in bytes (its documented limit).
const MOST_BYTES: u64 = 500;

/// The families of a model.
pub(super) struct Families<'a> {
    /// All families that are written to.
    pub(super) written: &'a BTreeSet<String>,
    /// Whether a column without a family was reported.
    pub(super) missing: bool,
    /// The families that each event writes to.
    pub(super) of_events: BTreeSet<&'a str>,
}

/// The rules of the families, one each.
pub(super) fn rules(
    raw: &RawModel,
    kind: Kind,
    families: &Families<'_>,
    volume: Option<&Volume>,
    errors: &mut Errors,
) -> Vec<FamilyRule> {
    let mut found: Vec<FamilyRule> = Vec::new();
    // From a row of latest values only the newest version is read.
    let versions_are_events = kind.is_cell_time() && kind.has_many();
    for gc in &raw.gc {
        let family = family(raw, gc, families, errors);
        let rule = one_rule(gc, errors);
        let Some(family) = family else { continue };
        if found.iter().any(|one| one.family == family) {
            errors.at_span(
                gc.span,
                format!(
                    "family `{family}` has two rules: remove one, or join them as `gc(any(...))` or `gc(all(...))`"
                ),
            );
            continue;
        }
        let Some(rule) = rule else { continue };
        if versions_are_events && families.of_events.contains(family.as_str()) {
            keeps_events(raw, gc, kind, &rule, volume, errors);
        }
        found.push(FamilyRule { family, rule });
    }
    if versions_are_events && volume.is_some() && raw.gc.is_empty() {
        ends(raw, kind, errors);
    }
    if kind.keeps_newest() && !allows(&raw.allow, keyword::KEPT_FOREVER) {
        newest_only(families, &mut found);
    }
    found
}

/// Each write to a row of latest values leaves the previous value, which no query returns: without
/// a rule the row would grow forever.
fn newest_only(families: &Families<'_>, found: &mut Vec<FamilyRule>) {
    for family in families.written {
        if !found.iter().any(|one| one.family == *family) {
            found.push(FamilyRule {
                family: family.clone(),
                rule: GcRule::MaxVersions(1),
            });
        }
    }
}

/// If events are versions, only a garbage-collection rule ever deletes them. It is required once
/// the rate of events is declared.
fn ends(raw: &RawModel, kind: Kind, errors: &mut Errors) {
    let Some(expect) = &raw.expect else { return };
    if allows(&raw.allow, keyword::KEPT_FOREVER) {
        return;
    }
    errors.at_span(
        expect.span,
        format!(
            "in `layout = \"{}\"` events are versions of columns, and without `gc` all of them are kept for ever: write how long they are needed, as in `gc(max_age = \"90d\")`, or `allow(kept_forever)` on the struct",
            kind.word()
        ),
    );
}

/// The family of a rule: the struct's if the rule names none. The model must write to it.
fn family(
    raw: &RawModel,
    gc: &RawGc,
    families: &Families<'_>,
    errors: &mut Errors,
) -> Option<String> {
    if let Some(own) = &gc.family {
        names::family(own, errors);
    }
    let Some(family) = gc.family.as_ref().or(raw.family.as_ref()) else {
        if !families.missing {
            errors.at_span(
                gc.span,
                format!(
                    "this rule has no family, since the struct has none: write `gc(family = \"{}\", ...)`",
                    families.written.first().map_or("MD", String::as_str)
                ),
            );
        }
        return None;
    };
    if !families.written.contains(&family.value) && !families.missing {
        let written = families.written.iter().map(|one| format!("\"{one}\""));
        let written: Vec<_> = written.collect();
        errors.at_span(
            gc.family.as_ref().map_or(gc.span, |own| own.span),
            format!(
                "the model writes nothing to family `{}`: write `gc(family = ...)` with one of {}",
                family.value,
                written.join(", ")
            ),
        );
        return None;
    }
    Some(family.value.clone())
}

/// The single rule in `gc(...)`.
fn one_rule(gc: &RawGc, errors: &mut Errors) -> Option<GcRule> {
    match gc.rules.as_slice() {
        [] => {
            if gc.is_sound {
                errors.at_span(
                    gc.span,
                    "`gc` says which cells may be deleted: write `gc(max_versions = 1)`, or `gc(max_age = \"30d\")`",
                );
            }
            None
        }
        [one] => {
            let rule = rule(one, errors)?;
            fits_the_wire(gc, &rule, errors);
            Some(rule)
        }
        [first, second, ..] => {
            errors.at_span(
                second.span,
                "two rules: write `gc(any(...))` around them for the cells that either would delete, `gc(all(...))` for those that both would",
            );
            rule(first, errors)
        }
    }
}

/// A rule with valid numbers; a single rule inside `any` or `all` is the rule itself.
fn rule(raw: &RawRule, errors: &mut Errors) -> Option<GcRule> {
    let members = |rules: &[RawRule], errors: &mut Errors| -> Vec<GcRule> {
        let rules = rules.iter().filter_map(|one| rule(one, errors));
        rules.collect()
    };
    let joined = |mut rules: Vec<GcRule>, join: fn(Vec<GcRule>) -> GcRule| match rules.len() {
        0 | 1 => rules.pop(),
        _ => Some(join(rules)),
    };
    match &raw.kind {
        RawRuleKind::MaxVersions(versions) if versions.value < 1 => {
            errors.at_span(
                versions.span,
                "the newest version of a cell is always kept: write `max_versions = 1`, or more",
            );
            None
        }
        RawRuleKind::MaxVersions(versions) => Some(GcRule::MaxVersions(versions.value)),
        RawRuleKind::MaxAge(text) => {
            let micros =
                duration::micros(&text.value).and_then(|micros| u64::try_from(micros).ok());
            if micros.is_none() {
                errors.at_span(
                    text.span,
                    "`max_age` is a duration of 1 ms or more, in `ms`, `s`, `m`, `h` or `d`: write `max_age = \"30d\"`",
                );
            }
            micros.map(|micros| GcRule::MaxAge(micros / 1_000))
        }
        RawRuleKind::Any(rules) => joined(members(rules, errors), GcRule::Union),
        RawRuleKind::All(rules) => joined(members(rules, errors), GcRule::Intersection),
    }
}

/// Bigtable limits the size of a rule.
fn fits_the_wire(gc: &RawGc, rule: &GcRule, errors: &mut Errors) {
    let bytes = rule.wire_bytes();
    if bytes > MOST_BYTES {
        errors.at_span(
            gc.span,
            format!(
                "Bigtable takes rules of at most {MOST_BYTES} bytes and this one has {bytes}: write fewer rules inside `any` and `all`"
            ),
        );
    }
}

/// If the time is the cells' timestamp, the events of a row are the versions of one column, and a
/// rule that counts versions deletes events.
fn keeps_events(
    raw: &RawModel,
    gc: &RawGc,
    kind: Kind,
    rule: &GcRule,
    volume: Option<&Volume>,
    errors: &mut Errors,
) {
    let Some(kept) = rule.kept_by_number() else {
        return;
    };
    let is_wrongly_expected = raw.expect.is_some() && volume.is_none();
    let held = volume.and_then(|volume| volume.events);
    if is_wrongly_expected
        || held.is_some_and(|held| held <= kept)
        || allows(&raw.allow, keyword::DROPPED_EVENTS)
    {
        return;
    }
    let span = gc.rules.first().map_or(gc.span, |one| one.span);
    errors.at_span(span, drops_events(kind, kept, volume));
}

/// What is wrong with a rule that keeps this many versions, and what to write instead.
fn drops_events(kind: Kind, kept: u64, volume: Option<&Volume>) -> String {
    let versions = match kind.is_in_qualifier() {
        true => "events of one value are versions of one column",
        false => "the events of a row are versions of one column",
    };
    let newest = match kept {
        1 => String::new(),
        _ => format!(" {}", grouped(kept)),
    };
    let (held, more) = match volume.map(|volume| volume.events) {
        Some(Some(held)) => (
            format!(", of {} that are expected", grouped(held)),
            format!(", or `max_versions = {held}`"),
        ),
        Some(None) => (String::new(), String::new()),
        None => (
            String::new(),
            ", show with `expect(every = \"1m\", size = 100)` that a row has no more".to_owned(),
        ),
    };
    format!(
        "in `layout = \"{}\"` {versions}, and this rule deletes all but the newest{newest}{held}: write `all(max_versions = ..., max_age = \"30d\")`, which spares the young{more}, or add `allow(dropped_events)` to the struct",
        kind.word()
    )
}
