//! A model's field as written.

use syn::{Field, Ident, Path, Type};

use crate::errors::Errors;

use super::attribute::{self as read, At, Flag, Item, Text};
use super::keyword;
use super::nested::RawSalt;

/// A field and the words on it.
pub(crate) struct RawField {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) docs: Vec<syn::Attribute>,
    pub(crate) key: Flag,
    pub(crate) time: Flag,
    pub(crate) column: Option<Text>,
    pub(crate) alias: Vec<Text>,
    pub(crate) tag: Option<At<u32>>,
    pub(crate) columns: Flag,
    pub(crate) family: Option<Text>,
    pub(crate) text: Flag,
    pub(crate) json: Flag,
    pub(crate) with: Option<Path>,
    pub(crate) counter: Flag,
    pub(crate) append: Flag,
    pub(crate) aggregate: Option<Text>,
    pub(crate) version: Flag,
    pub(crate) default: Option<At<Option<Path>>>,
    pub(crate) presence: Flag,
    pub(crate) sensitive: Flag,
    pub(crate) skip: Flag,
    pub(crate) width: Option<At<u16>>,
    pub(crate) pad: Option<At<u8>>,
    pub(crate) binary: Flag,
    pub(crate) escape: Flag,
    pub(crate) unit: Option<Text>,
    pub(crate) format: Option<Text>,
    pub(crate) reverse: Flag,
    pub(crate) truncate: Flag,
    pub(crate) bucket: Option<Text>,
    pub(crate) label: Option<Text>,
    pub(crate) origin: Option<Text>,
    pub(crate) zone: Option<Text>,
    pub(crate) offset: Option<Text>,
    pub(crate) salt: Option<RawSalt>,
    pub(crate) ever_growing: Flag,
    pub(crate) tie_breaker: Flag,
}

/// Reads a named field; `None` only for one without a name, which a struct with named fields does
/// not have.
pub(super) fn field(field: &Field, errors: &mut Errors) -> Option<RawField> {
    let mut raw = RawField {
        ident: field.ident.clone()?,
        ty: field.ty.clone(),
        docs: docs(&field.attrs),
        key: None,
        time: None,
        column: None,
        alias: Vec::new(),
        tag: None,
        columns: None,
        family: None,
        text: None,
        json: None,
        with: None,
        counter: None,
        append: None,
        aggregate: None,
        version: None,
        default: None,
        presence: None,
        sensitive: None,
        skip: None,
        width: None,
        pad: None,
        binary: None,
        escape: None,
        unit: None,
        format: None,
        reverse: None,
        truncate: None,
        bucket: None,
        label: None,
        origin: None,
        zone: None,
        offset: None,
        salt: None,
        ever_growing: None,
        tie_breaker: None,
    };
    read::for_each_item(&field.attrs, errors, |meta, errors| raw.read(meta, errors));
    Some(raw)
}

impl RawField {
    fn read(&mut self, meta: &Item, errors: &mut Errors) {
        self.read_as(&read::word(meta), meta, errors);
    }

    fn read_as(&mut self, word: &str, meta: &Item, errors: &mut Errors) {
        if let Some(flag) = self.flag(word) {
            let value = read::flag(meta, errors);
            return read::once(flag, value, meta, errors);
        }
        if let Some((text, example)) = self.text(word) {
            let value = read::text(meta, example, errors);
            return read::once(text, value, meta, errors);
        }
        match word {
            keyword::SALT => {
                let value = RawSalt::read(meta, errors);
                read::once(&mut self.salt, Some(value), meta, errors);
            }
            keyword::ALIAS => self.alias.extend(read::text(meta, "BID", errors)),
            keyword::WITH => {
                let value = read::path(meta, "MyCodec", errors);
                read::once(&mut self.with, value, meta, errors);
            }
            keyword::DEFAULT => {
                let value = read::flag_or_path(meta, "my_default", errors);
                read::once(&mut self.default, value, meta, errors);
            }
            keyword::WIDTH => {
                let value = read::number(meta, "bytes", 6, errors);
                read::once(&mut self.width, value, meta, errors);
            }
            keyword::TAG => {
                let value = read::number(meta, "a field in a message", 1, errors);
                read::once(&mut self.tag, value, meta, errors);
            }
            keyword::PAD => {
                let value = read::ascii_char(meta, errors);
                read::once(&mut self.pad, value, meta, errors);
            }
            _ => {
                if let Some(meant) = keyword::unknown(meta.path(), keyword::ON_FIELD, errors) {
                    self.read_as(meant, meta, errors);
                }
            }
        }
    }

    /// Where the text of a word goes, and an example of it.
    fn text(&mut self, word: &str) -> Option<(&mut Option<Text>, &'static str)> {
        Some(match word {
            keyword::COLUMN => (&mut self.column, "BID"),
            keyword::FAMILY => (&mut self.family, "MD"),
            keyword::AGGREGATE => (&mut self.aggregate, "sum"),
            keyword::UNIT => (&mut self.unit, "ms"),
            keyword::FORMAT => (&mut self.format, "%Y%m%d"),
            keyword::BUCKET => (&mut self.bucket, "day"),
            keyword::LABEL => (&mut self.label, "%Y%m%d"),
            keyword::ORIGIN => (&mut self.origin, "2021-03-01"),
            keyword::ZONE => (&mut self.zone, "Europe/Berlin"),
            keyword::OFFSET => (&mut self.offset, "%H%M"),
            _ => return None,
        })
    }

    fn flag(&mut self, word: &str) -> Option<&mut Flag> {
        Some(match word {
            keyword::KEY => &mut self.key,
            keyword::TIME => &mut self.time,
            keyword::COLUMNS => &mut self.columns,
            keyword::TEXT => &mut self.text,
            keyword::JSON => &mut self.json,
            keyword::COUNTER => &mut self.counter,
            keyword::APPEND => &mut self.append,
            keyword::VERSION => &mut self.version,
            keyword::PRESENCE => &mut self.presence,
            keyword::SENSITIVE => &mut self.sensitive,
            keyword::SKIP => &mut self.skip,
            keyword::BINARY => &mut self.binary,
            keyword::ESCAPE => &mut self.escape,
            keyword::REVERSE => &mut self.reverse,
            keyword::TRUNCATE => &mut self.truncate,
            keyword::TIE_BREAKER => &mut self.tie_breaker,
            keyword::EVER_GROWING => &mut self.ever_growing,
            _ => return None,
        })
    }
}

/// The `#[doc]` attributes, which the generated fields and setters repeat.
fn docs(attributes: &[syn::Attribute]) -> Vec<syn::Attribute> {
    let is_doc = |attribute: &&syn::Attribute| attribute.path().is_ident("doc");
    attributes.iter().filter(is_doc).cloned().collect()
}
