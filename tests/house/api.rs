//! The public API of a crate: its items by path, with their fields, variants and functions. It
//! leaves out hidden items and items from macros.

use std::collections::{BTreeMap, BTreeSet};

use syn::punctuated::Punctuated;

use crate::sources::{Found, Sources, is_for_tests};

/// The public items of a crate, one per line, with indented members.
pub(crate) fn of(name: &str, sources: &Sources) -> String {
    let mut list = List {
        sources,
        impls: inherent(sources),
        items: BTreeMap::new(),
        walked: BTreeSet::new(),
    };
    list.module("", name);
    let items = list.items.iter().map(|(path, (kind, members))| {
        let members: String = (members.iter().map(|one| format!("    {one}\n"))).collect();
        format!("{kind} {path}\n{members}")
    });
    items.collect()
}

/// The functions of types, by the place where the type is defined.
type Impls<'a> = BTreeMap<(String, String), Vec<&'a syn::ItemImpl>>;

fn inherent(sources: &Sources) -> Impls<'_> {
    let mut impls = Impls::new();
    for (module, item) in sources.items() {
        if let syn::Item::Impl(item) = item
            && item.trait_.is_none()
            && let syn::Type::Path(of) = &*item.self_ty
        {
            let path: Vec<String> = (of.path.segments.iter())
                .map(|one| one.ident.to_string())
                .collect();
            if let Found::Item(module, found) = sources.resolve(module, &path) {
                let name = ident(found).unwrap_or_default();
                impls.entry((module, name)).or_default().push(item);
            }
        }
    }
    impls
}

struct List<'a> {
    sources: &'a Sources,
    impls: Impls<'a>,
    /// By path: the kind of item, and its members.
    items: BTreeMap<String, (&'static str, Vec<String>)>,
    walked: BTreeSet<String>,
}

impl<'a> List<'a> {
    /// The public items of a module at `path`.
    fn module(&mut self, module: &str, path: &str) {
        if !self.walked.insert(path.to_owned()) {
            return;
        }
        for item in self.sources.of(module) {
            let (attributes, visibility) = head(item);
            if is_hidden(attributes) {
                continue;
            }
            match item {
                syn::Item::Macro(item) if is_exported(&item.attrs) => {
                    let name = item.ident.as_ref().map(ToString::to_string);
                    let root = path.split("::").next().unwrap_or_default();
                    let path = format!("{root}::{}", name.unwrap_or_default());
                    self.items.insert(path, ("macro", Vec::new()));
                }
                _ if !matches!(visibility, Some(syn::Visibility::Public(_))) => {}
                syn::Item::Use(item) => {
                    for (name, target) in crate::sources::leaves(&item.tree) {
                        self.reexport(module, path, &name, &target);
                    }
                }
                syn::Item::Mod(item) => {
                    let child = format!("{}{}", crate::modules::prefix(module), item.ident);
                    self.module(&child, &format!("{path}::{}", item.ident));
                }
                _ => self.item(module, item, path, None),
            }
        }
    }

    fn reexport(&mut self, module: &str, path: &str, name: &str, target: &[String]) {
        let path = match name {
            "*" => path.to_owned(),
            name => format!("{path}::{name}"),
        };
        match self.sources.resolve(module, target) {
            Found::Module(module) => self.module(&module, &path),
            Found::Item(module, item) => {
                let (parent, name) = path.rsplit_once("::").unwrap_or_default();
                self.item(&module, item, parent, Some(name));
            }
            Found::Foreign(of) => {
                self.items.insert(path, ("use", vec![of]));
            }
        }
    }

    fn item(&mut self, module: &str, item: &syn::Item, parent: &str, alias: Option<&str>) {
        let Some(name) = ident(item) else { return };
        let (kind, mut members) = described(item);
        let path = format!("{parent}::{}", alias.unwrap_or(&name));
        let impls = self.impls.get(&(module.to_owned(), name));
        members.extend(impls.into_iter().flatten().flat_map(|one| functions(one)));
        self.items.insert(path, (kind, members));
    }
}

/// The kind of an item, and its public members.
fn described(item: &syn::Item) -> (&'static str, Vec<String>) {
    match item {
        syn::Item::Struct(item) => ("struct", fields(&item.fields, true)),
        syn::Item::Enum(item) => {
            let variants = item.variants.iter().filter(|one| !is_hidden(&one.attrs));
            let described = variants.map(|one| {
                let fields = fields(&one.fields, false).join(", ");
                match fields.is_empty() {
                    true => one.ident.to_string(),
                    false => format!("{} {{ {fields} }}", one.ident),
                }
            });
            ("enum", described.collect())
        }
        syn::Item::Trait(item) => ("trait", item.items.iter().filter_map(of_trait).collect()),
        syn::Item::Fn(item) => ("fn", vec![signature(&item.sig)]),
        syn::Item::Const(item) => ("const", vec![text(&item.ty)]),
        syn::Item::Static(item) => ("static", vec![text(&item.ty)]),
        syn::Item::Type(item) => ("type", vec![text(&item.ty)]),
        _ => ("item", Vec::new()),
    }
}

