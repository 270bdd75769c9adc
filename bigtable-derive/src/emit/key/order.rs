//! Order and text of keys, which the owned and the borrowed one have alike.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::Model;

use crate::emit::generics::Scope;

/// The comparison of keys whose segments alone do not order them: their bytes, and of one row the
/// times.
pub(in crate::emit) fn compare_bytes(model: &Model, scope: &Scope) -> Option<TokenStream> {
    let Scope { runtime, key, .. } = scope;
    model.sorts_by_bytes().then(|| {
        quote! {
            #runtime::compare_encoded(
                &<#key as #runtime::ModelKey>::LAYOUT,
                &self.__values(),
                &other.__values(),
            )
        }
    })
}

/// `Ord` by comparisons of the segments in turn, and what follows from it.
pub(in crate::emit) fn order(
    ty: &TokenStream,
    generics: &impl quote::ToTokens,
    clause: Option<&syn::WhereClause>,
    compare: impl Iterator<Item = TokenStream>,
) -> TokenStream {
    quote! {
        impl #generics ::core::cmp::Ord for #ty #clause {
            #[inline]
            #[allow(unused_variables)]
            fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
                #(
                    let order = #compare;
                    if order.is_ne() {
                        return order;
                    }
                )*
                ::core::cmp::Ordering::Equal
            }
        }

        impl #generics ::core::cmp::PartialOrd for #ty #clause {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> ::core::option::Option<::core::cmp::Ordering> {
                ::core::option::Option::Some(::core::cmp::Ord::cmp(self, other))
            }
        }

        impl #generics ::core::cmp::PartialEq for #ty #clause {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                ::core::cmp::Ord::cmp(self, other).is_eq()
            }
        }

        impl #generics ::core::cmp::Eq for #ty #clause {}
    }
}

/// `Display` and `Debug` by names and values of the segments.
pub(in crate::emit) fn show(
    title: &str,
    ty: &TokenStream,
    generics: &impl quote::ToTokens,
    clause: Option<&syn::WhereClause>,
    runtime: &TokenStream,
) -> TokenStream {
    quote! {
        impl #generics ::core::fmt::Display for #ty #clause {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #runtime::display_segments(f, &self.__values())
            }
        }

        impl #generics ::core::fmt::Debug for #ty #clause {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #runtime::debug_segments(f, #title, &self.__values())
            }
        }
    }
}
