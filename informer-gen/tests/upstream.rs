//! Defects of Go's `informer-gen` and `lister-gen` that this generator does not have.
//!
//! `tests/compile.rs` also covers G1 and G2, and `tests/vendors/src/real.rs` covers G13 with the real
//! runtime.

#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

#[path = "support/crd.rs"]
mod crd;

use std::fs;
use std::path::Path;

use crd::{definition, served};
use informer_gen::{BuiltIns, Config, Entry, Outcome};

fn all() -> Vec<Entry> {
    Config::new().built_ins(BuiltIns::All).list().unwrap()
}

/// Returns the generated text of definitions, or the error with file names for positions.
fn generated(
    files: &[(&str, String)],
    configure: impl FnOnce(Config) -> Config,
) -> Result<String, String> {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let place = format!("{}/", directory.path().display());
    let config = Config::new()
        .crd_manifests(&format!("{place}**/*.yaml"))
        .types_in("crate::api");
    match configure(config).render() {
        Ok(files) => Ok(files.into_values().collect()),
        Err(error) => Err(error.to_string().replace(&place, "")),
    }
}

/// G1: the name of the resource is the API's plural, not the kind with an `s`.
#[test]
fn g1_the_plural_is_the_apis() {
    let entries = all();
    let plural = |kind: &str| {
        let entry = entries.iter().find(|entry| entry.kind == kind).unwrap();
        entry.resource.clone().unwrap()
    };
    for (kind, expected) in [
        ("Ingress", "ingresses"),
        ("NetworkPolicy", "networkpolicies"),
        ("Endpoints", "endpoints"),
        ("PriorityClass", "priorityclasses"),
        ("CSIStorageCapacity", "csistoragecapacities"),
    ] {
        assert_eq!(plural(kind), expected);
    }
    let text = generated(
        &[(
            "a.yaml",
            definition("chaos-mesh.org", "NetworkChaos", "networkchaos"),
        )],
        |config| config,
    )
    .unwrap();
    assert!(text.contains("\"networkchaos\", NetworkChaosInformer::new"));
    assert!(!text.contains("networkchaoses"));
}

/// G2: a kind that cannot be watched has no informer, and selecting it is an error with the reason.
#[test]
fn g2_component_status_has_no_informer() {
    let entries = all();
    let status = entries
        .iter()
        .find(|entry| entry.kind == "ComponentStatus")
        .unwrap();
    assert!(matches!(status.outcome, Outcome::Skipped { .. }));
    let error = Config::new()
        .built_in("v1", "ComponentStatus")
        .render()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "built-in kind `v1/ComponentStatus` is not watchable: its verbs are [get, list]"
    );
}

/// G3: a kind without an informer has no lister, which would stay empty.
#[test]
fn g3_every_lister_has_an_informer() {
    let files = Config::new().built_ins(BuiltIns::All).render().unwrap();
    let text: String = files.into_values().collect();
    let structs = |suffix: &str| {
        let lines = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("pub "));
        let names = lines.filter_map(|line| match line.strip_prefix("type ") {
            Some(alias) => alias.split_once("<S"),
            None => line.split_once(": ::k8s_openapi"),
        });
        let names = names.flat_map(|(names, _)| names.split(", "));
        let stems = names.filter_map(|name| name.strip_suffix(suffix));
        stems.map(str::to_owned).collect::<Vec<_>>()
    };
    let (informers, listers) = (structs("Informer"), structs("Lister"));
    assert!(informers.len() > 80);
    assert_eq!(informers, listers);
    assert!(!informers.iter().any(|stem| stem == "ImageReview"));
}

/// G4: two groups with the same first label are an error that names both and the setting to use.
#[test]
fn g4_groups_with_one_first_label_are_rejected_before_rustc_runs() {
    let files = [
        (
            "a.yaml",
            definition(
                "snapshot.storage.k8s.io",
                "VolumeSnapshot",
                "volumesnapshots",
            ),
        ),
        (
            "b.yaml",
            definition("snapshot.example.com", "Schedule", "schedules"),
        ),
    ];
    assert_eq!(
        generated(&files, |config| config).unwrap_err(),
        "group `snapshot.example.com` and group `snapshot.storage.k8s.io` both become the module \
         `snapshot`; tell them apart with\n    \
         .group_name(\"snapshot.example.com\", \"snapshot_example\")\n    \
         .group_name(\"snapshot.storage.k8s.io\", \"snapshot\")"
    );
    let text = generated(&files, |config| {
        config.group_name("snapshot.example.com", "schedules")
    });
    assert!(
        text.unwrap()
            .contains("fn schedules(&self) -> schedules::Interface<'_, Self>")
    );
}

