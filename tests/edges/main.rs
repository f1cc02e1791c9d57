//! Dependencies have one direction.
//!
//! ```text
//! informer ──► informer-derive ──► informer-codegen ◄── informer-gen ──► informer-manifest
//!          └─► informer-runtime ──► informer-protobuf
//! informer-apiserver ──► informer-manifest, informer-protobuf
//! informer-codegen, informer-manifest, informer-protobuf ──► none of these packages
//! ```
//!
//! Inside a package, modules are layers ([`layers`]). In the runtime, the vocabulary does not
//! depend on tokio.

mod graph;
mod layers;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Packages with the folders of their manifests, and the allowed dependencies between them.
const EDGES: [(&str, &str, &[&str]); 14] = [
    ("informer", ".", &["informer-derive", "informer-runtime"]),
    ("informer-runtime", "runtime", &["informer-protobuf"]),
    ("informer-codegen", "codegen", &[]),
    ("informer-derive", "informer-derive", &["informer-codegen"]),
    (
        "informer-gen",
        "informer-gen",
        &["informer-codegen", "informer-manifest"],
    ),
    (
        "informer-apiserver",
        "apiserver",
        &["informer-manifest", "informer-protobuf"],
    ),
    ("informer-manifest", "manifest", &[]),
    ("informer-protobuf", "protobuf", &[]),
    ("informer-fuzz-replay", "fuzz/replay", &[]),
    // Programs and tests, on which no package depends, may use all packages.
    (
        "informer-fuzz-properties",
        "fuzz/properties",
        &[
            "informer-apiserver",
            "informer-protobuf",
            "informer-runtime",
        ],
    ),
    (
        "informer-example-generated",
        "examples/generated",
        &["informer", "informer-apiserver", "informer-gen"],
    ),
    (
        "informer-example-operator",
        "examples/operator",
        &["informer"],
    ),
    (
        "informer-vendor-crds",
        "informer-gen/tests/vendors",
        &["informer", "informer-gen"],
    ),
    (
        "informer-benches",
        "benches",
        &["informer-protobuf", "informer-runtime"],
    ),
];

/// Value types that the rest of the runtime builds on, without clock, task or lock.
const VOCABULARY: [&str; 5] = ["object", "object/selector", "wire", "event", "storage"];

