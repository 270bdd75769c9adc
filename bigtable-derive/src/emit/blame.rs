//! Where the compiler says what it has to say of a segment's type.
//!
//! That a type is no segment shows only when the generated code is compiled, in each place that
//! uses it. All of them are placed at the type, so that the errors are equal; the compiler shows
//! equal errors once.

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

/// `<T as KeySegment>::item`.
pub(super) fn of_segment(ty: &Type, item: TokenStream, runtime: &TokenStream) -> TokenStream {
    let (first, last) = ends(ty);
    let open = written_at(first, quote!(<));
    let rest = written_at(last, quote!(as #runtime::KeySegment>::#item));
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
pub(super) fn ask(
    ty: &Type,
    function: TokenStream,
    arguments: TokenStream,
    runtime: &TokenStream,
) -> TokenStream {
    let function = of_segment(ty, function, runtime);
    let arguments = parenthesized(ty, arguments);
    quote!(#function #arguments)
}

/// A call in place of the type: what a constant says when it fails is said there.
pub(super) fn call(ty: &Type, function: TokenStream, arguments: TokenStream) -> TokenStream {
    let function = written_at(ends(ty).0, function);
    let arguments = parenthesized(ty, arguments);
    quote!(#function #arguments)
}

fn parenthesized(ty: &Type, tokens: TokenStream) -> Group {
    let mut group = Group::new(Delimiter::Parenthesis, tokens);
    group.set_span(ends(ty).1);
    group
}

/// `tokens` of the key as a whole, in place of the type that is the likeliest to be no segment.
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

fn written_at(span: Span, tokens: TokenStream) -> TokenStream {
    let place = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            let inner = written_at(span, group.stream());
            token = TokenTree::Group(Group::new(group.delimiter(), inner));
        }
        token.set_span(span);
        token
    };
    tokens.into_iter().map(place).collect()
}
