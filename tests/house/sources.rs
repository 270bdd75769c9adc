//! The parsed source files of a crate, and name resolution in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::api::ident;

/// The items of each module by path, without test code.
pub(crate) struct Sources(BTreeMap<String, Vec<syn::Item>>);

/// What a path resolves to.
pub(crate) enum Found<'a> {
    Module(String),
    /// An item, and the module that defines it.
    Item(String, &'a syn::Item),
    /// An item of another crate or from a macro.
    Foreign(String),
}

impl Sources {
    pub(crate) fn load(folder: &Path) -> Self {
        let mut modules = BTreeMap::new();
        for (module, path) in crate::modules::files(folder) {
            let file = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap();
            add(&module.join("::"), file.items, &mut modules);
        }
        Self(modules)
    }

    pub(crate) fn of(&self, module: &str) -> &[syn::Item] {
        self.0.get(module).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn items(&self) -> impl Iterator<Item = (&str, &syn::Item)> {
        let modules = self.0.iter();
        modules.flat_map(|(module, items)| items.iter().map(move |item| (module.as_str(), item)))
    }

    /// Resolves a path in a module, through imports.
    pub(crate) fn resolve(&self, module: &str, path: &[String]) -> Found<'_> {
        self.within(module, path, 0)
            .unwrap_or_else(|| Found::Foreign(path.join("::")))
    }

    fn within(&self, module: &str, path: &[String], depth: usize) -> Option<Found<'_>> {
        let Some((first, rest)) = path.split_first() else {
            return Some(Found::Module(module.to_owned()));
        };
        // Circular imports resolve to nothing.
        if depth > 16 {
            return None;
        }
        let parent = || module.rsplit_once("::").map_or("", |(parent, _)| parent);
        let child = format!("{}{first}", crate::modules::prefix(module));
        match first.as_str() {
            "crate" => self.within("", rest, depth),
            "self" => self.within(module, rest, depth),
            "super" => self.within(parent(), rest, depth),
            "*" => Some(Found::Module(module.to_owned())),
            _ if self.0.contains_key(&child) => self.within(&child, rest, depth),
            _ => self.named(module, first, rest, depth),
        }
    }

    /// Resolves a name of a module that is not a module.
    fn named(&self, module: &str, name: &str, rest: &[String], depth: usize) -> Option<Found<'_>> {
        let items = self.of(module);
        let own = items
            .iter()
            .find(|item| ident(item).is_some_and(|own| own == name));
        if let Some(item) = own {
            return rest
                .is_empty()
                .then(|| Found::Item(module.to_owned(), item));
        }
        let imports = items.iter().filter_map(|item| match item {
            syn::Item::Use(item) => Some(leaves(&item.tree)),
            _ => None,
        });
        imports.flatten().find_map(|(alias, mut target)| {
            let through = alias == "*";
            if through {
                target.pop();
                target.push(name.to_owned());
            } else if alias != name {
                return None;
            }
            // An import of the same name is of another crate, or of a parent module.
            let itself = target.len() == 1 && target.first().is_some_and(|first| first == name);
            target.extend_from_slice(rest);
            (!itself).then(|| self.within(module, &target, depth + 1))?
        })
    }
}

fn add(module: &str, items: Vec<syn::Item>, modules: &mut BTreeMap<String, Vec<syn::Item>>) {
    let mut own = Vec::new();
    for mut item in items {
        let attributes = match &item {
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Struct(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if is_for_tests(attributes) {
            continue;
        }
        if let syn::Item::Mod(inline) = &mut item
            && let Some((_, items)) = inline.content.take()
        {
            let child = format!("{}{}", crate::modules::prefix(module), inline.ident);
            add(&child, items, modules);
        }
        own.push(item);
    }
    modules.entry(module.to_owned()).or_default().extend(own);
}

/// The names that an import adds, `*` for all, each with its path.
pub(crate) fn leaves(tree: &syn::UseTree) -> Vec<(String, Vec<String>)> {
    match tree {
        syn::UseTree::Path(part) => {
            let below = leaves(&part.tree).into_iter();
            let ident = part.ident.to_string();
            let below = below.map(|(name, path)| match (name.as_str(), path.as_slice()) {
                ("self", _) => (ident.clone(), vec![ident.clone()]),
                _ => (name, [vec![ident.clone()], path].concat()),
            });
            below.collect()
        }
        syn::UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
        syn::UseTree::Name(one) => vec![(one.ident.to_string(), vec![one.ident.to_string()])],
        syn::UseTree::Rename(one) => {
            vec![(one.rename.to_string(), vec![one.ident.to_string()])]
        }
        syn::UseTree::Glob(_) => vec![("*".to_owned(), vec!["*".to_owned()])],
    }
}

/// Whether it exists only for tests.
pub(crate) fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg")
            && list.is_ok_and(|list| {
                let text = list.tokens.to_string();
                text.starts_with("test") || text.contains("(test")
            })
    })
}
