//! Order and text of keys, which the owned and the borrowed one have alike.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::Model;

use crate::emit::generics::Scope;

/// The comparison of keys whose segments alone do not order them: by bytes, and within one row by
/// time.
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

/// The comparison of segments in turn.
pub(in crate::emit) fn in_turn(
    mut compare: impl DoubleEndedIterator<Item = TokenStream>,
    runtime: &TokenStream,
) -> TokenStream {
    let last = compare.next_back();
    let last = last.unwrap_or_else(|| quote!(#runtime::Ordering::Equal));
    quote! {
        #(
            let order = #compare;
            if order.is_ne() {
                return order;
            }
        )*
        #last
    }
}

/// `Ord` by a comparison of `self` and `other`, and what follows from it.
pub(in crate::emit) fn order(
    ty: &TokenStream,
    generics: &impl quote::ToTokens,
    clause: Option<&syn::WhereClause>,
    compare: &TokenStream,
    runtime: &TokenStream,
) -> TokenStream {
    quote! {
        impl #generics #runtime::Ord for #ty #clause {
            #[inline]
            fn cmp(&self, other: &Self) -> #runtime::Ordering {
                #compare
            }
        }

        impl #generics #runtime::PartialOrd for #ty #clause {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> #runtime::Option<#runtime::Ordering> {
                #runtime::Some(#runtime::Ord::cmp(self, other))
            }
        }

        impl #generics #runtime::PartialEq for #ty #clause {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                #runtime::Ord::cmp(self, other).is_eq()
            }
        }

        impl #generics #runtime::Eq for #ty #clause {}
    }
}

/// `Display` and `Debug` by a title and an expression of the segments' names and values.
pub(in crate::emit) fn show(
    (title, values): (&str, &TokenStream),
    ty: &TokenStream,
    generics: &impl quote::ToTokens,
    clause: Option<&syn::WhereClause>,
    runtime: &TokenStream,
) -> TokenStream {
    quote! {
        impl #generics #runtime::Display for #ty #clause {
            fn fmt(&self, f: &mut #runtime::Formatter<'_>) -> #runtime::Formatted {
                #runtime::display_segments(f, &#values)
            }
        }

        impl #generics #runtime::Debug for #ty #clause {
            fn fmt(&self, f: &mut #runtime::Formatter<'_>) -> #runtime::Formatted {
                #runtime::debug_segments(f, #title, &#values)
            }
        }
    }
}
