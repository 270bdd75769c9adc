//! Roll-ups: the aggregates of one event, and how two parts of a bucket become one.

mod column;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned;

use crate::model::{RolledField, RolledRole, Rollup, RollupLevel, Span};

/// `impl Rollup`. Each column has a function that returns its aggregate: one place where types must
/// match, and so one error if they don't. `clean` is false when mistakes were reported: then only
/// substitutes are emitted, which prevent further errors.
pub(crate) fn rollup(rollup: &Rollup, clean: bool) -> TokenStream {
    let Rollup {
        ident,
        krate,
        source,
        levels,
        is_added,
        fields,
    } = rollup;
    let runtime = super::runtime(krate);
    let levels = match clean {
        true => levels.iter().map(|one| level(one, &runtime)).collect(),
        false => vec![quote!(#runtime::Level::day())],
    };
    let fields = fields.as_deref().filter(|_| clean);
    let functions = match fields {
        Some(fields) => functions(rollup, fields, &runtime),
        None => stand_ins(rollup, &runtime),
    };
    let added = (*is_added && clean).then(|| {
        quote!(
            const ADDED: bool = true;
        )
    });
    let identifiers = fields.unwrap_or_default().iter();
    let identifiers: Vec<_> = identifiers
        .filter(|field| matches!(field.role, RolledRole::Identifier))
        .collect();
    let copies = identifiers.iter().map(|field| copied(field, rollup));
    let names = identifiers.iter().map(|field| column::name(&field.ident));
    let columns = fields.unwrap_or_default().iter();
    let columns = columns.filter_map(|field| column::aggregate(field, rollup, &runtime));
    let named = clean.then(|| {
        let check = quote!(#runtime::check_names_rollup::<#source, #ident>());
        let check = super::at(source.span(), check);
        quote!(const _: () = #check;)
    });
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, deprecated)]
        const _: () = {
            #[automatically_derived]
            impl #runtime::Rollup for #ident {
                type Source = #source;

                const LEVELS: &'static [#runtime::Level] = {
                    // If the event lacks an identifier, only that is reported.
                    #(let _ = #names;)*
                    &[#(#levels),*]
                };
                #added

                #functions
            }

            #(#copies)*
            #(#columns)*

            #named
        };
    }
}

fn functions(rollup: &Rollup, fields: &[RolledField], runtime: &TokenStream) -> TokenStream {
    let source = &rollup.source;
    let values = fields.iter().map(|field| value(field, runtime));
    let merges = fields.iter().filter_map(|field| merge(field, runtime));
    let starts = fields.iter().filter_map(|field| start(field, runtime));
    quote! {
        #[allow(unused_variables)]
        #[inline]
        fn of(event: &#source, start: #runtime::Timestamp) -> Self {
            Self { #(#values),* }
        }

        #[allow(unused_variables)]
        #[inline]
        fn merge(
            &mut self,
            later: &Self,
        ) -> ::core::result::Result<(), #runtime::RollupError> {
            #(#merges)*
            ::core::result::Result::Ok(())
        }

        #[allow(unused_variables)]
        #[inline]
        fn starting(self, start: #runtime::Timestamp) -> Self {
            Self { #(#starts,)* ..self }
        }
    }
}

fn stand_ins(rollup: &Rollup, runtime: &TokenStream) -> TokenStream {
    let source = &rollup.source;
    quote! {
        fn of(_: &#source, _: #runtime::Timestamp) -> Self {
            #runtime::refused()
        }

        #[inline]
        fn merge(&mut self, _: &Self) -> ::core::result::Result<(), #runtime::RollupError> {
            #runtime::refused()
        }

        fn starting(self, _: #runtime::Timestamp) -> Self {
            #runtime::refused()
        }
    }
}

/// A level as a constant.
fn level(level: &RollupLevel, runtime: &TokenStream) -> TokenStream {
    let span = match level.span {
        Span::Every(micros) => {
            let micros = micros.unsigned_abs();
            quote!(every(::core::time::Duration::from_micros(#micros)))
        }
        Span::Week => quote!(week()),
        Span::Month => quote!(month()),
        Span::Year => quote!(year()),
        Span::Minute | Span::Hour | Span::Day | Span::Endless => quote!(day()),
    };
    let zone = level.zone.iter().map(|zone| quote!(.zone(#zone)));
    let table = level.table.iter().map(|table| quote!(.in_table(#table)));
    quote!(#runtime::Level::#span #(#zone)* #(#table)*)
}

/// The identifier of an event as a constant. The levels name it, so that if it cannot be made, no
/// check of the roll-up reports it again.
fn copied(field: &RolledField, rollup: &Rollup) -> TokenStream {
    let RolledField { ident, ty, .. } = field;
    let source = &rollup.source;
    let name = column::name(ident);
    let value = super::at(ident.span(), quote!(&event.#ident));
    quote! {
        #[allow(non_upper_case_globals)]
        const #name: fn(&#source) -> &#ty = |event| #value;
    }
}

/// A field's value for one event.
fn value(field: &RolledField, runtime: &TokenStream) -> TokenStream {
    let RolledField { ident, role, .. } = field;
    match role {
        RolledRole::Identifier => {
            let copied = column::name(ident);
            quote!(#ident: ::core::clone::Clone::clone(#copied(event)))
        }
        RolledRole::Start => start(field, runtime).unwrap_or_default(),
        RolledRole::Skipped => quote!(#ident: ::core::default::Default::default()),
        RolledRole::Column(..) => {
            let aggregate = column::name(ident);
            quote!(#ident: #runtime::ColumnAggregate::of(&#aggregate(), event))
        }
    }
}

/// Adds the aggregates of later events of the bucket.
#[inline]
fn merge(field: &RolledField, runtime: &TokenStream) -> Option<TokenStream> {
    let RolledRole::Column(..) = field.role else {
        return None;
    };
    let ident = &field.ident;
    let (aggregate, name) = (column::name(ident), ident.unraw().to_string());
    Some(quote! {
        #runtime::ColumnAggregate::merge(&#aggregate(), &mut self.#ident, &later.#ident, #name)?;
    })
}

/// The beginning of a span.
fn start(field: &RolledField, runtime: &TokenStream) -> Option<TokenStream> {
    let RolledField { ident, ty, role } = field;
    // The parameter belongs to the derive, wherever a macro has the field's type from.
    let start = quote!(start);
    matches!(role, RolledRole::Start)
        .then(|| quote_spanned!(ty.span()=> #ident: #runtime::bucket_start::<#ty>(#start)))
}
