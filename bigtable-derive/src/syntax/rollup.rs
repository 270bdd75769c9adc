//! A roll-up's struct as written: the words of `#[rollup(...)]`, and which fields are its key.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{DeriveInput, Field, Generics, Ident, Path, Type};

use crate::errors::Errors;

use super::attribute::{self as read, Flag, Item, Text};
use super::nested::meant;
use super::{keyword, named_fields};

/// The attribute of roll-ups.
const ROLLUP: &str = "rollup";

/// A struct whose columns are aggregates of a model's fields.
pub(crate) struct RawRollup {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) fields: Vec<RawRolled>,
    /// The model whose events it aggregates.
    pub(crate) of: Option<Path>,
    /// The buckets of the model's own table.
    pub(crate) own: RawLevel,
    /// The buckets of other tables.
    pub(crate) longer: Vec<RawLevel>,
    /// Whether the server adds.
    pub(crate) added: Flag,
    pub(crate) krate: Option<Path>,
}

/// How long buckets are: `every = "1h"`, or `longer(every = "1h", table = "BAR_HOUR")`.
pub(crate) struct RawLevel {
    pub(crate) span: Span,
    pub(crate) every: Option<Text>,
    pub(crate) zone: Option<Text>,
    pub(crate) table: Option<Text>,
    /// Whether no mistake was found in it.
    pub(crate) is_sound: bool,
}

/// A field.
pub(crate) struct RawRolled {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// What `#[bigtable(...)]` says it is.
    pub(crate) role: Role,
    pub(crate) aggregates: Vec<RawAggregate>,
    /// How the server adds to it, as `#[bigtable(aggregate = "sum")]` says.
    pub(crate) added_as: Option<Text>,
    /// Whether no mistake was found in its words.
    pub(crate) is_sound: bool,
}

/// What a field is in its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Identifier,
    Time,
    Skipped,
    Column,
}

/// `max(price)`.
pub(crate) struct RawAggregate {
    pub(crate) span: Span,
    pub(crate) word: &'static str,
    /// The program's type in `with(Widest, price)`.
    pub(crate) own: Option<Path>,
    pub(crate) source: RawSource,
}

/// The part of an event that is aggregated.
#[derive(Clone)]
pub(crate) enum RawSource {
    /// Nothing is said.
    Absent,
    /// A field.
    Field(Ident),
    /// The result of a function of the event: `by = turnover`.
    By(Path),
}

/// Reads a roll-up; `None` when it is not a struct with named fields.
pub(crate) fn rollup(input: &DeriveInput, errors: &mut Errors) -> Option<RawRollup> {
    let named = named_fields(input, "a roll-up", errors)?;
    let fields = named.named.iter();
    let mut raw = RawRollup {
        ident: input.ident.clone(),
        generics: input.generics.clone(),
        fields: fields.filter_map(|one| field(one, errors)).collect(),
        of: None,
        own: RawLevel::at(input.ident.span()),
        longer: Vec::new(),
        added: None,
        krate: None,
    };
    read::for_each_item_of(ROLLUP, &input.attrs, errors, |item, errors| {
        raw.read(item, errors);
    });
    Some(raw)
}

impl RawRollup {
    fn read(&mut self, item: &Item, errors: &mut Errors) {
        match meant(item, keyword::ON_ROLLUP, errors) {
            keyword::OF => {
                let value = read::path(item, "Trade", errors);
                read::once(&mut self.of, value, item, errors);
            }
            keyword::CRATE => {
                let value = read::path(item, "::bigtable_model", errors);
                read::once(&mut self.krate, value, item, errors);
            }
            keyword::ADDED => {
                let value = read::flag(item, errors);
                read::once(&mut self.added, value, item, errors);
            }
            keyword::LONGER => self.longer.push(RawLevel::read(item, errors)),
            word => self.own.word(word, item, errors),
        }
    }
}

impl RawLevel {
    const fn at(span: Span) -> Self {
        Self {
            span,
            every: None,
            zone: None,
            table: None,
            is_sound: true,
        }
    }

