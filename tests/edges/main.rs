//! Dependencies have one direction.
//!
//! ```text
//! informer ──► informer-derive ──► informer-codegen ◄── informer-gen ──► informer-manifest
//!          ├─► informer-debug ──► informer-controller, informer-runtime
//!          └─► informer-controller ──► informer-runtime ──► informer-wire ──► informer-protobuf
//! informer-apiserver ──► informer-manifest, informer-protobuf
//! informer-codegen, informer-manifest, informer-protobuf ──► none of these packages
//! ```
//!
//! Inside a package, modules are on floors ([`floors`]), and few types share a name ([`names`]). The
//! vocabulary does not depend on tokio, and `informer-wire` takes no lock.

mod floors;
mod futures;
mod graph;
mod names;
mod requests;

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[path = "../support/files.rs"]
mod files;

/// Published packages, with the packages of this workspace on which each one depends.
const EDGES: [(&str, &str); 11] = [
    (
        "informer",
        "informer-controller informer-debug informer-derive informer-runtime",
    ),
    ("informer-debug", "informer-controller informer-runtime"),
    ("informer-controller", "informer-runtime"),
    ("informer-runtime", "informer-wire"),
    ("informer-wire", "informer-protobuf"),
    ("informer-codegen", ""),
    ("informer-derive", "informer-codegen"),
    ("informer-gen", "informer-codegen informer-manifest"),
    ("informer-apiserver", "informer-manifest informer-protobuf"),
    ("informer-manifest", ""),
    ("informer-protobuf", ""),
];

/// Sources without clock and task, with the other words that are forbidden in them.
const VOCABULARY: [(&str, &[&str]); 3] = [
    ("wire/src", &["Mutex", "RwLock", "Condvar", "parking_lot"]),
    ("runtime/src/event", &[]),
    ("runtime/src/storage", &[]),
];

/// Returns the sources of a package without its tests: the name of each below `src`, and its content.
fn sources(package: &str) -> Result<Vec<(String, syn::File)>, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(package)
        .join("src");
    let mut sources = Vec::new();
    for path in files::files(&root, "rs", &["tests"])? {
        let name = path.strip_prefix(&root)?.display().to_string();
        if !name.ends_with("tests.rs") {
            sources.push((name, syn::parse_file(&fs::read_to_string(&path)?)?));
        }
    }
    Ok(sources)
}

/// Programs and tests are not published, so no package can depend on them. Dependencies of tests
/// are free.
///
/// Seen to fail with `informer-gen` as a dependency of `informer-runtime`.
#[test]
fn packages_depend_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let published = packages
        .iter()
        .filter(|package| package["publish"].is_null());
    let mut found = BTreeSet::new();
    for package in published {
        let name = package["name"].as_str().expect("a name");
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let ours = dependencies
            .iter()
            .filter(|dependency| dependency["kind"] != "dev")
            .filter_map(|dependency| dependency["name"].as_str())
            .filter(|name| name.starts_with("informer"));
        found.insert((name, ours.collect::<BTreeSet<_>>()));
    }
    let expected = EDGES.map(|(name, used)| (name, used.split_whitespace().collect()));
    assert_eq!(found, BTreeSet::from(expected));
}

/// Seen to fail with `use tokio::time::Instant;` in `event.rs`, and with a `std::sync::Mutex` in
/// `wire/src/object/key.rs`.
#[test]
fn the_vocabulary_does_not_use_tokio() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    for (place, words) in VOCABULARY {
        let place = root.join(place);
        let mut found = files::files(&place, "rs", &["tests"]).unwrap_or_default();
        let own = place.with_extension("rs");
        found.extend(own.exists().then_some(own));
        found.retain(|file| !file.ends_with("tests.rs"));
        assert!(!found.is_empty(), "no sources in {}", place.display());
        for file in found {
            let text = fs::read_to_string(&file).expect("the source is readable");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let is_code = |line: &&str| !line.trim_start().starts_with("//");
            let is_forbidden = |line: &&str| {
                line.contains("tokio") || words.iter().any(|word| line.contains(word))
            };
            let uses = code.lines().filter(is_code).filter(is_forbidden);
            faults.extend(uses.map(|line| format!("{}: {line}", file.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
