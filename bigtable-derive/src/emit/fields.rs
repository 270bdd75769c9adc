//! The handles on a model's fields: `QuoteFields`, as in `Quote::FIELDS.bid`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::model::{Absent, Column, Model};

use super::generics::{Scope, argument};
use super::{at, codec, key_ref};

/// The struct, with a handle for each field that is stored.
pub(super) fn definition(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        model: ty,
        generics,
        ..
    } = scope;
    let name = model.type_name("Fields");
    let visibility = &model.visibility;
    let (_, _, clause) = generics.split_for_impl();
    let summary = format!(
        "Handles on the fields of [`{}`], as in `{0}::FIELDS`.",
        model.ident
    );
    let segments = model
        .segments
        .iter()
        .map(|segment| (&segment.ident, &segment.ty, quote!(KeyField)));
    let columns = own_columns(model).map(|(_, column)| (&column.ident, &column.ty, quote!(Column)));
    let map = model
        .map
        .iter()
        .map(|map| (&map.ident, &map.ty, quote!(MapField)));
    let fields = segments
        .chain(columns)
        .chain(map)
        .map(|(ident, field, handle)| {
            let own = format!("Field `{}`.", ident.unraw());
            quote!(#[doc = #own] pub #ident: #runtime::#handle<#ty, #field>)
        });
    quote! {
        #[doc = #summary]
        #[derive(::core::fmt::Debug)]
        #[allow(private_interfaces)]
        #visibility struct #name #generics #clause { #(#fields),* }
    }
}

/// The columns that are not copies of key segments, with their indexes.
pub(super) fn own_columns(model: &Model) -> impl Iterator<Item = (usize, &Column)> {
    let columns = model.columns.iter().enumerate();
    columns.filter(|(_, column)| column.segment.is_none())
}

/// The type of the handles.
pub(super) fn type_of(model: &Model, scope: &Scope) -> TokenStream {
    let name = model.type_name("Fields");
    let arguments = scope.generics.params.iter().map(argument);
    quote!(#name<#(#arguments),*>)
}

/// The handles as a constant expression.
pub(super) fn value(model: &Model, scope: &Scope) -> TokenStream {
    let runtime = &scope.runtime;
    let name = model.type_name("Fields");
    let segments = model.segments.iter().map(|segment| {
        let ident = &segment.ident;
        let restore = key_ref::restore(segment, runtime);
        quote!(#ident: #runtime::KeyField::new(|key| #runtime::key_read(#restore)))
    });
    let columns = own_columns(model).map(|(index, column)| {
        let ident = &column.ident;
        let read = read(index, column, scope);
        quote!(#ident: #runtime::Column::new(#index, |cells, index| #read))
    });
    let map = model.map.iter().map(|map| {
        let ident = &map.ident;
        let read = read_map(scope);
        quote!(#ident: #runtime::MapField::new(|cells| #read))
    });
    quote!(#name { #(#segments,)* #(#columns,)* #(#map,)* })
}

/// Reads a column from `cells` at `index`: a `Result` with `ReadError`.
pub(super) fn read(index: usize, column: &Column, scope: &Scope) -> TokenStream {
    let Scope { runtime, model, .. } = scope;
    let access = quote!(<#model as #runtime::FieldAt<#index>>::access());
    match &column.absent {
        Absent::ByType => quote!(#access.read(cells, index)),
        Absent::Default => {
            quote!(#access.read_or(cells, index, ::core::default::Default::default))
        }
        Absent::Call(path) => quote!(#access.read_or(cells, index, #path)),
    }
}

/// Reads the map from `cells`: a `Result` with `ReadError`.
pub(super) fn read_map(scope: &Scope) -> TokenStream {
    let Scope { runtime, model, .. } = scope;
    quote!((<#model as #runtime::MapAt>::access().read)(cells))
}

/// How each field is written and read. It is the one place that asks whether codec and type go together.
pub(super) fn accesses(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        model: owner,
        generics,
        ..
    } = scope;
    let (parameters, _, clause) = generics.split_for_impl();
    let columns = model.columns.iter().enumerate();
    let columns = columns
        .filter(|(_, column)| !column.is_segment_text())
        .map(|(index, column)| {
            let ty = &column.ty;
            let codec = codec(&column.codec, runtime);
            let access = at(ty.span(), quote!(#runtime::Field::<#ty, #codec>::access()));
            quote! {
                impl #parameters #runtime::FieldAt<#index> for #owner #clause {
                    type Type = #ty;

                    #[inline]
                    fn access() -> #runtime::FieldAccess<#ty> {
                        #access
                    }
                }
            }
        });
    let map = model.map.iter().map(|map| {
        let ty = &map.ty;
        let codec = codec(&map.codec, runtime);
        let access = at(ty.span(), quote!(#runtime::map_access::<#ty, #codec>()));
        quote! {
            impl #parameters #runtime::MapAt for #owner #clause {
                type Type = #ty;

                #[inline]
                fn access() -> #runtime::MapAccess<#ty> {
                    #access
                }
            }
        }
    });
    quote!(#(#columns)* #(#map)*)
}
