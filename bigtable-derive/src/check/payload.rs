//! Events serialised into one column.

mod message;

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::model::{Payload, PayloadField, PayloadFormat};
use crate::syntax::{At, RawCodec, RawField, RawModel, keyword};

use super::columns::{Columns, absent};
use super::roles::named_words;
use super::{kinds, names};
use message::Numbers;

/// The fields of a payload as they are found.
pub(super) struct Fields {
    is_own: bool,
    numbers: Numbers,
    list: Vec<PayloadField>,
    names: BTreeSet<String>,
}

impl Fields {
    /// None for a model whose fields are columns.
    pub(super) fn new(raw: &RawModel) -> Option<Self> {
        let serialize = raw.serialize.as_ref()?;
        Some(Self {
            is_own: matches!(serialize.codec, Some(RawCodec::Own(_))),
            numbers: Numbers::new(matches!(serialize.codec, Some(RawCodec::Proto))),
            list: Vec::new(),
            names: BTreeSet::new(),
        })
    }

    /// Adds a field that would be a column without a payload.
    pub(super) fn add(&mut self, field: &RawField, errors: &mut Errors) {
        refuse_words(field, errors);
        if self.is_own {
            refuse_words_of_own(field, errors);
        }
        let name = field.column.clone().unwrap_or_else(|| At {
            value: field.ident.unraw().to_string(),
            span: field.ident.span(),
        });
        if !self.names.insert(name.value.clone()) {
            errors.at_span(
                name.span,
                format!(
                    "`{}` stands twice in the serialised event: rename one with `column = \"...\"`",
                    name.value
                ),
            );
        }
        let number = self.numbers.number(field, &name, errors);
        self.list.push(PayloadField {
            ident: field.ident.clone(),
            ty: field.ty.clone(),
            number,
            name: name.value,
            absent: absent(field),
        });
    }

    /// A map of run-time columns has no place in a payload.
    pub(super) fn refuse_map(field: &RawField, errors: &mut Errors) {
        errors.at_span(
            field.columns.unwrap_or_else(|| field.ident.span()),
            "`serialize(...)` writes the event into one column, and run-time columns are columns of their own: remove `columns`, and the map is serialised with the event",
        );
    }

    /// A codec of the whole struct decides itself which fields are stored, so `skip` is refused.
    pub(super) fn check_skipped(&self, field: &RawField, errors: &mut Errors) {
        if let (true, Some(skip)) = (self.is_own, field.skip) {
            errors.at_span(
                skip,
                "your codec writes and reads the whole struct: remove `skip`, and leave the field out there",
            );
        }
    }
}

/// Refuses words for fields that have a column of their own.
fn refuse_words(field: &RawField, errors: &mut Errors) {
    refuse(
        &kinds::words(field),
        "needs a column of its own, and `serialize(...)` writes the fields of an event into one: remove it, or remove `serialize(...)`",
        errors,
    );
    refuse(
        &named_words(field),
        "is for columns of their own, and `serialize(...)` writes the fields of an event into one, which marks it: remove it",
        errors,
    );
    let with = field.with.as_ref().map(Spanned::span);
    let family = field.family.as_ref().map(|at| at.span);
    let words = [
        (keyword::TEXT, field.text),
        (keyword::JSON, field.json),
        (keyword::WITH, with),
        (keyword::FAMILY, family),
    ];
    refuse(
        &words,
        "says how a column of its own is stored, and `serialize(...)` writes the fields of an event into one column: remove it",
        errors,
    );
}

fn refuse_words_of_own(field: &RawField, errors: &mut Errors) {
    let words = [
        (keyword::COLUMN, field.column.as_ref().map(|at| at.span)),
        (keyword::DEFAULT, field.default.as_ref().map(|at| at.span)),
    ];
    refuse(
        &words,
        "has no effect where your codec writes and reads the whole struct: remove it",
        errors,
    );
}

fn refuse(words: &[(&str, Option<Span>)], advice: &str, errors: &mut Errors) {
    for (word, span) in words {
        if let Some(span) = span {
            errors.at_span(*span, format!("`{word}` {advice}"));
        }
    }
}

/// The column that holds the fields.
pub(super) fn payload(
    raw: &RawModel,
    fields: Option<Fields>,
    columns: &mut Columns<'_>,
    errors: &mut Errors,
) -> Option<Payload> {
    let (serialize, fields) = (raw.serialize.as_ref()?, fields?);
    let format = match &serialize.codec {
        Some(RawCodec::Json) => PayloadFormat::Json,
        Some(RawCodec::Proto) => PayloadFormat::Proto,
        Some(RawCodec::Postcard) => PayloadFormat::Postcard,
        Some(RawCodec::Own(path)) => PayloadFormat::Own(path.clone()),
        None => {
            if serialize.is_sound {
                errors.at_span(
                    serialize.span,
                    "`serialize` says how: write `serialize(json)`, `proto`, `postcard`, or the path of a codec of yours",
                );
            }
            PayloadFormat::Json
        }
    };
    if let Some(marker) = &raw.marker {
        errors.at_span(
            marker.span,
            "every event has its serialised column, which marks it: remove `marker`",
        );
    }
    let qualifier = serialize.column.clone().unwrap_or_else(|| At {
        value: "event".to_owned(),
        span: serialize.span,
    });
    names::qualifier(&qualifier, errors);
    let family = columns.family_of(None, serialize.span, errors);
    columns.take(&family, &qualifier, errors);
    Some(Payload {
        family,
        qualifier: qualifier.value,
        format,
        fields: fields.list,
    })
}
