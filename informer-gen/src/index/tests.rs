use std::str::FromStr;

use super::*;
use crate::Config;

/// `informer-codegen` tests the grammar.
#[test]
fn malformed_paths_are_rejected_with_advice() {
    assert_eq!(
        refused("spec..x"),
        "`spec..x` is not a path; a segment of `spec..x` is empty: write one name between two dots"
    );
    assert_eq!(
        refused(Index::rust_path("spec.")),
        "`spec.` is not a path; the path ends before the name of a field: write one such as \
         `spec.deployment_name`"
    );
}

/// A key leads into every map, not only those of the metadata. rustc reports fields that are not
/// maps.
#[test]
fn keys_of_maps_work_as_in_the_derive() {
    let text = |index: Index| {
        let config = Config::new()
            .built_in("v1", "Service")
            .index("v1/Service", index);
        let text = config.render().unwrap().into_values().next().unwrap();
        text.split_whitespace().collect::<String>()
    };
    for (index, method, name) in [
        (
            Index::path("spec.selector['app']"),
            "allby_app(",
            "\"spec.selector['app']\"",
        ),
        (
            Index::rust_path("spec.selector[\"app.kubernetes.io/name\"]"),
            "allby_app_kubernetes_io_name(",
            "\"self.spec.selector['app.kubernetes.io/name']\"",
        ),
    ] {
        let text = text(index.clone());
        assert!(text.contains(method), "{index:?}\n{text}");
        assert!(text.contains(name), "{index:?}\n{text}");
        assert!(text.contains("selector*[\"app"), "{text}");
    }
}

/// The command line supports every setting of the builder.
#[test]
fn the_command_line_supports_all_indices_of_the_builder() {
    for (text, index) in [
        ("spec.nodeName", Index::path("spec.nodeName")),
        ("path=owner", Index::path("owner")),
        (
            "rust-path=spec.node_name,unique",
            Index::rust_path("spec.node_name").unique(),
        ),
        (
            "metadata.labels['app'],unique",
            Index::path("metadata.labels['app']").unique(),
        ),
        ("label=app,name=by_x", Index::label("app").named("by_x")),
        ("annotation=a/b", Index::annotation("a/b")),
        ("owner", Index::owner()),
        (
            "owner=apps/v1/ReplicaSet",
            Index::owner_of("apps/v1/ReplicaSet"),
        ),
        (
            "with=crate::ports, name=by_port, value=u16",
            Index::with("crate::ports").named("by_port").value("u16"),
        ),
    ] {
        assert_eq!(Index::from_str(text).as_ref(), Ok(&index), "{text}");
    }
    assert_eq!(
        Index::from_str("spec.x,uniqe").unwrap_err(),
        "after its source, an index takes `unique`, `name=..` and `value=..`, found `uniqe`"
    );
}

/// Returns the error of an invalid index of Pods.
fn refused(index: impl Into<Index>) -> String {
    let config = Config::new().built_in("v1", "Pod").index("v1/Pod", index);
    let error = config.render().unwrap_err().to_string();
    error.replace(".index(..) / --index: ", "")
}

