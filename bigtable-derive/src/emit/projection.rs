//! Projections: some fields of a model.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::model::Projection;

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
    let uses = fields.iter().map(|(field, _)| {
        quote_spanned!(field.span()=> <#model as #runtime::Model>::FIELDS.#field.field_use())
    });
    let reads = fields.iter().map(|(field, ty)| {
        quote_spanned! {ty.span()=>
            #field: <#model as #runtime::Model>::FIELDS.#field.read(key, cells)?
        }
    });
    quote! {
        const _: () = {
            #[automatically_derived]
            impl #parameters #runtime::Projection for #ident #arguments #clause {
                type Model = #model;

                const USES: ::core::option::Option<&'static [#runtime::FieldUse]> =
                    ::core::option::Option::Some(&[#(#uses),*]);

                #[inline]
                #[allow(unused_variables)]
                fn read(
                    key: &<#model as #runtime::Model>::KeyRef<'_>,
                    cells: &#runtime::EventCells<'_>,
                ) -> ::core::result::Result<Self, #runtime::ReadError> {
                    ::core::result::Result::Ok(Self { #(#reads),* })
                }
            }
        };
    }
}
