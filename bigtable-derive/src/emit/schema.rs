//! The model's description as a constant.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned as _;

use crate::model::{Absent, CellTime, Codec, Column, Model, PeriodTables, Table};

use super::generics::Scope;
use super::key::bucket;
use super::{codec, gc, kind, payload};

/// The constant `ModelSchema`.
pub(super) fn value(model: &Model, scope: &Scope) -> TokenStream {
    let Scope { runtime, key, .. } = scope;
    let name = model.ident.unraw().to_string();
    let table = table(&model.table, runtime);
    let map = match &model.map {
        Some(map) => {
            let family = &map.family;
            quote!(::core::option::Option::Some(#runtime::borrowed(#family)))
        }
        None => quote!(::core::option::Option::None),
    };
    let presence = presence(model, runtime);
    let layout = bucket::layout(&model.layout, runtime);
    let cell_time = match model.cell_time {
        CellTime::Event => quote!(Event),
        CellTime::Write => quote!(Write),
    };
    let gc_rules = gc::rules(&model.gc_rules, runtime);
    let append_only = model.append_only;
    let rollups = model.rollups.iter().map(|rollup| {
        let made = quote!(#runtime::rolled_up::<Self, #rollup>(#append_only));
        super::at(rollup.span(), made)
    });
    let former = match former(model, runtime, &quote!(Self)) {
        Some(former) => quote!(::core::option::Option::Some(#former)),
        None => quote!(::core::option::Option::None),
    };
    quote! {
        &#runtime::ModelSchema {
            model: #runtime::borrowed(#name),
            table: #table,
            key: <#key as #runtime::ModelKey>::LAYOUT,
            layout: #layout,
            columns: #runtime::borrowed_slice(<Self as #runtime::Model>::COLUMNS),
            map_family: #map,
            presence: #presence,
            cell_time: #runtime::CellTime::#cell_time,
            gc_rules: #gc_rules,
            append_only: #append_only,
            rollups: &[#(#rollups),*],
            former: #former,
        }
    }
}

/// The former layout of the model `own`, which is looked at where it is made.
pub(super) fn former(
    model: &Model,
    runtime: &TokenStream,
    own: &TokenStream,
) -> Option<TokenStream> {
    let former = model.former.as_ref()?;
    let table = match &model.table {
        Table::Fixed(table) => table.as_str(),
        Table::ByPeriod(_) => "",
    };
    let made = quote!(#runtime::former::<#own, #former>(#table));
    Some(super::at(former.span(), made))
}

fn table(table: &Table, runtime: &TokenStream) -> TokenStream {
    let tables = match table {
        Table::Fixed(table) => return quote!(#runtime::fixed_table(#table)),
        Table::ByPeriod(tables) => tables,
    };
    let PeriodTables {
        before,
        field,
        after,
        ..
    } = tables;
    let periods = bucket::periods(tables, runtime);
    quote! {
        #runtime::TableName::ByPeriod(#runtime::PeriodTables {
            before: #runtime::borrowed(#before),
            field: #runtime::borrowed(#field),
            periods: #periods,
            after: #runtime::borrowed(#after),
        })
    }
}

/// A declared marker, or the first column that every event has.
fn presence(model: &Model, runtime: &TokenStream) -> TokenStream {
    match &model.marker {
        Some(marker) => {
            let (family, qualifier) = (&marker.family, &marker.qualifier);
            quote! {
                #runtime::Presence::Marker {
                    family: #runtime::borrowed(#family),
                    qualifier: #runtime::borrowed(#qualifier),
                }
            }
        }
        None if model.presence().is_some() => {
            let column = model.presence().map(|column| model.column_index(column));
            quote!(#runtime::Presence::Column(#column))
        }
        None => {
            // Copies of identifiers belong to the row, and tell nothing of an event.
            let find = match model.time().filter(|_| model.bucket().is_some()) {
                Some(time) => {
                    let time = model.physical(time);
                    quote!(presence_in_bucket(<Self as #runtime::Model>::COLUMNS, #time))
                }
                None => quote!(presence_column(<Self as #runtime::Model>::COLUMNS)),
            };
            quote!(#runtime::Presence::Column(#runtime::#find))
        }
    }
}

/// The constant list of columns.
pub(super) fn columns(model: &Model, scope: &Scope) -> TokenStream {
    let runtime = &scope.runtime;
    let payload = model
        .payload
        .iter()
        .map(|one| payload::column(one, runtime));
    let columns = model.columns.iter().map(|one| column(one, model, runtime));
    quote!(&[#(#payload,)* #(#columns),*])
}

fn column(column: &Column, model: &Model, runtime: &TokenStream) -> TokenStream {
    let Column {
        family, qualifier, ..
    } = column;
    let field = column.ident.unraw().to_string();
    let codec_name = match &column.codec {
        Codec::Native => "native".to_owned(),
        Codec::Text => "text".to_owned(),
        Codec::Json => "json".to_owned(),
        Codec::Own(path) => path.to_token_stream().to_string().replace(' ', ""),
    };
    let copy_of = match column.segment {
        Some(segment) => {
            let segment = model.physical(segment);
            quote!(::core::option::Option::Some(#segment))
        }
        None => quote!(::core::option::Option::None),
    };
    let optional = optional(column, runtime);
    let kind = kind::value(&column.kind, runtime);
    let aliases = aliases(&column.aliases, runtime);
    quote! {
        #runtime::ColumnSchema {
            field: #runtime::borrowed(#field),
            family: #runtime::borrowed(#family),
            qualifier: #runtime::borrowed(#qualifier),
            codec: #runtime::borrowed(#codec_name),
            optional: #optional,
            copy_of: #copy_of,
            kind: #kind,
            aliases: #runtime::borrowed_slice(#aliases),
        }
    }
}

/// The names that a column had: a constant of their own, since what functions make is not promoted.
fn aliases(aliases: &[String], runtime: &TokenStream) -> TokenStream {
    match aliases {
        [] => quote!(&[]),
        _ => quote!({
            const ALIASES: &[#runtime::Cow<'static, str>] = &[#(#runtime::borrowed(#aliases)),*];
            ALIASES
        }),
    }
}

/// Whether an event may lack the column, as its type or its default says.
pub(super) fn optional(column: &Column, runtime: &TokenStream) -> TokenStream {
    let ty = &column.ty;
    let codec = codec(&column.codec, runtime);
    match column.absent {
        Absent::ByType => quote!(#runtime::Field::<#ty, #codec>::OPTIONAL),
        Absent::Default | Absent::Call(_) => quote!(true),
    }
}
