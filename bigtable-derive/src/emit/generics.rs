//! The parameters of a model, and the ones among them that its key has.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::punctuated::Punctuated;
use syn::{GenericParam, Generics, Token, TypeParamBound, WherePredicate};

use crate::model::Model;

/// The bounds of a parameter.
type Bounds = Punctuated<TypeParamBound, Token![+]>;

/// The paths and generics that emitted code is written with.
pub(super) struct Scope {
    /// `::bigtable_model::__private`.
    pub(super) runtime: TokenStream,
    /// The model's type with its arguments.
    pub(super) model: TokenStream,
    /// The key's type with its arguments.
    pub(super) key: TokenStream,
    /// The same at the beginning of a path.
    pub(super) key_path: TokenStream,
    /// The key's name.
    pub(super) key_name: Ident,
    /// The borrowed key's name.
    pub(super) key_ref_name: Ident,
    /// The place of the salt in the key.
    salt: Option<usize>,
    /// The model's generics.
    pub(super) generics: Generics,
    /// The generics that the key's segments mention.
    pub(super) key_generics: Generics,
}

impl Scope {
    pub(super) fn new(model: &Model) -> Self {
        let ident = &model.ident;
        let key_name = model.type_name("Key");
        let key_generics = key_generics(model);
        let (_, arguments, _) = model.generics.split_for_impl();
        Self {
            runtime: runtime(&model.krate),
            model: quote!(#ident #arguments),
            key: applied(&key_name, &key_generics),
            key_path: path(&key_name, &key_generics),
            key_ref_name: model.type_name("KeyRef"),
            salt: model.salt.as_ref().map(|salt| salt.place),
            generics: model.generics.clone(),
            key_name,
            key_generics,
        }
    }

    /// The same with another path of the runtime.
    pub(super) fn with_runtime(self, runtime: TokenStream) -> Self {
        Self { runtime, ..self }
    }

    /// The place of a segment in the key, where the salt has a place too.
    pub(super) fn physical(&self, segment: usize) -> usize {
        segment + usize::from(self.salt.is_some_and(|salt| salt <= segment))
    }

    /// The borrowed key's type with `lifetime`.
    pub(super) fn key_ref(&self, lifetime: &TokenStream) -> TokenStream {
        let name = &self.key_ref_name;
        let arguments = self.key_generics.params.iter().map(argument);
        quote!(#name<#lifetime #(, #arguments)*>)
    }
}

/// A generated type with the arguments that it takes.
pub(super) fn applied(name: &Ident, generics: &Generics) -> TokenStream {
    let (_, arguments, _) = generics.split_for_impl();
    quote!(#name #arguments)
}

/// The same at the beginning of a path.
pub(super) fn path(name: &Ident, generics: &Generics) -> TokenStream {
    let (_, arguments, _) = generics.split_for_impl();
    let arguments = arguments.as_turbofish();
    quote!(#name #arguments)
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

/// A key type with a parameter that none of its fields mentions would not compile: the key has the
/// parameters that its segments mention, and of their bounds those that mention no other.
fn key_generics(model: &Model) -> Generics {
    let mut mentioned = BTreeSet::new();
    for segment in &model.segments {
        identifiers(segment.ty.to_token_stream(), &mut mentioned);
    }
    let mut generics = model.generics.clone();
    let is_kept = |parameter: &GenericParam| mentioned.contains(&argument(parameter).to_string());
    let (kept, dropped): (Vec<_>, Vec<_>) = generics.params.into_iter().partition(is_kept);
    let dropped: BTreeSet<_> = dropped
        .iter()
        .map(|one| argument(one).to_string())
        .collect();
    generics.params = kept.into_iter().collect();
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter {
            parameter.bounds = without(&parameter.bounds, &dropped);
        }
    }
    if let Some(clause) = &mut generics.where_clause {
        let predicates = clause
            .predicates
            .iter()
            .filter_map(|one| reduced(one, &dropped));
        clause.predicates = predicates.collect();
    }
    generics
}

/// The bounds that mention none of the `dropped` parameters.
fn without(bounds: &Bounds, dropped: &BTreeSet<String>) -> Bounds {
    let kept = bounds.iter().filter(|bound| !mentions(bound, dropped));
    kept.cloned().collect()
}

/// A predicate without bounds that mention `dropped` parameters; none when nothing is left.
fn reduced(predicate: &WherePredicate, dropped: &BTreeSet<String>) -> Option<WherePredicate> {
    match predicate {
        WherePredicate::Type(one) if !mentions(&one.bounded_ty, dropped) => {
            let mut one = one.clone();
            one.bounds = without(&one.bounds, dropped);
            (!one.bounds.is_empty()).then_some(WherePredicate::Type(one))
        }
        other => (!mentions(other, dropped)).then(|| other.clone()),
    }
}

fn mentions(tokens: &impl ToTokens, names: &BTreeSet<String>) -> bool {
    let mut mentioned = BTreeSet::new();
    identifiers(tokens.to_token_stream(), &mut mentioned);
    !mentioned.is_disjoint(names)
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

/// The function that says how a field is written and read.
pub(super) fn access(field: &Ident) -> Ident {
    quote::format_ident!("__{}", field.unraw())
}

/// The path under which generated code finds the runtime.
pub(super) fn runtime(krate: &syn::Path) -> TokenStream {
    quote!(#krate::__private)
}