#[test]
fn invalid_settings_are_rejected() {
    for (index, expected) in [
        (
            Index::owner().unique(),
            "`unique` does not apply to an index by owner: an owner may own many objects, and \
             the index value is the owner's key or UID",
        ),
        (
            Index::owner().value("u16"),
            "`value` does not apply to an index by owner: an owner may own many objects, and the \
             index value is the owner's key or UID",
        ),
        (
            Index::owner_of("Deployment"),
            "`Deployment` is neither a kind such as `apps/v1/Deployment` nor a path of a Rust type",
        ),
        (
            Index::owner_of("v1/Deployment"),
            "`v1/Deployment` is not among the kinds to generate, did you mean `apps/v1/Deployment`?",
        ),
        (
            Index::owner_of("scheduling.k8s.io/v1/PodGroup"),
            "`scheduling.k8s.io/v1/PodGroup` is not among the kinds to generate, did you mean \
             `scheduling.k8s.io/v1alpha2/PodGroup`?",
        ),
        (
            Index::owner_of("scheduling.k8s.io/v1beta1/Workload"),
            "`scheduling.k8s.io/v1beta1/Workload` exists in Kubernetes 1.37 only, but \
             `v1/Pod` exists in other versions too",
        ),
        (
            Index::with("crate::hosts"),
            "`crate::hosts` is a function, so the index needs a name: \
             `Index::with(..).named(..)`, `with=..,name=..`",
        ),
        (
            Index::path("spec.nodeName").named("list"),
            "`list` is already a method of every lister; give the index another name",
        ),
        (
            Index::path("spec.index"),
            "`by_index` is already a method of every lister; give the index another name",
        ),
        (
            Index::label("a b"),
            "`a b` is not the key of a label, such as `app` or `example.com/team`",
        ),
        (
            Index::path("spec.nodeSelector['\u{1f4a5}']"),
            "`\u{1f4a5}` does not form the name of a method; name the index",
        ),
        (
            Index::path("spec.nodeSelector['--']"),
            "`--` does not form the name of a method; name the index",
        ),
        (
            Index::path("metadata.labels['a b']"),
            "`a b` is not the key of a label, such as `app` or `example.com/team`",
        ),
        (
            Index::path("spec.nodeName").named("a-b"),
            "`a-b` is not a Rust identifier",
        ),
    ] {
        assert_eq!(refused(index), expected);
    }
}

/// Two indices with the same accessor need names, unless they are equal.
#[test]
fn two_indices_of_one_name_are_told_apart_by_a_name() {
    let two = || {
        Config::new()
            .built_in("v1", "Pod")
            .index("v1/Pod", Index::label("app"))
            .index("v1/Pod", Index::annotation("app"))
    };
    assert_eq!(
        two().render().unwrap_err().to_string(),
        "index `metadata.annotations['app']` of `v1/Pod` (built-in) and index \
         `metadata.labels['app']` of `v1/Pod` (built-in) both become the accessor `by_app`; \
         name one of them with Index::named(..) / name=.."
    );
    let repeated = Config::new()
        .built_in("v1", "Pod")
        .index("v1/Pod", "metadata.labels['app']")
        .index("core/v1/Pod", Index::label("app"));
    assert!(repeated.render().is_ok(), "a repeated index counts once");
}

/// Returns the error of an index of a kind with a user's type, if any.
fn of_own_type(index: impl Into<Index>) -> Option<String> {
    let manifest = r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"}, "spec": {"group": "example.com",
        "scope": "Namespaced", "names": {"kind": "Foo", "plural": "foos"},
        "versions": [{"name": "v1", "served": true}]}}"#;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("foo.json");
    std::fs::write(&file, manifest).unwrap();
    let config = Config::new()
        .crd_manifests(&file.display().to_string())
        .types_in("crate::api")
        .index("example.com/v1/Foo", index);
    let error = config.render().err()?.to_string();
    Some(error.replace(".index(..) / --index: ", ""))
}

/// serde may rename fields: `spec.interval` may be `every` in JSON, next to another field
/// `interval`.
#[test]
fn a_json_path_cannot_lead_into_a_type_with_unknown_attributes() {
    assert_eq!(
        of_own_type("spec.template.hostIPs").as_deref(),
        Some(
            "`spec.template.hostIPs` is in JSON spelling, but serde's names for the fields of \
             `crate::api::Foo` are unknown; use the names of the Rust fields, as in \
             `Index::rust_path(\"spec.template.host_ips\")`, \
             `{ rust-path = \"spec.template.host_ips\" }`, `rust-path=spec.template.host_ips`"
        )
    );
    assert!(
        of_own_type("spec.hostIPs['a']")
            .unwrap()
            .ends_with("`rust-path=spec.host_ips['a']`")
    );
    for known in [
        Index::rust_path("spec.template.host_ips"),
        Index::rust_path("spec.parameters['tier'].value"),
        Index::path("metadata.labels['app']"),
        Index::path("metadata.ownerReferences.apiVersion"),
        Index::rust_path("metadata.owner_references.api_version"),
    ] {
        assert_eq!(of_own_type(known.clone()), None, "{known:?}");
    }
}

