//! The key type: `QuoteKey`.

pub(super) mod borrowed;
pub(super) mod bucket;
mod format;
mod order;
pub(super) mod template;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use crate::check::key::segments::{few_first, time_first};
use crate::check::time::volume::{grouped, megabytes};
use crate::model::{Encoding, Model, Role, Segment};

use super::generics::Scope;
use super::results::{done_or_return, value_or_return};

/// The struct, with a public field for each segment.
pub(super) fn definition(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        key_name,
        key_generics,
        ..
    } = scope;
    let visibility = &model.visibility;
    let (_, _, clause) = key_generics.split_for_impl();
    let summary = format!(
        "The row key of [`{}`]: `{}`.\n\nIts order is that of the key's bytes{}.",
        model.ident,
        super::key::template::template(model),
        if model.bucket().is_some() {
            ", and inside a row that of the times"
        } else {
            ""
        },
    );
    let summary = summary + &volume(model).unwrap_or_default() + &presence(model);
    let fields = model.segments.iter().map(|segment| {
        let Segment {
            ident, ty, docs, ..
        } = segment;
        let own = summary_of(segment);
        let docs = if docs.is_empty() {
            quote!(#[doc = #own])
        } else {
            quote!(#(#docs)*)
        };
        quote!(#docs pub #ident: #ty)
    });
    quote! {
        #[doc = #summary]
        #[derive(::core::clone::Clone)]
        #[allow(private_interfaces)]
        #visibility struct #key_name #key_generics #clause { #(#fields),* }
    }
}

/// The description of a key's field.
pub(super) fn summary_of(segment: &Segment) -> String {
    let name = segment.ident.unraw();
    match segment.role {
        Role::Bucket(_) if segment.is_absent() => format!(
            "The event's time `{name}`, which is not in the key: decoded from a key alone, it is no event's time."
        ),
        Role::Bucket(_) => format!(
            "The event's time `{name}`, whose bucket is in the key: decoded from a key alone it is the bucket's beginning."
        ),
        Role::TieBreaker => {
            format!("Segment `{name}` of the key, which distinguishes events at the same time.")
        }
        Role::Identifier | Role::Time => format!("Segment `{name}` of the key."),
    }
}

/// What marks an event, as far as it is declared: the rest depends on types.
fn presence(model: &Model) -> String {
    let declared = model.presence().and_then(|at| model.columns.get(at));
    match (&model.marker, declared, &model.payload) {
        (Some(marker), ..) => format!(
            "\n\nAn event is there with the cell `{}:{}`, its marker.",
            marker.family, marker.qualifier
        ),
        (None, Some(column), _) => format!(
            "\n\nAn event is there with column `{}:{}`, by `presence`.",
            column.family, column.qualifier
        ),
        (None, None, Some(payload)) => format!(
            "\n\nAn event is there with column `{}:{}`, which holds it.",
            payload.family, payload.qualifier
        ),
        (None, None, None) => {
            "\n\nAn event is there with the first of its columns that is no `Option` and has no `default`.".to_owned()
        }
    }
}

/// What a row holds, or a day of a series, if a rate was declared.
fn volume(model: &Model) -> Option<String> {
    let volume = model.volume.as_ref()?;
    let bytes = megabytes(volume.bytes);
    let held = match volume.events {
        Some(events) if volume.of_day => format!(
            "\n\nA series has up to {} rows a day as declared: {} cells, {bytes}.",
            grouped(events),
            grouped(volume.cells)
        ),
        Some(events) => format!(
            "\n\nA row holds up to {} events as declared: {} cells, {bytes}.",
            grouped(events),
            grouped(volume.cells)
        ),
        None => format!("\n\nA row grows by {bytes} an event, without an end."),
    };
    let names = match volume.names > volume.size {
        true => format!(
            " Each event has {} bytes of names for {} of values: a shorter `family` and shorter `column` names take less.",
            volume.names, volume.size
        ),
        false => String::new(),
    };
    Some(held + &names)
}

/// Encoding, decoding, order and text of the key.
pub(super) fn implementation(model: &Model, scope: &Scope, decode: &TokenStream) -> TokenStream {
    let Scope {
        runtime,
        key,
        key_generics,
        ..
    } = scope;
    let (generics, _, clause) = key_generics.split_for_impl();
    let segments = segments(model, runtime);
    let encode = encode(model, scope);
    let stored = stored(model, scope);
    let traits = traits(model, scope, decode);
    quote! {
        impl #generics #key #clause {
            #segments
            #encode
            #stored

            #[doc = "The key's bytes.\n\n# Errors\nWhen a segment cannot hold its value, or the key is \
                empty or over 4 KiB."]
            #[inline]
            pub fn encode(&self) -> #runtime::Result<#runtime::Vec<u8>, #runtime::KeyError> {
                #runtime::ModelKey::encode(self)
            }

            #[doc = "The key as a text for URLs, which `parse` reads; see `ModelKey::to_text`.\n\n\
                # Errors\nThose of `encode`."]
            #[inline]
            pub fn to_text(&self) -> #runtime::Result<#runtime::String, #runtime::KeyError> {
                #runtime::ModelKey::to_text(self)
            }

            #[doc = "Appends the key's bytes to a buffer, which is left as it was on an error. It \
                allocates only when the buffer must grow.\n\n# Errors\nWhen a segment cannot hold its \
                value, or the key is empty or over 4 KiB."]
            #[inline]
            pub fn encode_into(
                &self,
                out: &mut #runtime::Vec<u8>,
            ) -> #runtime::Result<(), #runtime::KeyError> {
                #runtime::ModelKey::encode_into(self, out)
            }
        }

        #traits
    }
}

