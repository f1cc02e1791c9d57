//! Kinds from Rust source, with kube-derive's defaults and no guesses.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failing helper fails the test"
)]

#[path = "support/crd.rs"]
mod crd;

use std::fs;

use crd::definition;
use informer_gen::{Config, Outcome};

const FOO: &str = "\
#[derive(CustomResource, Clone)]
#[kube(group = \"example.com\", version = \"v1\", kind = \"Foo\", namespaced)]
pub struct FooSpec { name: String }
";

/// Writes files, and reads the first of them as `crate::api`.
fn source(files: &[(&str, &str)]) -> (tempfile::TempDir, Config) {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let first = directory.path().join(files[0].0);
    let config = Config::new().rust_source(&first.display().to_string(), "crate::api");
    (directory, config)
}

/// Returns the generated kinds (kind, plural, scope, type) and the skipped kinds with the reason.
fn found(config: &Config) -> Result<Vec<String>, informer_gen::Error> {
    let entries = config.list()?.into_iter();
    let entries = entries.filter(|entry| entry.origin != "built-in");
    let lines = entries.map(|entry| {
        let outcome = match entry.outcome {
            Outcome::Emitted { rust_type, .. } => rust_type,
            Outcome::Skipped { reason } => reason,
        };
        format!(
            "{}/{} {} {} {outcome}",
            entry.version,
            entry.kind,
            entry.resource.unwrap_or_default(),
            entry.scope.unwrap()
        )
    });
    Ok(lines.collect())
}

