use crate::Config;

/// `informer-codegen` tests the grammar.
#[test]
fn malformed_paths_are_rejected_with_advice() {
    assert_eq!(
        refused(r#"index = "spec..x""#),
        "`\"spec..x\"`: a segment of `spec..x` is empty: write one name between two dots"
    );
    assert_eq!(
        refused("index = spec."),
        "`.`: the path ends before the name of a field: write one such as \
         `spec.deployment_name`"
    );
}

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

/// Returns the error of an invalid index of Pods.
fn refused(index: &str) -> String {
    let config = Config::new().built_in("v1", "Pod").kind("v1/Pod", index);
    let error = config.render().unwrap_err().to_string();
    error.replace(".kind(..) / --kind: `v1/Pod` (built-in), at ", "")
}

#[test]
fn invalid_settings_are_rejected() {
    for (index, expected) in [
        (
            "index(owner, unique)",
            "`unique`: an owner may own many objects: remove `unique`, and take the first object found",
        ),
        (
            r#"index(owner, value = "u16")"#,
            "`\"u16\"`: the values of an index by owner are the owners' keys or UIDs: remove `value`",
        ),
        (
            "index(owner = Deploymnt)",
            "`Deploymnt`: `Deploymnt` is neither generated nor built in, did you mean `apps/v1/Deployment`?",
        ),
        (
            "index(owner = v1/Deployment)",
            "`v1/Deployment`: `v1/Deployment` is neither generated nor built in, did you mean `apps/v1/Deployment`?",
        ),
        (
            "index(owner = scheduling.k8s.io/v1/PodGroup)",
            "`scheduling.k8s.io/v1/PodGroup`: `scheduling.k8s.io/v1/PodGroup` is neither generated nor built in, did you mean `scheduling.k8s.io/v1alpha2/PodGroup`?",
        ),
        (
            "index(owner = scheduling.k8s.io/v1beta1/Workload)",
            "`scheduling.k8s.io/v1beta1/Workload`: `scheduling.k8s.io/v1beta1/Workload` exists in Kubernetes 1.37 only, but `v1/Pod` exists in other versions too",
        ),
        (
            "index(with = crate::hosts)",
            "`index`: an index by a function needs a name: write `index(name = \"by_x\", with = function)`",
        ),
        (
            r#"index(path = "spec.nodeName", name = "list")"#,
            "`\"list\"`: `list` is a method of every lister or snapshot: choose another name, such as `by_list`",
        ),
        (
            r#"index = "spec.index""#,
            "`\"spec.index\"`: `by_index` is a method of every lister or snapshot: write `index(name = \"by_x\", ..)`",
        ),
        (
            r#"index(label = "a b")"#,
            "`\"a b\"`: `a b` is not the key of a label or an annotation: write one such as `app` or `app.kubernetes.io/name`, without quotes or brackets of its own",
        ),
        (
            r#"index = "spec.nodeSelector['\u{1f4a5}']""#,
            "`\"spec.nodeSelector['\\u{1f4a5}']\"`: `💥` does not form the name of a method: write `index(name = \"by_x\", ..)`",
        ),
        (
            r#"index = "spec.nodeSelector['--']""#,
            "`\"spec.nodeSelector['--']\"`: `--` does not form the name of a method: write `index(name = \"by_x\", ..)`",
        ),
        (
            r#"index = "metadata.labels['a b']""#,
            "`\"metadata.labels['a b']\"`: `a b` is not the key of a label or an annotation: write one such as `app` or `app.kubernetes.io/name`, without quotes or brackets of its own",
        ),
        (
            r#"index(path = "spec.nodeName", name = "a-b")"#,
            "`\"a-b\"`: `a-b` is not a Rust identifier: write `a_b`",
        ),
    ] {
        assert_eq!(refused(index), expected);
    }
}

/// Two indices with the same accessor need names.
#[test]
fn two_indices_of_one_name_are_told_apart_by_a_name() {
    let two = |kind: &str, second: &str| {
        let config = Config::new()
            .built_in("v1", "Pod")
            .kind("v1/Pod", r#"index(label = "app")"#)
            .kind(kind, second);
        config.render().unwrap_err().to_string()
    };
    assert_eq!(
        two("v1/Pod", r#"index(annotation = "app")"#),
        ".kind(..) / --kind: `v1/Pod` (built-in), at `\"app\"`: two indices have the name `by_app`: \
         rename this one, `index(name = \"by_app_2\", ...)` (the first one is here: `\"app\"`)"
    );
    assert_eq!(
        two("core/v1/Pod", r#"index = "metadata.labels['app']""#),
        ".kind(..) / --kind: `v1/Pod` (built-in), at `\"metadata.labels['app']\"`: the index \
         `metadata.labels['app']` is given twice: remove one (it is given here first: `\"app\"`)"
    );
}

/// Returns the error of an index of a kind with a user's type, if any.
fn of_own_type(index: &str) -> Option<String> {
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
        .kind("example.com/v1/Foo", index);
    let error = config.render().err()?.to_string();
    Some(error.replace(".kind(..) / --kind: `example.com/v1/Foo`", ""))
}

/// serde may rename fields: `spec.interval` may be `every` in JSON, next to another field
/// `interval`.
#[test]
fn a_json_path_cannot_lead_into_a_type_with_unknown_attributes() {
    for (index, rust) in [
        (
            r#"index = "spec.template.hostIPs""#,
            "`spec.template.host_ips`",
        ),
        (r#"index = "spec.hostIPs['a']""#, "`spec.host_ips[\"a\"]`"),
    ] {
        let error = of_own_type(index).unwrap();
        let expected = "serde's names for the fields of `crate::api::Foo` are unknown: write the path \
                        without quotes, with the names of the Rust fields, as in";
        assert!(error.ends_with(&format!("{expected} {rust}")), "{error}");
    }
    for known in [
        "index = spec.template.host_ips",
        r#"index = spec.parameters["tier"].value"#,
        r#"index = "metadata.labels['app']""#,
        r#"index = "metadata.ownerReferences.apiVersion""#,
        "index = metadata.owner_references.api_version",
    ] {
        assert_eq!(of_own_type(known), None, "{known:?}");
    }
}

/// `informer-codegen` tests the known fields of the metadata.
#[test]
fn the_metadata_has_known_fields() {
    for (index, expected) in [
        (
            r#"index = "metadata.owner_references.uid""#,
            "`\"metadata.owner_references.uid\"`: `metadata` has no field `owner_references`: did you mean `metadata.ownerReferences`?",
        ),
        (
            "index = metadata.owner_references.apiVersion",
            "`apiVersion`: `metadata.ownerReferences` has no field `apiVersion`: did you mean `metadata.ownerReferences.api_version`?",
        ),
        (
            r#"index = "metadata.labels.team""#,
            "`\"metadata.labels.team\"`: a path leads to one entry of the labels: write `metadata.labels['team']`",
        ),
        (
            r#"index = "metadata.name.first""#,
            "`\"metadata.name.first\"`: `metadata.name` has no fields: the path ends there",
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
fn over_certificates(module: &str, index: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("crd.yaml");
    std::fs::write(&file, CERTIFICATES).unwrap();
    let place = format!("{}/", folder.path().display());
    let config = Config::new()
        .crd_manifests(&format!("{place}crd.yaml"))
        .types_in(module);
    let rendered = config.kind("Certificate", index).render();
    let text: String = rendered
        .map_err(|error| {
            let text = error.to_string().replace(&place, "");
            let party = "`cert-manager.io/v1/Certificate` (crd.yaml:7:17)";
            text.replace(&format!(".kind(..) / --kind: {party}, at "), "")
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
        let entry = over_certificates("dynamic", &format!("index = {path:?}")).unwrap();
        let entry = entry.replace(" =\n", " = ");
        assert!(
            entry.starts_with(expected) || expected.starts_with(&entry),
            "{path}: {entry}"
        );
    }
    let wide = over_certificates("dynamic", r#"index(path = "spec.age", value = "u8")"#).unwrap();
    assert!(wide.starts_with("all by_age(u8): u8"), "{wide}");
}

/// A wrong path yields one error, with the position and advice.
#[test]
fn paths_without_a_value_in_the_schema_are_rejected() {
    for (index, expected) in [
        (
            r#"index = "spec.issuerRef""#,
            "`\"spec.issuerRef\"`: the path ends at an object; extend it to one of its fields: `kind`, `name`",
        ),
        (
            r#"index = "spec.issueRef.name""#,
            "`\"spec.issueRef.name\"`: `spec` has no field `issueRef`, did you mean `issuerRef`?",
        ),
        (
            r#"index = "spec.issuerRef.x""#,
            "`\"spec.issuerRef.x\"`: `spec.issuerRef` has no field `x`; it has `kind`, `name`",
        ),
        (
            r#"index = "status.x""#,
            "`\"status.x\"`: the schema has no field `status`; it has `spec`",
        ),
        (
            r#"index = "spec.age.x""#,
            "`\"spec.age.x\"`: `spec.age` has no fields in the schema",
        ),
        (
            r#"index = "spec.secretTemplate.labels""#,
            "`\"spec.secretTemplate.labels\"`: the path ends at a map; write `spec.secretTemplate.labels['key']` for the value of a key",
        ),
        (
            r#"index = "spec.secretTemplate.labels.app""#,
            "`\"spec.secretTemplate.labels.app\"`: `spec.secretTemplate.labels` is a map; write `spec.secretTemplate.labels['app']` for the value of a key",
        ),
        (
            r#"index = "spec['age']""#,
            "`\"spec['age']\"`: `age` is a field of `spec`; write `spec.age`",
        ),
        (
            r#"index = "spec.share""#,
            "`\"spec.share\"`: the path ends at a floating-point number, which cannot be indexed",
        ),
        (
            r#"index = "spec.free""#,
            "`\"spec.free\"`: the path ends at an object without a schema, which cannot be indexed",
        ),
        (
            r#"index(path = "spec.issuerRef.name", value = "i64")"#,
            "`\"i64\"`: the path has strings, not `i64`: remove `value`",
        ),
        (
            r#"index(path = "spec.age", value = "bool")"#,
            "`\"bool\"`: the path has integers, not `bool`: write `value = \"i64\"`",
        ),
        (
            "index = spec.issuer_ref.name",
            "`spec.issuer_ref.name`: the kind has no Rust type: write the path in quotes, with the names in JSON",
        ),
    ] {
        assert_eq!(over_certificates("dynamic", index).unwrap_err(), expected);
    }
}

/// The schema resolves a path in Rust spelling, as long as the fields follow the usual naming rule.
#[test]
fn a_rust_path_is_checked_against_the_schema_where_possible() {
    for (index, expected) in [
        (
            "index = spec.issuer_ref",
            "`spec.issuer_ref`: the path ends at an object; extend it to one of its fields: `kind`, `name`",
        ),
        (
            "index = spec.secret_template.labels",
            "`spec.secret_template.labels`: the path ends at a map; write `spec.secret_template.labels[\"key\"]` for the value of a key",
        ),
        (
            r#"index(path = spec.dns_names, value = "i64")"#,
            "`\"i64\"`: the path has strings, not `i64`: remove `value`",
        ),
        (
            r#"index = "spec.issuRef.name""#,
            "`\"spec.issuRef.name\"`: `spec` has no field `issuRef`, did you mean `issuerRef`?",
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
        over_certificates("crate::api", &format!("index = {fine}")).unwrap();
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
    let refused = |mode: &str, path: String, value: &str| {
        let index = format!("index(path = {path}, value = {value:?})");
        let config = Config::new().crd_text("foo.yaml", &definition, mode);
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
