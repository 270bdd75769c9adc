//! Projections: some fields of a model.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use super::blame;
use crate::model::{ProjectedField, Projection};

/// `impl Projection`. A field that the model does not have is an error at the field's name, one of
/// another type an error at its type.
pub(crate) fn projection(projection: &Projection) -> TokenStream {
    let Projection {
        ident,
        generics,
        krate,
        model,
        fields,
    } = projection;
    let runtime = super::runtime(krate);
    let (parameters, arguments, clause) = generics.split_for_impl();
    // For a type that is not a model the compiler raises an equal error at each use, and shows it
    // once: so all tokens that name the model's items are in its place, and no others are.
    let in_its_place = |tokens| blame::as_if_at(model.span(), tokens);
    let own = in_its_place(quote!(type Model = <#model as #runtime::Model>::Itself;));
    let signature = in_its_place(quote! {
        fn read(
            key: &<#model as #runtime::Model>::KeyRef<'_>,
            cells: &#runtime::EventCells<'_>,
        ) -> ::core::result::Result<Self, #runtime::ReadError>
    });
    let uses = fields.iter().map(|field| {
        let handle = handle(field);
        quote_spanned!(field.ident.span()=> <#model as #runtime::Model>::FIELDS.#handle.field_use())
    });
    // A field may be written in a macro's scope, and the model in its caller's.
    let [key, cells] = ["key", "cells"].map(|name| Ident::new(name, model.span()));
    let reads = fields.iter().map(|field| {
        let (ident, handle) = (&field.ident, handle(field));
        quote_spanned! {field.ty.span()=>
            #ident: <#model as #runtime::Model>::FIELDS.#handle.read(#key, #cells)?
        }
    });
    let body = quote!(::core::result::Result::Ok(Self { #(#reads),* }));
    let mut body = Group::new(Delimiter::Brace, body);
    body.set_span(model.span());
    quote! {
        const _: () = {
            #[automatically_derived]
            impl #parameters #runtime::Projection for #ident #arguments #clause {
                #own

                const USES: ::core::option::Option<&'static [#runtime::FieldUse]> =
                    ::core::option::Option::Some(&[#(#uses),*]);

                #[inline]
                #[allow(unused_variables)]
                #signature
                #body
            }
        };
    }
}

/// The handle of a field, among those of the model.
fn handle(field: &ProjectedField) -> TokenStream {
    match &field.entry {
        Some((map, name)) => quote_spanned!(map.span()=> #map.run_time_column(#name)),
        None => field.ident.to_token_stream(),
    }
}
