//! Events to columns and back: the implementations of `Model` and `Projection`.

use proc_macro2::TokenStream;
use quote::quote;

use syn::spanned::Spanned;

use crate::model::{Column, Model, Table};

use super::generics::{Scope, applied};
use super::key::borrowed;
use super::results::value_or_return;
use super::{fields, payload, schema};

/// `impl Model` and `impl Projection` for the struct.
pub(super) fn implementation(model: &Model, scope: &Scope, clean: bool) -> TokenStream {
    let read = read(model, scope);
    let checks = if clean {
        checks(model, scope)
    } else {
        Vec::new()
    };
    let is_generic = !model.generics.params.is_empty();
    let (inner, outer) = if is_generic {
        (checks, Vec::new())
    } else {
        (Vec::new(), checks)
    };
    let items = items(model, scope, &inner);
    let handles = handles(model, scope);
    let Scope {
        runtime,
        model: ty,
        key,
        key_name,
        key_path,
        key_ref_name,
        generics,
        ..
    } = scope;
    let (parameters, _, clause) = generics.split_for_impl();
    let types = associated_types(model, scope);
    let idents: Vec<_> = model
        .segments
        .iter()
        .map(|segment| &segment.ident)
        .collect();
    let time = super::key::time(model, runtime);
    let (series, set_time) = (series(model, scope), set_time(model, scope));
    let samples = fields::samples(model, scope);
    let writes = model
        .columns
        .iter()
        .enumerate()
        .map(|(index, column)| write(model.column_index(index), column, &handles, scope));
    let write_payload = model
        .payload
        .iter()
        .map(|one| payload::write(one, &handles, runtime));
    let write_maps = model.maps.iter().enumerate().map(|(place, map)| {
        let ident = &map.ident;
        let access = super::generics::access(ident);
        quote!(fields.with(|event| (#handles::#access().write)(&self.#ident, #place, event));)
    });
    let versioned = super::kind::versioned(model, scope);
    let serialized = model.payload.iter().map(|one| payload::marker(one, scope));
    let by_period = matches!(model.table, Table::ByPeriod(_))
        .then(|| quote!(impl #parameters #runtime::TablesByPeriod for #ty #clause {}));
    let editable = (!model.append_only)
        .then(|| quote!(impl #parameters #runtime::Editable for #ty #clause {}));
    let batched = (model.mirrors.is_empty() && model.rollups.is_empty())
        .then(|| quote!(impl #parameters #runtime::Batched for #ty #clause {}));
    let borrowed = scope.key_ref(&quote!('_));
    let decoded = quote!(__KeyResult<#borrowed>);
    let decoded = super::blame::of_key(model, decoded);
    quote! {
        impl #parameters #runtime::Model for #ty #clause {
            #items
            #types

            #[inline]
            fn key(&self) -> #key {
                #key_name { #(#idents: #runtime::Clone::clone(&self.#idents)),* }
            }

            #[inline]
            fn encode_key(
                &self,
                out: &mut #runtime::Vec<u8>,
            ) -> __KeyResult<()> {
                #key_path::__encode(#(&self.#idents,)* out)
            }

            #[inline]
            fn decode_key(key: &[u8]) -> #decoded {
                #key_ref_name::decode(key)
            }

            #[inline]
            fn time(&self) -> #runtime::Option<#runtime::Timestamp> {
                #time
            }

            #[inline]
            fn write_columns(
                &self,
                event: &mut #runtime::EventWriter,
            ) -> #runtime::Result<(), #runtime::ColumnError> {
                let mut fields = #runtime::FieldsWriter::of(event);
                #(#write_payload)*
                #(#writes)*
                #(#write_maps)*
                fields.finish()
            }

            #samples
            #series
            #set_time
        }

        #editable
        #batched
        #by_period
        #versioned
        #read
        #(#serialized)*
        #(const _: () = #outer;)*
    }
}

/// Checks that depend on types are constants. Those of a model with parameters are evaluated for
/// the types it is used with, together with the model's description.
fn checks(model: &Model, scope: &Scope) -> Vec<TokenStream> {
    let runtime = &scope.runtime;
    let mut checks = super::key::checks(model, scope);
    let former = schema::former(model, runtime, &scope.model);
    checks.extend(former.map(|former| quote!({ let _ = #former; })));
    let columns = model.columns.iter().filter(|one| model.is_of_event(one));
    let columns: Vec<_> = columns.collect();
    if let (true, [value]) = (model.layout.kind.is_in_qualifier(), columns.as_slice()) {
        let optional = schema::optional(value, runtime);
        let check = quote!(#runtime::check_value(#optional));
        checks.push(super::at(value.ty.span(), check));
    } else if let Some(column) = model.presence().and_then(|at| model.columns.get(at)) {
        let optional = schema::optional(column, runtime);
        let check = quote!(#runtime::check_declared_presence(#optional));
        checks.push(super::at(column.ty.span(), check));
    } else if model.marker.is_none() && model.payload.is_none() {
        let check = schema::with_columns("check_presence", model, scope);
        checks.push(super::at(model.ident.span(), check));
    }
    checks
}

/// The constants that describe the model.
fn items(model: &Model, scope: &Scope, checks: &[TokenStream]) -> TokenStream {
    let runtime = &scope.runtime;
    let columns = schema::columns(model, scope);
    let description = schema::value(model, scope);
    let description = match checks {
        [] => description,
        _ => quote!({ #(#checks;)* #description }),
    };
    let handles = fields::value(model, scope);
    let mirrors = mirrors(model, scope);
    let every = model.volume.as_ref().map(|volume| {
        let every = volume.every;
        quote! {
            const EXPECTED_EVERY: #runtime::Option<#runtime::Duration> =
                #runtime::Some(#runtime::Duration::from_micros(#every));
        }
    });
    quote! {
        const COLUMNS: &'static [#runtime::ColumnSchema] = #columns;
        const SCHEMA: &'static #runtime::Schema = #description;
        const FIELDS: Self::Fields = #handles;
        #mirrors
        #every
    }
}

/// The models that hold copies; `None` if there are none, so that the trait's default applies.
fn mirrors(model: &Model, scope: &Scope) -> Option<TokenStream> {
    let runtime = &scope.runtime;
    let mirrors = model.mirrors.iter().map(|mirror| {
        let made = quote!(#runtime::Mirror::<Self>::of::<#mirror>());
        super::at(mirror.span(), made)
    });
    (!model.mirrors.is_empty()).then(|| {
        quote! {
            const MIRRORS: &'static [#runtime::Mirror<Self>] = &[#(#mirrors),*];
        }
    })
}

fn associated_types(model: &Model, scope: &Scope) -> TokenStream {
    let Scope { key, generics, .. } = scope;
    let borrowed = scope.key_ref(&quote!('__key));
    let handles = fields::type_of(model, scope);
    let update = model.type_name("Update");
    let query = super::query::unset(model, scope);
    let scan = super::query::scan(model, scope);
    let update = applied(&update, generics);
    quote! {
        type Itself = Self;
        type Key = #key;
        type KeyRef<'__key> = #borrowed;
        type Fields = #handles;
        type Query = #query;
        type Scan = #scan;
        type Update = #update;
    }
}

/// The identifiers of a key, by themselves: a tuple, or the only one.
fn series(model: &Model, scope: &Scope) -> TokenStream {
    let borrowed = scope.key_ref(&quote!('_));
    let segments = model.segments.iter().enumerate();
    let (types, values): (Vec<_>, Vec<_>) = segments
        .filter(|(_, segment)| segment.is_identifier())
        .map(|(index, segment)| {
            let restore = borrowed::restore(index, scope);
            (&segment.ty, quote!(#restore(key)))
        })
        .unzip();
    let (ty, value) = match (types.as_slice(), values.as_slice()) {
        ([ty], [value]) => (quote!(#ty), quote!(#value)),
        _ => {
            let values = values.iter().map(value_or_return);
            (quote!((#(#types),*)), quote!(__Ok((#(#values),*))))
        }
    };
    quote! {
        type Series = #ty;

        #[inline]
        fn series(
            key: &#borrowed,
        ) -> __KeyResult<Self::Series> {
            #value
        }
    }
}

/// Puts an event's time into the key of its row.
fn set_time(model: &Model, scope: &Scope) -> Option<TokenStream> {
    let runtime = &scope.runtime;
    let borrowed = scope.key_ref(&quote!('_));
    let put = super::key::borrowed::put_time(model, runtime)?;
    Some(quote! {
        #[inline]
        fn set_time(key: &mut #borrowed, time: #runtime::Timestamp) {
            #put
        }
    })
}

/// The type whose functions write and read fields, as the beginning of a path.
fn handles(model: &Model, scope: &Scope) -> TokenStream {
    fields::path_of(model, scope)
}

/// Writes a column of `self`.
fn write(index: usize, column: &Column, handles: &TokenStream, scope: &Scope) -> TokenStream {
    let Scope { runtime, .. } = scope;
    let Column { ident, ty, .. } = column;
    let access = super::generics::access(ident);
    match column.segment {
        // The text of a time is the text in the key, so that both read alike.
        Some(segment) if column.is_segment_text() => {
            let segment = super::key::segment(segment, scope);
            let stored = super::blame::ask(ty, quote!(store), quote!(&self.#ident));
            let written = quote!(#runtime::write_segment_text(event, #index, #segment, #stored));
            quote!(fields.with(|event| #written);)
        }
        _ => quote!(fields.field(#index, #handles::#access(), &self.#ident);),
    }
}

/// Builds the struct from its key and its cells.
fn read(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        model: ty,
        generics,
        ..
    } = scope;
    let (parameters, _, clause) = generics.split_for_impl();
    let borrowed = scope.key_ref(&quote!('_));
    let owned = borrowed::owned(scope);
    let handles = handles(model, scope);
    let body = match &model.payload {
        Some(one) => payload::read(model, one, &handles, runtime),
        None => read_columns(model, &handles, runtime),
    };
    quote! {
        impl #parameters #runtime::Projection for #ty #clause {
            type Model = Self;

            #[inline]
            fn read(
                key: &#borrowed,
                cells: &#runtime::EventCells<'_>,
            ) -> #runtime::Result<Self, #runtime::ReadError> {
                let key = match #owned(key) {
                    __Ok(key) => key,
                    __Err(error) => return __Err(#runtime::From::from(error)),
                };
                #body
            }
        }
    }
}

/// The body that builds the struct from the owned `key`, and one column for each other field.
fn read_columns(model: &Model, handles: &TokenStream, runtime: &TokenStream) -> TokenStream {
    let segments = model.segments.iter().map(|segment| &segment.ident);
    let columns = fields::own_columns(model).map(|(index, column)| {
        let ident = &column.ident;
        let access = super::generics::access(ident);
        let value = value_or_return(&quote!(#handles::#access().read(cells, #index)));
        quote!(#ident: #value)
    });
    let maps = model.maps.iter().enumerate().map(|(place, map)| {
        let ident = &map.ident;
        let access = super::generics::access(ident);
        let read = quote!((#handles::#access().read)(cells, #place, #runtime::None));
        let value = value_or_return(&read);
        quote!(#ident: #value)
    });
    let skipped = model
        .skipped
        .iter()
        .map(|ident| quote!(#ident: #runtime::Default::default()));
    quote! {
        __Ok(Self {
            #(#segments: key.#segments,)*
            #(#columns,)*
            #(#maps,)*
            #(#skipped,)*
        })
    }
}