#[test]
fn packages_depend_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    for (package, folder, allowed) in EDGES {
        let path = root.join(folder).join("Cargo.toml");
        let manifest = fs::read_to_string(&path).expect("the manifest is readable");
        faults.extend(check_manifest(package, &manifest, allowed));
    }
    let manifest =
        fs::read_to_string(root.join("Cargo.toml")).expect("the workspace manifest is readable");
    let known = EDGES.map(|(_, folder, _)| folder);
    for member in members(&manifest) {
        if !known.contains(&member.as_str()) {
            faults.push(format!("`{member}` is a new package: add it to EDGES"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_vocabulary_does_not_use_tokio() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/src");
    let mut faults = Vec::new();
    for module in VOCABULARY {
        let mut files = vec![sources.join(module).with_extension("rs")];
        if let Ok(folder) = fs::read_dir(sources.join(module)) {
            files.extend(folder.map(|file| file.expect("the folder can be read").path()));
        }
        for file in files.iter().filter(|file| file.extension().is_some()) {
            let text = fs::read_to_string(file).expect("the source is readable");
            let name = file.display().to_string();
            faults.extend(check_source(&name, &text));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the faults in the dependencies of `package`.
fn check_manifest(package: &str, manifest: &str, allowed: &[&str]) -> Vec<String> {
    let ours: BTreeSet<String> = dependencies(manifest)
        .into_iter()
        .filter(|name| name == "informer" || name.starts_with("informer-"))
        .collect();
    let expected: BTreeSet<String> = allowed.iter().map(|&name| name.to_owned()).collect();
    let too_many = ours.difference(&expected);
    let too_few = expected.difference(&ours);
    too_many
        .map(|name| format!("{package} must not depend on {name}"))
        .chain(too_few.map(|name| format!("{package} does not depend on {name}: correct EDGES")))
        .collect()
}

/// Returns the packages under `[dependencies]` and `[build-dependencies]`, for any target.
/// Dependencies of tests are not restricted.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut section = Section::Other;
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = Section::of(header.trim_end_matches(']'));
            if let Section::One(name) = &section {
                found.insert(name.clone());
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let key = key.trim().trim_matches('"');
        // `name = { package = "real-name" }`, or `package = "real-name"` in a separate section.
        let renamed = match section {
            Section::Other => continue,
            Section::All => value.split_once("package"),
            Section::One(_) if key == "package" => Some(("", value)),
            Section::One(_) => None,
        };
        match renamed.and_then(|(_, name)| name.split('"').nth(1)) {
            Some(name) => found.insert(name.to_owned()),
            None if matches!(section, Section::All) => {
                found.insert(key.split('.').next().unwrap_or(key).to_owned())
            }
            None => false,
        };
    }
    found
}

enum Section {
    /// Table of dependencies.
    All,
    /// Table of one dependency.
    One(String),
    Other,
}

impl Section {
    /// Parses `dependencies`, `dependencies.name`, `target.'cfg(unix)'.dependencies`, ...
    fn of(header: &str) -> Self {
        let header = header.trim_matches('[').trim();
        if header.starts_with("workspace.") {
            return Self::Other;
        }
        let is_table = |name: &str| matches!(name, "dependencies" | "build-dependencies");
        // A target may contain dots, so only the ends count.
        let mut parts = header.rsplit('.');
        let (last, before) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        if is_table(last) {
            Self::All
        } else if is_table(before) {
            Self::One(last.trim_matches('"').to_owned())
        } else {
            Self::Other
        }
    }
}

/// Returns the workspace's members.
fn members(manifest: &str) -> Vec<String> {
    let list = manifest
        .split_once("members")
        .and_then(|(_, rest)| rest.split_once('['))
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or("", |(list, _)| list);
    list.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Returns the places at which a source uses tokio, outside of its tests and comments.
fn check_source(name: &str, text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or(text);
    if name.ends_with("tests.rs") {
        return Vec::new();
    }
    let lines = code.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .filter(|(_, line)| line.contains("tokio"))
        .map(|(number, line)| format!("{name}:{}: {}", number + 1, line.trim()))
        .collect()
}

// === the checks can fail ===

#[test]
fn a_dependency_is_found_however_it_is_written() {
    let cases = [
        (
            "[dependencies]\ninformer-gen = { workspace = true }",
            "informer-gen",
        ),
        (
            "[dependencies]\ninformer-gen.workspace = true",
            "informer-gen",
        ),
        (
            "[dependencies.informer-gen]\npath = \"../gen\"",
            "informer-gen",
        ),
        ("[build-dependencies]\ninformer-gen = \"1\"", "informer-gen"),
        (
            "[target.'cfg(unix)'.dependencies]\ninformer-gen = \"1\"",
            "informer-gen",
        ),
        (
            "[dependencies]\nx = { package = \"informer-gen\" }",
            "informer-gen",
        ),
        (
            "[dependencies.x]\npackage = \"informer-gen\"",
            "informer-gen",
        ),
    ];
    for (manifest, expected) in cases {
        assert!(dependencies(manifest).contains(expected), "{manifest}");
        assert_eq!(
            check_manifest("p", manifest, &[]),
            ["p must not depend on informer-gen"],
        );
    }
    let lost = check_manifest("p", "[dependencies]\n", &["informer-gen"]);
    assert_eq!(lost, ["p does not depend on informer-gen: correct EDGES"]);
}

#[test]
fn dependencies_of_tests_are_unrestricted() {
    let manifest = "[workspace.dependencies]\ninformer-gen = \"1\"\n\
                    [dev-dependencies]\ninformer-gen = \"1\"\n\
                    [dependencies]\nserde = \"1\"\n\
                    [features]\ndefault = [\"informer-gen\"]";
    assert_eq!(check_manifest("p", manifest, &[]), [""; 0]);
    assert_eq!(members("[workspace]\nmembers = [\".\", \"a\"]"), [".", "a"]);
}

#[test]
fn tokio_is_found_in_code_only() {
    let source = "//! tokio\nuse tokio::time::Instant;\n#[cfg(test)]\nmod tests { use tokio; }";
    assert_eq!(
        check_source("a.rs", source),
        ["a.rs:2: use tokio::time::Instant;"]
    );
}
