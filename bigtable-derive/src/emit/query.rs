//! The query type: `QuoteQuery`, with a setter for each segment.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use crate::model::{Model, Segment};

use super::generics::{Scope, applied, argument, with_parameters};

/// The struct.
pub(super) fn definition(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        model: ty,
        generics,
        ..
    } = scope;
    let visibility = &model.visibility;
    let name = model.type_name("Query");
    let with_state = with_parameters(
        generics,
        &[quote!(__State = #runtime::Open<0>), quote!(__Read = #ty)],
    );
    let (_, _, clause) = generics.split_for_impl();
    let summary = format!(
        "A query for events of [`{}`]. Setters take the segments in the order of the row key, `{}`; \
         `events` gives the [`Query`](struct@{}::query::Query), which has the options.",
        model.ident,
        super::key::template::template(model),
        quote!(#runtime)
            .to_string()
            .replace(' ', "")
            .replace("::__private", ""),
    );
    // If an option is called on this type, rustc points at the field that has it. So the field is
    // named after the method `events`.
    quote! {
        #[doc = #summary]
        #[allow(private_interfaces, private_bounds)]
        #[must_use = "a query does nothing until it is run"]
        #visibility struct #name #with_state #clause {
            __events: #runtime::Query<#ty, __State, __Read>,
        }
    }
}

/// The query's type in a state.
fn type_of(model: &Model, scope: &Scope, state: &TokenStream, read: &TokenStream) -> TokenStream {
    let name = model.type_name("Query");
    let arguments = scope.generics.params.iter().map(argument);
    quote!(#name<#(#arguments,)* #state, #read>)
}

/// The query with nothing set, whose parameters have defaults.
pub(super) fn unset(model: &Model, scope: &Scope) -> TokenStream {
    applied(&model.type_name("Query"), &scope.generics)
}

/// The query of the whole table.
pub(super) fn scan(model: &Model, scope: &Scope) -> TokenStream {
    let runtime = &scope.runtime;
    type_of(model, scope, &quote!(#runtime::FullScan), &scope.model)
}

/// Setters, the way to the options, and states.
pub(super) fn implementation(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        model: ty,
        generics,
        ..
    } = scope;
    let (_, _, clause) = generics.split_for_impl();
    let with_state = with_parameters(generics, &[quote!(__State), quote!(__Read)]);
    let (state_parameters, _, _) = with_state.split_for_impl();
    let any = type_of(model, scope, &quote!(__State), &quote!(__Read));
    let name = model.type_name("Query");
    let start = type_of(model, scope, &quote!(__State), ty);
    let starts = with_parameters(generics, &[quote!(__State: #runtime::Start)]);
    let (start_parameters, _, _) = starts.split_for_impl();
    let read = quote!(__Read: #runtime::Projection<Model = #ty>);
    let reads = with_parameters(generics, &[quote!(__State), read]);
    let (read_parameters, _, _) = reads.split_for_impl();
    let markers = markers(model);
    let setters = setters(model, scope);
    let options = options(model, scope);
    let states = states(model, scope);
    quote! {
        #markers

        impl #start_parameters #runtime::Default for #start #clause {
            fn default() -> Self {
                #name { __events: #runtime::Default::default() }
            }
        }

        impl #state_parameters #any #clause {
            #setters
            #options
        }

        impl #read_parameters #runtime::AsQuery for #any #clause {
            type Model = #ty;
            type State = __State;
            type Read = __Read;

            #[inline]
            fn as_query(&self) -> &#runtime::Query<#ty, __State, __Read> {
                &self.__events
            }
        }

        impl #state_parameters #runtime::Clone for #any #clause {
            fn clone(&self) -> Self {
                #name { __events: #runtime::Clone::clone(&self.__events) }
            }
        }

        impl #state_parameters #runtime::Debug for #any #clause {
            fn fmt(&self, f: &mut #runtime::Formatter<'_>) -> #runtime::Formatted {
                #runtime::Debug::fmt(&self.__events, f)
            }
        }

        #states
    }
}

/// A type for each segment, so that messages can name it.
fn markers(model: &Model) -> TokenStream {
    let idents = model.segments.iter().map(|segment| &segment.ident);
    quote! {
        #[allow(non_camel_case_types, missing_debug_implementations)]
        mod __segments {
            #(pub struct #idents;)*
        }
    }
}

fn setters(model: &Model, scope: &Scope) -> TokenStream {
    let runtime = &scope.runtime;
    let name = model.type_name("Query");
    let setters = model.segments.iter().enumerate().map(|(position, segment)| {
        let Segment { ident, setter, ty, docs, .. } = segment;
        let set = position + 1;
        // Buckets are enumerated, so a range of time leaves the key open, as a value does.
        let kind = match segment.bucket() {
            Some(_) => quote!(#runtime::One),
            None => quote!(__Kind),
        };
        let after = quote!(#runtime::After<__State, #kind, #position, #set>);
        let after = type_of(model, scope, &after, &quote!(__Read));
        let own = format!(
            "Selects by segment `{}` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.",
            ident.unraw()
        );
        quote! {
            #[doc = #own]
            #(#docs)*
            pub fn #setter<__Values, __Kind>(self, #ident: __Values) -> #after
            where
                __State: #runtime::Next + #runtime::Accepts<__segments::#ident, #position>,
                __Values: #runtime::Selects<#ty, __Kind>,
                __Kind: #runtime::SelectionKind,
            {
                let selection = #runtime::Selects::into_selection(#ident);
                #name { __events: self.__events.__set_at(#position, selection) }
            }
        }
    });
    quote!(#(#setters)*)
}

/// The methods besides the setters, whose names no segment can have.
fn options(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime, model: ty, ..
    } = scope;
    let name = model.type_name("Query");
    let select = type_of(model, scope, &quote!(__State), &quote!(__Other));
    quote! {
        /// The query as it is so far, with the options of every query: order, limit, conditions.
        pub fn events(&self) -> #runtime::Query<#ty, __State, __Read> {
            #runtime::Clone::clone(&self.__events)
        }

        /// Reads a projection: its columns only.
        pub fn select<__Other: #runtime::Projection<Model = #ty>>(self) -> #select {
            #name { __events: self.__events.select() }
        }
    }
}

/// In which states a query can run, and in which order its results come then.
fn states(model: &Model, scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        model: ty,
        generics,
        ..
    } = scope;
    let (parameters, _, clause) = generics.split_for_impl();
    let count = model.segments.len();
    let last_identifier = model.segments.iter().rposition(Segment::is_identifier);
    let identifiers = last_identifier.map_or(0, |last| last + 1);
    let time = model.time();
    let open = (1..=count).map(|set| {
        let by_time = time.is_some() && identifiers <= set;
        (quote!(Open<#set>), by_time)
    });
    let closed = (0..count).map(|position| {
        let by_time = time.is_some_and(|time| time <= position) && identifiers <= position;
        (quote!(Closed<#position>), by_time)
    });
    let states = open.chain(closed).map(|(state, by_time)| {
        let order = if by_time {
            quote!(ByTime)
        } else {
            quote!(ByKey)
        };
        quote! {
            impl #parameters #runtime::QueryState<#ty> for #runtime::#state #clause {
                type Order = #runtime::#order;
            }
        }
    });
    quote!(#(#states)*)
}
