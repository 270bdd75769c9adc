//! The update type: `QuoteUpdate`, with a setter for each column.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use crate::model::{Column, ColumnKind, MapColumn, Model};

use super::generics::{Scope, applied};
use super::{fields, kind};

/// The struct.
pub(super) fn definition(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        model: ty,
        generics,
        ..
    } = scope;
    let visibility = &model.visibility;
    let name = model.type_name("Update");
    let (_, _, clause) = generics.split_for_impl();
    let summary = match &model.payload {
        None => format!(
            "An update of some columns of one [`{}`]; columns that are not set are left alone.",
            model.ident
        ),
        Some(_) => format!(
            "An update of one [`{}`] has nothing to set: its fields are serialised into one column, which an insert writes as a whole.",
            model.ident
        ),
    };
    quote! {
        #[doc = #summary]
        #[allow(private_interfaces, missing_debug_implementations)]
        #[must_use = "an update does nothing until it is sent"]
        #visibility struct #name #generics (#runtime::Update<#ty>) #clause;
    }
}

/// Setters, and the update itself.
pub(super) fn implementation(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        model: ty,
        generics,
        ..
    } = scope;
    let (parameters, _, clause) = generics.split_for_impl();
    let name = model.type_name("Update");
    let own = applied(&name, generics);
    let handles = fields::path_of(model, scope);
    let setters = fields::own_columns(model);
    let setters = setters.filter(|(_, column)| !matches!(column.kind, ColumnKind::Version));
    let setters = setters.map(|(index, column)| setter(index, column, &handles));
    let maps = model.maps.iter().enumerate();
    let maps = maps.map(|(place, map)| map_setter(place, map, &handles));
    quote! {
        impl #parameters #own #clause {
            #(#setters)*
            #(#maps)*
        }

        impl #parameters #runtime::IntoUpdate for #own #clause {
            type Model = #ty;

            #[inline]
            fn into_update(self) -> #runtime::Update<#ty> {
                self.0
            }

            #[inline]
            fn with_setters(update: #runtime::Update<#ty>) -> Self {
                Self(update)
            }
        }
    }
}

fn setter(index: usize, column: &Column, handles: &TokenStream) -> TokenStream {
    let Column {
        ident,
        setter,
        ty,
        docs,
        ..
    } = column;
    if let ColumnKind::Aggregate(aggregate) = column.kind {
        return kind::adder(index, column, aggregate);
    }
    let own = format!(
        "Sets column `{}`; an `Option` that is `None` deletes it.",
        ident.unraw()
    );
    let access = super::generics::access(ident);
    quote! {
        #[doc = #own]
        #(#docs)*
        pub fn #setter(self, #ident: impl __ColumnArg<#ty>) -> Self {
            Self(self.0.set(#index, #handles::#access, #ident))
        }
    }
}

fn map_setter(place: usize, map: &MapColumn, handles: &TokenStream) -> TokenStream {
    let MapColumn {
        ident,
        setter,
        ty,
        docs,
        ..
    } = map;
    let access = super::generics::access(ident);
    quote! {
        /// Sets the run-time columns that the map has; others are left alone.
        #(#docs)*
        #[inline]
        pub fn #setter(self, #ident: #ty) -> Self {
            Self(self.0.set_map(#place, #handles::#access, &#ident))
        }
    }
}
