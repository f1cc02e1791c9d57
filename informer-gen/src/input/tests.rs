//! Manifests as they occur in practice.

use std::fs;

use crate::{Config, Error, Outcome};

/// Writes files, and returns the result of `configure` for their folder.
pub(crate) fn check(
    files: &[(&str, &[u8])],
    configure: impl FnOnce(Config, &dyn Fn(&str) -> String) -> Config,
) -> Result<Vec<String>, String> {
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let place = format!("{}/", directory.path().display());
    let config = configure(Config::new(), &|name| format!("{place}{name}"));
    let entries = config
        .list()
        .map_err(|error: Error| error.to_string().replace(&place, ""))?;
    let kinds = entries
        .into_iter()
        .filter_map(|entry| match &entry.outcome {
            Outcome::Emitted { rust_type, .. } => Some(format!("{} of {rust_type}", entry.name())),
            Outcome::Skipped { .. } => None,
        });
    Ok(kinds.collect())
}

/// Returns the kinds in one file.
fn kinds(bytes: &[u8]) -> Result<Vec<String>, String> {
    check(&[("crd.yaml", bytes)], |config, place| {
        config.crd_manifests(&place("crd.yaml")).types_in("dynamic")
    })
}

/// Returns a definition of a namespaced kind in `v1`.
pub(crate) fn definition(group: &str, kind: &str, plural: &str) -> String {
    served(group, kind, plural, &["v1"])
}

/// Returns a definition of a namespaced kind with these served versions.
pub(crate) fn served(group: &str, kind: &str, plural: &str, versions: &[&str]) -> String {
    let versions = versions.iter();
    let versions = versions.map(|version| format!("  - {{name: {version}, served: true}}\n"));
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
         metadata: {{name: {plural}.{group}}}\nspec:\n  group: {group}\n  scope: Namespaced\n  \
         names: {{kind: {kind}, plural: {plural}}}\n  versions:\n{}",
        versions.collect::<String>()
    )
}

/// Returns a definition as one line of YAML.
fn foo(kind: &str) -> String {
    let plural = format!("{}s", kind.to_lowercase());
    format!(
        "{{\"apiVersion\": \"apiextensions.k8s.io/v1\", \"kind\": \"CustomResourceDefinition\", {}}}\n",
        body(kind, &plural)
    )
}

/// Returns a definition without `apiVersion` and `kind`, as in lists.
fn body(kind: &str, plural: &str) -> String {
    format!(
        "\"metadata\": {{\"name\": \"{plural}.example.com\"}}, \"spec\": {{\"group\": \"example.com\", \
         \"scope\": \"Namespaced\", \"names\": {{\"kind\": \"{kind}\", \"plural\": \"{plural}\"}}, \
         \"versions\": [{{\"name\": \"v1\", \"served\": true}}]}}"
    )
}

#[test]
fn a_quoted_description_may_go_on_at_the_indentation_of_its_key() {
    let text = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
  annotations:
    description: 'one line
    and another'
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Foo, plural: foos}
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema:
        description: \"one: line
        and another\"
";
    assert_eq!(
        kinds(text.as_bytes()).unwrap(),
        ["example.com/v1/Foo of DynamicObject"]
    );
    let wrong = text.replace("Namespaced", "Nowhere");
    assert_eq!(
        kinds(wrong.as_bytes()).unwrap_err(),
        "crd.yaml:10:10: `spec.scope` must be `Cluster` or `Namespaced`, found `Nowhere`"
    );
}

#[test]
fn several_json_documents_are_read() {
    let both = [
        "example.com/v1/Bar of DynamicObject",
        "example.com/v1/Foo of DynamicObject",
    ];
    let text = foo("Foo") + &foo("Bar");
    assert_eq!(kinds(text.as_bytes()).unwrap(), both);
    let pretty = text
        .replace(", \"spec", ",\n  \"spec")
        .replace("Bar", "2Bar");
    let message = kinds(pretty.as_bytes()).unwrap_err();
    assert!(
        message.starts_with("crd.yaml:4:77: `spec.names.kind` must be letters"),
        "{message}"
    );
}

#[test]
fn items_of_a_list_of_definitions_need_no_type() {
    let list = format!(
        "{{\"kind\": \"CustomResourceDefinitionList\", \"apiVersion\": \"apiextensions.k8s.io/v1\", \
         \"metadata\": {{}}, \"items\": [{{{}}}, {{{}}}]}}",
        body("Foo", "foos"),
        body("Bar", "bars")
    );
    assert_eq!(
        kinds(list.as_bytes()).unwrap(),
        [
            "example.com/v1/Bar of DynamicObject",
            "example.com/v1/Foo of DynamicObject"
        ]
    );
    let old = list.replace("k8s.io/v1", "k8s.io/v1beta1");
    assert!(
        kinds(old.as_bytes())
            .unwrap_err()
            .contains("`apiextensions.k8s.io/v1beta1` definitions are not supported")
    );
}

