//! What a source file names: imports, re-exports and paths in its code.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use crate::sources::is_for_tests;

/// A path from the crate's root.
pub(crate) type Absolute = Vec<String>;

/// The names of its own crate that a file uses.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Imports, and paths in code that begin with `crate`, `super` or `self`.
    pub(crate) used: Vec<Absolute>,
    /// Names that others find here although they are defined elsewhere.
    pub(crate) reexported: BTreeMap<String, Absolute>,
    /// What its own code needs: as `used`, without names that it only passes on to others.
    pub(crate) needed: Vec<Absolute>,
}

/// The names of a file, without test code.
pub(crate) fn of(text: &str, module: &[String]) -> Names {
    let file = syn::parse_file(text).unwrap();
    let children = file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(item) if item.content.is_none() => Some(item.ident.to_string()),
        _ => None,
    });
    let mut finder = Finder {
        module,
        children: children.collect(),
        depth: 0,
        names: Names::default(),
        imported: BTreeMap::new(),
        given: Vec::new(),
        spoken: BTreeSet::new(),
    };
    finder.visit_file(&file);
    let Finder {
        mut names,
        given,
        spoken,
        ..
    } = finder;
    let needed = given.into_iter().filter(|(name, _)| spoken.contains(name));
    names.needed.extend(needed.map(|(_, target)| target));
    names
}

struct Finder<'a> {
    module: &'a [String],
    /// The modules in files below this one.
    children: BTreeSet<String>,
    /// The depth of inline modules around the current item.
    depth: usize,
    names: Names,
    /// What bare names mean here: `wire` after `use super::protocol::wire`.
    imported: BTreeMap<String, Absolute>,
    /// The names that it re-exports.
    given: Vec<(String, Absolute)>,
    /// The names with which paths in code begin.
    spoken: BTreeSet<String>,
}

impl Finder<'_> {
    /// An absolute path; `None` for paths of other crates and for this file's own items.
    fn absolute(&self, segments: &[String]) -> Option<Absolute> {
        let supers = segments.iter().take_while(|one| *one == "super").count();
        match segments.first()?.as_str() {
            "crate" => Some(segments[1..].to_vec()),
            "super" if supers > self.depth => {
                let up = supers - self.depth;
                let base = &self.module[..self.module.len().checked_sub(up)?];
                Some([base, &segments[supers..]].concat())
            }
            "self" => Some([self.module, &segments[1..]].concat()),
            child if self.depth == 0 && self.children.contains(child) => {
                Some([self.module, segments].concat())
            }
            first => {
                let base = self.imported.get(first)?;
                Some([base.as_slice(), &segments[1..]].concat())
            }
        }
    }

    fn import(&mut self, tree: &syn::UseTree, path: &mut Vec<String>, public: bool) {
        match tree {
            syn::UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.import(&part.tree, path, public);
                path.pop();
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, path, public);
                }
            }
            syn::UseTree::Name(name) => {
                let ident = name.ident.to_string();
                self.import_one(path, &ident, &ident, public);
            }
            syn::UseTree::Rename(name) => {
                let (ident, alias) = (name.ident.to_string(), name.rename.to_string());
                self.import_one(path, &ident, &alias, public);
            }
            syn::UseTree::Glob(_) => {
                if let Some(target) = self.absolute(path) {
                    self.names.used.push(target.clone());
                    if !public {
                        self.names.needed.push(target);
                    }
                }
            }
        }
    }

    fn import_one(&mut self, path: &[String], ident: &str, alias: &str, public: bool) {
        let mut path = path.to_vec();
        let (ident, alias) = match (ident, path.last()) {
            ("self", Some(last)) => (None, last.clone()),
            _ => (Some(ident.to_owned()), alias.to_owned()),
        };
        path.extend(ident);
        let Some(target) = self.absolute(&path) else {
            return;
        };
        if self.depth == 0 {
            self.imported.insert(alias.clone(), target.clone());
            self.names.reexported.insert(alias.clone(), target.clone());
        }
        match public {
            true => self.given.push((alias, target.clone())),
            false => self.names.needed.push(target.clone()),
        }
        self.names.used.push(target);
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.content.is_some() {
            self.depth += 1;
            visit::visit_item_mod(self, item);
            self.depth -= 1;
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let public = !matches!(item.vis, syn::Visibility::Inherited);
        self.import(&item.tree, &mut Vec::new(), public);
    }

    /// `pub(in crate::grpc)` needs nothing of that module.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|one| one.ident.to_string());
        let segments: Vec<String> = segments.collect();
        if path.leading_colon.is_none() {
            self.spoken.extend(segments.first().cloned());
        }
        if path.leading_colon.is_none()
            && segments.len() > 1
            && let Some(target) = self.absolute(&segments)
        {
            self.names.used.push(target.clone());
            self.names.needed.push(target);
        }
        visit::visit_path(self, path);
    }
}
