//! The parameters of a model.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Generics, Ident, Path};

use crate::errors::Errors;
use crate::model::Segment;

/// A model's parameter must have bounds. With the ones it needs, the generated code raises no
/// errors of its own.
pub(super) fn bounded(
    mut generics: Generics,
    segments: &[Segment],
    krate: &Path,
    errors: &mut Errors,
) -> Generics {
    let in_key = |ident: &Ident| {
        let mut types = segments.iter().map(|segment| segment.ty.to_token_stream());
        types.any(|ty| mentions(ty, ident))
    };
    let clause = generics.where_clause.clone();
    for parameter in generics.type_params_mut() {
        let clause = clause.to_token_stream();
        if !parameter.bounds.is_empty() || mentions(clause, &parameter.ident) {
            continue;
        }
        let bound = match in_key(&parameter.ident) {
            true => "KeySegment",
            false => "CellValue",
        };
        let ident = &parameter.ident;
        errors.at(
            ident,
            format!(
                "a model's parameter needs the bounds of what it stands for, and goes from thread to thread: write `{ident}: {bound} + Send + Sync + 'static`"
            ),
        );
        let bound = Ident::new(bound, Span::call_site());
        parameter.bounds = syn::parse_quote!(
            #krate::__private::#bound + ::core::marker::Send + ::core::marker::Sync + 'static
        );
    }
    generics
}

fn mentions(tokens: TokenStream, ident: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(one) => one == *ident,
        TokenTree::Group(group) => mentions(group.stream(), ident),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
