//! The parts of a column that depend on how it may be changed.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::model::{Aggregate, Codec, Column, ColumnKind, MapColumn, Model};

use super::at;
use super::generics::Scope;

/// The third parameter of a handle, after a comma; a plain column's is the default.
pub(super) fn parameter(column: &Column, runtime: &TokenStream) -> TokenStream {
    match &column.kind {
        ColumnKind::Version => quote!(),
        ColumnKind::Plain if matches!(column.codec, Codec::Native) => quote!(),
        ColumnKind::Plain => quote!(, #runtime::Coded),
        ColumnKind::Counter => quote!(, #runtime::Counter),
        ColumnKind::Append => quote!(, #runtime::Append),
        ColumnKind::Aggregate(_) => quote!(, #runtime::Aggregate),
    }
}

/// The same for the handle of a map.
pub(super) fn of_map(map: &MapColumn, runtime: &TokenStream) -> TokenStream {
    match map.codec {
        Codec::Native => quote!(),
        _ => quote!(, #runtime::Coded),
    }
}

/// The kind in the schema.
pub(super) fn value(kind: &ColumnKind, runtime: &TokenStream) -> TokenStream {
    let kind = match kind {
        ColumnKind::Plain => quote!(Plain),
        ColumnKind::Version => quote!(Version),
        ColumnKind::Counter => quote!(Counter),
        ColumnKind::Append => quote!(Append),
        ColumnKind::Aggregate(aggregate) => {
            let aggregate = match aggregate {
                Aggregate::Sum => quote!(Sum),
                Aggregate::Min => quote!(Min),
                Aggregate::Max => quote!(Max),
            };
            quote!(Aggregate(#runtime::AggregateKind::#aggregate))
        }
    };
    quote!(#runtime::ColumnKind::#kind)
}

/// How the column is written and read; the compiler checks its type here.
pub(super) fn access(column: &Column, runtime: &TokenStream) -> TokenStream {
    let ty = &column.ty;
    let access = match column.kind {
        ColumnKind::Plain | ColumnKind::Version => {
            let codec = codec(&column.codec, runtime);
            quote!(__Field::<#ty, #codec>::access())
        }
        ColumnKind::Counter => quote!(<#ty as #runtime::NumberField>::counter()),
        ColumnKind::Aggregate(_) => quote!(<#ty as #runtime::NumberField>::aggregate()),
        ColumnKind::Append => quote!(<#ty as #runtime::AppendField>::append()),
    };
    at(ty.span(), access)
}

/// The update's method that adds to an aggregate.
pub(super) fn adder(index: usize, column: &Column, aggregate: Aggregate) -> TokenStream {
    let Column {
        ident,
        setter,
        docs,
        ..
    } = column;
    let name = ident.unraw();
    let own = match aggregate {
        Aggregate::Sum => format!("Adds to the sum in column `{name}`."),
        Aggregate::Min => format!("Lowers the minimum in column `{name}` to this, if it is less."),
        Aggregate::Max => format!("Raises the maximum in column `{name}` to this, if it is more."),
    };
    quote! {
        #[doc = #own]
        #(#docs)*
        #[inline]
        pub fn #setter(self, #ident: i64) -> Self {
            Self(self.0.add(#index, #ident))
        }
    }
}

/// The trait that gives an event's version, for a model that has one.
pub(super) fn versioned(model: &Model, scope: &Scope) -> TokenStream {
    let Some(Column { ident, ty, .. }) = version(model) else {
        return quote!();
    };
    let Scope {
        runtime,
        model: of,
        generics,
        ..
    } = scope;
    let (parameters, _, clause) = generics.split_for_impl();
    let spanned = at(ty.span(), quote!(#ty));
    quote! {
        impl #parameters #runtime::VersionedModel for #of #clause {
            type Version = #spanned;

            #[inline]
            fn version_column() -> #runtime::Column<Self, #ty> {
                <Self as #runtime::Model>::FIELDS.#ident
            }

            #[inline]
            fn version(&self) -> #ty {
                ::core::clone::Clone::clone(&self.#ident)
            }

            #[inline]
            fn set_version(&mut self, version: #ty) {
                self.#ident = version;
            }
        }
    }
}

/// The column that is the event's version.
fn version(model: &Model) -> Option<&Column> {
    let mut columns = model.columns.iter();
    columns.find(|column| matches!(column.kind, ColumnKind::Version))
}

/// The codec's type.
pub(super) fn codec(codec: &Codec, runtime: &TokenStream) -> TokenStream {
    match codec {
        Codec::Native => quote!(#runtime::Native),
        Codec::Text => quote!(#runtime::Text),
        Codec::Json => quote!(#runtime::Json),
        Codec::Own(path) => quote!(#path),
    }
}