/// G5: a group has one name for all its versions, in whatever files they are defined.
#[test]
fn g5_the_name_of_a_group_holds_for_all_its_versions() {
    let two = served("example.com", "Foo", "foos", &["v1", "v2"]);
    let files = [
        ("a.yaml", two),
        ("b.yaml", definition("example.com", "Bar", "bars")),
    ];
    let text = generated(&files, |config| {
        config
            .group_name("example.com", "mine")
            .kind("example.com/v2/Foo", "of = crate::api::FooV2")
    })
    .unwrap();
    assert_eq!(text.matches("pub mod mine {").count(), 1);
    assert_eq!(text.matches("pub mod example").count(), 0);
}

/// G6: the names of groups distinguish them, not their folders.
#[test]
fn g6_folders_do_not_matter() {
    let files = [
        (
            "a/foo/v1.yaml",
            definition("foo.example.com", "Foo", "foos"),
        ),
        (
            "b/foo/v1.yaml",
            definition("bar.example.com", "Foo", "foos"),
        ),
    ];
    let text = generated(&files, |config| {
        config.kind("bar.example.com/v1/Foo", "of = crate::bar::Foo")
    })
    .unwrap();
    assert!(text.contains("pub mod foo {") && text.contains("pub mod bar {"));
}

/// G7: a hyphen in a group is an underscore in Rust.
#[test]
fn g7_groups_with_hyphens_are_modules() {
    let files = [(
        "a.yaml",
        definition("cert-manager.io", "Certificate", "certificates"),
    )];
    let text = generated(&files, |config| config).unwrap();
    assert!(text.contains("fn cert_manager(&self) -> cert_manager::Interface<'_, Self>"));
}

/// G8: a kind may have the name of a generated item. Only real collisions are rejected.
/// `tests/vendors/src/real.rs` has such kinds.
#[test]
fn g8_kinds_may_have_the_names_of_generated_items() {
    let group = "names.example.com";
    let alone = [
        "Interface",
        "Informer",
        "Lister",
        "SharedInformerFactoryExt",
        "Event",
    ];
    for kind in alone {
        let plural = format!("{}s", kind.to_ascii_lowercase());
        let files = [("a.yaml", definition(group, kind, &plural))];
        assert_eq!(generated(&files, |config| config).err(), None, "{kind}");
    }
    let files = [
        ("a.yaml", definition(group, "Foo", "foos")),
        ("b.yaml", definition(group, "Bar", "bars")),
    ];
    let same_name = |config: Config| config.kind("names.example.com/v1/Bar", "of = crate::b::Foo");
    let error = generated(&files, same_name).unwrap_err();
    assert_eq!(
        error,
        "`names.example.com/v1/Bar` (b.yaml:7:17) and `names.example.com/v1/Foo` (a.yaml:7:17) \
         both become the type `FooInformer`; tell them apart with\n    \
         .kind(\"names.example.com/v1/Foo\", r#\"prefix = \"Foo2\"\"#)"
    );
}

/// G9: an input without kinds is an error.
#[test]
fn g9_an_input_without_kinds_is_an_error() {
    assert!(Config::new().render().is_err());
    let nothing = [("a.yaml", "kind: ConfigMap\napiVersion: v1\n".to_owned())];
    let error = generated(&nothing, |config| config).unwrap_err();
    assert!(error.contains("has no CustomResourceDefinition"), "{error}");
    assert!(
        Config::new()
            .crd_manifests("no/such/*.yaml")
            .types_in("")
            .render()
            .is_err()
    );
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/main.rs");
    let here = here.display().to_string();
    assert!(Config::new().rust_source(&here, "crate").render().is_err());
}

/// G10: informer, lister, accessor and name share one plural.
#[test]
fn g10_there_is_one_plural() {
    let files = [("a.yaml", definition("example.com", "Bus", "buses"))];
    let text = generated(&files, |config| config).unwrap();
    for expected in [
        "fn buses(&self) -> BusInformer",
        "Resource: `buses`",
        "\"buses\", BusInformer::new",
    ] {
        assert!(text.contains(expected), "{expected}");
    }
    for wrong in ["buss", "busses", "buseses"] {
        assert!(!text.contains(wrong), "{wrong}");
    }
}

/// G11, G12: `tests/compile.rs` compiles every generated line under `deny(warnings)`, so dead code
/// fails. The generated documentation has no example that is not compiled.
#[test]
fn g11_g12_generated_documentation_has_no_code_that_nobody_compiles() {
    let files = Config::new().built_ins(BuiltIns::All).render().unwrap();
    for (path, text) in files {
        assert!(!text.contains("```"), "{}", path.display());
    }
}

/// G13: an accessor delegates to the factory, which distinguishes informers by more than their
/// type.
#[test]
fn g13_accessors_leave_it_to_the_factory_what_an_informer_is() {
    let files = Config::new().built_in("v1", "Pod").render().unwrap();
    let text: String = files.into_values().collect();
    assert!(text.contains("PodInformer::new(self.0)"));
    assert!(!text.contains("TypeId"));
}
