//! The model's description as a constant.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned as _;

use crate::model::{
    Absent, CellTime, Codec, Column, ColumnKind, FamilyRule, GcRule, Model, PeriodTables, Table,
};

use super::generics::Scope;
use super::key::bucket;
use super::{codec, kind, payload};

/// The constant `ModelSchema`.
pub(super) fn value(model: &Model, scope: &Scope) -> TokenStream {
    let Scope { runtime, key, .. } = scope;
    let (name, columns) = (model.ident.unraw().to_string(), own(scope));
    let table = table(&model.table, runtime);
    let maps = model.maps.iter().map(|map| &map.family);
    let maps = match model.maps.is_empty() {
        true => quote!(#runtime::empty_slice()),
        false => quote!(#runtime::borrowed_slice(const { &[#(#runtime::borrowed(#maps)),*] })),
    };
    let presence = presence(model, scope);
    let layout = bucket::layout(&model.layout, runtime);
    let cell_time = match model.cell_time {
        CellTime::Event => quote!(Event),
        CellTime::Write => quote!(Write),
    };
    let gc_rules = gc_rules(&model.gc_rules, runtime);
    let append_only = model.append_only;
    let pack_after = match model.pack_after {
        Some(micros) => quote!(#runtime::Some(#micros)),
        None => quote!(#runtime::None),
    };
    let rollups = model.rollups.iter().map(|rollup| {
        let made = quote!(#runtime::rolled_up::<Self, #rollup>(#append_only));
        super::at(rollup.span(), made)
    });
    let rollups = in_own_tables(model, rollups.collect(), runtime);
    let former = match former(model, runtime, &quote!(Self)) {
        Some(former) => quote!(#runtime::Some(#former)),
        None => quote!(#runtime::None),
    };
    quote! {
        &#runtime::Schema { owner: #runtime::Owner::Constant { schema: &#runtime::ModelSchema {
            model: #runtime::borrowed(#name),
            table: #table,
            key: <#key as #runtime::ModelKey>::LAYOUT,
            layout: #layout,
            columns: #runtime::borrowed_slice(#columns),
            map_families: #maps,
            presence: #presence,
            cell_time: #runtime::CellTime::#cell_time,
            gc_rules: #gc_rules,
            append_only: #append_only,
            pack_after_micros: #pack_after,
            rollups: #rollups,
            former: #former,
        } } }
    }
}

/// The list of roll-ups, none of which shares a table with another or with the model.
fn in_own_tables(model: &Model, rollups: Vec<TokenStream>, runtime: &TokenStream) -> TokenStream {
    let Some(first) = model.rollups.first() else {
        return quote!(#runtime::empty_slice());
    };
    let own = match &model.table {
        Table::Fixed(table) => quote!((#table, #runtime::None)),
        Table::ByPeriod(PeriodTables { before, after, .. }) => {
            quote!((#before, #runtime::Some(#after)))
        }
    };
    let listed = quote!(const { &[#(#rollups),*] });
    let check = super::at(first.span(), quote!(#runtime::in_own_tables));
    // The roll-ups in the list keep their spans.
    let mut listed = Group::new(Delimiter::Parenthesis, quote!(#own, #listed));
    listed.set_span(first.span());
    quote!(#runtime::borrowed_slice(#check #listed))
}

/// The former layout of the model `own`, which is checked where it is made.
pub(super) fn former(
    model: &Model,
    runtime: &TokenStream,
    own: &TokenStream,
) -> Option<TokenStream> {
    let former = model.former.as_ref()?;
    let table = table(&model.table, runtime);
    let made = quote!(#runtime::former::<#own, #former>(const { &#table }));
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
fn presence(model: &Model, scope: &Scope) -> TokenStream {
    let runtime = &scope.runtime;
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
            let first = with_columns("presence_column", model, scope);
            quote!(#runtime::Presence::Column(#first))
        }
    }
}

/// The model's list of columns.
pub(super) fn own(scope: &Scope) -> TokenStream {
    let Scope {
        runtime, model: ty, ..
    } = scope;
    quote!(<#ty as #runtime::Model>::COLUMNS)
}

/// A call of a function that looks for the first column that every event has. Rows of many events
/// have a function of their own: there copies of identifiers belong to the row and do not mark an
/// event.
pub(super) fn with_columns(function: &str, model: &Model, scope: &Scope) -> TokenStream {
    let (runtime, columns) = (&scope.runtime, own(scope));
    match model.time().filter(|_| model.bucket().is_some()) {
        Some(time) => {
            let function = quote::format_ident!("{function}_in_bucket");
            let time = model.physical(time);
            quote!(#runtime::#function(#columns, #time))
        }
        None => {
            let function = quote::format_ident!("{function}");
            quote!(#runtime::#function(#columns))
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
    let optional = optional(column, runtime);
    let mut made = quote! {
        #runtime::column([#field, #family, #qualifier, #codec_name], #optional)
    };
    if let Some(segment) = column.segment {
        let segment = model.physical(segment);
        made = quote!(#runtime::copying(#segment, #made));
    }
    if !matches!(column.kind, ColumnKind::Plain) {
        let kind = kind::value(&column.kind, runtime);
        made = quote!(#runtime::of_kind(#kind, #made));
    }
    if !column.aliases.is_empty() {
        let aliases = &column.aliases;
        made = quote! {
            #runtime::also_named(const { &[#(#runtime::borrowed(#aliases)),*] }, #made)
        };
    }
    if column.sensitive {
        made = quote!(#runtime::sensitive(#made));
    }
    made
}

/// Whether an event may lack the column, as its type or its default says.
pub(super) fn optional(column: &Column, runtime: &TokenStream) -> TokenStream {
    let ty = &column.ty;
    let codec = codec(&column.codec, runtime);
    match column.absent {
        Absent::ByType => quote!(__Field::<#ty, #codec>::OPTIONAL),
        Absent::Default | Absent::Call(_) => quote!(true),
    }
}

/// The list of the families' garbage-collection rules.
fn gc_rules(rules: &[FamilyRule], runtime: &TokenStream) -> TokenStream {
    if rules.is_empty() {
        return quote!(#runtime::empty_slice());
    }
    let rules = rules.iter().map(|FamilyRule { family, rule }| {
        let rule = gc_rule(rule, runtime);
        quote!(#runtime::FamilyRule { family: #runtime::borrowed(#family), rule: #rule })
    });
    quote!(#runtime::borrowed_slice(const { &[#(#rules),*] }))
}

fn gc_rule(rule: &GcRule, runtime: &TokenStream) -> TokenStream {
    let members = |rules: &[GcRule]| {
        let rules = rules.iter().map(|one| gc_rule(one, runtime));
        quote!(#runtime::borrowed_slice(const { &[#(#rules),*] }))
    };
    match rule {
        GcRule::MaxVersions(versions) => quote!(#runtime::GcRule::MaxVersions(#versions)),
        GcRule::MaxAge(millis) => {
            quote!(#runtime::GcRule::MaxAge(::core::time::Duration::from_millis(#millis)))
        }
        GcRule::Union(rules) => {
            let members = members(rules);
            quote!(#runtime::GcRule::Union(#members))
        }
        GcRule::Intersection(rules) => {
            let members = members(rules);
            quote!(#runtime::GcRule::Intersection(#members))
        }
    }
}
