//! Events that are serialised into one column, which is the first of the model's.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, Index};

use crate::model::{Absent, Model, Payload, PayloadField, PayloadFormat};

use super::at;
use super::generics::Scope;
use super::results::{done_or_return, value_or_return};

/// The function that reads all fields, or the access to the whole struct by a codec of the program;
/// no field can have this name.
fn whole() -> Ident {
    quote::format_ident!("__0")
}

/// The format's type.
fn format(payload: &Payload, runtime: &TokenStream) -> TokenStream {
    match &payload.format {
        PayloadFormat::Json => quote!(#runtime::Json),
        PayloadFormat::Proto => quote!(#runtime::Proto),
        PayloadFormat::Postcard => quote!(#runtime::Postcard),
        PayloadFormat::Own(path) => quote!(#path),
    }
}

/// The column in the schema.
pub(super) fn column(payload: &Payload, runtime: &TokenStream) -> TokenStream {
    let Payload {
        family, qualifier, ..
    } = payload;
    let codec = match &payload.format {
        PayloadFormat::Json => "json".to_owned(),
        PayloadFormat::Proto => "proto".to_owned(),
        PayloadFormat::Postcard => "postcard".to_owned(),
        PayloadFormat::Own(path) => path.to_token_stream().to_string().replace(' ', ""),
    };
    quote! {
        #runtime::column([#qualifier, #family, #qualifier, #codec], false)
    }
}

/// The traits that mark a model whose events are serialised into one column.
pub(super) fn marker(payload: &Payload, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        model: ty,
        generics,
        ..
    } = scope;
    let (parameters, _, clause) = generics.split_for_impl();
    let proto = matches!(payload.format, PayloadFormat::Proto)
        .then(|| quote!(impl #parameters #runtime::ProtoModel for #ty #clause {}));
    quote! {
        impl #parameters #runtime::SerializedModel for #ty #clause {}
        #proto
    }
}

/// Names, types and number of each field.
fn numbered(payload: &Payload) -> impl Iterator<Item = (u32, &PayloadField)> {
    payload.fields.iter().map(|field| (field.number, field))
}

/// The same in the order in which they are written: that of the numbers.
fn by_number(payload: &Payload) -> Vec<(u32, &PayloadField)> {
    let mut fields: Vec<_> = numbered(payload).collect();
    fields.sort_by_key(|(number, _)| *number);
    fields
}

/// The functions that the type of the handles has: how each field is written and read, and all of
/// them at once.
pub(super) fn accesses(payload: &Payload, scope: &Scope) -> TokenStream {
    let Scope {
        runtime, model: ty, ..
    } = scope;
    let format = format(payload, runtime);
    let whole = whole();
    if let PayloadFormat::Own(path) = &payload.format {
        let access = at(path.span(), quote!(__Field::<#ty, #path>::access()));
        return quote! {
            #[inline]
            fn #whole() -> __FieldAccess<#ty> {
                #access
            }
        };
    }
    let single = payload
        .fields
        .iter()
        .map(|field| access(field, payload, &format, runtime));
    let types = payload.fields.iter().map(|field| &field.ty);
    let reads = numbered(payload).map(|(number, field)| {
        let (name, access) = (&field.name, super::generics::access(&field.ident));
        value_or_return(&quote!(Self::#access().field(reader, #name, #number)))
    });
    quote! {
        #(#single)*

        #[inline]
        fn #whole(
            cells: &#runtime::EventCells<'_>,
        ) -> #runtime::Result<(#(#types,)*), #runtime::ReadError> {
            #runtime::read_payload::<#format, _>(cells, 0, |reader| {
                __Ok((#(#reads,)*))
            })
        }
    }
}

/// The type that knows a field's form in the payload.
fn held(
    field: &PayloadField,
    payload: &Payload,
    format: &TokenStream,
    runtime: &TokenStream,
) -> TokenStream {
    let ty = &field.ty;
    match payload.format {
        PayloadFormat::Proto => quote!(<#ty as #runtime::ProtoField>),
        _ => quote!(#runtime::InPayload::<#ty, #format>),
    }
}

fn access(
    field: &PayloadField,
    payload: &Payload,
    format: &TokenStream,
    runtime: &TokenStream,
) -> TokenStream {
    let (ty, name) = (&field.ty, super::generics::access(&field.ident));
    let held = held(field, payload, format, runtime);
    let access = match payload.format {
        PayloadFormat::Proto => quote!(#held::in_message()),
        _ => quote!(#held::in_payload()),
    };
    let access = at(ty.span(), access);
    let absent = match &field.absent {
        Absent::ByType => quote!(),
        Absent::Default => quote!(.or_default()),
        Absent::Call(path) => quote!(.or(|_| __Ok(#path()))),
    };
    quote! {
        #[inline]
        fn #name() -> #runtime::PayloadAccess<#ty, #format> {
            #access #absent
        }
    }
}

/// The fields of the handles' struct.
pub(super) fn handle_types(payload: &Payload, scope: &Scope) -> Vec<TokenStream> {
    let Scope {
        runtime, model: ty, ..
    } = scope;
    let fields = payload.fields.iter().map(|field| {
        let PayloadField { ident, ty: of, .. } = field;
        let own = format!("Field `{}` of the serialised event.", ident.unraw());
        quote!(#[doc = #own] pub #ident: #runtime::SerializedField<#ty, #of>)
    });
    fields.collect()
}

/// The handles as constant expressions.
pub(super) fn handles(payload: &Payload, scope: &Scope) -> Vec<TokenStream> {
    let runtime = &scope.runtime;
    let whole = whole();
    let fields = payload.fields.iter().enumerate().map(|(index, field)| {
        let ident = &field.ident;
        let read = if payload.is_own() {
            quote!(|cells| <Self::Fields>::#whole().read(cells, 0).map(|event| event.#ident))
        } else {
            let index = Index::from(index);
            quote!(|cells| <Self::Fields>::#whole(cells).map(|fields| fields.#index))
        };
        // SQL finds a field by its name in the payload.
        let (own, stored) = (ident.unraw().to_string(), &field.name);
        let named = match payload.format {
            PayloadFormat::Json => quote!(.in_json([#own, #stored])),
            PayloadFormat::Proto => {
                let access = super::generics::access(ident);
                let form = quote!(|| <Self::Fields>::#access().declared());
                quote!(.in_payload([#own, #stored], #form))
            }
            _ => quote!(),
        };
        quote!(#ident: #runtime::SerializedField::new(0, #read) #named)
    });
    fields.collect()
}

/// Writes the fields of `self`.
pub(super) fn write(
    payload: &Payload,
    handles: &TokenStream,
    runtime: &TokenStream,
) -> TokenStream {
    let whole = whole();
    if payload.is_own() {
        return quote!(fields.field(0, #handles::#whole(), self););
    }
    let format = format(payload, runtime);
    let writes = by_number(payload).into_iter().map(|(number, field)| {
        let PayloadField { ident, name, .. } = field;
        let access = super::generics::access(ident);
        let value = quote!(&self.#ident);
        let written = quote!((#handles::#access().write)(&mut writer, #name, #number, #value));
        done_or_return(&written)
    });
    quote! {
        fields.with(|event| event.set_payload(0, |out| {
            let mut writer = <#format as #runtime::PayloadFormat>::writer(out);
            #(#writes)*
            <#format as #runtime::PayloadFormat>::finish(writer)
        }));
    }
}

/// Adds a payload of fixed values.
pub(super) fn samples(
    payload: &Payload,
    handles: &TokenStream,
    runtime: &TokenStream,
) -> TokenStream {
    let whole = whole();
    if payload.is_own() {
        return quote!(samples.column(0, &#handles::#whole()););
    }
    let format = format(payload, runtime);
    let fields = by_number(payload).into_iter().map(|(number, field)| {
        let (name, access) = (&field.name, super::generics::access(&field.ident));
        let held = held(field, payload, &format, runtime);
        let sample = at(field.ty.span(), quote!(#held::sample()));
        quote!(fields.field(writer, #name, #number, &#handles::#access(), #sample);)
    });
    quote! {
        samples.payload::<#format>(|fields, writer| { #(#fields)* });
    }
}

/// The body that builds the struct, whose segments come from the owned `key` whatever the payload
/// holds.
pub(super) fn read(
    model: &Model,
    payload: &Payload,
    handles: &TokenStream,
    runtime: &TokenStream,
) -> TokenStream {
    let whole = whole();
    let idents: Vec<_> = model.segments.iter().map(|one| &one.ident).collect();
    if payload.is_own() {
        let read = value_or_return(&quote!(#handles::#whole().read(cells, 0)));
        return quote! {
            let mut event = #read;
            #(event.#idents = key.#idents;)*
            __Ok(event)
        };
    }
    let fields = payload.fields.iter().map(|field| &field.ident);
    let places = (0..payload.fields.len()).map(Index::from);
    let skipped = &model.skipped;
    let read = value_or_return(&quote!(#handles::#whole(cells)));
    quote! {
        let payload = #read;
        __Ok(Self {
            #(#idents: key.#idents,)*
            #(#fields: payload.#places,)*
            #(#skipped: #runtime::Default::default(),)*
        })
    }
}
