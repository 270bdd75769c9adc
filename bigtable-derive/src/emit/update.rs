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

/// Setters, and the ways to use an update.
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
    let setters = setters.map(|(index, column)| setter(index, column, &handles, runtime));
    let map = model.map.iter().map(|map| map_setter(map, &handles));
    let send_if_unchanged = kind::send_if_unchanged(model, runtime);
    quote! {
        impl #parameters #runtime::From<#runtime::Update<#ty>> for #own #clause {
            #[inline]
            fn from(update: #runtime::Update<#ty>) -> Self {
                Self(update)
            }
        }

        impl #parameters #own #clause {
            #(#setters)*
            #(#map)*

            #[doc = "What the update writes, as data.\n\n# Errors\nWhen the key or a column can't hold \
                what was set, or nothing was set."]
            #[inline]
            pub fn to_mutations(
                self,
            ) -> #runtime::Result<#runtime::RowMutations, #runtime::Error> {
                self.0.to_mutations(#runtime::Timestamp::now())
            }

            #[doc = "Writes what was set.\n\n# Errors\nThose of `to_mutations`, and then nothing is \
                sent; or the backend's answer."]
            #[inline]
            pub fn send(
                self,
                backend: &dyn #runtime::Backend,
            ) -> #runtime::BoxFuture<'_, #runtime::Result<(), #runtime::Error>> {
                #runtime::send_update(self.0, backend)
            }

            #[doc = "Writes what was set while a condition holds of the event, and tells whether it \
                did: one step of the server, sent once. `BackendExt::insert_if` tells what that takes, \
                when it goes out once more, and what an error leaves open.\n\n# Errors\nThose of \
                `send`, and of a condition that can't be sent; in layout `qualifiers` always, since \
                the old value has to be read first."]
            #[inline]
            pub fn send_if(
                self,
                backend: &dyn #runtime::Backend,
                condition: #runtime::Condition<#ty>,
            ) -> #runtime::BoxFuture<'_, #runtime::Result<bool, #runtime::Error>> {
                #runtime::send_update_if(self.0, backend, condition)
            }

            #send_if_unchanged
        }
    }
}

fn setter(
    index: usize,
    column: &Column,
    handles: &TokenStream,
    runtime: &TokenStream,
) -> TokenStream {
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
        pub fn #setter(self, #ident: impl #runtime::ColumnArg<#ty>) -> Self {
            Self(self.0.set(#index, #handles::#access, #ident))
        }
    }
}

fn map_setter(map: &MapColumn, handles: &TokenStream) -> TokenStream {
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
            Self(self.0.set_map(#handles::#access, &#ident))
        }
    }
}
