//! Collisions of names, and the settings that resolve them.

use std::fs;

use crate::Config;
use crate::input::tests::{check, definition};

/// Returns the error of these definitions, which have no types.
fn refused(files: &[(&str, &str)], configure: impl Fn(Config) -> Config) -> String {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .collect();
    check(&files, |config, place| {
        configure(config.crd_manifests(&place("*.yaml")).types_in("dynamic"))
    })
    .unwrap_err()
}

fn same(config: Config) -> Config {
    config
}

#[test]
fn errors_of_all_files_and_definitions_are_reported() {
    let bad_group = definition("example", "Foo", "foos");
    let bad_plural = definition("a.example.com", "Foo", "Foos");
    let two = format!(
        "{bad_plural}---\n{}",
        definition("b.example.com", "2Bar", "bars")
    );
    let message = refused(
        &[
            ("a.yaml", &bad_group),
            ("b.yaml", &two),
            ("c.yaml", "a: [\n"),
        ],
        same,
    );
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines.len(), 5, "{message}");
    assert_eq!(lines[0], "4 errors:");
    for (line, beginning) in lines[1..].iter().zip([
        "- a.yaml:5:10: `spec.group` must be",
        "- b.yaml:7:30: `spec.names.plural` must be",
        "- b.yaml:17:17: `spec.names.kind` must be",
        "- c.yaml:1:4: cannot be parsed as YAML",
    ]) {
        assert!(line.starts_with(beginning), "{line}");
    }
}

#[test]
fn mistakes_in_files_and_collisions_of_the_other_kinds_are_reported_together() {
    let all = [
        definition("crd.antrea.io", "Egress", "egresses"),
        definition("crd.projectcalico.org", "Pool", "pools"),
    ]
    .concat()
    .replace("apiVersion", "---\napiVersion");
    // The kind may be in the file that cannot be read, so this setting is no error yet.
    let configure = |config: Config| config.kind("Widget", r#"index = "spec.color""#);
    let message = refused(&[("a.yaml", "a: [\n"), ("b.yaml", &all)], configure);
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines[0], "2 errors:", "{message}");
    assert!(
        lines[1].starts_with("- a.yaml:1:4: cannot be parsed as YAML"),
        "{message}"
    );
    assert!(
        lines[2]
            .starts_with("- group `crd.antrea.io` and group `crd.projectcalico.org` both become"),
        "{message}"
    );
}

#[test]
fn all_collisions_of_groups_are_reported_with_settings_to_paste() {
    let all = [
        definition("gateway.networking.k8s.io", "Gateway", "gateways"),
        definition("gateway.networking.x-k8s.io", "Mesh", "meshes"),
        definition("crd.antrea.io", "Egress", "egresses"),
        definition("crd.projectcalico.org", "Pool", "pools"),
        definition("crd.antrea.com", "Tier", "tiers"),
        definition("client.example.com", "Client", "clients"),
    ]
    .concat()
    .replace("apiVersion", "---\napiVersion");
    assert_eq!(
        refused(&[("all.yaml", &all)], same),
        "3 errors:\n\
         - group `client.example.com` would get the accessor `factory.client()`, which is already a method of the \
         factory; name the group with\n    .group_name(\"client.example.com\", \"client_example\")\n\
         - group `crd.antrea.com`, group `crd.antrea.io` and group `crd.projectcalico.org` all become the \
         module `crd`; tell them apart with\n    .group_name(\"crd.antrea.com\", \"crd_antrea\")\n    \
         .group_name(\"crd.antrea.io\", \"crd_antrea_io\")\n    \
         .group_name(\"crd.projectcalico.org\", \"crd_projectcalico\")\n\
         - group `gateway.networking.k8s.io` and group `gateway.networking.x-k8s.io` both become the \
         module `gateway`; tell them apart with\n    \
         .group_name(\"gateway.networking.k8s.io\", \"gateway\")\n    \
         .group_name(\"gateway.networking.x-k8s.io\", \"gateway_x\")"
    );
    let named = check(&[("all.yaml", all.as_bytes())], |config, place| {
        config
            .crd_manifests(&place("*.yaml"))
            .types_in("dynamic")
            .group_name("client.example.com", "client_example")
            .group_name("crd.antrea.com", "crd_antrea")
            .group_name("crd.antrea.io", "crd_antrea_io")
            .group_name("crd.projectcalico.org", "crd_projectcalico")
            .group_name("gateway.networking.k8s.io", "gateway")
            .group_name("gateway.networking.x-k8s.io", "gateway_x")
    });
    assert_eq!(named.unwrap().len(), 6, "the proposed settings are valid");
}