#[test]
fn attributes_are_read_as_kube_derive_does() {
    let text = r#"
        #[derive(Clone, kube::CustomResource)]
        #[kube(group = "example.com", version = "v1")]
        #[kube(kind = "Feet", singular = "foot", root = "FeetResource")]
        #[kube(status = "S", printcolumn(name = "a", json_path = ".b", type_ = "string"))]
        #[kube(shortname = "a", shortname = "b", validation = Rule::new("x"), crates(kube = "k"))]
        pub struct FeetSpec;

        #[derive(CustomResource)]
        #[kube(group = "example.com", version = "v1", kind = "Type", namespaced = true)]
        pub(crate) enum TypeSpec { A }

        #[derive(CustomResource)]
        #[kube(group = "example.com", version = "v2", kind = "Off", plural = "off", served = false)]
        pub struct OffSpec;

        #[derive(CustomResource, Informer)]
        #[kube(group = "example.com", version = "v2", kind = "Derived")]
        struct DerivedSpec;

        #[derive(CustomResource)]
        #[kube(group = "example.com", version = "v2", kind = "Handed", derive = "informer::Informer")]
        pub struct HandedSpec;

        pub struct Unrelated;
        fn inside() { #[derive(CustomResource)] struct Ignored; }
    "#;
    let (_directory, config) = source(&[("api.rs", text)]);
    assert_eq!(
        found(&config.visibility("pub(crate)")).unwrap(),
        [
            "v2/Derived deriveds cluster has `#[derive(Informer)]`",
            "v2/Handed handeds cluster has `#[derive(Informer)]`",
            "v2/Off off cluster not served",
            "v1/Feet foots cluster crate::api::FeetResource",
            "v1/Type types namespaced crate::api::Type",
        ]
    );
}

#[test]
fn modules_are_followed_as_rustc_does() {
    let kind = |kind: &str| FOO.replace("\"Foo\"", &format!("\"{kind}\""));
    let files = [
        (
            "api.rs",
            "mod beside; pub mod inside; mod inline { mod deep; }\n\
             #[path = \"else/where.rs\"] mod moved; mod r#type;"
                .to_owned(),
        ),
        ("api/beside.rs", kind("Beside") + "pub mod below;"),
        ("api/beside/below.rs", kind("Below")),
        ("api/inside/mod.rs", kind("Inside")),
        ("api/inline/deep.rs", kind("Deep")),
        ("else/where.rs", kind("Moved") + "mod sibling;"),
        ("else/sibling.rs", kind("Sibling")),
        ("api/type.rs", kind("Raw")),
    ];
    let files: Vec<_> = files.iter().map(|(path, text)| (*path, &**text)).collect();
    let (_directory, config) = source(&files);
    let found = found(&config).unwrap();
    let types: Vec<_> = found
        .iter()
        .map(|line| line.rsplit(' ').next().unwrap())
        .collect();
    assert_eq!(
        types,
        [
            "crate::api::beside::below::Below",
            "crate::api::beside::Beside",
            "crate::api::inline::deep::Deep",
            "crate::api::inside::Inside",
            "crate::api::moved::Moved",
            "crate::api::r#type::Raw",
            "crate::api::moved::sibling::Sibling",
        ]
    );
}

#[test]
fn every_file_that_was_read_is_an_input() {
    let files = [("api.rs", "mod a;"), ("api/a.rs", FOO)];
    let (directory, config) = source(&files);
    let outputs = config.out_dir(directory.path()).write().unwrap();
    let paths = ["api/a.rs", "api.rs"].map(|path| directory.path().join(path));
    assert_eq!(outputs.inputs, paths);
}

#[test]
fn conditions_follow_the_enabled_features() {
    let text = format!(
        "#[cfg(feature = \"a\")]\n{FOO}\n\
         #[cfg(all(not(feature = \"a\"), not(test)))]\npub mod other {{ {FOO} }}\n\
         #[cfg(any(unix, not(feature = \"c\")))]\npub mod always {{\n\
         #[cfg_attr(feature = \"a\", derive(CustomResource), kube(kind = \"X\"))]\n\
         #[cfg_attr(feature = \"a\", kube(group = \"example.com\", version = \"v2\"))]\n\
         pub struct XSpec; }}\n\
         #[cfg(unix)] fn unrelated() {{}}"
    );
    let (_directory, config) = source(&[("api.rs", &text)]);
    assert_eq!(
        found(&config).unwrap(),
        ["v1/Foo foos namespaced crate::api::other::Foo"]
    );
    assert_eq!(
        found(&config.feature("a")).unwrap(),
        [
            "v2/X xes cluster crate::api::always::X",
            "v1/Foo foos namespaced crate::api::Foo"
        ]
    );
}

/// A manifest finds its type in a source. `tests/awkward.rs` has those that do not match: the API
/// server would answer requests of one of them with 404.
#[test]
fn manifest_and_source_are_one_kind() {
    let manifest = definition("example.com", "Foo", "foos");
    let with_manifest = |manifest: &str, text: &str| {
        let (directory, config) = source(&[("api.rs", text), ("crd.yaml", manifest)]);
        let path = directory.path().join("crd.yaml").display().to_string();
        found(&config.crd_manifests(&path).types_in(""))
    };
    assert_eq!(
        with_manifest(&manifest, FOO).unwrap(),
        ["v1/Foo foos namespaced crate::api::Foo"]
    );
    let unserved = manifest.replace("- {name", "- {name: v2, served: true}\n  - {name");
    let unserved = unserved.replace("{name: v1, served: true}", "{name: v1, served: false}");
    let both = format!("{FOO}pub mod v2 {{ {} }}", FOO.replace("v1", "v2"));
    assert_eq!(
        with_manifest(&unserved, &both).unwrap(),
        [
            "v2/Foo foos namespaced crate::api::v2::Foo",
            "v1/Foo foos namespaced not served"
        ]
    );
}

/// Without a module path, a file is the root of the crate.
#[test]
fn a_file_without_a_module_is_the_root() {
    let text = FOO.replace("pub struct", "struct");
    let (directory, _) = source(&[("lib.rs", "mod api;"), ("api.rs", FOO), ("main.rs", &text)]);
    let at = |name: &str| directory.path().join(name).display().to_string();
    let config = || Config::new().visibility("pub(crate)");
    let root = |name: &str| found(&config().rust_source(&at(name), "")).unwrap();
    assert_eq!(root("lib.rs"), ["v1/Foo foos namespaced crate::api::Foo"]);
    assert_eq!(root("main.rs"), ["v1/Foo foos namespaced crate::Foo"]);
}
