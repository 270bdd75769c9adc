//! Order and text of keys.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Model, Segment};

use crate::emit::blame;
use crate::emit::generics::Scope;

/// `Ord` of the owned key, and what follows from it: its borrowed form is compared, so that the
/// order is that of what is stored.
pub(super) fn order(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        key,
        key_generics,
        ..
    } = scope;
    let (generics, _, clause) = key_generics.split_for_impl();
    let compare = match model.sorts_by_bytes() {
        true => by_bytes(scope),
        false => in_turn(model, scope),
    };
    quote! {
        impl #generics #runtime::Ord for #key #clause {
            #[inline]
            fn cmp(&self, other: &Self) -> #runtime::Ordering {
                let (one, other) = (self.__stored(), other.__stored());
                #compare
            }
        }

        impl #generics #runtime::PartialOrd for #key #clause {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> #runtime::Option<#runtime::Ordering> {
                #runtime::Some(#runtime::Ord::cmp(self, other))
            }
        }

        impl #generics #runtime::PartialEq for #key #clause {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                #runtime::Ord::cmp(self, other).is_eq()
            }
        }

        impl #generics #runtime::Eq for #key #clause {}
    }
}

/// The comparison of keys whose segments alone do not order them: by bytes, and within one row by
/// time.
fn by_bytes(scope: &Scope) -> TokenStream {
    let Scope { runtime, key, .. } = scope;
    quote! {
        #runtime::compare_encoded(
            &<#key as #runtime::ModelKey>::LAYOUT,
            &one.__values(),
            &other.__values(),
        )
    }
}

/// The comparison of segments in turn.
fn in_turn(model: &Model, scope: &Scope) -> TokenStream {
    let runtime = &scope.runtime;
    let compare = |(index, segment): (usize, &Segment)| {
        let ident = &segment.ident;
        if segment.options.escape {
            return quote!(#runtime::Ord::cmp(&one.#ident, &other.#ident));
        }
        let place = model.physical(index);
        let format = quote!(&Self::__SEGMENTS[#place].format);
        let of = |key| blame::in_place_of(&segment.ty, quote!(#key.#ident));
        let (one, other) = (of(quote!(one)), of(quote!(other)));
        quote!(#runtime::SegmentPrimitive::compare(#one, #other, #format))
    };
    let mut compare = model.segments.iter().enumerate().map(compare);
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

/// `Debug` by a title and an expression of the segments' names and values.
pub(super) fn debug(
    (title, values): (&str, &TokenStream),
    ty: &TokenStream,
    generics: &impl quote::ToTokens,
    clause: Option<&syn::WhereClause>,
    runtime: &TokenStream,
) -> TokenStream {
    quote! {
        impl #generics #runtime::Debug for #ty #clause {
            #[inline]
            fn fmt(&self, f: &mut #runtime::Formatter<'_>) -> #runtime::Formatted {
                #runtime::debug_segments(f, #title, &#values)
            }
        }
    }
}
