//! Columns: where each is stored and what writes it, and the rules about all of them together.

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Ident, Path, Type};

use crate::errors::Errors;
use crate::model::{Absent, Codec, Column, ColumnKind, Kind, MapColumn, Model};
use crate::syntax::{At, RawField, Text, keyword};

use super::time::bucket::allows;
use super::{kinds, names};

/// The maximum number of families that a table should have (Bigtable's documented limit).
const MOST_FAMILIES: usize = 100;

/// Longer qualifiers take more than their values, since every cell has its own.
const LONG_QUALIFIER: usize = 64;

/// The columns of a struct as they are found, field by field.
pub(super) struct Columns<'a> {
    /// The struct's family, for fields without one.
    pub(super) family: Option<&'a Text>,
    pub(super) list: Vec<Column>,
    pub(super) maps: Vec<MapColumn>,
    /// Family and qualifier of what is declared so far.
    taken: BTreeSet<(String, String)>,
    /// Every family that the model writes to.
    pub(super) families: BTreeSet<String>,
    /// Whether a column without a family was reported.
    pub(super) family_missing: bool,
    allow_long: bool,
    layout: Kind,
    held: kinds::Families,
    setters: BTreeSet<String>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(family: Option<&'a Text>, allow: &[String], layout: Kind) -> Self {
        Self {
            family,
            list: Vec::new(),
            maps: Vec::new(),
            taken: BTreeSet::new(),
            families: BTreeSet::new(),
            family_missing: false,
            allow_long: allows(allow, keyword::LONG_QUALIFIERS),
            layout,
            held: kinds::Families::default(),
            setters: BTreeSet::new(),
        }
    }

    /// Adds a column; `segment` is the segment that it repeats.
    pub(super) fn add(&mut self, field: &RawField, segment: Option<usize>, errors: &mut Errors) {
        let kind = match segment {
            Some(_) => ColumnKind::Plain,
            None => kinds::kind(field, self.layout, errors),
        };
        let setter = match (segment, &kind) {
            (Some(_), _) | (None, ColumnKind::Version) => field.ident.clone(),
            (None, ColumnKind::Aggregate(_)) => {
                self.setter(names::adder(&field.ident), field, errors)
            }
            (None, _) => self.setter(field.ident.clone(), field, errors),
        };
        let qualifier = field.column.clone().unwrap_or_else(|| At {
            value: field.ident.unraw().to_string(),
            span: field.ident.span(),
        });
        names::qualifier(&qualifier, errors);
        let family = self.family_of(field.family.as_ref(), field.ident.span(), errors);
        self.take(&family, &qualifier, errors);
        let span = field
            .family
            .as_ref()
            .map_or(field.ident.span(), |at| at.span);
        let what = format!("`{}`", field.ident.unraw());
        self.held.hold(&family, what, &kind, span, errors);
        let aliases = self.aliases(field, &family, &kind, errors);
        if let Some(tag) = field.tag.as_ref().filter(|_| segment.is_none()) {
            errors.at_span(
                tag.span,
                "`tag` is the number of a field in the message that `serialize(proto)` writes: remove it, or write that on the struct",
            );
        }
        self.only_presence(field, errors);
        self.only_version(field, &kind, errors);
        self.list.push(Column {
            ident: field.ident.clone(),
            setter,
            ty: field.ty.clone(),
            docs: field.docs.clone(),
            family,
            qualifier: qualifier.value,
            // For other kinds a codec was already refused.
            codec: match kind {
                ColumnKind::Plain => codec(field, errors),
                _ => Codec::Native,
            },
            kind,
            absent: absent(field),
            aliases,
            presence: field.presence.is_some(),
            sensitive: field.sensitive.is_some(),
            segment,
        });
    }

    /// The column's former names, in the same family.
    fn aliases(
        &mut self,
        field: &RawField,
        family: &str,
        kind: &ColumnKind,
        errors: &mut Errors,
    ) -> Vec<String> {
        for alias in &field.alias {
            names::qualifier(alias, errors);
            self.take(family, alias, errors);
            if !matches!(kind, ColumnKind::Plain | ColumnKind::Version) {
                errors.at_span(
                    alias.span,
                    "`alias` is for columns that are written as a whole: the server changes this one by what it holds under one name, remove `alias`",
                );
            }
            if !self.layout.has_places() {
                errors.at_span(
                    alias.span,
                    format!(
                        "`alias` does not go with `layout = \"{}\"`: a row there gives one event by what all of its cells tell, remove `alias`",
                        self.layout.word()
                    ),
                );
            }
        }
        let names = field.alias.iter().map(|alias| alias.value.clone());
        names.collect()
    }

    /// One column marks an event.
    fn only_presence(&self, field: &RawField, errors: &mut Errors) {
        let Some(span) = field.presence else { return };
        if let Some(first) = self.list.iter().find(|column| column.presence) {
            errors.at_span(
                span,
                format!(
                    "`{}` marks the event already: remove one `presence`",
                    first.ident.unraw()
                ),
            );
        }
        if let Some(default) = &field.default {
            errors.at_span(
                default.span,
                "the column that marks an event is never absent: remove `default`, or `presence`",
            );
        }
    }

    /// A write states one version, and an event without one is at 0.
    fn only_version(&self, field: &RawField, kind: &ColumnKind, errors: &mut Errors) {
        let (Some(span), ColumnKind::Version) = (field.version, kind) else {
            return;
        };
        let mut list = self.list.iter();
        if let Some(first) = list.find(|column| matches!(column.kind, ColumnKind::Version)) {
            errors.at_span(
                span,
                format!(
                    "`{}` is the version already: remove one `version`",
                    first.ident.unraw()
                ),
            );
        }
        if let Some(At {
            value: Some(_),
            span,
        }) = &field.default
        {
            errors.at_span(
                *span,
                "an event without a version is at version 0: write `default` without a function",
            );
        }
    }

    /// Adds a map of run-time columns; false if its family has one already.
    pub(super) fn add_map(&mut self, field: &RawField, errors: &mut Errors) -> bool {
        let setter = self.setter(field.ident.clone(), field, errors);
        let family = self.family_of(field.family.as_ref(), field.ident.span(), errors);
        let span = field.columns.unwrap_or_else(|| field.ident.span());
        if let Some(other) = self.maps.iter().find(|one| one.family == family) {
            errors.at_span(
                span,
                format!(
                    "`{}` collects the run-time columns of family `{family}`: write another `family = \"...\"` for this map",
                    other.ident.unraw()
                ),
            );
            return false;
        }
        self.hold_plain(&family, &format!("`{}`", field.ident.unraw()), span, errors);
        self.maps.push(MapColumn {
            ident: field.ident.clone(),
            setter,
            ty: field.ty.clone(),
            docs: field.docs.clone(),
            family,
            codec: codec(field, errors),
        });
        true
    }

    /// The family of a column: the struct's if the field has none.
    pub(super) fn family_of(
        &mut self,
        own: Option<&Text>,
        span: Span,
        errors: &mut Errors,
    ) -> String {
        if let Some(own) = own {
            names::family(own, errors);
        } else if self.family.is_none() && !self.family_missing {
            self.family_missing = true;
            errors.at_span(
                span,
                "this column has no family: add `family = \"...\"` to the struct, or to the field",
            );
        }
        let family = own.or(self.family).map(|family| family.value.clone());
        let family = family.unwrap_or_else(|| "family".to_owned());
        if self.families.insert(family.clone()) && self.families.len() == MOST_FAMILIES + 1 {
            errors.at_span(
                span,
                "Bigtable advises at most 100 families in a table: give columns that are read together one family",
            );
        }
        family
    }

    /// The update's method for a field, unless another field's method has that name.
    fn setter(&mut self, setter: Ident, field: &RawField, errors: &mut Errors) -> Ident {
        names::once(&mut self.setters, setter, &field.ident, errors)
    }

    /// Notes that a family holds something other than an aggregate.
    pub(super) fn hold_plain(&mut self, family: &str, what: &str, span: Span, errors: &mut Errors) {
        let kind = ColumnKind::Plain;
        self.held.hold(family, what.to_owned(), &kind, span, errors);
    }

    /// Two fields in one column would overwrite each other, and every cell repeats its qualifier.
    pub(super) fn take(&mut self, family: &str, qualifier: &Text, errors: &mut Errors) {
        let bytes = qualifier.value.len();
        if bytes > LONG_QUALIFIER && bytes <= names::MOST_QUALIFIER_BYTES && !self.allow_long {
            errors.at_span(
                qualifier.span,
                format!(
                    "every cell repeats its qualifier, and this one has {bytes} bytes: write a short one with `column = \"...\"`, or `allow(long_qualifiers)` on the struct"
                ),
            );
        }
        let place = (family.to_owned(), qualifier.value.clone());
        if !self.taken.insert(place) {
            errors.at_span(
                qualifier.span,
                format!(
                    "column `{family}:{}` is declared twice: rename one with `column = \"...\"`",
                    qualifier.value
                ),
            );
        }
    }
}

