//! `tests/golden/errors` has the declarations that are rejected.

use crate::Config;

/// Returns the definition of a kind of `example.com`.
fn definition(kind: &str, plural: &str, scope: &str) -> String {
    format!(
        "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.example.com}}
spec:
  group: example.com
  names: {{kind: {kind}, plural: {plural}}}
  scope: {scope}
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
              tls:
                type: array
                items:
                  type: object
                  properties: {{secretName: {{type: string}}, namespace: {{type: string}}}}
              replicas: {{type: integer, format: int32}}
              labels: {{type: object, additionalProperties: {{type: string}}}}
              selector:
                type: object
                properties:
                  matchLabels: {{type: object, additionalProperties: {{type: string}}}}
              target:
                type: object
                properties: {{kind: {{type: string}}, name: {{type: string}}}}
"
    )
}

/// Returns the definitions of a namespaced kind and of a cluster-scoped kind.
fn definitions() -> String {
    let foo = definition("Foo", "foos", "Namespaced");
    foo + "---" + &definition("Bar", "bars", "Cluster")
}

/// Returns the configuration for both kinds, with types from `module`.
fn config(module: &str) -> Config {
    Config::new().crd_text("crds.yaml", &definitions(), module)
}

/// Returns the generated text without white space, or the error.
fn text(config: &Config) -> String {
    match config.render() {
        Ok(files) => {
            let text: String = files.into_values().collect();
            text.split_whitespace().collect()
        }
        Err(error) => error.to_string(),
    }
}

/// The three sorts of types: generated, the user's own, and none.
#[test]
fn a_kind_of_a_manifest_gets_its_relations() {
    for (module, secrets, pods) in [
        (
            "types",
            "fields[.spec*.tls*],name[.secret_name*]",
            "path!(.spec*.labels*)",
        ),
        (
            "dynamic",
            "members[\"spec\",\"tls\"],name[\"secretName\"]",
            "json_selectors(object,&[\"spec\",\"labels\"])",
        ),
    ] {
        let config = config(module).kind(
            "Foo",
            r#"owns(apps/v1/Deployment), references(v1/Secret = "spec.tls.secretName"),
               selects(v1/Pod = "spec.labels")"#,
        );
        let text = text(&config);
        for part in [
            "structFooRelated{",
            "deployments_of(owner):Arcof::k8s_openapi::api::apps::v1::Deployment;",
            "Referenceby_secret(&::informer::ObjectKey):::k8s_openapi::api::core::v1::Secret=",
            "secrets_of(referrer):RelatedObjectof::k8s_openapi::api::core::v1::Secret;",
            "LabelSelectionselecting(&::k8s_openapi::api::core::v1::Pod)",
            "pods_of(object):Arcof::k8s_openapi::api::core::v1::Pod;",
            secrets,
            pods,
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
    let own = config("crate::api").kind(
        "Foo",
        "references(v1/Secret(path = spec.tls.secret_name, namespace = spec.tls.namespace)), \
            references(crate::api::Other(path = spec.target.name, kind = spec.target.kind)), \
            selects(v1/Pod = spec.selector)",
    );
    let text = text(&own);
    for part in [
        "fields[.spec*.tls*],name[.secret_name*]namespace[.namespace*])",
        "by_other(&::informer::ObjectKey):crate::api::Other=",
        "fields[.spec*.target*],name[.name*]kind[.kind*])",
        "path!(.spec*.selector*)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// A kind of the manifests, or a built-in one, that no other kind shares its name with.
#[test]
fn a_related_kind_is_named_by_its_short_name() {
    let with = |declaration: &str| text(&config("types").kind("Foo", declaration));
    let short = r#"owns(Deployment), references(Secret = "spec.tls.secretName"),
                   references(Foo = "spec.target.name"), index(owner = ReplicaSet)"#;
    let whole = r#"owns(apps/v1/Deployment), references(v1/Secret = "spec.tls.secretName"),
        references(example.com/v1/Foo = "spec.target.name"), index(owner = apps/v1/ReplicaSet)"#;
    let text = with(short);
    assert!(
        text.contains("by_foo(&::informer::ObjectKey):foo::Foo="),
        "{text}"
    );
    assert_eq!(text, with(whole));
}

/// Places without an accessor are one relation.
#[test]
fn references_to_one_kind_are_united_or_named() {
    let both = |second: &str| {
        let first = r#"references(v1/Secret = "spec.tls.secretName")"#;
        text(&config("types").kind("Foo", first).kind("Foo", second))
    };
    let united = both(r#"references(v1/Secret = "spec.target.name")"#);
    assert!(
        united.contains("name[.secret_name*]),::informer::__private::reference!("),
        "{united}"
    );
    let named =
        both(r#"references(v1/Secret(path = "spec.target.name", accessor = "pull_secrets"))"#);
    for part in [
        "secrets_of(referrer):",
        "pull_secrets_of(referrer):",
        "Secret=by_secret,by_pull_secrets;",
    ] {
        assert!(named.contains(part), "{part}\n{named}");
    }
}

/// A reference of a cluster-scoped object has a namespace of its own.
#[test]
fn relations_follow_the_scopes_of_the_kinds() {
    let with_namespace =
        r#"references(v1/Secret(path = "spec.tls.secretName", namespace = "spec.tls.namespace"))"#;
    let text = text(&config("dynamic").kind("Bar", with_namespace));
    let part = "members[\"spec\",\"tls\"],name[\"secretName\"]namespace[\"namespace\"])";
    assert!(text.contains(part), "{text}");
}
