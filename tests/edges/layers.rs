//! Allowed uses between the top modules of a package, and absence of cycles at any depth.
//!
//! The tables are exact: a use that is not in the table fails the test, and so does an unused entry
//! of the table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::graph::{Graph, ModulePath, Sources, shown};

/// Top modules of a package, the lowest first, with the modules that they use.
type Layers = &'static [(&'static str, &'static [&'static str])];

/// Package with layers.
struct Package {
    name: &'static str,
    /// Folder of the sources.
    folder: &'static str,
    layers: Layers,
    /// Known faults inside of the top modules. A new fault fails the test, and a fixed fault must
    /// leave the list.
    known: &'static [&'static str],
}

const PACKAGES: [Package; 2] = [
    Package {
        name: "informer-apiserver",
        folder: "apiserver/src",
        layers: APISERVER,
        known: &[],
    },
    Package {
        name: "informer-runtime",
        folder: "runtime/src",
        layers: RUNTIME,
        known: &[
            // `builder` and `stored_as` contain methods of the factory.
            "factory::builder, factory::shared_informer_factory, factory::stored_as use each other",
            // The methods of a feature stay in the feature's module.
            "kube_runtime::informer has methods of `SharedInformer`, which is of \
             shared_informer::shared_informer: make them functions",
            // A serde decoder is recursive: the outer decoder calls the inner one.
            "wire::decode::text::access, wire::decode::text::decoder, wire::decode::text::key, \
             wire::decode::text::number use each other",
        ],
    },
];

const APISERVER: Layers = &[
    ("clock", &[]),
    ("config", &[]),
    ("document", &[]),
    ("envtest", &[]),
    ("names", &[]),
    ("typed", &[]),
    ("status", &["document", "typed"]),
    // Keys, versions and bytes.
    ("store", &["document"]),
    ("registry", &["document", "status", "store", "typed"]),
    (
        "api",
        &[
            "clock", "config", "document", "names", "registry", "status", "store", "typed",
        ],
    ),
    // Independent of each other.
    (
        "auth",
        &["api", "clock", "document", "registry", "status", "store"],
    ),
    ("fault", &["registry", "store"]),
    ("kubectl", &["document", "registry", "store"]),
    // State that all connections share, and its test interface.
    ("shared", &["api", "auth", "config", "fault"]),
    (
        "control",
        &[
            "api", "document", "fault", "registry", "shared", "status", "store",
        ],
    ),
    (
        "http",
        &[
            "api", "auth", "config", "control", "document", "fault", "kubectl", "registry",
            "shared", "status", "store",
        ],
    ),
    (
        "server",
        &[
            "api", "auth", "config", "control", "http", "shared", "status", "store",
        ],
    ),
];

const RUNTIME: Layers = &[
    ("base", &[]),
    ("object", &["base"]),
    ("wire", &["object"]),
    // Values.
    ("event", &["object"]),
    ("storage", &["base", "object", "wire"]),
    ("status", &["base", "object", "storage", "wire"]),
    // Independent of each other.
    ("delta_fifo", &["base", "event", "object", "storage"]),
    ("indexer", &["base", "object", "storage"]),
    (
        "processor",
        &["base", "event", "object", "status", "storage"],
    ),
    ("source", &["object", "status", "wire"]),
    // Independent of each other.
    ("lister", &["indexer", "object", "storage", "wire"]),
    (
        "reflector",
        &[
            "base",
            "delta_fifo",
            "indexer",
            "object",
            "source",
            "status",
            "storage",
            "wire",
        ],
    ),
    (
        "shared_informer",
        &[
            "base",
            "delta_fifo",
            "event",
            "indexer",
            "lister",
            "object",
            "processor",
            "reflector",
            "source",
            "status",
            "storage",
            "wire",
        ],
    ),
    (
        "factory",
        &[
            "base",
            "event",
            "object",
            "processor",
            "reflector",
            "shared_informer",
            "source",
            "status",
            "storage",
            "wire",
        ],
    ),
    (
        "cache",
        &[
            "factory",
            "indexer",
            "lister",
            "object",
            "processor",
            "shared_informer",
            "status",
            "storage",
        ],
    ),
    (
        "workqueue",
        &["base", "event", "lister", "object", "processor", "storage"],
    ),
    (
        "metrics",
        &[
            "factory",
            "object",
            "shared_informer",
            "status",
            "storage",
            "workqueue",
        ],
    ),
    // Independent of each other.
    ("reconcile", &["base", "workqueue"]),
    (
        "relations",
        &[
            "base",
            "delta_fifo",
            "event",
            "factory",
            "indexer",
            "lister",
            "object",
            "processor",
            "shared_informer",
            "status",
            "storage",
            "workqueue",
        ],
    ),
    (
        "kube_runtime",
        &["event", "object", "processor", "shared_informer", "storage"],
    ),
    (
        "private",
        &[
            "factory",
            "indexer",
            "lister",
            "object",
            "processor",
            "relations",
            "shared_informer",
            "storage",
            "wire",
            "workqueue",
        ],
    ),
];

