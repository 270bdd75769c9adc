//! Where the compiler reports errors, above all those about a segment's type.
//!
//! That a type is not a segment shows only when the generated code is compiled, at each use. All
//! uses are placed at the type, so that the errors are equal; the compiler shows equal errors once.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Type, TypePath};

use crate::model::Model;

/// Types that are segments, or are refused by name: others are suspected first.
const KNOWN: [&str; 16] = [
    "String",
    "Timestamp",
    "SystemTime",
    "DateTime",
    "NaiveDate",
    "Date",
    "Uuid",
    "bool",
    "char",
    "u8",
    "u16",
    "u32",
    "u64",
    "i32",
    "i64",
    "Bytes",
];

/// `<T as KeySegment>::item`, where the trait's alias is in scope.
pub(super) fn of_segment(ty: &Type, item: TokenStream) -> TokenStream {
    of_trait(ty, quote!(__KeySegment), item)
}

/// The type in the borrowed key, where the trait's alias is not in scope.
pub(super) fn stored(ty: &Type, runtime: &TokenStream) -> TokenStream {
    of_trait(ty, quote!(#runtime::KeySegment), quote!(Stored<'__key>))
}

fn of_trait(ty: &Type, segment: TokenStream, item: TokenStream) -> TokenStream {
    let (first, last) = ends(ty);
    let open = written_at(first, quote!(<));
    let rest = written_at(last, quote!(as #segment>::#item));
    // The compiler tells errors apart by the macro that they come from, too.
    let ty = written(ty);
    quote!(#open #ty #rest)
}

/// `tokens` as if they stood where the type does, from its first token to its last.
pub(super) fn in_place_of(ty: &Type, tokens: TokenStream) -> TokenStream {
    let (first, last) = ends(ty);
    let mut tokens = tokens.into_iter();
    let begin = tokens.next().map(TokenStream::from).unwrap_or_default();
    let (begin, rest) = (written_at(first, begin), written_at(last, tokens.collect()));
    quote!(#begin #rest)
}

/// `<T as KeySegment>::function(arguments)`.
pub(super) fn ask(ty: &Type, function: TokenStream, arguments: TokenStream) -> TokenStream {
    let function = of_segment(ty, function);
    let arguments = parenthesized(ty, arguments);
    quote!(#function #arguments)
}

/// A mutable reference to the tokens in place of the type.
pub(super) fn reference(ty: &Type, of: TokenStream) -> TokenStream {
    let borrow = written_at(ends(ty).0, quote!(&mut));
    quote!(#borrow #of)
}

/// A call in place of the type: if a constant fails, its message appears there.
pub(super) fn call(ty: &Type, function: TokenStream, arguments: TokenStream) -> TokenStream {
    let function = written_at(ends(ty).0, function);
    let arguments = parenthesized(ty, arguments);
    quote!(#function #arguments)
}

fn parenthesized(ty: &Type, tokens: TokenStream) -> Group {
    let mut group = Group::new(Delimiter::Parenthesis, tokens);
    group.set_span(Span::call_site().located_at(ends(ty).1));
    group
}

/// `tokens` for the key as a whole, in place of the type that is least likely to be a segment.
pub(super) fn of_key(model: &Model, tokens: TokenStream) -> TokenStream {
    let types = || model.segments.iter().map(|segment| &segment.ty);
    match types().find(|ty| !is_known(ty)).or_else(|| types().next()) {
        Some(ty) => in_place_of(ty, tokens),
        None => tokens,
    }
}

fn is_known(ty: &Type) -> bool {
    let Type::Path(TypePath { path, .. }) = ty else {
        return false;
    };
    let last = path.segments.last();
    last.is_some_and(|last| KNOWN.iter().any(|known| last.ident == known))
}

fn ends(ty: &Type) -> (Span, Span) {
    let mut spans = ty.to_token_stream().into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}

/// `tokens` placed at `span`: the compiler reports their errors there. Names keep the scope they
/// come from.
pub(super) fn at(span: Span, tokens: TokenStream) -> TokenStream {
    placed(tokens, &|token| token.span().located_at(span))
}

/// `tokens` placed at `span`. They are resolved where the derive is, like everything that it
/// writes; for a name from a macro, that may differ from where the type is resolved.
fn written_at(span: Span, tokens: TokenStream) -> TokenStream {
    placed(tokens, &|token| in_scope_of_derive(token, span))
}

/// A type in its own place, resolved as [`written_at`] says.
fn written(ty: &Type) -> TokenStream {
    placed(ty.to_token_stream(), &|token| {
        in_scope_of_derive(token, token.span())
    })
}

/// `tokens` as if they were written at `span`, and in its scope.
pub(super) fn as_if_at(span: Span, tokens: TokenStream) -> TokenStream {
    placed(tokens, &|token| match names_its_crate(token) {
        true => token.span(),
        false => span,
    })
}

fn in_scope_of_derive(token: &TokenTree, place: Span) -> Span {
    match names_its_crate(token) {
        true => token.span(),
        false => Span::call_site().located_at(place),
    }
}

/// `$crate`, which names the crate of the macro that contains it.
fn names_its_crate(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Ident(ident) if *ident == "$crate")
}

/// `tokens`, those of groups too, with the spans that `place` gives them.
pub(super) fn placed(tokens: TokenStream, place: &impl Fn(&TokenTree) -> Span) -> TokenStream {
    let placed = |mut token: TokenTree| {
        let span = place(&token);
        if let TokenTree::Group(group) = &token {
            let inner = placed(group.stream(), place);
            token = TokenTree::Group(Group::new(group.delimiter(), inner));
        }
        token.set_span(span);
        token
    };
    tokens.into_iter().map(placed).collect()
}