/// The codec that writes the values; a second codec is reported and ignored.
fn codec(field: &RawField, errors: &mut Errors) -> Codec {
    let with = field.with.as_ref();
    let declared = [
        field.text.map(|span| (span, Codec::Text)),
        field.json.map(|span| (span, Codec::Json)),
        with.map(|path| (syn::spanned::Spanned::span(path), Codec::Own(path.clone()))),
    ];
    let mut declared = declared.into_iter().flatten();
    let first = declared.next();
    for (span, _) in declared {
        errors.at_span(
            span,
            "a column has one codec: keep one of `text`, `json` and `with`",
        );
    }
    first.map_or(Codec::Native, |(_, codec)| codec)
}

/// What the field becomes when nothing is stored for it.
pub(super) fn absent(field: &RawField) -> Absent {
    match &field.default {
        None => Absent::ByType,
        Some(At { value: None, .. }) => Absent::Default,
        Some(At {
            value: Some(path), ..
        }) => Absent::Call(path.clone()),
    }
}

/// Refuses a presence column that may be absent, in a model without other mistakes. A column whose
/// type is written `Option` may be absent, and so may one with a `default`; aliases are known only
/// to the compiler, and constants in the generated code check them.
pub(super) fn judge_presence(model: &Model, errors: &mut Errors) {
    let columns = model.columns.iter().filter(|one| model.is_of_event(one));
    let columns: Vec<_> = columns.collect();
    let declared = model.presence().and_then(|at| model.columns.get(at));
    match (
        model.layout.kind.is_in_qualifier(),
        columns.as_slice(),
        declared,
    ) {
        (true, [value], _) => {
            let message = "in `layout = \"qualifiers\"` the value marks the event and is never absent: remove the `Option`, or write `layout = \"cells\"`";
            refuse(value, message, errors);
        }
        (_, _, Some(column)) => {
            let message = "the column that marks an event is never absent: remove the `Option`, or write `presence` on another column, or `marker = \"EVENT\"` on the struct";
            refuse(column, message, errors);
        }
        (_, columns, None) => {
            let unmarked = model.marker.is_none() && model.payload.is_none();
            if unmarked && columns.is_empty() {
                errors.at(
                    &model.ident,
                    "no column marks an event: add `marker = \"EVENT\"` to the struct, or a column",
                );
            } else if unmarked && columns.iter().all(|column| may_be_absent(column)) {
                errors.at(
                    &model.ident,
                    "every column may be absent, so that nothing marks an event: add `marker = \"EVENT\"` to the struct, or a column that is not an `Option`",
                );
            }
        }
    }
}

fn refuse(column: &Column, message: &str, errors: &mut Errors) {
    if may_be_absent(column) {
        errors.at(&column.ty, message);
    }
}

fn may_be_absent(column: &Column) -> bool {
    match column.absent {
        Absent::ByType => matches!(&column.ty, Type::Path(ty) if is_option(&ty.path)),
        Absent::Default | Absent::Call(_) => true,
    }
}

/// `Option`, `std::option::Option` and `core::option::Option`.
fn is_option(path: &Path) -> bool {
    let names: Vec<_> = path
        .segments
        .iter()
        .map(|one| one.ident.to_string())
        .collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    matches!(
        names.as_slice(),
        ["Option"] | ["std" | "core", "option", "Option"]
    )
}
