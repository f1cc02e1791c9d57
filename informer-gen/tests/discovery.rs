//! Kinds that discovery documents add.

#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

use std::fs;

use informer_gen::{Config, Outcome};
use serde_json::{Value, json};

/// Returns a group and version in the API server's form. A resource is a kind, a plural, a scope
/// and verbs.
fn resources(group_version: &str, resources: &[(&str, &str, bool, &[&str])]) -> Value {
    let resources: Vec<Value> = resources
        .iter()
        .map(|(kind, plural, namespaced, verbs)| {
            json!({"name": plural, "kind": kind, "namespaced": namespaced, "verbs": verbs})
        })
        .collect();
    json!({"kind": "APIResourceList", "groupVersion": group_version, "resources": resources})
}

const ALL: &[&str] = &["get", "list", "watch"];

/// Returns the result of `discovery_kinds` with the types in `module`.
fn check(
    documents: &[Value],
    module: &str,
    configure: impl FnOnce(Config) -> Config,
) -> Result<Vec<String>, String> {
    let directory = tempfile::tempdir().unwrap();
    for (number, document) in documents.iter().enumerate() {
        let name = format!("{number}.json");
        fs::write(directory.path().join(name), document.to_string()).unwrap();
    }
    let place = format!("{}/", directory.path().display());
    let config = Config::new().discovery_kinds(&format!("{place}*.json"), module);
    let entries = configure(config).list();
    let entries = entries.map_err(|error| error.to_string().replace(&place, ""))?;
    let shown = entries.into_iter().filter_map(|entry| {
        let kind = format!("{}/{}/{}", entry.group, entry.version, entry.kind);
        let outcome = match entry.outcome {
            Outcome::Emitted {
                rust_type,
                accessor,
                ..
            } => format!("{accessor} of {rust_type}"),
            // Skips the rest of the table.
            Outcome::Skipped { .. } if entry.origin == "built-in" => return None,
            Outcome::Skipped { reason } => reason,
        };
        let kind = kind.trim_start_matches('/').to_owned();
        Some(format!(
            "{kind} ({}): {outcome}",
            entry.origin.replace(&place, "")
        ))
    });
    Ok(shown.collect())
}

fn same(config: Config) -> Config {
    config
}

fn widgets() -> Value {
    resources(
        "example.com/v1",
        &[
            ("Widget", "widgets", false, ALL),
            ("Gadget", "gadgets", true, ALL),
            ("Widget", "widgets/status", false, &["get", "patch"]),
            ("Review", "reviews", false, &["create"]),
        ],
    )
}

#[test]
fn kinds_that_can_be_watched_are_generated_and_others_are_listed() {
    assert_eq!(
        check(&[widgets()], "crate::api", same).unwrap(),
        [
            "example.com/v1/Gadget (0.json:1:157): factory.example().v1().gadgets() of \
             crate::api::Gadget",
            "example.com/v1/Review (0.json:1:326): cannot be listed and watched: its verbs are \
             [create]",
            "example.com/v1/Widget (0.json:1:72): factory.example().v1().widgets() of \
             crate::api::Widget",
        ]
    );
    let dynamic = check(&[widgets()], "dynamic", same).unwrap();
    assert!(
        dynamic[0].ends_with("gadgets() of DynamicObject"),
        "{dynamic:?}"
    );
}

/// As with a manifest, the error says how to map a type, or how to generate without one.
#[test]
fn a_kind_without_a_type_is_an_error_with_advice() {
    assert_eq!(
        check(&[widgets()], "", same).unwrap_err(),
        "0.json:1:72: no Rust type for `example.com/v1/Widget`, `example.com/v1/Gadget`: map it \
         with .crd_type(..) / --crd-type, give .discovery_kinds(..) / --discovery-kinds a module, \
         or `dynamic` for untyped objects; .crd_manifests(..) / --crd generates a type from a \
         manifest"
    );
    let mapped = check(&[widgets()], "", |config| {
        config
            .crd_type("example.com/v1/Widget", "dynamic")
            .crd_type("example.com/v1/Gadget", "crate::MyGadget")
    });
    assert!(mapped.unwrap()[0].ends_with("gadgets() of crate::MyGadget"));
}

