//! Key segment types: newtypes and enums without fields.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, Type};

use super::blame;
use crate::model::{SegmentShape, SegmentType};

/// `impl KeySegment`.
pub(crate) fn segment(segment: &SegmentType) -> TokenStream {
    let SegmentType {
        ident,
        generics,
        krate,
        shape,
    } = segment;
    let runtime = super::runtime(krate);
    let (parameters, arguments, clause) = generics.split_for_impl();
    let items = match shape {
        SegmentShape::Newtype(name, ty) => newtype(name.as_ref(), ty, &runtime),
        SegmentShape::Enum(variants) => unit_enum(ident, variants, &runtime),
        SegmentShape::Refused => refused(&runtime),
    };
    quote! {
        const _: () = {
            #[automatically_derived]
            impl #parameters #runtime::KeySegment for #ident #arguments #clause {
                #items
            }
        };
    }
}

/// Is stored in keys like its field.
fn newtype(name: Option<&Ident>, ty: &Type, runtime: &TokenStream) -> TokenStream {
    let (field, build) = match name {
        Some(name) => (quote!(#name), quote!(Self { #name: inner })),
        None => (quote!(0), quote!(Self(inner))),
    };
    let segment = quote!(<#ty as #runtime::KeySegment>);
    let items = quote! {
        type Stored<'__key> = #segment::Stored<'__key>;

        const KIND: #runtime::SegmentKind = #segment::KIND;

        const NAMES: ::core::option::Option<&'static [&'static str]> = #segment::NAMES;

        const __IS_OWN: bool = #segment::__IS_OWN;

        #[inline]
        fn store(&self) -> Self::Stored<'_> {
            #segment::store(&self.#field)
        }

        #[inline]
        fn restore(
            stored: Self::Stored<'_>,
        ) -> ::core::result::Result<Self, #runtime::SegmentError> {
            let inner = #segment::restore(stored)?;
            ::core::result::Result::Ok(#build)
        }
    };
    // All of it needs the field to be a segment.
    blame::in_place_of(ty, items)
}

/// Keeps models that use a refused type from raising errors of their own; the reported mistakes
/// fail the build.
fn refused(runtime: &TokenStream) -> TokenStream {
    quote! {
        type Stored<'__key> = &'__key str;

        #[inline]
        fn store(&self) -> Self::Stored<'_> {
            ""
        }

        #[inline]
        fn restore(
            stored: Self::Stored<'_>,
        ) -> ::core::result::Result<Self, #runtime::SegmentError> {
            ::core::result::Result::Err(#runtime::unknown_variant(stored, "refused type", &[]))
        }
    }
}

/// Is stored in keys by its name.
fn unit_enum(ident: &Ident, variants: &[(Ident, String)], runtime: &TokenStream) -> TokenStream {
    let (idents, names): (Vec<_>, Vec<_>) = variants.iter().cloned().unzip();
    let title = ident.to_string();
    quote! {
        type Stored<'__key> = &'__key str;

        const NAMES: ::core::option::Option<&'static [&'static str]> =
            ::core::option::Option::Some(&[#(#names),*]);

        #[inline]
        fn store(&self) -> Self::Stored<'_> {
            match self {
                #(Self::#idents => #names,)*
            }
        }

        #[inline]
        fn restore(
            stored: Self::Stored<'_>,
        ) -> ::core::result::Result<Self, #runtime::SegmentError> {
            match stored {
                #(#names => ::core::result::Result::Ok(Self::#idents),)*
                _ => ::core::result::Result::Err(
                    #runtime::unknown_variant(stored, #title, &[#(#names),*]),
                ),
            }
        }
    }
}
