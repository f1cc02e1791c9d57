//! Floors of the top modules of a package, and absence of cycles at any depth.
//!
//! A module uses only modules of lower floors. Modules of one floor are independent of each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::graph::{Graph, ModulePath, Sources, shown};

/// Top modules of a package by floor, the lowest first.
type Floors = &'static [&'static [&'static str]];

const APISERVER: Floors = &[
    &["clock", "config", "document", "envtest", "names", "url"],
    &["typed"],
    &["status", "store"],
    &["registry"],
    &["api"],
    &["auth", "fault", "kubectl"],
    // State that all connections share.
    &["shared"],
    &["control"],
    &["http"],
    &["server"],
];

const WIRE: Floors = &[&["object"], &["wire"]];

const RUNTIME: Floors = &[
    &["base"],
    &["coverage", "storage"],
    &["event"],
    &["status"],
    &["indexer", "processor", "source"],
    &["delta_fifo"],
    &["lister", "reflector"],
    &["shared_informer"],
    &["factory"],
    &["cache", "engine"],
    &["private"],
];

const CONTROLLER: Floors = &[
    &["base"],
    &["kube_runtime", "workqueue"],
    &["reconcile", "relations", "session"],
    &["shards"],
    &["controller", "metrics"],
    &["manager", "private"],
];

const CODEGEN: Floors = &[
    &["ctxt", "doc", "names", "suggest"],
    &["path"],
    &["ir"],
    &["emit"],
    &["declaration"],
    &["check", "kube"],
];

const DEBUG: Floors = &[
    &["connections", "redact", "route", "series", "text"],
    &["access", "html", "ready"],
    &["history", "read"],
    // State that all pages read.
    &["shared"],
    &["body", "graph", "pages"],
    &["overview"],
    &["answer", "sample"],
    &["service"],
    &["serve"],
];

const DERIVE: Floors = &[
    &["attr", "fuzzing", "incomplete", "model", "serde"],
    &["ast", "expand", "fallback", "index_value"],
    &["fields", "root", "spec"],
    &["check"],
];

const GENERATOR: Floors = &[
    &["error", "gvk"],
    &["config", "paths", "suggest", "write"],
    &["declared", "types"],
    &["ir"],
    &["input"],
    &["targets"],
    &["resolver"],
    &["plan"],
    &["emit", "list"],
    &["run"],
];

/// Cycles inside of the top modules that are known. A new one fails the test, and a mended one must
/// leave the list.
const KNOWN: [&str; 2] = [
    // `builder` and `stored_as` contain methods of the factory.
    "factory::builder, factory::shared_informer_factory, factory::stored_as use each other",
    // A serde decoder is recursive: the outer decoder calls the inner one.
    "wire::decode::text::access, wire::decode::text::decoder, wire::decode::text::key, \
     wire::decode::text::number use each other",
];

/// Seen to fail with `use crate::http::view::View;` in `store/log.rs` (store is below http), and
/// with `use super::object::Stored;` in `store/key.rs` (`store::key` and `store::object` use each
/// other).
#[test]
fn modules_use_only_lower_floors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    for (folder, floors) in [
        ("apiserver/src", APISERVER),
        ("codegen/src", CODEGEN),
        ("controller/src", CONTROLLER),
        ("debug/src", DEBUG),
        ("informer-derive/src", DERIVE),
        ("informer-gen/src", GENERATOR),
        ("runtime/src", RUNTIME),
        ("wire/src", WIRE),
    ] {
        faults.extend(check(&Sources::read(&root.join(folder)).graph(), floors));
    }
    faults.sort();
    assert_eq!(faults, KNOWN);
}

/// Returns the faults of a package with these floors.
fn check(graph: &Graph, floors: Floors) -> Vec<String> {
    let mut faults = wrong_floors(graph, floors);
    let folders: BTreeSet<ModulePath> = graph
        .keys()
        .flat_map(|path| (0..path.len()).map(|depth| path.iter().take(depth).cloned().collect()))
        .collect();
    for folder in folders {
        faults.extend(cycles(&siblings(graph, &folder)));
    }
    faults
}

/// Returns the uses that do not lead down, and the modules without a floor.
fn wrong_floors(graph: &Graph, floors: Floors) -> Vec<String> {
    let floor_of = |module: &ModulePath| {
        floors.iter().position(|floor| {
            module
                .first()
                .is_some_and(|name| floor.contains(&name.as_str()))
        })
    };
    let mut faults = Vec::new();
    let top = siblings(graph, &[]);
    for (module, used) in &top {
        let floor = floor_of(module);
        if floor.is_none() {
            faults.push(format!(
                "{} is a new module: give it a floor",
                shown(module)
            ));
        }
        let wrong = used.iter().filter(|other| floor_of(other) >= floor);
        faults
            .extend(wrong.map(|other| format!("{} must not use {}", shown(module), shown(other))));
    }
    let names = floors.iter().copied().flatten();
    let gone = names.filter(|name| !top.contains_key(&vec![(**name).to_owned()]));
    faults.extend(gone.map(|name| format!("{name} is no module")));
    faults
}