fn fields(fields: &syn::Fields, public_only: bool) -> Vec<String> {
    let shown = fields.iter().enumerate().filter(|(_, field)| {
        let public = !public_only || matches!(field.vis, syn::Visibility::Public(_));
        public && !is_hidden(&field.attrs)
    });
    let described = shown.map(|(at, field)| {
        let name = field.ident.as_ref().map(ToString::to_string);
        format!("{}: {}", name.unwrap_or(at.to_string()), text(&field.ty))
    });
    described.collect()
}

fn of_trait(item: &syn::TraitItem) -> Option<String> {
    match item {
        syn::TraitItem::Fn(one) if !is_hidden(&one.attrs) => Some(signature(&one.sig)),
        syn::TraitItem::Const(one) if !is_hidden(&one.attrs) => {
            Some(format!("const {}: {}", one.ident, text(&one.ty)))
        }
        syn::TraitItem::Type(one) if !is_hidden(&one.attrs) => Some(format!("type {}", one.ident)),
        _ => None,
    }
}

fn functions(of: &syn::ItemImpl) -> impl Iterator<Item = String> {
    of.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(one)
            if matches!(one.vis, syn::Visibility::Public(_)) && !is_hidden(&one.attrs) =>
        {
            Some(signature(&one.sig))
        }
        syn::ImplItem::Const(one)
            if matches!(one.vis, syn::Visibility::Public(_)) && !is_hidden(&one.attrs) =>
        {
            Some(format!("const {}: {}", one.ident, text(&one.ty)))
        }
        _ => None,
    })
}

/// A function's signature in one line.
fn signature(signature: &syn::Signature) -> String {
    let item = syn::ItemFn {
        attrs: Vec::new(),
        vis: syn::Visibility::Inherited,
        sig: syn::Signature {
            inputs: (signature.inputs.iter().cloned()).collect::<Punctuated<_, syn::Token![,]>>(),
            ..signature.clone()
        },
        block: syn::parse_quote!({}),
    };
    let text = one_line(syn::Item::Fn(item));
    text.trim_end_matches("{}").trim_end().to_owned()
}

fn text(of: &syn::Type) -> String {
    let text = one_line(syn::parse_quote!(type T = #of;));
    let text = text.trim_start_matches("type T = ");
    text.trim_end_matches(';').to_owned()
}

fn one_line(item: syn::Item) -> String {
    let file = syn::File {
        shebang: None,
        attrs: Vec::new(),
        items: vec![item],
    };
    let text = prettyplease::unparse(&file);
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .join(" ")
        .replace("( ", "(")
        .replace(", )", ")")
        .replace(" )", ")")
}

/// Whether the documentation hides it, or it exists only for tests.
fn is_hidden(attributes: &[syn::Attribute]) -> bool {
    let hidden = attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("doc")
            && list.is_ok_and(|list| list.tokens.to_string() == "hidden")
    });
    hidden || is_for_tests(attributes)
}

fn is_exported(attributes: &[syn::Attribute]) -> bool {
    (attributes.iter()).any(|attribute| attribute.path().is_ident("macro_export"))
}

fn head(item: &syn::Item) -> (&[syn::Attribute], Option<&syn::Visibility>) {
    match item {
        syn::Item::Const(item) => (&item.attrs, Some(&item.vis)),
        syn::Item::Enum(item) => (&item.attrs, Some(&item.vis)),
        syn::Item::Fn(item) => (&item.attrs, Some(&item.vis)),
        syn::Item::Macro(item) => (&item.attrs, None),
        syn::Item::Mod(item) => (&item.attrs, Some(&item.vis)),
        syn::Item::Static(item) => (&item.attrs, Some(&item.vis)),
        syn::Item::Struct(item) => (&item.attrs, Some(&item.vis)),
        syn::Item::Trait(item) => (&item.attrs, Some(&item.vis)),
        syn::Item::Type(item) => (&item.attrs, Some(&item.vis)),
        syn::Item::Use(item) => (&item.attrs, Some(&item.vis)),
        _ => (&[], None),
    }
}

/// The name of an item that may be public.
pub(crate) fn ident(item: &syn::Item) -> Option<String> {
    let ident = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}