#[test]
fn kinds_of_one_name_get_a_prefix_with_types_or_without() {
    let both = [
        definition("example.com", "Foo", "foos"),
        "---\n".to_owned(),
        definition("example.com", "foo", "littlefoos"),
    ];
    let files = [("all.yaml", both.concat())];
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    assert_eq!(
        refused(&files, same),
        "`example.com/v1/Foo` (all.yaml:7:17) and `example.com/v1/foo` (all.yaml:17:17) both become the type \
         `FooInformer`; tell them apart with\n    .kind(\"example.com/v1/foo\", r#\"prefix = \"Foo2\"\"#)"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.yaml");
    fs::write(&path, both.concat()).unwrap();
    let config = Config::new()
        .crd_manifests(path.to_str().unwrap())
        .types_in("dynamic")
        .kind("foo", r#"prefix = "LittleFoo""#);
    let text: String = config.render().unwrap().into_values().collect();
    for name in [
        "pub FooWrapper, FooInformer, FooLister",
        "pub LittleFooWrapper, LittleFooInformer, LittleFooLister",
    ] {
        assert!(text.contains(name), "{name} is missing");
    }
    assert_eq!(
        refused(&files, |config| config
            .kind("example.com/v1/foo", r#"prefix = "little-foo""#)),
        "2 errors:\n- .kind(..) / --kind: `example.com/v1/foo` (all.yaml:17:17), at `\"little-foo\"`: \
         `little-fooInformer` cannot name a Rust struct: write a name such as `Foo`\n- `example.com/v1/Foo` (all.yaml:7:17) and `example.com/v1/foo` (all.yaml:17:17) both become \
         the type `FooInformer`; tell them apart with\n    .kind(\"example.com/v1/foo\", r#\"prefix = \"Foo2\"\"#)"
    );
}

#[test]
fn accessors_that_collide_are_told_apart() {
    let both = [
        definition("example.com", "FooBar", "foobars"),
        "---\n".to_owned(),
        definition("example.com", "FooBarX", "foo-bars"),
    ];
    let both = both.concat();
    let message = refused(&[("all.yaml", &both)], same);
    let line = "\n    .kind(\"example.com/v1/FooBarX\", r#\"accessor = \"foo_bars_2\"\"#)";
    assert!(message.ends_with(line), "{message}");
    let named = check(&[("all.yaml", both.as_bytes())], |config, place| {
        config
            .crd_manifests(&place("*.yaml"))
            .types_in("dynamic")
            .kind("example.com/v1/FooBarX", r#"accessor = "foo_bars_2""#)
    });
    assert_eq!(named.unwrap().len(), 2);
}

#[test]
fn a_unique_kind_may_be_named_without_its_group() {
    let foo = definition("example.com", "Foo", "foos");
    let bars = "---\n".to_owned()
        + &crate::input::tests::served("example.com", "Bar", "bars", &["v1", "v2"]);
    let all = foo + &bars;
    let message = refused(&[("all.yaml", &all)], |config| {
        config
            .kind("Foo", r#"accessor = "all_foos""#)
            .kind("Bar", r#"accessor = "all_bars""#)
            .kind("Fo", r#"accessor = "few""#)
            .kind("foos", r#"prefix = "Foos""#)
    });
    assert_eq!(
        message,
        "3 errors:\n- .kind(..) / --kind: `Bar` is ambiguous, write one of: `example.com/v1/Bar`, \
         `example.com/v2/Bar`\n- .kind(..) / --kind: `Fo` is not among the kinds to generate, did you mean `example.com/v1/Foo`?\n\
         - .kind(..) / --kind: `foos` is not among the kinds to generate, did you mean `example.com/v1/Foo`?"
    );
}