/// Returns the uses between the modules in `folder`, each with everything below it. The folder's
/// own file is one of the modules.
fn siblings(graph: &Graph, folder: &[String]) -> BTreeMap<ModulePath, BTreeSet<ModulePath>> {
    let within = |path: &ModulePath| -> Option<ModulePath> {
        let inside = path.starts_with(folder) && !(folder.is_empty() && path.is_empty());
        inside.then(|| path.iter().take(folder.len() + 1).cloned().collect())
    };
    let mut edges: BTreeMap<ModulePath, BTreeSet<ModulePath>> = BTreeMap::new();
    for (path, used) in graph {
        let Some(module) = within(path) else { continue };
        let used = used.iter().filter_map(within);
        let used: Vec<ModulePath> = used.filter(|other| *other != module).collect();
        edges.entry(module).or_default().extend(used);
    }
    edges
}

/// Returns the modules that use each other, directly or indirectly.
fn cycles(edges: &BTreeMap<ModulePath, BTreeSet<ModulePath>>) -> Vec<String> {
    let reached = |from: &ModulePath| -> BTreeSet<&ModulePath> {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&ModulePath> = edges.get(from).into_iter().flatten().collect();
        while let Some(module) = next.pop() {
            if reached.insert(module) {
                next.extend(edges.get(module).into_iter().flatten());
            }
        }
        reached
    };
    let reached: BTreeMap<_, _> = edges
        .keys()
        .map(|module| (module, reached(module)))
        .collect();
    let mut found = BTreeSet::new();
    for (module, from_here) in &reached {
        let circle: Vec<String> = from_here
            .iter()
            .filter(|other| {
                reached
                    .get(*other)
                    .is_some_and(|back| back.contains(module))
            })
            .map(|other| shown(other))
            .collect();
        if !circle.is_empty() {
            found.insert(format!("{} use each other", circle.join(", ")));
        }
    }
    found.into_iter().collect()
}

// === the checks can fail ===

/// Returns the faults of these files, with `a` below `b`.
fn faults(files: &[(&str, &str)]) -> Vec<String> {
    let root = ("lib.rs", "mod a;\nmod b;\npub use b::B;");
    let files: Vec<_> = std::iter::once(root).chain(files.iter().copied()).collect();
    check(&Sources::of(&files).graph(), &[&["a"], &["b"]])
}

const A: (&str, &str) = ("a.rs", "mod one;\nmod two;\npub(crate) use one::One;");
const ONE: (&str, &str) = ("a/one.rs", "use super::two::Two;\npub struct One(Two);");
const TWO: (&str, &str) = ("a/two.rs", "pub struct Two;");
const B: (&str, &str) = ("b.rs", "use crate::a::One;\npub struct B(One);");

#[test]
fn uses_that_lead_down_are_no_faults() {
    assert_eq!(faults(&[A, ONE, TWO, B]), [""; 0]);
    let two = "pub struct Two;\n#[cfg(test)]\nmod tests { use crate::b::B; }";
    assert_eq!(faults(&[A, ONE, ("a/two.rs", two), B]), [""; 0]);
}

#[test]
fn a_use_is_found_however_it_is_written() {
    for upward in [
        "use crate::b::B;\npub struct Two(B);",
        "use crate::B;\npub struct Two(B);",
        "use super::super::b::B;\npub struct Two(B);",
        "use crate::{b::{self, B as C}};\npub struct Two(C);",
        "use crate::b;\npub struct Two(b::B);",
        "pub fn f() -> crate::b::B { todo!() }\npub struct Two;",
        "pub fn f() { println!(\"{:?}\", crate::b::f()); }\npub struct Two;",
        "mod inner { pub fn f() -> super::super::super::b::B { todo!() } }\npub struct Two;",
    ] {
        let found = faults(&[A, ONE, ("a/two.rs", upward), B]);
        let expected = ["a must not use b", "a, b use each other"];
        assert_eq!(found, expected, "{upward}");
    }
}

#[test]
fn cycles_are_found_in_folders_and_through_their_own_files() {
    let two = ("a/two.rs", "use super::One;\npub struct Two(Box<One>);");
    assert_eq!(faults(&[A, ONE, two, B]), ["a::one, a::two use each other"]);
    let own = (
        "a.rs",
        "mod one;\nmod two;\npub(crate) use one::One;\npub struct Three(One);",
    );
    let two = ("a/two.rs", "use super::Three;\npub struct Two(Box<Three>);");
    let expected = ["a, a::one, a::two use each other"];
    assert_eq!(faults(&[own, ONE, two, B]), expected);
}

#[test]
fn every_module_has_a_floor_and_every_name_a_module() {
    let graph = Sources::of(&[("lib.rs", "mod a;"), ("a.rs", "pub struct A;")]).graph();
    assert_eq!(check(&graph, &[]), ["a is a new module: give it a floor"]);
    assert_eq!(check(&graph, &[&["a", "b"]]), ["b is no module"]);
}
