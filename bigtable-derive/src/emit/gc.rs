//! Garbage-collection rules as constants.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{FamilyRule, GcRule};

/// The list of the families' rules.
pub(super) fn rules(rules: &[FamilyRule], runtime: &TokenStream) -> TokenStream {
    if rules.is_empty() {
        return quote!(#runtime::empty_slice());
    }
    let rules = rules.iter().map(|FamilyRule { family, rule }| {
        let rule = self::rule(rule, runtime);
        quote!(#runtime::FamilyRule { family: #runtime::borrowed(#family), rule: #rule })
    });
    quote!(#runtime::borrowed_slice(const { &[#(#rules),*] }))
}

fn rule(rule: &GcRule, runtime: &TokenStream) -> TokenStream {
    let members = |rules: &[GcRule]| {
        let rules = rules.iter().map(|one| self::rule(one, runtime));
        quote!(#runtime::borrowed_slice(const { &[#(#rules),*] }))
    };
    match rule {
        GcRule::MaxVersions(versions) => quote!(#runtime::GcRule::MaxVersions(#versions)),
        GcRule::MaxAge(millis) => {
            quote!(#runtime::GcRule::MaxAge(::core::time::Duration::from_millis(#millis)))
        }
        GcRule::Union(rules) => {
            let members = members(rules);
            quote!(#runtime::GcRule::Union(#members))
        }
        GcRule::Intersection(rules) => {
            let members = members(rules);
            quote!(#runtime::GcRule::Intersection(#members))
        }
    }
}
