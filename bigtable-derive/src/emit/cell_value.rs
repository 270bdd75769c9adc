//! Types of cells: newtypes and enums without fields.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Ident, Type};

use crate::model::{SegmentShape, SegmentType};

/// `impl CellValue`.
pub(crate) fn cell_value(value: &SegmentType) -> TokenStream {
    let SegmentType {
        ident,
        generics,
        krate,
        shape,
    } = value;
    let runtime = super::runtime(krate);
    let (parameters, arguments, clause) = generics.split_for_impl();
    let items = match shape {
        SegmentShape::Newtype(name, ty) => newtype(name.as_ref(), ty, &runtime),
        SegmentShape::Enum(variants) => unit_enum(ident, variants, &runtime),
        SegmentShape::Refused => unit_enum(ident, &[], &runtime),
    };
    quote! {
        const _: () = {
            #[automatically_derived]
            impl #parameters #runtime::CellValue for #ident #arguments #clause {
                #items
            }
        };
    }
}

/// Is stored in cells like its field.
fn newtype(name: Option<&Ident>, ty: &Type, runtime: &TokenStream) -> TokenStream {
    let (field, build) = match name {
        Some(name) => (quote!(#name), quote!(Self { #name: inner })),
        None => (quote!(0), quote!(Self(inner))),
    };
    let value = super::at(ty.span(), quote!(<#ty as #runtime::CellValue>));
    quote! {
        const NAME: &'static str = #value::NAME;

        #[inline]
        fn encode_value(
            &self,
            out: &mut #runtime::Vec<u8>,
        ) -> ::core::result::Result<(), #runtime::ValueError> {
            #value::encode_value(&self.#field, out)
        }

        #[inline]
        fn shared_value(&self) -> ::core::option::Option<&#runtime::CellBytes> {
            #value::shared_value(&self.#field)
        }

        #[inline]
        fn decode_value(
            bytes: &[u8],
        ) -> ::core::result::Result<Self, #runtime::ValueError> {
            let inner = #value::decode_value(bytes)?;
            ::core::result::Result::Ok(#build)
        }

        #[inline]
        fn decode_shared_value(
            bytes: &#runtime::CellBytes,
        ) -> ::core::result::Result<Self, #runtime::ValueError> {
            let inner = #value::decode_shared_value(bytes)?;
            ::core::result::Result::Ok(#build)
        }

        #[inline]
        fn samples() -> #runtime::Vec<Self> {
            let values = ::core::iter::IntoIterator::into_iter(#value::samples());
            ::core::iter::Iterator::collect(
                ::core::iter::Iterator::map(values, |inner| #build),
            )
        }

        #[inline]
        fn takes() -> #runtime::Takes {
            #value::takes()
        }
    }
}

/// Is stored in cells by its name. Without variants, like a refused type, no value can be read.
fn unit_enum(ident: &Ident, variants: &[(Ident, String)], runtime: &TokenStream) -> TokenStream {
    let (idents, names): (Vec<_>, Vec<_>) = variants.iter().cloned().unzip();
    let title = ident.to_string();
    let written = match variants {
        [] => quote!(""),
        _ => quote!(match self { #(Self::#idents => #names,)* }),
    };
    quote! {
        const NAME: &'static str = "utf8";

        #[inline]
        fn encode_value(
            &self,
            out: &mut #runtime::Vec<u8>,
        ) -> ::core::result::Result<(), #runtime::ValueError> {
            let name: &'static str = #written;
            out.extend_from_slice(name.as_bytes());
            ::core::result::Result::Ok(())
        }

        #[inline]
        fn decode_value(
            bytes: &[u8],
        ) -> ::core::result::Result<Self, #runtime::ValueError> {
            match #runtime::name_in_cell(bytes) {
                #(::core::option::Option::Some(#names) => ::core::result::Result::Ok(Self::#idents),)*
                _ => ::core::result::Result::Err(
                    #runtime::unknown_name(bytes, #title, &[#(#names),*]),
                ),
            }
        }

        #[inline]
        fn samples() -> #runtime::Vec<Self> {
            #runtime::Vec::from([#(Self::#idents),*])
        }

        #[inline]
        fn takes() -> #runtime::Takes {
            #runtime::Takes::names(&[#(#names),*])
        }
    }
}