#[test]
fn utf_16_is_read() {
    let text = format!("\u{feff}{}", foo("Foo"));
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(
        kinds(&bytes).unwrap(),
        ["example.com/v1/Foo of DynamicObject"]
    );
    assert_eq!(
        kinds(&[0xff, 0xfe, 0]).unwrap_err(),
        "cannot read `crd.yaml`: has a byte order mark of UTF-16, but is not valid UTF-16; save it as UTF-8"
    );
}

#[test]
fn a_file_that_two_settings_match_is_rejected() {
    let (foo, bar) = (foo("Foo"), foo("Bar"));
    let files: &[(&str, &[u8])] = &[
        ("crds/foo.yaml", foo.as_bytes()),
        ("crds/bar.yaml", bar.as_bytes()),
    ];
    let expected = ".crd_manifests(..) / --crd: file `crds/foo.yaml` matches both `crds` and `crds/foo.yaml`, \
                    so two settings define its kinds; remove one of them, or declare the types of single kinds with .kind(..) / --kind";
    let refused = check(files, |config, place| {
        let config = config.crd_manifests(&place("crds")).types_in("dynamic");
        config
            .crd_manifests(&place("crds/foo.yaml"))
            .types_in("crate::api")
    });
    assert_eq!(refused.unwrap_err(), expected);
    let refused = check(files, |config, place| {
        let config = config.crd_manifests(&place("crds")).types_in("dynamic");
        config
            .crd_manifests(&place("crds/../crds/foo.yaml"))
            .types_in("dynamic")
    });
    assert!(refused.unwrap_err().contains("and `crds/../crds/foo.yaml`"));
    let same = check(files, |config, place| {
        let config = config.crd_manifests(&place("crds")).types_in("dynamic");
        config.crd_manifests(&place("crds")).types_in("dynamic")
    });
    assert_eq!(same.unwrap().len(), 2, "one setting, repeated");
    let modules = check(files, |config, place| {
        let config = config
            .crd_manifests(&place("crds/foo.yaml"))
            .types_in("dynamic");
        config
            .crd_manifests(&place("crds/foo.yaml"))
            .types_in("crate::api")
    });
    let message = modules.unwrap_err();
    let both = "both `crds/foo.yaml=dynamic` and `crds/foo.yaml=crate::api`";
    assert!(message.contains(both), "{message}");
}

#[test]
fn kinds_are_selected_excluded_or_untyped() {
    let all = [
        served("example.com", "Foo", "foos", &["v1", "v2"]),
        definition("example.com", "Bar", "bars"),
        definition("other.org", "Foo", "foos"),
        definition("other.org", "Baz", "bazs"),
    ]
    .join("---\n");
    let files: &[(&str, &[u8])] = &[("all.yaml", all.as_bytes())];
    let taken = |module: &str, configure: &dyn Fn(Config) -> Config| {
        check(files, |config, place| {
            configure(config.crd_manifests(&place("all.yaml")).types_in(module))
        })
    };
    assert_eq!(
        taken("crate::api", &|config| config
            .only(["Bar", "example.com/v2/Foo", "Baz"])
            .kind("Baz", "of = dynamic"))
        .unwrap(),
        [
            "example.com/v2/Foo of crate::api::Foo",
            "example.com/v1/Bar of crate::api::Bar",
            "other.org/v1/Baz of DynamicObject",
        ],
        "excluded kinds need no type"
    );
    assert_eq!(
        taken("dynamic", &|config| config
            .skip(["Foo"])
            .only(["Foo", "Baz"]))
        .unwrap(),
        ["other.org/v1/Baz of DynamicObject"]
    );
    assert_eq!(
        taken("dynamic", &|config| config
            .only(["Bars", "example.com/v3/Foo", "Baz"])
            .skip(["Bax"]))
        .unwrap_err(),
        "3 errors:\n\
         - .only(..) / --only: `Bars` is not a kind of the manifests and source, did you mean \
         `example.com/v1/Bar`?\n\
         - .only(..) / --only: `example.com/v3/Foo` is not a kind of the manifests and source, did you \
         mean `example.com/v1/Foo`?\n\
         - .skip(..) / --skip: `Bax` is not a kind of the manifests and source, did you mean `other.org/v1/Baz`?"
    );
}

#[test]
fn types_in_without_manifests_is_an_error_with_advice() {
    let error = Config::new().types_in("crate::api").list().unwrap_err();
    assert_eq!(
        error.to_string(),
        ".crd_manifests(..) / --crd: `` names no file; call `.types_in(..)` after the manifests that it applies to"
    );
}
