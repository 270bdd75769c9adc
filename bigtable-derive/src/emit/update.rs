//! The update type: `QuoteUpdate`, with a setter for each column.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use crate::model::{Column, MapColumn, Model};

use super::fields;
use super::generics::{Scope, argument};

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
    let summary = format!(
        "An update of some columns of one [`{}`]; columns that are not set are left alone.",
        model.ident
    );
    quote! {
        #[doc = #summary]
        #[derive(::core::fmt::Debug)]
        #[allow(private_interfaces)]
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
    let arguments: Vec<_> = generics.params.iter().map(argument).collect();
    let own = quote!(#name<#(#arguments),*>);
    let setters = fields::own_columns(model).map(|(index, column)| setter(index, column, scope));
    let map = model.map.iter().map(|map| map_setter(map, scope));
    quote! {
        impl #parameters ::core::convert::From<#runtime::Update<#ty>> for #own #clause {
            fn from(update: #runtime::Update<#ty>) -> Self {
                Self(update)
            }
        }

        impl #parameters #own #clause {
            #(#setters)*
            #(#map)*

            /// What the update writes, as data.
            ///
            /// # Errors
            /// When the key or a column can't hold what was set, or nothing was set.
            pub fn to_mutations(
                self,
            ) -> ::core::result::Result<#runtime::RowMutations, #runtime::Error> {
                self.0.to_mutations(#runtime::Timestamp::now())
            }

            /// Writes what was set.
            ///
            /// # Errors
            /// Those of `to_mutations`, and then nothing is sent; or the backend's answer.
            pub async fn send(
                self,
                backend: &dyn #runtime::Backend,
            ) -> ::core::result::Result<(), #runtime::Error> {
                #runtime::send_update(self.0, backend).await
            }
        }
    }
}

fn setter(index: usize, column: &Column, scope: &Scope) -> TokenStream {
    let Scope { runtime, model, .. } = scope;
    let Column {
        ident,
        setter,
        ty,
        docs,
        ..
    } = column;
    let own = format!("Sets column `{}`; `None` deletes it.", ident.unraw());
    quote! {
        #[doc = #own]
        #(#docs)*
        pub fn #setter(self, #ident: impl ::core::convert::Into<#ty>) -> Self {
            let value = ::core::convert::Into::<#ty>::into(#ident);
            Self(self.0.change(|event| {
                (<#model as #runtime::FieldAt<#index>>::access().write)(&value, #index, event)
            }))
        }
    }
}

fn map_setter(map: &MapColumn, scope: &Scope) -> TokenStream {
    let Scope { runtime, model, .. } = scope;
    let MapColumn {
        ident,
        setter,
        ty,
        docs,
        ..
    } = map;
    quote! {
        /// Sets the run-time columns that the map has; others are left alone.
        #(#docs)*
        pub fn #setter(self, #ident: #ty) -> Self {
            Self(self.0.change(|event| {
                (<#model as #runtime::MapAt>::access().write)(&#ident, event)
            }))
        }
    }
}
