//! Names of fields become names of methods: none may equal the name of an existing method, now or
//! later.

use std::collections::BTreeSet;
use std::path::Path;

use syn::{FnArg, ImplItem, Item, ItemImpl, Type, Visibility};

use crate::check::names::QUERY_METHODS;
use crate::errors::Errors;
use crate::{check, syntax};

/// The public methods, except those hidden by two leading underscores.
fn methods(block: &ItemImpl) -> impl Iterator<Item = String> {
    let functions = block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    functions
        .filter(|one| matches!(one.vis, Visibility::Public(_)))
        .filter(|one| matches!(one.sig.inputs.first(), Some(FnArg::Receiver(_))))
        .map(|one| one.sig.ident.to_string())
        .filter(|name| !name.starts_with("__"))
}

/// Finds the implementations of a type itself, not of traits for it, also those in modules and
/// constants.
fn own<'i>(item: &'i Item, name: &str, found: &mut Vec<&'i ItemImpl>) {
    match item {
        Item::Impl(block) if block.trait_.is_none() && is_of(&block.self_ty, name) => {
            found.push(block);
        }
        Item::Mod(module) => {
            let items = module.content.iter().flat_map(|(_, items)| items);
            items.for_each(|item| own(item, name, found));
        }
        Item::Const(constant) => {
            if let syn::Expr::Block(body) = &*constant.expr {
                for statement in &body.block.stmts {
                    if let syn::Stmt::Item(item) = statement {
                        own(item, name, found);
                    }
                }
            }
        }
        _ => {}
    }
}

/// The public methods of a type that are written in a file.
fn methods_in(file: &syn::File, name: &str) -> BTreeSet<String> {
    let mut found = Vec::new();
    file.items
        .iter()
        .for_each(|item| own(item, name, &mut found));
    found.into_iter().flat_map(methods).collect()
}

fn is_of(ty: &Type, name: &str) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path
        .segments
        .last()
        .is_some_and(|last| last.ident == name)
}

/// The methods of a generated type.
fn generated(name: &str) -> BTreeSet<String> {
    let input = syn::parse_quote! {
        #[bigtable(table = "QUOTE", family = "MD")]
        struct Quote {
            #[bigtable(key)]
            segment: String,
            #[bigtable(time)]
            moment: Timestamp,
            value: f64,
            #[bigtable(columns, family = "R")]
            map: BTreeMap<String, u64>,
            #[bigtable(aggregate = "sum", family = "S")]
            total: i64,
            #[bigtable(version)]
            edition: u64,
        }
    };
    let file: syn::File = syn::parse2(super::expand(&input)).unwrap();
    methods_in(&file, name)
}

fn reserved(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A setter with the name of a query's own method would be a second method of that name.
#[test]
fn no_setter_hides_a_method_of_a_query() {
    let mut methods = generated("QuoteQuery");
    for setter in ["segment", "moment"] {
        assert!(methods.remove(setter));
    }
    assert_eq!(reserved(QUERY_METHODS), methods);
}

/// The generated update has setters and nothing else.
#[test]
fn updates_have_no_other_methods() {
    let setters = ["value", "map", "add_total"];
    assert_eq!(generated("QuoteUpdate"), reserved(&setters));
}

/// Keys and handles have fields with these names, but no methods.
#[test]
fn no_other_type_has_methods_by_fields() {
    let of_key = generated("QuoteKey");
    assert!(of_key.contains("encode"), "{of_key:?}");
    for name in ["Quote", "QuoteKey", "QuoteKeyRef", "QuoteFields"] {
        let methods = generated(name);
        for field in ["segment", "moment", "value", "map", "total", "edition"] {
            assert!(!methods.contains(field), "{name}");
        }
    }
}

/// The mistakes of a model with such a key field and such a column.
fn mistakes(segment: &str, column: &str) -> usize {
    let [segment, column] = [segment, column].map(|name| quote::format_ident!("{name}"));
    let input = syn::parse_quote! {
        #[bigtable(table = "QUOTE", family = "MD")]
        struct Quote {
            #[bigtable(key)]
            #segment: String,
            #column: f64,
        }
    };
    let mut errors = Errors::default();
    let raw = syntax::model(&input, &mut errors).unwrap();
    check::model(raw, &mut errors).unwrap();
    let count = errors.count();
    drop(errors.report_beside(None));
    count
}

#[test]
fn reserved_names_are_refused_where_they_would_be_methods() {
    for name in QUERY_METHODS {
        assert_eq!(mistakes(name, "bid"), 1, "{name}");
        assert_eq!(mistakes("symbol", name), 0, "{name}");
    }
    assert_eq!(mistakes("symbol", "bid"), 0);
}

#[test]
fn reserved_names_are_on_the_page_of_attributes() {
    let page =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../bigtable-model/src/guide/attributes.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, page) = page.split_once("# Names of fields").unwrap();
    let (page, _) = page.split_once("\n# ").unwrap();
    for name in QUERY_METHODS {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}