/// The segments as a constant: each is referred to by its index, so that using one makes and drops
/// nothing.
fn segments(model: &Model, runtime: &TokenStream) -> TokenStream {
    let mut segments: Vec<_> = model
        .segments
        .iter()
        .enumerate()
        .map(|(index, segment)| {
            let name = segment.ident.unraw().to_string();
            let kind = super::blame::of_segment(&segment.ty, quote!(KIND));
            let options = || declared_options(model, (index, segment), runtime);
            let (role, form) = match &segment.role {
                Role::Identifier => (quote!(identifier), options()),
                Role::Time => (quote!(time_segment), options()),
                Role::TieBreaker => (quote!(tie_breaker), options()),
                Role::Bucket(bucket) => (quote!(bucket_segment), bucket::value(bucket, runtime)),
            };
            quote!(#runtime::#role(#name, #kind, #form))
        })
        .collect();
    if let Some(salt) = &model.salt {
        let place = salt.place.min(segments.len());
        segments.insert(place, bucket::salt(model, salt, runtime));
    }
    let count = segments.len();
    quote! {
        const __SEGMENTS: &'static [#runtime::Segment; #count] = &[#(#segments),*];
    }
}

/// A segment of the key, for generated code outside its type.
pub(super) fn segment(index: usize, scope: &Scope) -> TokenStream {
    let (key, place) = (&scope.key_path, scope.physical(index));
    quote!(&#key::__SEGMENTS[#place])
}

/// The borrowed key of the same values, with which an owned key is compared and shown.
fn stored(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        key_ref_name,
        ..
    } = scope;
    let values = model.segments.iter().map(|segment| {
        let Segment { ident, ty, .. } = segment;
        let stored = super::blame::ask(ty, quote!(store), quote!(&self.#ident));
        let stored = match segment.options.escape {
            true => quote!(#runtime::not_escaped(#stored)),
            false => stored,
        };
        quote!(#ident: #stored)
    });
    let borrowed = super::blame::of_key(model, scope.key_ref(&quote!('_)));
    quote! {
        #[inline]
        fn __stored(&self) -> #borrowed {
            #key_ref_name { #(#values,)* __borrowed: #runtime::PhantomData }
        }
    }
}

/// The format that the runtime chooses for the type and the options; that of a bucket is known
/// here.
fn format(
    model: &Model,
    (index, segment): (usize, &Segment),
    runtime: &TokenStream,
) -> TokenStream {
    if let Some(bucket) = segment.bucket() {
        return bucket::format(bucket, runtime);
    }
    let ty = &segment.ty;
    let options = declared_options(model, (index, segment), runtime);
    let kind = super::blame::of_segment(ty, quote!(KIND));
    super::blame::call(
        ty,
        quote!(#runtime::SegmentFormat::of),
        quote!(#kind, #options),
    )
}

/// Checks each segment in a statement of its own, so that every mistake is reported.
pub(super) fn checks(model: &Model, scope: &Scope) -> Vec<TokenStream> {
    let Scope { runtime, key, .. } = scope;
    let segments = model.segments.iter().enumerate().map(|(index, segment)| {
        let ty = &segment.ty;
        let options = declared_options(model, (index, segment), runtime);
        let last = model.is_last(index);
        let kind = super::blame::of_segment(ty, quote!(KIND));
        if segment.is_time() {
            let arguments = quote!(#kind, #options, #last);
            super::blame::call(ty, quote!(#runtime::check_time), arguments)
        } else {
            let separator = &model.separator;
            let names = super::blame::of_segment(ty, quote!(NAMES));
            let arguments = quote!(#kind, #options, #last, (#names, #separator));
            super::blame::call(ty, quote!(#runtime::check_segment), arguments)
        }
    });
    let first = model.timeless.and_then(|index| model.segments.get(index));
    let first = first.map(|segment| {
        let (ty, message) = (&segment.ty, time_first(&segment.ident));
        let kind = super::blame::of_segment(ty, quote!(KIND));
        super::blame::call(ty, quote!(#runtime::check_first), quote!(#kind, #message))
    });
    let few = model.timeless.and_then(|index| {
        let segment = model.segments.get(index)?;
        let next = model.segments.get(index + 1..)?;
        let next = next.iter().find(|one| !one.is_absent())?;
        let (ty, message) = (&segment.ty, few_first(&segment.ident, &next.ident));
        let [kind, names] =
            [quote!(KIND), quote!(NAMES)].map(|of| super::blame::of_segment(ty, of));
        let arguments = quote!(#kind, #names, #message);
        let few = super::blame::call(ty, quote!(#runtime::check_few), arguments);
        next.is_time().then_some(few)
    });
    let whole = model.sorts_by_bytes().then(|| {
        let check = quote!(#runtime::check_key(<#key as #runtime::ModelKey>::LAYOUT));
        let check = super::at(model.ident.span(), check);
        // A layout with hot values of another type is refused too, and not at the field.
        match hot(model, runtime) {
            Some(hot) => quote!({ #hot; #check }),
            None => check,
        }
    });
    let segments: Vec<_> = segments.collect();
    let structured = structured(model, runtime);
    let chained = segments.into_iter().chain(structured);
    chained.chain(first).chain(few).chain(whole).collect()
}

/// Checks the type of the identifier with the hot values of the salt.
fn hot(model: &Model, runtime: &TokenStream) -> Option<TokenStream> {
    let hot = model.salt.as_ref()?.hot.as_ref()?;
    let Segment { ident, ty, .. } = model.segments.get(hot.segment)?;
    let message = format!(
        "the hot values of a salt are texts, and `{ident}` holds others: name an identifier that is a `String` in `hot(...)`, or remove it"
    );
    let kind = super::blame::of_segment(ty, quote!(KIND));
    let call = super::blame::call(ty, quote!(#runtime::check_hot), quote!(#kind, #message));
    Some(call)
}

/// Checks whether Bigtable can decode each segment of a delimited key.
fn structured(model: &Model, runtime: &TokenStream) -> Vec<TokenStream> {
    let segments = model.segments.iter().enumerate();
    let is_delimited = model.encoding == Encoding::Delimited;
    let check = |(index, segment): (usize, &Segment)| {
        let (format, separator) = (format(model, (index, segment), runtime), &model.separator);
        let arguments = quote!(#format, #separator);
        super::blame::call(&segment.ty, quote!(#runtime::check_structured), arguments)
    };
    segments.filter(|_| is_delimited).map(check).collect()
}

/// The options that the field declares, as the runtime's `SegmentOptions`.
fn declared_options(
    model: &Model,
    (index, segment): (usize, &Segment),
    runtime: &TokenStream,
) -> TokenStream {
    let options = &segment.options;
    let some = |name: &str, value: Option<TokenStream>| {
        let name = quote::format_ident!("{name}");
        value.map(|value| quote!(.#name(#value)))
    };
    let flag = |name: &str, is_set: bool| some(name, is_set.then(TokenStream::new));
    let unit = options.unit.map(|unit| bucket::unit(unit, runtime));
    let format = options.format.as_ref().map(|items| {
        let items = items
            .iter()
            .map(|item| super::key::format::format_item(item, runtime));
        quote!(const { &[#(#items),*] })
    });
    let offset = options.offset_seconds;
    let offset = (offset != 0).then(|| quote!(#offset));
    let place = match model.is_last(index) {
        true => quote!(Last),
        false => quote!(Inner),
    };
    let code =
        (model.encoding == Encoding::OrderedCode).then(|| quote!(#runtime::CodePlace::#place));
    let declared = [
        some("code", code),
        some("width", options.width.map(|width| quote!(#width))),
        some("pad", options.pad.map(|pad| quote!(#pad))),
        some("unit", unit),
        some("format", format),
        some("offset_seconds", offset),
        flag("binary", options.binary),
        flag("escape", options.escape),
        flag("reverse", options.reverse),
        flag("truncate", options.truncate),
    ];
    let declared = declared.into_iter().flatten();
    quote!(#runtime::NO_OPTIONS #(#declared)*)
}

/// The function that begins a key, of writers and readers.
fn begin(model: &Model) -> syn::Ident {
    quote::format_ident!("{}", if model.enclosed { "enclosed" } else { "new" })
}

/// Encoding from references to the segments, which the key and the model share.
fn encode(model: &Model, scope: &Scope) -> TokenStream {
    let Scope { runtime, .. } = scope;
    let (prefix, separator) = (&model.prefix, &model.separator);
    // Fields may have any name, so parameters are numbered.
    let name = |index: usize| quote::format_ident!("__{index}");
    let names = (0..model.segments.len()).map(name);
    let types = model.segments.iter().map(|segment| &segment.ty);
    let writes = model.segments.iter().enumerate().map(|(index, segment)| {
        let (ty, value) = (&segment.ty, name(index));
        let stored = super::blame::ask(ty, quote!(store), quote!(#value));
        let place = model.physical(index);
        let segment = match &model.salt {
            Some(_) => quote!(#place),
            None => quote!(&Self::__SEGMENTS[#place]),
        };
        done_or_return(&quote!(writer.segment(#segment, #stored)))
    });
    let begin = begin(model);
    let writer = if model.salt.is_some() {
        let segments = quote!(Self::__SEGMENTS);
        let begun = quote!(#runtime::SaltedKeyWriter::#begin(#prefix, #separator, #segments, out));
        value_or_return(&begun)
    } else {
        quote!(#runtime::KeyWriter::#begin(#prefix, #separator, out))
    };
    quote! {
        #[inline]
        fn __encode(
            #(#names: &#types,)*
            out: &mut #runtime::Vec<u8>,
        ) -> __KeyResult<()> {
            let mut writer = #writer;
            #(#writes)*
            writer.finish()
        }
    }
}

fn traits(model: &Model, scope: &Scope, decode: &TokenStream) -> TokenStream {
    let Scope {
        runtime,
        key,
        key_name,
        key_generics,
        ..
    } = scope;
    let (generics, _, clause) = key_generics.split_for_impl();
    let (prefix, separator, enclosed) = (&model.prefix, &model.separator, model.enclosed);
    let idents = model.segments.iter().map(|segment| &segment.ident);
    let time = time(model, runtime);
    let order = order::order(model, scope);
    let parameters = &key_generics.params;
    let title = key_name.to_string();
    let values = quote!(self.__stored().__values());
    let debug = order::debug((&title, &values), key, &generics, clause, runtime);
    quote! {
        impl #generics #runtime::ModelKey for #key #clause {
            const LAYOUT: #runtime::KeyLayout =
                #runtime::key_layout((#prefix, #separator, #enclosed), Self::__SEGMENTS);

            #[inline]
            fn encode_into(
                &self,
                out: &mut #runtime::Vec<u8>,
            ) -> __KeyResult<()> {
                Self::__encode(#(&self.#idents,)* out)
            }

            #[inline]
            fn time(&self) -> #runtime::Option<#runtime::Timestamp> {
                #time
            }

            #decode
        }

        #order
        #debug

        impl #generics #runtime::Display for #key #clause {
            #[inline]
            fn fmt(&self, f: &mut #runtime::Formatter<'_>) -> #runtime::Formatted {
                #runtime::display_segments(f, &#values)
            }
        }

        #runtime::key_text! { [#parameters] #key, [#clause] }
    }
}

/// The time of `self`, a key or a model: both have the segment's field.
pub(super) fn time(model: &Model, runtime: &TokenStream) -> TokenStream {
    let time = model.time().and_then(|index| model.segments.get(index));
    match time {
        Some(segment) => {
            let (ident, ty) = (&segment.ident, &segment.ty);
            let stored = super::blame::ask(ty, quote!(store), quote!(&self.#ident));
            quote!(#runtime::time_of(#stored))
        }
        None => quote!(#runtime::None),
    }
}
