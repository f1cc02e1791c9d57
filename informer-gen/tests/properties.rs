//! Properties of arbitrary definitions: an error, or Rust that parses, has unique names, and is
//! deterministic. `fuzz.rs` covers malformed definitions.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the generator emits a few of Rust's items"
)]

use std::collections::BTreeSet;
use std::fs;

use informer_gen::{Config, FileChange, Outcome, Types};
use proptest::prelude::*;
use syn::Item;

/// Definition that the API server accepts.
#[derive(Clone, Debug)]
struct Definition {
    group: String,
    kind: String,
    plural: String,
    cluster: bool,
    versions: Vec<String>,
}

fn words(text: &'static str) -> impl Strategy<Value = String> {
    let words: Vec<&str> = text.split(' ').collect();
    prop::sample::select(words).prop_map(str::to_owned)
}

fn label() -> impl Strategy<Value = String> {
    let awkward =
        words("self type match core start interface crate gen super v1 for-resource result option");
    prop_oneof![
        2 => awkward,
        3 => "[a-z]([a-z0-9-]{0,8}[a-z0-9])?",
    ]
}

fn kind() -> impl Strategy<Value = String> {
    let awkward = words(
        "Self Type Interface PodInformer Pod PodLister Option Vec Some String Informer DNSEndpoint \
         foo Y SharedInformerFactory Super",
    );
    prop_oneof![
        1 => awkward,
        2 => "[A-Z][A-Za-z0-9]{0,8}",
        1 => "[A-Za-z]([A-Za-z0-9-]{0,6}[A-Za-z0-9])?",
    ]
}

fn definition() -> impl Strategy<Value = Definition> {
    let group = (label(), words("example.com k8s.io dev"));
    let group = group.prop_map(|(first, rest)| format!("{first}.{rest}"));
    let versions = prop::collection::btree_set("v[12]((alpha|beta)[12])?", 1..3);
    (group, kind(), label(), any::<bool>(), versions).prop_map(
        |(group, kind, plural, cluster, versions)| Definition {
            group,
            kind,
            plural,
            cluster,
            versions: versions.into_iter().collect(),
        },
    )
}

fn manifest(definition: &Definition) -> String {
    let Definition {
        group,
        kind,
        plural,
        cluster,
        versions,
    } = definition;
    let scope = if *cluster { "Cluster" } else { "Namespaced" };
    let versions: Vec<String> = versions
        .iter()
        .map(|version| format!("{{name: '{version}', served: true}}"))
        .collect();
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
         metadata: {{name: '{plural}.{group}'}}\nspec:\n  group: '{group}'\n  scope: {scope}\n  \
         names: {{kind: '{kind}', plural: '{plural}'}}\n  versions: [{}]\n",
        versions.join(", ")
    )
}

/// Asserts that every name is unique in its module or block.
fn assert_unique(items: &[Item]) -> Result<(), TestCaseError> {
    let mut types = BTreeSet::new();
    let mut values = BTreeSet::new();
    for item in items {
        let fresh = match item {
            Item::Mod(module) => {
                let content = module.content.as_ref();
                assert_unique(content.map_or(&[], |(_, items)| items))?;
                types.insert(module.ident.to_string())
            }
            Item::Struct(item) => types.insert(item.ident.to_string()),
            Item::Trait(item) => types.insert(item.ident.to_string()),
            Item::Fn(item) => values.insert(item.sig.ident.to_string()),
            Item::Impl(block) => {
                let names = block.items.iter().filter_map(|item| match item {
                    syn::ImplItem::Fn(method) => Some(method.sig.ident.to_string()),
                    _ => None,
                });
                let names: Vec<_> = names.collect();
                names.iter().collect::<BTreeSet<_>>().len() == names.len()
            }
            Item::Type(item) => types.insert(item.ident.to_string()),
            _ => true,
        };
        prop_assert!(fresh, "twice: {}", quote::ToTokens::to_token_stream(item));
    }
    Ok(())
}

