//! `tests/golden/errors` has the declarations that are rejected.

use crate::Config;

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Foo, plural: foos}
  versions:
  - name: v1
    served: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      host: {type: string}, port: {type: integer, format: int32}, on: {type: boolean},
      mode: {type: string, enum: [a]}}}}}}
";

/// A key leads into every map, not only those of the metadata. rustc reports fields that are not
/// maps.
#[test]
fn keys_of_maps_work_as_in_the_derive() {
    let text = |index: &str| {
        let config = Config::new()
            .built_in("v1", "Service")
            .kind("v1/Service", index);
        let text = config.render().unwrap().into_values().next().unwrap();
        text.split_whitespace().collect::<String>()
    };
    for (index, method, name) in [
        (
            r#"index = "spec.selector['app']""#,
            "allby_app(",
            "\"spec.selector['app']\"",
        ),
        (
            r#"index = spec.selector["app.kubernetes.io/name"]"#,
            "allby_app_kubernetes_io_name(",
            "\"self.spec.selector['app.kubernetes.io/name']\"",
        ),
    ] {
        let text = text(index);
        assert!(text.contains(method), "{index:?}\n{text}");
        assert!(text.contains(name), "{index:?}\n{text}");
        assert!(text.contains("selector*[\"app"), "{text}");
    }
}

const CERTIFICATES: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: certificates.cert-manager.io}
spec:
  group: cert-manager.io
  scope: Namespaced
  names: {kind: Certificate, plural: certificates}
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              issuerRef: {type: object, properties: {name: {type: string}, kind: {type: string, enum: [A, B]}}}
              dnsNames: {type: array, items: {type: string}}
              secretTemplate: {type: object, properties: {labels: {type: object, additionalProperties: {type: string}}}}
              revisionHistoryLimit: {type: integer, format: int32}
              age: {type: integer}
              isCA: {type: boolean}
              port: {x-kubernetes-int-or-string: true}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              share: {type: number}
              conditions: {type: array, items: {type: object, properties: {type: {type: string}}}}
";

/// Returns the declaration of an index of the kind of `CERTIFICATES`, whose objects have no type.
fn over_certificates(index: &str) -> String {
    let config = Config::new().crd_text("crd.yaml", CERTIFICATES, "dynamic");
    let text: String = config
        .kind("Certificate", index)
        .render()
        .unwrap()
        .into_values()
        .collect();
    let entry = text
        .lines()
        .find(|line| line.trim_start().starts_with("all "));
    entry.unwrap_or_default().trim().to_owned()
}

/// The objects of a kind without a Rust type are JSON.
#[test]
fn a_json_path_leads_into_a_kind_with_a_schema() {
    for (path, expected) in [
        (
            "spec.issuerRef.name",
            "all by_name(&::core::primitive::str): ::std::string::String = json(\"spec.issuerRef.name\", \
             |object| ::informer::__private::json_values(object, &[\"spec\", \"issuerRef\", \"name\"]));",
        ),
        (
            "spec.secretTemplate.labels['a']",
            "all by_a(&::core::primitive::str): ::std::string::String = json(\"spec.secretTemplate.labels['a']\", \
             |object| ::informer::__private::json_values(object, &[\"spec\", \"secretTemplate\", \"labels\", \"a\"]));",
        ),
        (
            "spec.revisionHistoryLimit",
            "all by_revision_history_limit(i32): i32 = ",
        ),
        ("spec.age", "all by_age(i64): i64 = "),
        ("spec.isCA", "all by_is_ca(bool): bool = "),
        (
            "spec.dnsNames",
            "all by_dns_names(&::core::primitive::str): ::std::string::String = ",
        ),
        (
            "spec.issuerRef.kind",
            "all by_kind(&::core::primitive::str): ",
        ),
        (
            "spec.conditions.type",
            "all by_type(&::core::primitive::str): ",
        ),
        ("spec.port", "all by_port(&::core::primitive::str): "),
        ("spec.free.a.b", "all by_b(&::core::primitive::str): "),
    ] {
        let entry = over_certificates(&format!("index = {path:?}"));
        let entry = entry.replace(" =\n", " = ");
        assert!(
            entry.starts_with(expected) || expected.starts_with(&entry),
            "{path}: {entry}"
        );
    }
    let wide = over_certificates(r#"index(path = "spec.age", value = "u8")"#);
    assert!(wide.starts_with("all by_age(u8): u8"), "{wide}");
}

/// rustc would report the contradiction in generated code.
#[test]
fn a_value_that_contradicts_the_schema_is_an_error_in_every_mode() {
    let refused = |mode: &str, path: String, value: &str| {
        let index = format!("index(path = {path}, value = {value:?})");
        let config = Config::new().crd_text("foo.yaml", DEFINITION, mode);
        let error = config.kind("Foo", &index).render().err();
        error.map(|error| error.to_string())
    };
    for (path, value, written, other) in [
        ("host", "i64", Some("String"), true),
        ("host", "String", None, false),
        ("port", "bool", Some("i32"), true),
        ("port", "i64", Some("i32"), false),
        ("port", "i32", None, false),
        ("on", "String", Some("bool"), true),
        ("on", "bool", None, false),
        ("mode", "u8", Some("foo::FooMode"), true),
        ("mode", "String", Some("foo::FooMode"), false),
    ] {
        let path = format!("spec.{path}");
        let error = refused("types", format!("{path:?}"), value);
        let expected = written.map(|actual| {
            format!(
                ".kind(..) / --kind: `example.com/v1/Foo` (foo.yaml:7:17), at `{value:?}`: the path has \
                 values of type `{actual}`, not `{value}`: remove `value`"
            )
        });
        assert_eq!(error, expected);
        for (mode, spelt) in [
            ("dynamic", format!("{path:?}")),
            ("crate::api", path.clone()),
            ("types", path.clone()),
        ] {
            let error = refused(mode, spelt, value);
            assert_eq!(error.is_some(), other, "{mode} {path} {value} {error:?}");
        }
    }
}
