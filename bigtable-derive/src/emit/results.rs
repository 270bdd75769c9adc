//! Early returns of errors, where the aliases `__Ok` and `__Err` are in scope.

use proc_macro2::TokenStream;
use quote::quote;

/// The value of a `Result` whose error is that of the function, which is returned: what `?` does
/// besides would take the compiler most of the time that it needs for such a function.
pub(super) fn value_or_return(result: &TokenStream) -> TokenStream {
    quote! {
        match #result {
            __Ok(__value) => __value,
            __Err(__error) => return __Err(__error),
        }
    }
}

/// The same for a `Result` without a value.
pub(super) fn done_or_return(result: &TokenStream) -> TokenStream {
    quote! {
        if let __Err(__error) = #result {
            return __Err(__error);
        }
    }
}
