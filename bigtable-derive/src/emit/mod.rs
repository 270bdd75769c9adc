//! Writes code from checked models. Generated bodies are thin: they call the runtime with the parts
//! that only the struct knows.
//!
//! All paths are absolute. Types that a user names are beside the struct and documented;
//! implementations are in an unnamed constant.

mod blame;
mod cell_value;
mod event;
mod fields;
mod generics;
mod key;
mod kind;
mod payload;
mod projection;
mod query;
mod results;
mod rollup;
mod schema;
mod segment_type;
mod update;

pub(crate) use cell_value::cell_value;
pub(crate) use projection::projection;
pub(crate) use rollup::rollup;
pub(crate) use segment_type::segment;

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::Model;
use blame::at;
use generics::{Scope, runtime};
use kind::codec;

/// Everything that is made for a model. `clean` is false when mistakes were reported: rules that
/// the runtime would check in constants are left out then, since they may only repeat what was
/// reported.
pub(crate) fn model(model: &Model, clean: bool) -> TokenStream {
    let scope = Scope::new(model);
    let types = [
        key::definition(model, &scope),
        key::borrowed::definition(model, &scope),
        fields::definition(model, &scope),
        query::definition(model, &scope),
        update::definition(model, &scope),
    ];
    let runtime = scope.runtime.clone();
    // Inside the constant an alias replaces the path, which would otherwise be a quarter of the
    // code.
    let scope = scope.with_runtime(quote!(__runtime));
    let implementations = [
        key::implementation(model, &scope, &key::borrowed::decode_at(model, &scope)),
        key::borrowed::implementation(model, &scope),
        query::implementation(model, &scope),
        update::implementation(model, &scope),
        event::implementation(model, &scope, clean),
        fields::accesses(model, &scope),
    ];
    let in_payload = model.payload.as_ref().filter(|one| !one.is_own());
    let in_payload = in_payload.map(|_| quote!(, RequiredInPayload as _));
    quote! {
        #(#types)*

        #[allow(
            clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction,
            deprecated, unused_imports, unused_mut, unused_variables
        )]
        const _: () = {
            use #runtime as __runtime;
            use __runtime::{
                ColumnArg as __ColumnArg, Err as __Err, Field as __Field,
                FieldAccess as __FieldAccess, KeyResult as __KeyResult,
                KeySegment as __KeySegment, Ok as __Ok, RequiredField as _ #in_payload
            };
            #(#implementations)*
        };
    }
}
