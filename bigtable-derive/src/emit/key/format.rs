//! Calendar formats as constants.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::FormatItem;

/// A calendar format as a constant.
pub(in crate::emit) fn format_items(items: &[FormatItem], runtime: &TokenStream) -> TokenStream {
    let items = items.iter().map(|item| format_item(item, runtime));
    quote!(#runtime::CalendarFormat { items: #runtime::borrowed_slice(const { &[#(#items),*] }) })
}

pub(in crate::emit) fn format_item(item: &FormatItem, runtime: &TokenStream) -> TokenStream {
    match item {
        FormatItem::Field(name) => {
            let name = quote::format_ident!("{name}");
            quote!(#runtime::CalendarItem::Field(#runtime::CalendarField::#name))
        }
        FormatItem::Unpadded(name) => {
            let name = quote::format_ident!("{name}");
            quote!(#runtime::CalendarItem::Unpadded(#runtime::CalendarField::#name))
        }
        FormatItem::Literal(text) => {
            quote!(#runtime::CalendarItem::Literal(#runtime::borrowed(#text)))
        }
    }
}
