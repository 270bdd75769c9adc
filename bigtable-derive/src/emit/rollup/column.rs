//! The aggregate of a column.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned;

use crate::model::{RolledBy, RolledField, RolledFrom, RolledRole, Rollup};

/// The name of the function that gives a column's aggregate.
pub(super) fn name(field: &Ident) -> Ident {
    format_ident!("__{}", field.unraw())
}

/// The function that gives a column's aggregate. The compiler reports errors in the types at the
/// column's type.
pub(super) fn aggregate(
    field: &RolledField,
    rollup: &Rollup,
    runtime: &TokenStream,
) -> Option<TokenStream> {
    let RolledField { ident, ty, role } = field;
    let RolledRole::Column(by, from) = role else {
        return None;
    };
    let source = &rollup.source;
    let by = match by {
        RolledBy::Known(known) => {
            let known = format_ident!("{known}");
            quote!(#runtime::rollup::#known)
        }
        RolledBy::Own(path) => quote!(#path),
    };
    let value = match from {
        RolledFrom::Events => quote!(()),
        RolledFrom::Field(field) => {
            let value = quote!(::core::clone::Clone::clone(&event.#field));
            crate::emit::at(field.span(), value)
        }
        RolledFrom::Function(function) => quote!(#function(event)),
    };
    let name = name(ident);
    // The closure comes first, so that the type of its values is known when it is checked.
    let held = crate::emit::at(ty.span(), quote!(.held::<#by, #ty>()));
    Some(quote! {
        #[allow(unused_variables)]
        #[inline]
        fn #name() -> impl #runtime::ColumnAggregate<#source, #ty> {
            #runtime::values(|event: &#source| #value) #held
        }
    })
}
