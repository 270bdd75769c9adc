//! A model's struct as written.

use syn::{DeriveInput, Generics, Ident, Path, Visibility};

use crate::errors::Errors;

use super::attribute::{self as read, Flag, Item, Text};
use super::field::{self, RawField};
use super::gc::RawGc;
use super::nested::{RawExpect, RawModels, RawPack, RawSalt, RawSerialize};
use super::{keyword, named_fields};

/// A struct and the words on it.
pub(crate) struct RawModel {
    pub(crate) ident: Ident,
    pub(crate) visibility: Visibility,
    pub(crate) generics: Generics,
    pub(crate) fields: Vec<RawField>,
    pub(crate) table: Option<Text>,
    pub(crate) family: Option<Text>,
    pub(crate) prefix: Option<Text>,
    pub(crate) separator: Option<Text>,
    pub(crate) encoding: Option<Text>,
    pub(crate) enclosed: Flag,
    pub(crate) layout: Option<Text>,
    pub(crate) salt: Option<RawSalt>,
    pub(crate) serialize: Option<RawSerialize>,
    pub(crate) expect: Option<RawExpect>,
    pub(crate) gc: Vec<RawGc>,
    pub(crate) pack: Option<RawPack>,
    pub(crate) append_only: Flag,
    pub(crate) mirror: Option<RawModels>,
    pub(crate) rollup: Option<RawModels>,
    pub(crate) was: Option<RawModels>,
    pub(crate) marker: Option<Text>,
    pub(crate) cell_time: Option<Text>,
    pub(crate) allow: Vec<String>,
    pub(crate) krate: Option<Path>,
}

/// Reads a model; `None` when it is not a struct with named fields.
pub(crate) fn model(input: &DeriveInput, errors: &mut Errors) -> Option<RawModel> {
    let named = named_fields(input, "a model", errors)?;
    let fields = named.named.iter();
    let mut raw = RawModel {
        ident: input.ident.clone(),
        visibility: input.vis.clone(),
        generics: input.generics.clone(),
        fields: fields
            .filter_map(|field| field::field(field, errors))
            .collect(),
        table: None,
        family: None,
        prefix: None,
        separator: None,
        encoding: None,
        enclosed: None,
        layout: None,
        salt: None,
        serialize: None,
        expect: None,
        gc: Vec::new(),
        pack: None,
        append_only: None,
        mirror: None,
        rollup: None,
        was: None,
        marker: None,
        cell_time: None,
        allow: Vec::new(),
        krate: None,
    };
    read::for_each_item(&input.attrs, errors, |meta, errors| raw.read(meta, errors));
    Some(raw)
}

impl RawModel {
    fn read(&mut self, meta: &Item, errors: &mut Errors) {
        self.read_as(&read::word(meta), meta, errors);
    }

    fn read_as(&mut self, word: &str, meta: &Item, errors: &mut Errors) {
        let (slot, example) = match word {
            keyword::TABLE => (&mut self.table, "QUOTE"),
            keyword::FAMILY => (&mut self.family, "MD"),
            keyword::PREFIX => (&mut self.prefix, "BATTERY"),
            keyword::SEPARATOR => (&mut self.separator, "#"),
            keyword::ENCODING => (&mut self.encoding, "structured"),
            keyword::LAYOUT => (&mut self.layout, "cells"),
            keyword::MARKER => (&mut self.marker, "EVENT"),
            keyword::CELL_TIME => (&mut self.cell_time, "write"),
            keyword::ALLOW => return read::allowed(meta, &mut self.allow, errors),
            keyword::GC => return self.gc.push(RawGc::read(meta, errors)),
            keyword::SALT => {
                let value = Some(RawSalt::read(meta, errors));
                return read::once(&mut self.salt, value, meta, errors);
            }
            keyword::SERIALIZE => {
                let value = Some(RawSerialize::read(meta, errors));
                return read::once(&mut self.serialize, value, meta, errors);
            }
            keyword::EXPECT => {
                let value = Some(RawExpect::read(meta, errors));
                return read::once(&mut self.expect, value, meta, errors);
            }
            keyword::PACK => {
                let value = Some(RawPack::read(meta, errors));
                return read::once(&mut self.pack, value, meta, errors);
            }
            keyword::MIRROR => {
                let value = RawModels::read(meta, word, "mirror(CurrentMetric)", errors);
                return read::once(&mut self.mirror, Some(value), meta, errors);
            }
            keyword::ROLLUP => {
                let value = RawModels::read(meta, word, "rollup(MetricMinute)", errors);
                return read::once(&mut self.rollup, Some(value), meta, errors);
            }
            keyword::WAS => {
                let value = RawModels::read(meta, word, "was(QuoteV1)", errors);
                return read::once(&mut self.was, Some(value), meta, errors);
            }
            keyword::ENCLOSED => {
                let value = read::flag(meta, errors);
                return read::once(&mut self.enclosed, value, meta, errors);
            }
            keyword::APPEND_ONLY => {
                let value = read::flag(meta, errors);
                return read::once(&mut self.append_only, value, meta, errors);
            }
            keyword::CRATE => {
                let value = read::path(meta, "::bigtable_model", errors);
                return read::once(&mut self.krate, value, meta, errors);
            }
            _ => {
                if let Some(meant) = keyword::unknown(meta.path(), keyword::ON_MODEL, errors) {
                    self.read_as(meant, meta, errors);
                }
                return;
            }
        };
        let value = read::text(meta, example, errors);
        read::once(slot, value, meta, errors);
    }
}