/// `informer-codegen` tests the known fields of the metadata.
#[test]
fn the_metadata_has_known_fields() {
    for (index, expected) in [
        (
            Index::path("metadata.owner_references.uid"),
            "`metadata.owner_references.uid` cannot be resolved; `metadata` has no field \
             `owner_references`: did you mean `metadata.ownerReferences`?",
        ),
        (
            Index::rust_path("metadata.owner_references.apiVersion"),
            "`metadata.owner_references.apiVersion` cannot be resolved; `metadata.ownerReferences` has \
             no field `apiVersion`: did you mean `metadata.ownerReferences.api_version`?",
        ),
        (
            Index::path("metadata.labels.team"),
            "`metadata.labels.team` cannot be resolved; a path leads to one entry of the labels: write \
             `metadata.labels['team']`",
        ),
        (
            Index::path("metadata.name.first"),
            "`metadata.name.first` cannot be resolved; `metadata.name` has no fields: the path \
             ends there",
        ),
    ] {
        assert_eq!(refused(index), expected);
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

/// Returns the declaration of an index of the kind of `CERTIFICATES`, or its error.
fn over_certificates(module: &str, index: impl Into<Index>) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("crd.yaml");
    std::fs::write(&file, CERTIFICATES).unwrap();
    let place = format!("{}/", folder.path().display());
    let config = Config::new()
        .crd_manifests(&format!("{place}crd.yaml"))
        .types_in(module);
    let rendered = config.index("Certificate", index).render();
    let text: String = rendered
        .map_err(|error| {
            let text = error.to_string().replace(&place, "");
            text.replace(".index(..) / --index: ", "")
        })?
        .into_values()
        .collect();
    let entry = text
        .lines()
        .find(|line| line.trim_start().starts_with("all "));
    Ok(entry.unwrap_or_default().trim().to_owned())
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
        let entry = over_certificates("dynamic", path).unwrap();
        let entry = entry.replace(" =\n", " = ");
        assert!(
            entry.starts_with(expected) || expected.starts_with(&entry),
            "{path}: {entry}"
        );
    }
    let wide = over_certificates("dynamic", Index::path("spec.age").value("u8")).unwrap();
    assert!(wide.starts_with("all by_age(u8): u8"), "{wide}");
}

/// A wrong path yields one error, with the position and advice.
#[test]
fn paths_without_a_value_in_the_schema_are_rejected() {
    let kind = "`cert-manager.io/v1/Certificate` (crd.yaml:7:17)";
    for (index, expected) in [
        (
            Index::path("spec.issuerRef"),
            format!(
                "`spec.issuerRef` of {kind}: is an object; extend the path to one of its fields: `kind`, `name`"
            ),
        ),
        (
            Index::path("spec.issueRef.name"),
            format!(
                "`spec.issueRef.name` of {kind}: `spec` has no field `issueRef`, did you mean `issuerRef`?"
            ),
        ),
        (
            Index::path("spec.issuerRef.x"),
            format!(
                "`spec.issuerRef.x` of {kind}: `spec.issuerRef` has no field `x`; it has `kind`, `name`"
            ),
        ),
        (
            Index::path("status.x"),
            format!("`status.x` of {kind}: the schema has no field `status`; it has `spec`"),
        ),
        (
            Index::path("spec.age.x"),
            format!("`spec.age.x` of {kind}: `spec.age` has no fields in the schema"),
        ),
        (
            Index::path("spec.secretTemplate.labels"),
            format!(
                "`spec.secretTemplate.labels` of {kind}: is a map; write \
                 `spec.secretTemplate.labels['key']` for the value of a key"
            ),
        ),
        (
            Index::path("spec.secretTemplate.labels.app"),
            format!(
                "`spec.secretTemplate.labels.app` of {kind}: `spec.secretTemplate.labels` is a map; write \
                 `spec.secretTemplate.labels['app']` for the value of a key"
            ),
        ),
        (
            Index::path("spec['age']"),
            format!("`spec['age']` of {kind}: `age` is a field of `spec`; write `spec.age`"),
        ),
        (
            Index::path("spec.share"),
            format!("`spec.share` of {kind}: is a floating-point number, which cannot be indexed"),
        ),
        (
            Index::path("spec.free"),
            format!(
                "`spec.free` of {kind}: is an object without a schema, which cannot be indexed"
            ),
        ),
        (
            Index::path("spec.issuerRef.name").value("i64"),
            format!("`spec.issuerRef.name` of {kind} has strings, not `i64`; omit `value`"),
        ),
        (
            Index::path("spec.age").value("bool"),
            format!("`spec.age` of {kind} has integers, not `bool`; use `i64`"),
        ),
        (
            Index::rust_path("spec.issuer_ref.name"),
            format!(
                "`spec.issuer_ref.name` is in Rust spelling, but {kind} has no Rust type; use the JSON names of the fields"
            ),
        ),
    ] {
        assert_eq!(over_certificates("dynamic", index).unwrap_err(), expected);
    }
}