/// Built-in kinds need no mapping of types, including alpha stages.
#[test]
fn built_in_kinds_have_their_own_types() {
    let documents = [
        resources(
            "v1",
            &[
                ("Pod", "pods", true, ALL),
                (
                    "ComponentStatus",
                    "componentstatuses",
                    false,
                    &["get", "list"],
                ),
                ("Binding", "bindings", true, &["create"]),
            ],
        ),
        resources(
            "coordination.k8s.io/v1alpha2",
            &[("LeaseCandidate", "leasecandidates", true, ALL)],
        ),
    ];
    assert_eq!(
        check(&documents, "", same).unwrap(),
        [
            "v1/Pod (built-in): factory.core().v1().pods() of ::k8s_openapi::api::core::v1::Pod",
            "coordination.k8s.io/v1alpha2/LeaseCandidate (built-in): \
             factory.coordination().v1alpha2().lease_candidates() of \
             ::k8s_openapi::api::coordination::v1alpha2::LeaseCandidate",
        ]
    );
}

#[test]
fn groups_can_be_chosen_and_must_be_there() {
    let documents = || [widgets(), resources("v1", &[("Pod", "pods", true, ALL)])];
    let only = |group: &'static str| move |config: Config| config.discovery_group(group);
    assert_eq!(
        check(&documents(), "dynamic", only("core")).unwrap().len(),
        1
    );
    assert_eq!(
        check(&documents(), "dynamic", only("example.com"))
            .unwrap()
            .len(),
        3
    );
    assert_eq!(
        check(&documents(), "dynamic", |config| only("exmaple.com")(
            config.discovery_group("core")
        ))
        .unwrap_err(),
        ".discovery_group(..) / --discovery-group: `exmaple.com` is not a group of the \
         discovered kinds"
    );
    let nothing = check(&documents(), "dynamic", only("exmaple.com")).unwrap_err();
    assert!(
        nothing.ends_with(
            "/ --discovery-kinds: `*.json` has no kind that can be listed and watched in the \
             groups `exmaple.com`"
        ),
        "{nothing}"
    );
}

/// Each version needs its own type, as with manifests.
#[test]
fn two_versions_need_two_types() {
    let documents = ["example.com/v1", "example.com/v2"]
        .map(|version| resources(version, &[("Foo", "foos", true, ALL)]));
    let error = check(&documents, "crate::api", same).unwrap_err();
    assert!(
        error.contains("no Rust type for `example.com/v1/Foo`, `example.com/v2/Foo`"),
        "{error}"
    );
    assert!(
        error.ends_with(", because each served version needs its own type"),
        "{error}"
    );
    let result = check(&documents, "crate::api", |config| {
        config.crd_type("example.com/v2/Foo", "crate::api::FooV2")
    });
    assert_eq!(result.unwrap().len(), 2);
}

/// A kind of another input is compared, and generated once.
#[test]
fn a_kind_of_another_input_is_not_generated_twice() {
    let manifest = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster",
            "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{"name": "v1", "served": true}],
        },
    });
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("crd.json");
    fs::write(&path, manifest.to_string()).unwrap();
    let path = path.display().to_string();
    let found = check(&[widgets()], "dynamic", |config| {
        config.crd_manifests(&path).types_in("crate::api")
    });
    let found = found.unwrap();
    assert_eq!(found.len(), 3);
    assert!(
        found[2].ends_with("widgets() of crate::api::Widget"),
        "{found:?}"
    );

    let repeated = check(&[widgets(), widgets()], "dynamic", same);
    assert_eq!(repeated.unwrap().len(), 3);
    let other = resources("example.com/v1", &[("Widget", "widgetses", false, ALL)]);
    assert_eq!(
        check(&[widgets(), other], "dynamic", same).unwrap_err(),
        "the plural of `example.com/v1/Widget` is `widgets` (0.json:1:72), but `widgetses` \
         (1.json:1:72)"
    );
}

/// Names are checked before they become Rust names.
#[test]
fn names_are_those_of_the_api() {
    for (kind, plural, expected) in [
        (
            "Foo Bar",
            "foos",
            "`kind` must be letters, digits and `-`, and begin with a letter",
        ),
        (
            "Foo",
            "foo.s",
            "`resource` must be lower-case letters, digits and `-`",
        ),
        ("\u{c9}p\u{e9}e", "epees", "`kind` must be letters"),
        ("", "foos", "`kind` must be letters"),
    ] {
        let document = resources("example.com/v1", &[(kind, plural, true, ALL)]);
        let error = check(&[document], "dynamic", same).unwrap_err();
        assert!(error.contains(expected), "{error}");
        assert!(error.starts_with("0.json:1:72: "), "{error}");
    }
    let document = resources("example.com/1", &[("Foo", "foos", true, ALL)]);
    let error = check(&[document], "dynamic", same).unwrap_err();
    assert!(error.contains("`version` must be"), "{error}");
}
