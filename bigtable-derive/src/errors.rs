//! Collects every mistake of a struct, so that one build shows them all.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The mistakes found so far. They must be reported: dropping them unread is a defect of this
/// crate.
#[derive(Default)]
pub(crate) struct Errors {
    found: Vec<syn::Error>,
    reported: bool,
}

impl Errors {
    /// Adds a mistake at a token.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.found.push(syn::Error::new_spanned(tokens, message));
    }

    /// Adds a mistake at a span.
    pub(crate) fn at_span(&mut self, span: Span, message: impl std::fmt::Display) {
        self.found.push(syn::Error::new(span, message));
    }

    /// Adds a mistake that syn found.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.found.push(error);
    }

    /// How many there are, to see whether a check finds more.
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The code together with the mistakes. Code is emitted despite mistakes, so that they are not
    /// followed by errors about missing generated code.
    pub(crate) fn report_beside(mut self, code: Option<TokenStream>) -> TokenStream {
        self.reported = true;
        let mistakes = self.found.iter().map(syn::Error::to_compile_error);
        mistakes.chain(code).collect()
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        let lost = !self.reported && !std::thread::panicking();
        debug_assert!(!lost, "mistakes were collected and never reported");
    }
}
