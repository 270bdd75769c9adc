//! The parameters of a model, and those of them that its key has.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics};

use crate::model::Model;

/// The paths and generics that emitted code is written with.
pub(super) struct Scope {
    /// `::bigtable_model::__private`.
    pub(super) runtime: TokenStream,
    /// The model's type with its arguments.
    pub(super) model: TokenStream,
    /// The key's type with its arguments.
    pub(super) key: TokenStream,
    /// The key's name.
    pub(super) key_name: Ident,
    /// The borrowed key's name.
    pub(super) key_ref_name: Ident,
    /// The model's generics.
    pub(super) generics: Generics,
    /// Those that the key's segments mention.
    pub(super) key_generics: Generics,
}

impl Scope {
    pub(super) fn new(model: &Model) -> Self {
        let ident = &model.ident;
        let key_name = model.type_name("Key");
        let key_generics = key_generics(model);
        let (_, arguments, _) = model.generics.split_for_impl();
        let (_, key_arguments, _) = key_generics.split_for_impl();
        Self {
            runtime: super::runtime(&model.krate),
            model: quote!(#ident #arguments),
            key: quote!(#key_name #key_arguments),
            key_ref_name: model.type_name("KeyRef"),
            generics: model.generics.clone(),
            key_name,
            key_generics,
        }
    }

    /// The borrowed key's type with `lifetime`.
    pub(super) fn key_ref(&self, lifetime: &TokenStream) -> TokenStream {
        let name = &self.key_ref_name;
        let arguments = self.key_generics.params.iter().map(argument);
        quote!(#name<#lifetime #(, #arguments)*>)
    }
}

/// A parameter as an argument.
pub(super) fn argument(parameter: &GenericParam) -> TokenStream {
    match parameter {
        GenericParam::Type(one) => one.ident.to_token_stream(),
        GenericParam::Const(one) => one.ident.to_token_stream(),
        GenericParam::Lifetime(one) => one.lifetime.to_token_stream(),
    }
}

/// `generics` with more parameters at the end.
pub(super) fn with_parameters(generics: &Generics, more: &[TokenStream]) -> Generics {
    let mut generics = generics.clone();
    for parameter in more {
        generics.params.push(syn::parse_quote!(#parameter));
    }
    generics
}

/// A key type with a parameter that none of its fields mentions would not compile: the key has those that its segments
/// mention, and those that their bounds mention.
fn key_generics(model: &Model) -> Generics {
    let mut generics = model.generics.clone();
    let names: BTreeSet<_> = names(&generics);
    let mut kept = BTreeSet::new();
    for segment in &model.segments {
        identifiers(segment.ty.to_token_stream(), &mut kept);
    }
    kept = kept.intersection(&names).cloned().collect();
    while let Some(more) = mentioned_with(&generics, &kept, &names) {
        kept.extend(more);
    }
    let is_kept = |parameter: &GenericParam| kept.contains(&argument(parameter).to_string());
    generics.params = generics.params.into_iter().filter(is_kept).collect();
    if let Some(clause) = &mut generics.where_clause {
        let predicates = clause.predicates.iter().filter(|predicate| {
            let mut mentioned = BTreeSet::new();
            identifiers(predicate.to_token_stream(), &mut mentioned);
            mentioned
                .intersection(&names)
                .all(|name| kept.contains(name))
        });
        clause.predicates = predicates.cloned().collect();
    }
    generics
}

fn names(generics: &Generics) -> BTreeSet<String> {
    let parameters = generics.params.iter();
    parameters.map(|one| argument(one).to_string()).collect()
}

/// The parameters that bounds of `kept` ones mention besides; none when there are no more.
fn mentioned_with(
    generics: &Generics,
    kept: &BTreeSet<String>,
    names: &BTreeSet<String>,
) -> Option<BTreeSet<String>> {
    let mut mentioned = BTreeSet::new();
    for parameter in &generics.params {
        if kept.contains(&argument(parameter).to_string()) {
            identifiers(parameter.to_token_stream(), &mut mentioned);
        }
    }
    let predicates = generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates);
    for predicate in predicates {
        if let syn::WherePredicate::Type(bound) = predicate {
            let mut subject = BTreeSet::new();
            identifiers(bound.bounded_ty.to_token_stream(), &mut subject);
            if !subject.is_disjoint(kept) {
                identifiers(predicate.to_token_stream(), &mut mentioned);
            }
        }
    }
    let more = mentioned
        .intersection(names)
        .filter(|name| !kept.contains(*name));
    let more: BTreeSet<_> = more.cloned().collect();
    (!more.is_empty()).then_some(more)
}

fn identifiers(tokens: TokenStream, into: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                into.insert(ident.to_string());
            }
            TokenTree::Group(group) => identifiers(group.stream(), into),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}