/// Verified to fail with `use crate::http::view::View;` in `store/log.rs` (store must not use
/// http), with `use super::object::Stored;` in `store/key.rs` (`store::key` and `store::object` use
/// each other), and with `impl crate::api::state::State {}` in `http/reads.rs` (methods of another
/// folder).
#[test]
fn layers_see_only_those_below() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    for package in PACKAGES {
        let graph = Sources::read(&root.join(package.folder)).graph();
        let found = check(&graph, package.layers);
        let is_known = |fault: &&String| package.known.contains(&fault.as_str());
        let new = found.iter().filter(|fault| !is_known(fault));
        faults.extend(new.map(|fault| format!("{}: {fault}", package.name)));
        let gone = |known: &&&str| !found.iter().any(|fault| fault == **known);
        let gone = package.known.iter().filter(gone);
        faults.extend(gone.map(|known| format!("{}: is mended: {known}", package.name)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the faults of a package with these layers.
fn check(graph: &Graph, layers: Layers) -> Vec<String> {
    let mut faults = graph.faults.clone();
    faults.extend(wrong_layers(graph, layers));
    let folders: BTreeSet<ModulePath> = graph
        .edges
        .keys()
        .flat_map(|path| (0..path.len()).map(|depth| path.iter().take(depth).cloned().collect()))
        .collect();
    for folder in folders {
        faults.extend(cycles(&siblings(graph, &folder)));
    }
    faults.sort();
    faults.dedup();
    faults
}

/// Returns the differences between the top modules and the table.
fn wrong_layers(graph: &Graph, layers: Layers) -> Vec<String> {
    let mut faults = Vec::new();
    let top = siblings(graph, &[]);
    let mut lower: BTreeSet<&str> = BTreeSet::new();
    for (module, allowed) in layers {
        for above in allowed.iter().filter(|below| !lower.contains(**below)) {
            faults.push(format!("{module} is below {above} in the table"));
        }
        lower.insert(module);
        let used = top.get(&vec![(*module).to_owned()]);
        let used: BTreeSet<&str> = used
            .into_iter()
            .flatten()
            .filter_map(|path| path.first().map(String::as_str))
            .collect();
        let allowed: BTreeSet<&str> = allowed.iter().copied().collect();
        let too_many = used.difference(&allowed);
        faults.extend(too_many.map(|other| format!("{module} must not use {other}")));
        let too_few = allowed.difference(&used);
        faults.extend(
            too_few.map(|other| format!("{module} does not use {other}: correct the table")),
        );
    }
    let unknown = top.keys().filter_map(|path| path.first());
    let unknown = unknown.filter(|module| !lower.contains(module.as_str()));
    faults.extend(unknown.map(|module| format!("{module} is a new module: add it to the table")));
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
    for (path, used) in &graph.edges {
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
    check(&Sources::of(&files).graph(), &[("a", &[]), ("b", &["a"])])
}

const A: (&str, &str) = ("a.rs", "mod one;\nmod two;\npub(crate) use one::One;");
const ONE: (&str, &str) = ("a/one.rs", "use super::two::Two;\npub struct One(Two);");
const TWO: (&str, &str) = ("a/two.rs", "pub struct Two;");
const B: (&str, &str) = ("b.rs", "use crate::a::One;\npub struct B(One);");

#[test]
fn layers_that_match_the_table_have_no_faults() {
    assert_eq!(faults(&[A, ONE, TWO, B]), [""; 0]);
}

#[test]
fn a_use_is_found_however_it_is_written() {
    for upward in [
        "use crate::b::B;\npub struct Two(B);",
        "use super::super::b::B;\npub struct Two(B);",
        "use crate::{b::{self, B as C}};\npub struct Two(C);",
        "use crate::b;\npub struct Two(b::B);",
        "pub fn f() -> crate::b::B { todo!() }\npub struct Two;",
        "pub fn f() { println!(\"{:?}\", crate::b::f()); }\npub struct Two;",
        "mod inner { pub fn f() -> super::super::super::b::B { todo!() } }\npub struct Two;",
    ] {
        let found = faults(&[A, ONE, ("a/two.rs", upward), B]);
        assert_eq!(
            found,
            ["a must not use b", "a, b use each other"],
            "{upward}"
        );
    }
}

#[test]
fn uses_in_tests_do_not_count() {
    let two = "pub struct Two;\n#[cfg(test)]\nmod tests { use crate::b::B; }";
    assert_eq!(faults(&[A, ONE, ("a/two.rs", two), B]), [""; 0]);
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
    assert_eq!(
        faults(&[own, ONE, two, B]),
        ["a, a::one, a::two use each other"]
    );
}

#[test]
fn modules_do_not_use_re_exports_of_the_root() {
    let two = ("a/two.rs", "use crate::B;\npub struct Two(B);");
    let found = faults(&[A, ONE, two, B]);
    assert!(
        found.contains(
            &"a::two names `crate::B` through the crate's root: name the module that defines it"
                .to_owned()
        ),
        "{found:?}"
    );
}

#[test]
fn methods_are_next_to_their_type() {
    let b = (
        "b.rs",
        "use crate::a::One;\npub struct B;\nimpl One { fn f(&self) {} }",
    );
    assert_eq!(
        faults(&[A, ONE, TWO, b]),
        ["b has methods of `One`, which is of a::one: make them functions"]
    );
}

#[test]
fn a_table_has_no_unused_entries() {
    let b = ("b.rs", "pub struct B;");
    assert_eq!(
        faults(&[A, ONE, TWO, b]),
        ["b does not use a: correct the table"]
    );
    let graph = Sources::of(&[("lib.rs", "mod a;"), ("a.rs", "pub struct A;")]).graph();
    assert_eq!(
        check(&graph, &[]),
        ["a is a new module: add it to the table"]
    );
}
