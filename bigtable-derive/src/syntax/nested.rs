//! Words with words inside: `salt(...)`, `serialize(...)`, `expect(...)`, `pack(...)`,
//! `mirror(...)`, `rollup(...)`.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Ident, Path};

use crate::errors::Errors;

use super::attribute::{self as read, At, Item, Text};
use super::keyword;

/// `salt(shards = 64, of(symbol, at))`.
pub(crate) struct RawSalt {
    pub(crate) span: Span,
    pub(crate) shards: Option<At<u32>>,
    /// The first shard's number.
    pub(crate) first: Option<At<u32>>,
    /// The fields that are hashed.
    pub(crate) of: Option<Vec<Ident>>,
    /// A hash function of the program.
    pub(crate) hash: Option<Path>,
    /// The series whose rows are spread.
    pub(crate) hot: Option<RawHot>,
    /// Whether no mistake was found in it: otherwise a missing part may be the wrong one.
    pub(crate) is_sound: bool,
}

/// `hot(symbol("AAPL" = 16, "TSLA" = 4))`.
pub(crate) struct RawHot {
    pub(crate) span: Span,
    pub(crate) field: Ident,
    /// The values, each with the number of its shards.
    pub(crate) values: Vec<(Text, At<u32>)>,
}

/// `serialize(json, column = "measurements_blob")`.
pub(crate) struct RawSerialize {
    pub(crate) span: Span,
    pub(crate) codec: Option<RawCodec>,
    pub(crate) column: Option<Text>,
    pub(crate) is_sound: bool,
}

/// What serialises an event.
pub(crate) enum RawCodec {
    Json,
    /// The message of a natural `.proto`.
    Proto,
    Postcard,
    Own(Path),
}

/// `expect(every = "5s", size = 100)`.
pub(crate) struct RawExpect {
    pub(crate) span: Span,
    pub(crate) every: Option<Text>,
    pub(crate) size: Option<At<u64>>,
    pub(crate) is_sound: bool,
}

/// `pack(after = "1h")`.
pub(crate) struct RawPack {
    pub(crate) span: Span,
    pub(crate) after: Option<Text>,
    pub(crate) is_sound: bool,
}

impl RawPack {
    pub(super) fn read(meta: &Item, errors: &mut Errors) -> Self {
        let before = errors.count();
        let mut raw = Self {
            span: meta.span(),
            after: None,
            is_sound: true,
        };
        for item in read::list(meta, "pack(after = \"1h\")", errors) {
            if meant(&item, keyword::IN_PACK, errors) == keyword::AFTER {
                let value = read::text(&item, "1h", errors);
                read::once(&mut raw.after, value, &item, errors);
            }
        }
        raw.is_sound = errors.count() == before;
        raw
    }
}

impl RawSalt {
    pub(super) fn read(meta: &Item, errors: &mut Errors) -> Self {
        let before = errors.count();
        let mut raw = Self {
            span: meta.span(),
            shards: None,
            first: None,
            of: None,
            hash: None,
            hot: None,
            is_sound: true,
        };
        for item in read::list(meta, "salt(shards = 64, of(symbol))", errors) {
            match meant(&item, keyword::IN_SALT, errors) {
                keyword::SHARDS => {
                    let value = read::number(&item, "shards", 64, errors);
                    read::once(&mut raw.shards, value, &item, errors);
                }
                keyword::FIRST => {
                    let value = read::number(&item, "first", 1, errors);
                    read::once(&mut raw.first, value, &item, errors);
                }
                keyword::OF => {
                    let value = fields(&item, errors);
                    read::once(&mut raw.of, Some(value), &item, errors);
                }
                keyword::HASH => {
                    let value = read::path(&item, "Fnv1a", errors);
                    read::once(&mut raw.hash, value, &item, errors);
                }
                keyword::HOT => {
                    let value = RawHot::read(&item, errors);
                    read::once(&mut raw.hot, value, &item, errors);
                }
                _ => {}
            }
        }
        raw.is_sound = errors.count() == before;
        raw
    }
}

impl RawHot {
    const EXAMPLE: &str = "hot(symbol(\"AAPL\" = 16))";

    fn read(meta: &Item, errors: &mut Errors) -> Option<Self> {
        let before = errors.count();
        let items = read::list(meta, Self::EXAMPLE, errors);
        let [item] = items.as_slice() else {
            if errors.count() == before {
                errors.at(
                    meta,
                    format!(
                        "`hot` takes one key field with its hot values, write `{}`",
                        Self::EXAMPLE
                    ),
                );
            }
            return None;
        };
        let Some(field) = item.path().get_ident() else {
            errors.at(
                item,
                format!(
                    "`hot` takes the name of a key field, write `{}`",
                    Self::EXAMPLE
                ),
            );
            return None;
        };
        let example = format!("hot({field}(\"AAPL\" = 16))");
        let values = read::counted(item, &example, errors);
        if values.is_empty() {
            if errors.count() == before {
                errors.at(
                    item,
                    format!("no value of `{field}` is hot: write `{example}`, or remove `hot`"),
                );
            }
            return None;
        }
        Some(Self {
            span: meta.span(),
            field: field.clone(),
            values,
        })
    }
}

