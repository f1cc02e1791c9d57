//! The public names of `informer`: few names at the root, and each name once.
//!
//! Each name counts that a user can type, in whichever package it is defined. A limit may become
//! lower, and not higher: a new name takes the place of another one.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "an unreadable file fails the test"
)]
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "other items have no name that a user can type"
)]

use std::collections::BTreeMap;

use syn::{Item, UseTree, Visibility};

/// Maximum number of names at the root, without modules.
const MOST: usize = 47;

/// Maximum number of names in modules, without those that the generator writes into `k8s`.
const MOST_IN_MODULES: usize = 165;

/// Modules that are not in `modules.rs`, with their sources.
const OTHER_MODULES: [(&str, &str); 5] = [
    (
        "finalizer",
        include_str!("../controller/src/reconcile/finalizer.rs"),
    ),
    ("k8s::expansions", include_str!("../src/k8s/expansions.rs")),
    (
        "kube_runtime",
        include_str!("../controller/src/kube_runtime.rs"),
    ),
    (
        "leader_election",
        include_str!("../controller/src/reconcile/leader_election.rs"),
    ),
    ("shards", include_str!("../controller/src/shards.rs")),
];

/// Functions at the root. Any other name in lower case is a module, whose names count.
const FUNCTIONS: [&str; 6] = [
    "async_handler",
    "connect",
    "filtered",
    "finalizer",
    "is_condition_true",
    "shutdown_signal",
];

/// Returns the public names that the items define or re-export, except modules in place and hidden
/// names.
fn names(items: &[Item]) -> Vec<String> {
    let mut names = Vec::new();
    for item in items {
        if let Item::Use(item) = item {
            if is_public(&item.vis, &item.attrs) {
                collect(&item.tree, &mut names);
            }
        } else if let Some(name) = defined(item) {
            names.push(name);
        }
    }
    names
}

/// Returns the name of a public item that is neither a module nor a re-export.
fn defined(item: &Item) -> Option<String> {
    let (vis, attrs, name) = match item {
        Item::Const(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Enum(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Fn(item) => (&item.vis, &item.attrs, &item.sig.ident),
        Item::Static(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Struct(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Trait(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Type(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Macro(item) => {
            let is_exported = item
                .attrs
                .iter()
                .any(|it| it.path().is_ident("macro_export"));
            return item
                .ident
                .as_ref()
                .filter(|_| is_exported)
                .map(ToString::to_string);
        }
        _ => return None,
    };
    is_public(vis, attrs).then(|| name.to_string())
}

/// Reports whether users see the item.
fn is_public(vis: &Visibility, attrs: &[syn::Attribute]) -> bool {
    let is_hidden = |attr: &syn::Attribute| attr.parse_args_with(hidden).unwrap_or(false);
    matches!(vis, Visibility::Public(_)) && !attrs.iter().any(is_hidden)
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
    let names = names_at_the_root();
    assert!(names.len() <= MOST, "{} names: {names:?}", names.len());
}

#[test]
fn the_modules_have_few_names() {
    let names = names_in_modules();
    assert!(names.len() <= MOST_IN_MODULES, "{} names", names.len());
}

/// Seen to fail without `shards` in `OTHER_MODULES`.
#[test]
fn the_names_of_each_module_count() {
    let items = parse(include_str!("../src/lib.rs"));
    let is_counted = |name: &String| {
        !name.starts_with(char::is_lowercase)
            || FUNCTIONS.contains(&name.as_str())
            || is_module(name)
            || name == "include_informers"
    };
    let unknown: Vec<_> = names(&items)
        .into_iter()
        .filter(|name| !is_counted(name))
        .collect();
    assert_eq!(unknown, [""; 0], "add the module, or the function");
    let in_place = items.iter().filter_map(|item| match item {
        Item::Mod(module) if is_public(&module.vis, &module.attrs) => Some(&module.ident),
        _ => None,
    });
    assert_eq!(in_place.collect::<Vec<_>>(), ["k8s"], "add the module");
}

/// Returns the names at the root that are no modules. `finalizer` is both.
fn names_at_the_root() -> Vec<String> {
    let mut names = names(&parse(include_str!("../src/lib.rs")));
    names.retain(|name| FUNCTIONS.contains(&name.as_str()) || !is_module(name));
    names
}

/// Returns the names in modules, each after its module.
fn names_in_modules() -> Vec<(String, String)> {
    let mut modules: Vec<(String, Vec<Item>)> = Vec::new();
    for item in parse(include_str!("../src/modules.rs")) {
        let Item::Mod(module) = item else { continue };
        let (_, items) = module.content.unwrap();
        modules.push((module.ident.to_string(), items));
    }
    for (module, source) in OTHER_MODULES {
        modules.push((module.to_owned(), parse(source)));
    }
    let mut found = Vec::new();
    for (module, items) in modules {
        found.extend(names(&items).into_iter().map(|name| (module.clone(), name)));
    }
    found
}

/// A type with two paths would have two pages, and two types with one name would be confused. A
/// derive may have the name of its trait, as in the standard library, and a function that of its
/// module.
#[test]
fn each_name_is_in_one_place() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut items = parse(include_str!("../src/lib.rs"));
    items.retain(|item| !is_of_derives(item));
    for name in names(&items) {
        places.entry(name).or_default().push("the root".to_owned());
    }
    for (place, name) in names_in_modules() {
        if place != name {
            places.entry(name).or_default().push(place);
        }
    }
    places.retain(|_, places| places.len() > 1);
    assert!(places.is_empty(), "{places:?}");
}

/// Reports whether the item re-exports names of `informer-derive`.
fn is_of_derives(item: &Item) -> bool {
    let Item::Use(item) = item else { return false };
    matches!(&item.tree, UseTree::Path(path) if path.ident == "informer_derive")
}

/// Reports whether the name at the root is a module.
fn is_module(name: &str) -> bool {
    let modules = parse(include_str!("../src/modules.rs"));
    let is_named = |item: &Item| matches!(item, Item::Mod(module) if module.ident == name);
    modules.iter().any(is_named) || OTHER_MODULES.iter().any(|(module, _)| *module == name)
}