proptest! {
    /// For arbitrary definitions, either an error explains the mistake, or the text is
    /// deterministic Rust with unique names and an informer for every version.
    #[test]
    fn any_definitions_give_rust_with_unique_names(
        definitions in prop::collection::vec(definition(), 1..5),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        let documents: Vec<String> = definitions.iter().map(manifest).collect();
        fs::write(path.join("crds.yaml"), documents.join("---\n")).unwrap();
        let crds = path.join("crds.yaml").display().to_string();
        let config = Config::new().crd_manifests(&crds, Types::Dynamic).out_dir(path.join("out"));
        let outputs = match config.write() {
            Ok(outputs) => outputs,
            Err(error) => {
                prop_assert!(!error.to_string().contains("is not valid Rust"), "{error}");
                prop_assert!(!path.join("out").exists(), "an error occurred, but files were written");
                return Ok(());
            }
        };
        let text = fs::read_to_string(path.join("out/informers.rs")).unwrap();
        assert_unique(&syn::parse_file(&text).unwrap().items)?;
        let emitted = config.list().unwrap().into_iter();
        let emitted = emitted.filter(|entry| matches!(entry.outcome, Outcome::Emitted { .. }));
        prop_assert!(emitted.count() >= 1);
        prop_assert_eq!(outputs.files.len(), 1);

        let again = config.write().unwrap();
        prop_assert!(again.files.values().all(|change| *change == FileChange::Unchanged));
        let reversed: Vec<_> = documents.iter().rev().cloned().collect();
        fs::write(path.join("crds.yaml"), reversed.join("---\n")).unwrap();
        let shuffled = config.render().unwrap().files.into_values().next().unwrap();
        prop_assert_eq!(shuffled, text, "the output depends on the order of definitions");
    }

    /// For an arbitrary index path, either an error explains the mistake, or the text is Rust.
    #[test]
    fn any_path_of_an_index_is_refused_or_gives_rust(
        path in prop_oneof![
            any::<String>(),
            "(spec|metadata|data|self|_a|r#type)(\\.[a-zA-Z_$]{1,5}|\\['[^']{0,4}'\\]|\\[\"[^\"]{0,4}\"\\]){0,3}",
        ],
        is_rust in any::<bool>(),
        named in any::<bool>(),
    ) {
        let path = if is_rust { path } else { format!("{path:?}") };
        let name = if named { ", name = \"by_it\"" } else { "" };
        let declaration = format!("index(path = {path}{name})");
        let config = Config::new().built_in("v1", "Pod").kind("v1/Pod", &declaration);
        match config.render() {
            Ok(rendered) => {
                let text: String = rendered.files.into_values().collect();
                prop_assert!(syn::parse_file(&text).is_ok(), "{path}");
                prop_assert!(text.contains("pub fn by_"), "{path}");
            }
            Err(error) => {
                prop_assert!(error.to_string().contains(".kind(..) / --kind: `v1/Pod`"), "{path}: {error}");
            }
        }
    }

    /// J-10. Each member has exactly one spelling in a path, so that no error leads in a circle.
    #[test]
    fn any_member_has_one_path(name in "[^'\"\\p{C}]{1,8}|[a-z.-]{1,4}", is_typed in any::<bool>()) {
        let schema = serde_json::json!({
            "type": "object", "properties": {"spec": {"type": "object", "properties": {&name: {"type": "string"}}}},
        });
        let version = serde_json::json!({"name": "v1", "served": true, "schema": {"openAPIV3Schema": schema}});
        let definition = serde_json::json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "foos.example.com"},
            "spec": {
                "group": "example.com", "scope": "Cluster", "names": {"kind": "Foo", "plural": "foos"},
                "versions": [version],
            },
        });
        let module = if is_typed { "types" } else { "dynamic" };
        let text = definition.to_string();
        let accepted = [format!("spec.{name}"), format!("spec['{name}']")].into_iter().filter(|path| {
            let declaration = format!("index(path = {path:?}, name = \"by_it\")");
            let config = Config::new().crd_text("crd", &text, module.into()).kind("Foo", &declaration);
            config.render().is_ok()
        });
        prop_assert_eq!(accepted.count(), 1, "{:?}", name);
    }
}
