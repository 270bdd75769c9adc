//! The handles on a model's fields: `QuoteFields`, as in `Quote::FIELDS.bid`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::model::{Absent, Column, Model};

use super::generics::Scope;
use super::key::borrowed;
use super::{at, blame, codec, generics, kind, payload};

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
        .map(|segment| (&segment.ident, &segment.ty, quote!(KeyField), quote!()));
    let columns = own_columns(model).map(|(_, column)| {
        let kind = kind::parameter(column, runtime);
        (&column.ident, &column.ty, quote!(Column), kind)
    });
    let maps = model.maps.iter().map(|map| {
        (
            &map.ident,
            &map.ty,
            quote!(MapField),
            kind::of_map(map, runtime),
        )
    });
    let fields = segments
        .chain(columns)
        .chain(maps)
        .map(|(ident, field, handle, kind)| {
            let own = format!("Field `{}`.", ident.unraw());
            quote!(#[doc = #own] pub #ident: #runtime::#handle<#ty, #field #kind>)
        });
    let payload = model.payload.iter();
    let fields = fields.chain(payload.flat_map(|one| payload::handle_types(one, scope)));
    quote! {
        #[doc = #summary]
        #[allow(private_interfaces, missing_debug_implementations)]
        #visibility struct #name #generics #clause { #(#fields),* }
    }
}

/// The columns that are not copies of key segments, with their indexes in the schema.
pub(super) fn own_columns(model: &Model) -> impl Iterator<Item = (usize, &Column)> {
    let columns = model.columns.iter().enumerate();
    let columns = columns.map(|(index, column)| (model.column_index(index), column));
    columns.filter(|(_, column)| column.segment.is_none())
}

/// The type of the handles.
pub(super) fn type_of(model: &Model, scope: &Scope) -> TokenStream {
    generics::applied(&model.type_name("Fields"), &scope.generics)
}

/// The same at the beginning of a path.
pub(super) fn path_of(model: &Model, scope: &Scope) -> TokenStream {
    generics::path(&model.type_name("Fields"), &scope.generics)
}

/// The handles as a constant expression.
pub(super) fn value(model: &Model, scope: &Scope) -> TokenStream {
    let runtime = &scope.runtime;
    let (name, handles) = (model.type_name("Fields"), path_of(model, scope));
    let segments = model.segments.iter().enumerate().map(|(index, segment)| {
        let ident = &segment.ident;
        let restore = borrowed::restore(index, scope);
        quote!(#ident: #runtime::KeyField::<Self, _>::new(#restore))
    });
    let columns = own_columns(model).map(|(index, column)| {
        let ident = &column.ident;
        let access = generics::access(ident);
        quote!(#ident: #runtime::Column::new(#index, #handles::#access))
    });
    let maps = model.maps.iter().enumerate().map(|(place, map)| {
        let ident = &map.ident;
        let access = generics::access(ident);
        quote!(#ident: #runtime::MapField::new(#place, #handles::#access))
    });
    let payload = model.payload.iter();
    let payload = payload.flat_map(|one| payload::handles(one, scope));
    quote!(#name { #(#segments,)* #(#columns,)* #(#maps,)* #(#payload,)* })
}

/// How each field is written and read. This is the only place where codec and type must match.
pub(super) fn accesses(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime, generics, ..
    } = scope;
    let (parameters, _, clause) = generics.split_for_impl();
    let owner = type_of(model, scope);
    let columns = model.columns.iter().filter(|one| !one.is_segment_text());
    let columns = columns.map(|column| {
        let ty = &column.ty;
        let name = generics::access(&column.ident);
        let access = kind::access(column, runtime);
        let absent = match &column.absent {
            Absent::ByType => quote!(),
            Absent::Default => quote!(.or_default()),
            Absent::Call(path) => quote!(.or(|_| __Ok(#path()))),
        };
        quote! {
            #[inline]
            fn #name() -> __FieldAccess<#ty> {
                #access #absent
            }
        }
    });
    let maps = model.maps.iter().map(|map| {
        let ty = &map.ty;
        let codec = codec(&map.codec, runtime);
        let name = generics::access(&map.ident);
        let access = at(ty.span(), quote!(#runtime::map_access::<#ty, #codec>()));
        quote! {
            #[inline]
            fn #name() -> #runtime::MapAccess<#ty> {
                #access
            }
        }
    });
    let payload = model.payload.iter();
    let payload = payload.map(|one| payload::accesses(one, scope));
    quote!(impl #parameters #owner #clause { #(#columns)* #(#maps)* #(#payload)* })
}

/// The function that adds a fixed value of each field, which shows the parts of the stored form
/// that depend on types.
pub(super) fn samples(model: &Model, scope: &Scope) -> TokenStream {
    let runtime = &scope.runtime;
    let handles = path_of(model, scope);
    let segments = model.segments.iter().enumerate().map(|(at, segment)| {
        let place = model.physical(at);
        let form = blame::of_segment(&segment.ty, quote!(__FORM));
        quote!(samples.segment(#place, #form);)
    });
    let payload = model.payload.iter();
    let payload = payload.map(|one| payload::samples(one, &handles, runtime));
    let columns = own_columns(model).map(|(index, column)| {
        let access = generics::access(&column.ident);
        quote!(samples.column(#index, &#handles::#access());)
    });
    let maps = model.maps.iter().enumerate().map(|(place, map)| {
        let access = generics::access(&map.ident);
        quote!(samples.map(#place, &#handles::#access());)
    });
    quote! {
        #[inline]
        fn samples(samples: &mut #runtime::Samples) {
            #(#segments)*
            #(#payload)*
            #(#columns)*
            #(#maps)*
        }
    }
}
