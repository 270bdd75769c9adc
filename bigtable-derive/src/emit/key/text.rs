//! What a key is in URLs, in JSON and in maps: its text and its hash.

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::generics::Scope;

/// `FromStr`, serde's traits by the same text, and `Hash`: by a macro of the runtime.
pub(in crate::emit) fn traits(scope: &Scope) -> TokenStream {
    let Scope {
        runtime,
        key,
        key_generics,
        ..
    } = scope;
    let parameters = &key_generics.params;
    let (_, _, clause) = key_generics.split_for_impl();
    quote!(#runtime::key_text! { [#parameters] #key, [#clause] })
}