/// The schema resolves a path in Rust spelling, as long as the fields follow the usual naming rule.
#[test]
fn a_rust_path_is_checked_against_the_schema_where_possible() {
    let kind = "`cert-manager.io/v1/Certificate` (crd.yaml:7:17)";
    for (index, expected) in [
        (
            Index::rust_path("spec.issuer_ref"),
            format!(
                "`spec.issuer_ref` of {kind}: is an object; extend the path to one of its fields: `kind`, `name`"
            ),
        ),
        (
            Index::rust_path("spec.secret_template.labels"),
            format!(
                "`spec.secret_template.labels` of {kind}: is a map; write \
                 `spec.secret_template.labels[\"key\"]` for the value of a key"
            ),
        ),
        (
            Index::rust_path("spec.dns_names").value("i64"),
            format!("`spec.dns_names` of {kind} has strings, not `i64`; omit `value`"),
        ),
        (
            Index::path("spec.issuRef.name"),
            format!(
                "`spec.issuRef.name` of {kind}: `spec` has no field `issuRef`, did you mean `issuerRef`?"
            ),
        ),
    ] {
        assert_eq!(
            over_certificates("crate::api", index).unwrap_err(),
            expected
        );
    }
    for fine in [
        "spec.issuer_ref.name",
        "spec.renamed",
        "spec.conditions.r#type",
        "spec.free.a",
    ] {
        over_certificates("crate::api", Index::rust_path(fine)).unwrap();
    }
}

/// rustc would report the contradiction in generated code.
#[test]
fn a_value_that_contradicts_the_schema_is_an_error_in_every_mode() {
    let definition = crate::input::tests::definition("example.com", "Foo", "foos").replace(
        "served: true",
        "served: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: \
         {host: {type: string}, port: {type: integer, format: int32}, on: {type: boolean}, \
         mode: {type: string, enum: [a]}}}}}}",
    );
    let refused = |mode: &str, index: Index| {
        let config = Config::new().crd_text("foo.yaml", &definition, mode);
        let error = config.index("Foo", index).render().err();
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
        let error = refused("types", Index::path(&path).value(value));
        let expected = written.map(|actual| {
            format!(
                ".index(..) / --index: `{path}` of `example.com/v1/Foo` (foo.yaml:7:17) has values of \
                 type `{actual}`, not `{value}`; omit `value`"
            )
        });
        assert_eq!(error, expected);
        for (mode, index) in [
            ("dynamic", Index::path(&path)),
            ("crate::api", Index::rust_path(&path)),
            ("types", Index::rust_path(&path)),
        ] {
            let error = refused(mode, index.value(value));
            assert_eq!(error.is_some(), other, "{mode} {path} {value} {error:?}");
        }
    }
}
