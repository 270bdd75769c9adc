//! The modules of a crate, and which other modules they name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::names::{self, Names};

/// One source file.
pub(crate) struct Module {
    /// The path below the source folder.
    pub(crate) file: String,
    pub(crate) lines: usize,
    /// What it defines, re-exports and names.
    names: Names,
}

/// The modules of one crate, by path: `query::run::scan`. The crate's root is the empty path.
pub(crate) struct Crate {
    pub(crate) modules: BTreeMap<String, Module>,
}

impl Crate {
    pub(crate) fn load(folder: &Path) -> Self {
        let files = files(folder).into_iter().map(|(module, path)| {
            let text = fs::read_to_string(&path).unwrap();
            let names = names::of(&text, &module);
            let lines = text.lines().count();
            let file = below(folder, &path).to_owned();
            (module.join("::"), Module { file, lines, names })
        });
        Self {
            modules: files.collect(),
        }
    }

    /// The modules that the module at `path` imports from.
    pub(crate) fn imports(&self, path: &str) -> BTreeSet<String> {
        let names = &self.modules[path].names;
        let targets = names.used.iter().filter_map(|used| self.resolve(used));
        targets.filter(|target| target != path).collect()
    }

    /// The modules that the code of the module at `path` needs.
    pub(crate) fn needs(&self, path: &str) -> BTreeSet<String> {
        let names = &self.modules[path].names;
        let targets = names.needed.iter().filter_map(|used| self.resolve(used));
        targets.filter(|target| target != path).collect()
    }

    /// All imports, each from a module to a module.
    pub(crate) fn all_imports(&self) -> impl Iterator<Item = (&str, String)> {
        self.modules.keys().flat_map(|from| {
            let targets = self.imports(from);
            targets.into_iter().map(move |to| (from.as_str(), to))
        })
    }

    /// The modules directly below one, by their last names.
    pub(crate) fn children(&self, parent: &str) -> BTreeSet<&str> {
        let below = |path: &'_ str| path.strip_prefix(&prefix(parent)).is_some();
        let paths = self.modules.keys().filter(|path| below(path));
        paths
            .map(|path| &path[prefix(parent).len()..])
            .filter(|rest| !rest.is_empty())
            .map(|rest| rest.split("::").next().unwrap())
            .collect()
    }

    /// The module that defines what a path names, through re-exports. `path` is absolute within the
    /// crate, such as `key::KeyError`.
    fn resolve(&self, path: &[String]) -> Option<String> {
        let mut path = path.to_vec();
        // A re-export may lead to another one.
        for _ in 0..16 {
            let known = (0..=path.len())
                .rev()
                .find(|&len| self.modules.contains_key(&path[..len].join("::")))?;
            let module = path[..known].join("::");
            let Some(item) = path.get(known) else {
                return Some(module);
            };
            match self.modules[&module].names.reexported.get(item) {
                Some(target) => {
                    path = [target.as_slice(), &path[known + 1..]].concat();
                }
                None => return Some(module),
            }
        }
        None
    }
}

/// `query::` for `query`; empty for the root.
pub(crate) fn prefix(parent: &str) -> String {
    match parent {
        "" => String::new(),
        parent => format!("{parent}::"),
    }
}

/// Tests have no floor: they may import anything.
fn is_test(name: &str) -> bool {
    name == "tests" || name.ends_with("_tests") || name == "snapshots"
}

/// The source files of a folder, each with its module's path.
pub(crate) fn files(folder: &Path) -> Vec<(Vec<String>, PathBuf)> {
    let mut found = Vec::new();
    collect(folder, folder, &mut found);
    found
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<(Vec<String>, PathBuf)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        if is_test(stem) {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((module_path(below(root, &path)), path));
        }
    }
}

fn below<'a>(root: &Path, path: &'a Path) -> &'a str {
    path.strip_prefix(root).unwrap().to_str().unwrap()
}

fn module_path(file: &str) -> Vec<String> {
    let parts: Vec<&str> = file.trim_end_matches(".rs").split('/').collect();
    let parts = match parts.as_slice() {
        ["lib"] => &[],
        [parents @ .., "mod"] => parents,
        all => all,
    };
    parts.iter().map(|&part| part.to_owned()).collect()
}
