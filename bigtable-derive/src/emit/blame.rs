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
    // The compiler tells errors apart by the macro that they come from, too.
    let ty = placed(ty.to_token_stream(), &|own| own);
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

/// All names of a segment's type, and an expression of what it stores for the bytes in `format`.
pub(super) fn as_stored(ty: &Type, runtime: &TokenStream) -> (TokenStream, TokenStream) {
    let names = of_segment(ty, quote!(NAMES), runtime);
    let stored = in_place_of(ty, quote!(#runtime::stored_segment(format, bytes)?));
    let value = ask(ty, quote!(restore), stored, runtime);
    let stored = ask(ty, quote!(store), quote!(&value), runtime);
    let restored = quote!({
        let value = #value?;
        ::core::result::Result::Ok(#runtime::segment_value(#stored))
    });
    (names, restored)
}

/// A mutable reference to what stands in place of the type.
pub(super) fn reference(ty: &Type, of: TokenStream) -> TokenStream {
    let borrow = written_at(ends(ty).0, quote!(&mut));
    quote!(#borrow #of)
}

/// A call in place of the type: what a constant says when it fails is said there.
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

/// `tokens` placed at `span`. They are resolved where the derive stands, as all that it writes: of
/// a name that comes from a macro that may differ from where the type is resolved.
fn written_at(span: Span, tokens: TokenStream) -> TokenStream {
    placed(tokens, &|_| span)
}

fn placed(tokens: TokenStream, place: &impl Fn(Span) -> Span) -> TokenStream {
    let placed = |mut token: TokenTree| {
        match &token {
            TokenTree::Group(group) => {
                let inner = placed(group.stream(), place);
                let span = group.span();
                let mut group = Group::new(group.delimiter(), inner);
                group.set_span(span);
                token = TokenTree::Group(group);
            }
            // It names the crate of the macro that it stands in.
            TokenTree::Ident(ident) if *ident == "$crate" => return token,
            _ => {}
        }
        token.set_span(Span::call_site().located_at(place(token.span())));
        token
    };
    tokens.into_iter().map(placed).collect()
}
