//! The borrowed key type: `QuoteKeyRef<'_>`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Generics, Ident};

use crate::model::{Model, Segment};

use crate::emit::blame;
use crate::emit::generics::Scope;
use crate::emit::results::{done_or_return, value_or_return};

/// The struct, with a field for each segment's primitive.
pub(in crate::emit) fn definition(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        key_name,
        key_ref_name,
        key_generics,
        ..
    } = scope;
    let visibility = &model.visibility;
    let generics = borrowed(key_generics);
    let (_, _, clause) = generics.split_for_impl();
    let summary = format!(
        "[`{key_name}`] borrowed from the bytes of a row key; reading it allocates nothing."
    );
    let fields = model.segments.iter().map(|segment| {
        let ident = &segment.ident;
        let ty = stored(segment, runtime);
        let own = super::summary_of(segment);
        quote!(#[doc = #own] pub #ident: #ty)
    });
    quote! {
        #[doc = #summary]
        #[allow(private_interfaces)]
        #visibility struct #key_ref_name #generics #clause {
            #(#fields,)*
            // A struct has a size if its last field has one; for a type that is not a segment the
            // compiler would report that wherever the key is used.
            __borrowed: ::core::marker::PhantomData<&'__key [u8]>,
        }
    }
}

/// The key's generics with the lifetime of the bytes in front.
fn borrowed(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    generics.params.insert(0, syn::parse_quote!('__key));
    generics
}

fn stored(segment: &Segment, runtime: &TokenStream) -> TokenStream {
    let ty = &segment.ty;
    if segment.options.escape {
        quote!(#runtime::Escaped<'__key>)
    } else {
        blame::stored(ty, runtime)
    }
}

/// Decoding and text of the borrowed key, and the way from it to the owned one.
pub(in crate::emit) fn implementation(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        key,
        key_path,
        key_generics,
        ..
    } = scope;
    let key_ref = scope.key_ref(&quote!('__key));
    let generics = borrowed(key_generics);
    let (parameters, _, clause) = generics.split_for_impl();
    let (key_parameters, _, key_clause) = key_generics.split_for_impl();
    let reads = reads(model, scope);
    let (prefix, separator) = (&model.prefix, &model.separator);
    let restores = model.segments.iter().enumerate();
    let restores = restores.map(|(index, segment)| restoring(model, (index, segment), scope));
    let owned = to_owned(model, scope);
    let value = quote!(Self { #(#reads,)* __borrowed: #runtime::PhantomData });
    let begin = super::begin(model);
    let reader = if model.salt.is_some() {
        let segments = quote!(#key_path::__SEGMENTS);
        quote!(#runtime::SaltedKeyReader::#begin(#prefix, #separator, #segments, key))
    } else {
        quote!(#runtime::KeyReader::#begin(#prefix, #separator, key))
    };
    let reader = value_or_return(&reader);
    let decoded = if model.salt.is_some() || model.enclosed {
        let finished = done_or_return(&quote!(reader.finish()));
        quote! {
            let decoded = #value;
            #finished
            __Ok(decoded)
        }
    } else {
        quote!(__Ok(#value))
    };
    let (values, traits) = (values(model, runtime), traits(model, scope));
    quote! {
        impl #parameters #key_ref #clause {
            #values

            #[doc = "Takes a row key apart without copying it.\n\n# Errors\nWhen the bytes are not a \
                key of the model."]
            #[inline]
            pub fn decode(key: &'__key [u8]) -> #runtime::Result<Self, #runtime::KeyError> {
                let mut reader = #reader;
                #decoded
            }
        }

        impl #key_parameters #key #key_clause {
            #(#restores)*
            #owned

            #[doc = "Takes a row key apart.\n\n# Errors\nWhen the bytes are not a key of the model, or \
                a segment's type refuses what it holds."]
            #[inline]
            pub fn decode(key: &[u8]) -> #runtime::Result<Self, #runtime::KeyError> {
                #runtime::ModelKey::decode_at(key, #runtime::None)
            }
        }

        #traits
    }
}

/// The owned key of a row, with the time of one of its events if it is given.
pub(in crate::emit) fn decode_at(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        key_ref_name,
        ..
    } = scope;
    let decoded = blame::of_key(model, quote!(#key_ref_name::decode(key)));
    let decoded = value_or_return(&decoded);
    let (time, decode) = match put_time(model, runtime) {
        Some(put) => {
            let put = quote!(if let #runtime::Some(time) = time { #put });
            (quote!(time), quote!(let mut key = #decoded; #put))
        }
        None => (quote!(_), quote!(let key = #decoded;)),
    };
    quote! {
        #[inline]
        fn decode_at(
            key: &[u8],
            #time: #runtime::Option<#runtime::Timestamp>,
        ) -> __KeyResult<Self> {
            #decode
            Self::__restore(&key)
        }
    }
}

/// The key's function that returns the owned key of a borrowed one, as a path.
pub(in crate::emit) fn owned(scope: &Scope) -> TokenStream {
    let key = &scope.key_path;
    quote!(#key::__restore)
}

/// That function.
fn to_owned(model: &Model, scope: &Scope) -> TokenStream {
    let idents = model.segments.iter().map(|segment| &segment.ident);
    let restored = (0..model.segments.len()).map(|index| {
        let restore = restore_name(index);
        value_or_return(&quote!(Self::#restore(key)))
    });
    let borrowed = blame::of_key(model, scope.key_ref(&quote!('_)));
    quote! {
        #[inline]
        fn __restore(key: &#borrowed) -> __KeyResult<Self> {
            __Ok(Self { #(#idents: #restored),* })
        }
    }
}

/// Replaces the bucket's beginning in `key` by the event's `time`; `None` if the key has no bucket.
pub(in crate::emit) fn put_time(model: &Model, runtime: &TokenStream) -> Option<TokenStream> {
    model.bucket()?;
    let Segment { ident, ty, .. } = model.segments.get(model.time()?)?;
    let place = blame::in_place_of(ty, quote!(key.#ident));
    let place = blame::reference(ty, place);
    Some(quote!(#runtime::put_time(#place, time);))
}

fn reads(model: &Model, scope: &Scope) -> Vec<TokenStream> {
    let read = |(index, segment): (usize, &Segment)| {
        let ident = &segment.ident;
        let last = model.is_last(index);
        let segment_ref = if model.salt.is_some() {
            let place = model.physical(index);
            quote!(#place)
        } else {
            super::segment(index, scope)
        };
        let read = if segment.options.escape {
            quote!(read_escaped)
        } else {
            quote!(read)
        };
        let value = quote!(reader.#read(#segment_ref, #last));
        let value = value_or_return(&value);
        blame::in_place_of(&segment.ty, quote!(#ident: #value))
    };
    model.segments.iter().enumerate().map(read).collect()
}

/// The key's function that returns the value of a segment; numbered, since fields may have any
/// name.
fn restore_name(index: usize) -> Ident {
    quote::format_ident!("__restore_{index}")
}

/// The path of that function: from a reference to a borrowed key to a `Result` with `KeyError`.
pub(in crate::emit) fn restore(index: usize, scope: &Scope) -> TokenStream {
    let (key, name) = (&scope.key_path, restore_name(index));
    quote!(#key::#name)
}

/// That function.
fn restoring(model: &Model, (index, segment): (usize, &Segment), scope: &Scope) -> TokenStream {
    let Scope { runtime, .. } = scope;
    let Segment { ident, ty, .. } = segment;
    let name = ident.unraw().to_string();
    let value = blame::in_place_of(ty, quote!(key.#ident));
    let restored = if segment.options.escape {
        let text = quote!(#runtime::SegmentPrimitive::from_text(text)?);
        let restored = blame::ask(ty, quote!(restore), text);
        quote!(#runtime::restored_text(#name, #value, |text| #restored))
    } else {
        let restored = blame::ask(ty, quote!(restore), value);
        quote!(#runtime::restored(#name, #restored))
    };
    let function = restore_name(index);
    let borrowed = scope.key_ref(&quote!('_));
    let borrowed = blame::of_key(model, quote!(&#borrowed));
    quote! {
        #[inline]
        fn #function(key: #borrowed) -> __KeyResult<#ty> {
            #restored
        }
    }
}

/// Names and values, for messages.
fn values(model: &Model, runtime: &TokenStream) -> TokenStream {
    let values = model.segments.iter().map(|segment| {
        let ident = &segment.ident;
        let name = ident.unraw().to_string();
        if segment.options.escape {
            quote!((#name, #runtime::escaped_value(self.#ident)))
        } else {
            let value = blame::in_place_of(&segment.ty, quote!(self.#ident));
            quote!((#name, #runtime::SegmentPrimitive::into_value(#value)))
        }
    });
    let count = model.segments.len();
    quote! {
        #[inline]
        fn __values(&self) -> [(&'static str, #runtime::SegmentValue); #count] {
            [#(#values),*]
        }
    }
}

fn traits(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        key_ref_name,
        key_generics,
        ..
    } = scope;
    let key_ref = scope.key_ref(&quote!('__key));
    let generics = borrowed(key_generics);
    let (parameters, _, clause) = generics.split_for_impl();
    let title = key_ref_name.to_string();
    let own = blame::of_key(model, key_ref.clone());
    let values_of = quote!(self.__values());
    let debug = super::order::debug((&title, &values_of), &key_ref, &parameters, clause, runtime);
    quote! {
        impl #parameters #runtime::Clone for #key_ref #clause {
            #[inline]
            fn clone(&self) -> #own {
                *self
            }
        }

        impl #parameters #runtime::Copy for #key_ref #clause {}

        #debug
    }
}