    fn read(item: &Item, errors: &mut Errors) -> Self {
        let before = errors.count();
        let mut raw = Self::at(item.span());
        let example = "longer(every = \"1h\", table = \"BAR_HOUR\")";
        for item in read::list(item, example, errors) {
            let word = meant(&item, keyword::IN_LONGER, errors);
            raw.word(word, &item, errors);
        }
        raw.is_sound = errors.count() == before;
        raw
    }

    fn word(&mut self, word: &str, item: &Item, errors: &mut Errors) {
        let (slot, example) = match word {
            keyword::EVERY => (&mut self.every, "1h"),
            keyword::ZONE => (&mut self.zone, "Europe/Berlin"),
            keyword::TABLE => (&mut self.table, "BAR_HOUR"),
            _ => return,
        };
        let value = read::text(item, example, errors);
        read::once(slot, value, item, errors);
    }
}

fn field(field: &Field, errors: &mut Errors) -> Option<RawRolled> {
    let before = errors.count();
    let mut aggregates = Vec::new();
    read::for_each_item_of(ROLLUP, &field.attrs, errors, |item, errors| {
        aggregates.extend(RawAggregate::read(item, errors));
    });
    let (role, added_as) = role(field);
    Some(RawRolled {
        ident: field.ident.clone()?,
        ty: field.ty.clone(),
        role,
        added_as,
        aggregates,
        is_sound: errors.count() == before,
    })
}

/// What the model says of a field. Its mistakes are reported by the model's own derive.
fn role(field: &Field) -> (Role, Option<Text>) {
    let mut role = Role::Column;
    let mut added_as = None;
    let mut reported = Errors::default();
    read::for_each_item(
        &field.attrs,
        &mut reported,
        |item, errors| match read::word(item).as_str() {
            keyword::KEY => role = Role::Identifier,
            keyword::TIME => role = Role::Time,
            keyword::SKIP => role = Role::Skipped,
            keyword::AGGREGATE => added_as = read::text(item, "sum", errors),
            _ => {}
        },
    );
    drop(reported.report_beside(None));
    (role, added_as)
}

impl RawAggregate {
    fn read(item: &Item, errors: &mut Errors) -> Option<Self> {
        let word = meant(item, keyword::AGGREGATES, errors);
        if word.is_empty() {
            return None;
        }
        let mut raw = Self {
            span: item.span(),
            word,
            own: None,
            source: RawSource::Absent,
        };
        if item.is_alone() && word != keyword::WITH {
            return Some(raw);
        }
        let example = match word {
            keyword::WITH => "with(Widest, price)".to_owned(),
            word => format!("{word}(price)"),
        };
        let mut items = read::list(item, &example, errors).into_iter();
        if word == keyword::WITH {
            raw.own = items.next().and_then(|first| own(&first, &example, errors));
            raw.own.as_ref()?;
        }
        if let Some(source) = items.next() {
            raw.source = RawSource::read(&source, &example, errors);
        }
        for more in items {
            errors.at(
                more,
                format!("an aggregate is of one field: write `{example}`"),
            );
        }
        Some(raw)
    }
}

/// The type of an aggregate of the program.
fn own(item: &Item, example: &str, errors: &mut Errors) -> Option<Path> {
    if item.is_alone() {
        return Some(item.path().clone());
    }
    let message = format!("`with` begins with the type of an aggregate: write `{example}`");
    errors.at(item, message);
    None
}

impl RawSource {
    fn read(item: &Item, example: &str, errors: &mut Errors) -> Self {
        if read::word(item) == keyword::BY && !item.is_alone() {
            return match read::path(item, "turnover", errors) {
                Some(path) => Self::By(path),
                None => Self::Absent,
            };
        }
        match item.path().get_ident() {
            Some(ident) if item.is_alone() => Self::Field(ident.clone()),
            _ => {
                let message = format!(
                    "an aggregate is of a field, or of what a function makes of an event: write `{example}`, or `by = turnover` in place of the field"
                );
                errors.at(item, message);
                Self::Absent
            }
        }
    }
}