/// `of(symbol, at)`.
fn fields(meta: &Item, errors: &mut Errors) -> Vec<Ident> {
    let mut fields = Vec::new();
    for item in read::list(meta, "of(symbol)", errors) {
        match item.path().get_ident() {
            Some(ident) if item.is_alone() => fields.push(ident.clone()),
            _ => errors.at(
                &item,
                "`of` takes the names of key fields, write `of(symbol)`",
            ),
        }
    }
    fields
}

impl RawSerialize {
    pub(super) fn read(meta: &Item, errors: &mut Errors) -> Self {
        let before = errors.count();
        let mut raw = Self {
            span: meta.span(),
            codec: None,
            column: None,
            is_sound: true,
        };
        for item in read::list(meta, "serialize(json)", errors) {
            if let Some(codec) = own_codec(&item) {
                raw.codec(codec, &item, errors);
                continue;
            }
            let codec = match meant(&item, keyword::IN_SERIALIZE, errors) {
                keyword::JSON => RawCodec::Json,
                keyword::PROTO => RawCodec::Proto,
                keyword::POSTCARD => RawCodec::Postcard,
                keyword::COLUMN => {
                    let value = read::text(&item, "measurements_blob", errors);
                    read::once(&mut raw.column, value, &item, errors);
                    continue;
                }
                _ => continue,
            };
            read::flag(&item, errors);
            raw.codec(codec, &item, errors);
        }
        raw.is_sound = errors.count() == before;
        raw
    }

    fn codec(&mut self, codec: RawCodec, item: &Item, errors: &mut Errors) {
        if self.codec.is_some() {
            errors.at(item, "an event is serialised in one way, remove this one");
        } else {
            self.codec = Some(codec);
        }
    }
}

/// A path, or a name written as types are.
fn own_codec(item: &Item) -> Option<RawCodec> {
    let is_type = |ident: &Ident| ident.to_string().starts_with(char::is_uppercase);
    let is_own = item.path().get_ident().is_none_or(is_type);
    (item.is_alone() && is_own).then(|| RawCodec::Own(item.path().clone()))
}

impl RawExpect {
    pub(super) fn read(meta: &Item, errors: &mut Errors) -> Self {
        let before = errors.count();
        let mut raw = Self {
            span: meta.span(),
            every: None,
            size: None,
            is_sound: true,
        };
        for item in read::list(meta, "expect(every = \"5s\", size = 100)", errors) {
            match meant(&item, keyword::IN_EXPECT, errors) {
                keyword::EVERY => {
                    let value = read::text(&item, "5s", errors);
                    read::once(&mut raw.every, value, &item, errors);
                }
                keyword::SIZE => {
                    let value = read::number(&item, "bytes", 100, errors);
                    read::once(&mut raw.size, value, &item, errors);
                }
                _ => {}
            }
        }
        raw.is_sound = errors.count() == before;
        raw
    }
}

/// `mirror(CurrentMetric, MetricByDay)`, `rollup(MetricMinute)` or `was(QuoteV1)`.
pub(crate) struct RawModels {
    pub(crate) span: Span,
    /// The models that hold copies, roll-ups or what was stored before.
    pub(crate) models: Vec<Path>,
}

impl RawModels {
    /// Reads the models of a word; `example` shows how it is written.
    pub(super) fn read(meta: &Item, word: &str, example: &str, errors: &mut Errors) -> Self {
        let before = errors.count();
        let mut models = Vec::new();
        for item in read::list(meta, example, errors) {
            if item.is_alone() {
                models.push(item.path().clone());
            } else {
                errors.at(
                    &item,
                    format!("`{word}` takes the names of models, write `{example}`"),
                );
            }
        }
        if models.is_empty() && errors.count() == before {
            errors.at(
                meta,
                format!("`{word}` names no model: write `{example}`, or remove it"),
            );
        }
        Self {
            span: meta.span(),
            models,
        }
    }
}

/// The item's word, or the nearest known word; empty if none is near.
pub(super) fn meant(
    item: &Item,
    known: &'static [&'static str],
    errors: &mut Errors,
) -> &'static str {
    let word = read::word(item);
    match known.iter().find(|known| **known == word) {
        Some(known) => known,
        None => keyword::unknown(item.path(), known, errors).unwrap_or_default(),
    }
}
