//! The rules for the modules of a crate.

use std::collections::{BTreeMap, BTreeSet};

use crate::floors::{self, Folder};
use crate::modules::{Crate, prefix};

/// The maximum number of lines of a file.
const LINES: usize = 500;

/// The maximum number of files in a folder.
const FILES: usize = 15;

/// An import between two modules of a folder: the folder, both names, and an import that does it.
struct Arrow<'a> {
    folder: String,
    from: &'a str,
    to: String,
    file: &'a str,
    import: String,
}

/// All imports, at the folder that both sides share. The root of a folder is above everything in
/// it; what the root itself defines belongs to no floor.
fn arrows(krate: &Crate) -> Vec<Arrow<'_>> {
    let mut arrows = Vec::new();
    for (from, import) in krate.all_imports() {
        let a: Vec<&str> = from.split("::").collect();
        let b: Vec<&str> = import.split("::").collect();
        let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        let (Some(&from_name), Some(&to)) = (a.get(common), b.get(common)) else {
            continue;
        };
        if from_name.is_empty() || to.is_empty() {
            continue;
        }
        arrows.push(Arrow {
            folder: a[..common].join("::"),
            from: from_name,
            to: to.to_owned(),
            file: &krate.modules[from].file,
            import: import.clone(),
        });
    }
    arrows
}

/// Imports from a floor to a higher one, or to another module of the same floor, except between
/// modules of a listed circle.
pub(crate) fn upward(name: &str, krate: &Crate, folders: &[Folder]) -> Vec<String> {
    let mut faults = BTreeSet::new();
    for arrow in arrows(krate) {
        let Some(folder) = folders.iter().find(|one| one.path == arrow.folder) else {
            continue;
        };
        let path = prefix(&arrow.folder);
        let is_in = |circle: &[&str], module: &str| {
            let below = format!("{path}{module}::");
            let module = below.trim_end_matches(':');
            (circle.iter()).any(|one| *one == module || one.starts_with(&below))
        };
        let circles = floors::circles(name);
        if (circles.iter()).any(|circle| is_in(circle, arrow.from) && is_in(circle, &arrow.to)) {
            continue;
        }
        let floors = (folder.floor(arrow.from), folder.floor(&arrow.to));
        if let (Some(from), Some(to)) = floors
            && from <= to
        {
            faults.insert(format!(
                "{name}: {} imports {}, which is not below `{}`",
                arrow.file, arrow.import, arrow.from
            ));
        }
    }
    faults.into_iter().collect()
}

/// Modules without a floor, and listed names that are not modules.
pub(crate) fn without_floor(name: &str, krate: &Crate, folders: &[Folder]) -> Vec<String> {
    let mut faults = Vec::new();
    for folder in folders {
        let children = krate.children(folder.path);
        let listed: BTreeSet<&str> = folder.modules().collect();
        let path = prefix(folder.path);
        for module in children.difference(&listed) {
            faults.push(format!("{name}: {path}{module} stands on no floor"));
        }
        for module in listed.difference(&children) {
            faults.push(format!("{name}: {path}{module} is no module"));
        }
    }
    faults
}

/// Sibling folders that import one another, directly or indirectly; with `files` also single files.
/// A trait and the types in its signatures may name each other inside a folder.
pub(crate) fn circles(name: &str, krate: &Crate, files: bool) -> Vec<String> {
    let mut folders: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for arrow in arrows(krate) {
        let path = prefix(&arrow.folder);
        let is_folder = |module: &str| !krate.children(&format!("{path}{module}")).is_empty();
        let both = is_folder(arrow.from) && is_folder(&arrow.to);
        if !files && !both {
            continue;
        }
        let folder = folders.entry(arrow.folder).or_default();
        let targets = folder.entry(arrow.from.to_owned()).or_default();
        targets.insert(arrow.to);
    }
    let mut faults = Vec::new();
    for (folder, edges) in &folders {
        let reaches: BTreeMap<&str, BTreeSet<&str>> = edges
            .keys()
            .map(|from| (from.as_str(), reached(edges, from)))
            .collect();
        let mut told: BTreeSet<&str> = BTreeSet::new();
        for (from, reached) in &reaches {
            let back = |to: &&str| reaches.get(*to).is_some_and(|there| there.contains(from));
            let circle: Vec<&str> = reached.iter().copied().filter(back).collect();
            if !circle.is_empty() && told.insert(from) {
                told.extend(&circle);
                let path = prefix(folder);
                faults.push(format!("{name}: {path}{{{}}}", circle.join(", ")));
            }
        }
    }
    faults
}

/// Circles of files that are not listed, and listed ones that do not exist: a circle is the modules
/// of which each needs every other, directly or indirectly.
pub(crate) fn file_circles(name: &str, krate: &Crate) -> Vec<String> {
    let needs: BTreeMap<String, BTreeSet<String>> = krate
        .modules
        .keys()
        .map(|module| (module.clone(), krate.needs(module)))
        .collect();
    let reaches: BTreeMap<&str, BTreeSet<&str>> = needs
        .keys()
        .map(|from| (from.as_str(), reached(&needs, from)))
        .collect();
    let circles: BTreeSet<BTreeSet<&str>> = reaches
        .iter()
        .filter(|(from, reached)| reached.contains(*from))
        .map(|(from, reached)| {
            let back = |to: &&str| reaches[to].contains(from);
            reached.iter().copied().filter(back).collect()
        })
        .collect();
    let listed = floors::circles(name).iter();
    let listed: BTreeSet<BTreeSet<&str>> = listed
        .map(|circle| circle.iter().copied().collect())
        .collect();
    let new = circles.difference(&listed).map(|circle| {
        let arrows = circle.iter().flat_map(|from| {
            let inside = needs[*from]
                .iter()
                .filter(|to| circle.contains(to.as_str()));
            inside.map(move |to| format!("\n    {from} needs {to}"))
        });
        format!(
            "{name}: a circle of {} files:{}",
            circle.len(),
            arrows.collect::<String>()
        )
    });
    let gone = listed
        .difference(&circles)
        .map(|circle| format!("{name}: listed, but no circle (any more): {circle:?}"));
    new.chain(gone).collect()
}

fn reached<'a>(edges: &'a BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let first = edges.get(from).into_iter().flatten();
    let mut open: Vec<&str> = first.map(String::as_str).collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            let targets = edges.get(next).into_iter().flatten();
            open.extend(targets.map(String::as_str));
        }
    }
    reached
}

/// Files with too many lines, and folders with too many files.
pub(crate) fn too_large(name: &str, krate: &Crate) -> Vec<String> {
    let mut faults = Vec::new();
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for module in krate.modules.values() {
        if module.lines > LINES {
            faults.push(format!(
                "{name}: {} has {} lines",
                module.file, module.lines
            ));
        }
        let folder = module
            .file
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        *folders.entry(folder).or_default() += 1;
    }
    let large = folders.iter().filter(|(_, files)| **files > FILES);
    faults.extend(large.map(|(folder, files)| format!("{name}: {folder}/ has {files} files")));
    faults
}
