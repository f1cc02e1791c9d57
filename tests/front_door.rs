//! The public names of `informer`: few names at the root, and each name once.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "an unreadable file fails the test"
)]

use std::collections::BTreeMap;

use syn::{Item, UseTree, Visibility};

/// Maximum number of names at the root, without modules.
const MOST: usize = 46;

/// Maximum number of names in modules.
const MOST_IN_MODULES: usize = 144;

/// Returns the public names that the items add to their module, except modules and hidden names.
fn names(items: &[Item]) -> Vec<String> {
    let is_hidden = |attrs: &[syn::Attribute]| {
        let is_hidden = |attr: &syn::Attribute| attr.parse_args_with(hidden).unwrap_or(false);
        attrs.iter().any(is_hidden)
    };
    let mut names = Vec::new();
    for item in items {
        if let Item::Use(item) = item
            && matches!(item.vis, Visibility::Public(_))
            && !is_hidden(&item.attrs)
        {
            collect(&item.tree, &mut names);
        }
    }
    names
}

/// Reports whether the arguments of an attribute are `hidden`.
fn hidden(arguments: syn::parse::ParseStream<'_>) -> syn::Result<bool> {
    let argument: syn::Ident = arguments.parse()?;
    Ok(argument == "hidden")
}

fn collect(tree: &UseTree, names: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => collect(&path.tree, names),
        UseTree::Name(name) => names.push(name.ident.to_string()),
        UseTree::Rename(name) => names.push(name.rename.to_string()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| collect(tree, names)),
        UseTree::Glob(_) => panic!("list the names instead of a glob"),
    }
}

fn parse(text: &str) -> Vec<Item> {
    syn::parse_file(text).unwrap().items
}

#[test]
fn the_root_has_few_names() {
    let names = names(&parse(include_str!("../src/lib.rs")));
    let names: Vec<_> = names.iter().filter(|name| !is_module(name)).collect();
    assert!(names.len() <= MOST, "{} names: {names:?}", names.len());
}

#[test]
fn the_modules_have_few_names() {
    let names = names_in_modules();
    assert!(names.len() <= MOST_IN_MODULES, "{} names", names.len());
}

/// Returns the names in modules, each after its module.
fn names_in_modules() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for item in parse(include_str!("../src/modules.rs")) {
        let Item::Mod(module) = item else { continue };
        let (_, items) = module.content.unwrap();
        let place = module.ident.to_string();
        found.extend(names(&items).into_iter().map(|name| (place.clone(), name)));
    }
    found
}

/// A type with two paths would have two pages, and two types with one name would be confused. A
/// derive may have the name of its trait, as in the standard library.
#[test]
fn each_name_is_in_one_place() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut items = parse(include_str!("../src/lib.rs"));
    items.retain(|item| !is_of_derives(item));
    for name in names(&items) {
        places.entry(name).or_default().push("the root".to_owned());
    }
    for (place, name) in names_in_modules() {
        places.entry(name).or_default().push(place);
    }
    places.retain(|_, places| places.len() > 1);
    assert!(places.is_empty(), "{places:?}");
}

/// Reports whether the item re-exports names of `informer-derive`.
fn is_of_derives(item: &Item) -> bool {
    let Item::Use(item) = item else { return false };
    matches!(&item.tree, UseTree::Path(path) if path.ident == "informer_derive")
}

/// Modules of the package `controller` that the root re-exports whole.
const WHOLE_MODULES: [&str; 3] = ["kube_runtime", "leader_election", "shards"];

/// Reports whether the name is a module. Modules and functions are in lower case, and the root
/// re-exports only modules from `modules.rs`.
fn is_module(name: &str) -> bool {
    if WHOLE_MODULES.contains(&name) {
        return true;
    }
    let modules = parse(include_str!("../src/modules.rs"));
    modules
        .iter()
        .any(|item| matches!(item, Item::Mod(module) if module.ident == name))
}
