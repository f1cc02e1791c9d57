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

/// Returns the error of a wrong relation of `Foo`.
fn refused(module: &str, declaration: &str) -> String {
    let error = config(module).kind("Foo", declaration).render();
    let error = error.unwrap_err().to_string();
    error.replace(
        ".kind(..) / --kind: `example.com/v1/Foo` (crds.yaml:7:17), at ",
        "",
    )
}

#[test]
fn wrong_relations_are_rejected_with_advice() {
    for (declaration, expected) in [
        (
            "references(v1/Secret)",
            "`v1/Secret`: the path of the field with the name is missing: write `references(v1/Secret = spec.field)`",
        ),
        (
            r#"references(v1/Secret = "spec.tls.secretNam")"#,
            "`\"spec.tls.secretNam\"`: `spec.tls` has no field `secretNam`, did you mean `secretName`?",
        ),
        (
            r#"references(v1/Secret = "spec.replicas")"#,
            "`\"spec.replicas\"`: the path does not end at a string, which the name of an object is",
        ),
        (
            r#"references(v1/Secret = "spec.tls")"#,
            "`\"spec.tls\"`: the path ends at an object; extend it to one of its fields: `namespace`, `secretName`",
        ),
        (
            r#"references(v1/Secrt = "spec.tls.secretName")"#,
            "`v1/Secrt`: `v1/Secrt` is neither generated nor built in, did you mean `v1/Secret`?",
        ),
        (
            r#"references(Secrt = "spec.tls.secretName")"#,
            "`Secrt`: `Secrt` is neither generated nor built in, did you mean `v1/Secret`?",
        ),
        (
            r#"references(Event = "spec.tls.secretName")"#,
            "`Event`: `Event` is ambiguous, write one of: `v1/Event`, `events.k8s.io/v1/Event`",
        ),
        (
            r#"references(api::Secret = "spec.tls.secretName")"#,
            "`api::Secret`: `api::Secret` is neither a kind, such as `Deployment` or `apps/v1/Deployment`, nor the absolute path of a Rust type, such as `crate::api::Secret`",
        ),
        (
            r#"references(example.com/v1/Bar = "spec.target.name")"#,
            "`example.com/v1/Bar`: `example.com/v1/Bar` has no Rust type, which a related kind needs; `index(owner)` covers owners of any kind",
        ),
        (
            r#"references(v1/Node(path = "spec.target.name", namespace = "spec.tls.namespace"))"#,
            "`v1/Node`: `v1/Node` is cluster-scoped, so its names have no namespace: remove `namespace`",
        ),
        (
            r#"references(v1/Secret(path = "spec.tls.secretName", accessor = "a b"))"#,
            "`\"a b\"`: `a b` is not a Rust identifier: write `a_b`",
        ),
        (
            r#"references(v1/Secret(path = "spec.tls.secretName", accessor = "index"))"#,
            "`\"spec.tls.secretName\"`: `by_index` is a method of every lister or snapshot: choose another accessor, as in `references(v1/Secret(path = .., accessor = \"other_index\"))`",
        ),
        (
            r#"references(v1/Secret(path = "spec.tls.secretName", accessor = "informer"))"#,
            "`\"spec.tls.secretName\"`: `informer` is a member of every struct of relations: choose another accessor, as in `references(v1/Secret(path = .., accessor = \"other_informer\"))`",
        ),
        (
            r#"references(v1/Secret = "metadata.generation")"#,
            "`\"metadata.generation\"`: the name of a `v1/Secret` is a string, but this path ends at a value of type `i64`: write the path of a string",
        ),
        (
            r#"references(v1/Secret(path = "spec.tls.secretName", namespace = "metadata.namespace"))"#,
            "`\"spec.tls.secretName\"`: the name is in the metadata and its namespace or kind in another field, or the reverse, which the objects of a kind without a Rust type do not support",
        ),
        (
            r#"references(v1/Secret(path = "spec.tls.secretName", namespace = spec.tls.namespace))"#,
            "`spec.tls.namespace`: all paths of a reference have the same spelling: write this one with quotes and the names in JSON too",
        ),
        (
            r#"references(v1/Secret(pth = "spec.tls.secretName"))"#,
            "`pth`: unknown key `pth`: did you mean `path`?",
        ),
        (
            r#"references(1 + 2 = "spec.tls.secretName")"#,
            "`1 + 2`: expected the name of a type: write `references(Secret = spec.tls.secret_name)`",
        ),
        (
            r#"owns(v1/Pod = "spec.pod")"#,
            "`v1/Pod`: an owned object is found by its owner reference, not by a path: write `owns(Deployment)`",
        ),
        (
            "owns()",
            "`owns()`: expected types in parentheses: write `owns(Deployment)`",
        ),
        (
            "owns(v1/Pod), owns(v1/Pod)",
            "`v1/Pod`: this relation to `::k8s_openapi::api::core::v1::Pod` is given twice: remove one (it is given here first: `v1/Pod`)",
        ),
        (
            r#"scope = "Cluster""#,
            "`scope`: `scope` is for `#[derive(Informer)]` only: remove it",
        ),
        (
            r#"indx = "spec.tls""#,
            "`indx`: unknown key `indx`: did you mean `index`?",
        ),
        (
            r#"index = "spec.tls.secretName"#,
            ".kind(..) / --kind: `Foo` has a declaration with unbalanced quotes or brackets: `index = \"spec.tls.secretName`",
        ),
    ] {
        assert_eq!(refused("dynamic", declaration), expected);
    }
}

#[test]
fn selectors_are_objects_or_maps_of_strings() {
    for (module, path) in [
        ("dynamic", "spec.selector"),
        ("dynamic", "spec.labels"),
        ("types", "spec.labels"),
    ] {
        let declaration = format!("selects(v1/Pod = {path:?})");
        let rendered = config(module).kind("Foo", &declaration).render();
        assert!(rendered.is_ok(), "{module} {path}");
    }
    for (module, path, expected) in [
        (
            "dynamic",
            "spec.tls",
            "`\"spec.tls\"`: the path ends neither at an object with `matchLabels` or `matchExpressions` nor at a map of strings; it has `namespace`, `secretName`",
        ),
        (
            "types",
            "spec.selector",
            "`\"spec.selector\"`: the path ends at an object, whose generated type is not a `LabelSelector` of k8s-openapi; select by a map of strings, or use a type of your own, or `dynamic`",
        ),
        (
            "types",
            "spec.replicas",
            "`\"spec.replicas\"`: the path ends neither at an object with `matchLabels` or `matchExpressions` nor at a map of strings",
        ),
        (
            "dynamic",
            "metadata.name",
            "`\"metadata.name\"`: objects are selected by a `LabelSelector` or a map of labels, but this path ends at a field of the metadata: write the path of a selector",
        ),
    ] {
        let declaration = format!("selects(v1/Pod = {path:?})");
        assert_eq!(refused(module, &declaration), expected);
    }
}

/// The scope of both kinds is known, so that the error has the setting to add.
#[test]
fn relations_follow_the_scopes_of_the_kinds() {
    let bars = r#"references(v1/Secret = "spec.tls.secretName")"#;
    let error = text(&config("dynamic").kind("Bar", bars));
    assert_eq!(
        error,
        ".kind(..) / --kind: `example.com/v1/Bar` (crds.yaml:39:17), at `v1/Secret`: `v1/Secret` is namespaced, but the objects that refer to it are cluster-scoped: add the path of the namespace, as in `references(v1/Secret(path = .., namespace = ..))`"
    );
    let with_namespace =
        r#"references(v1/Secret(path = "spec.tls.secretName", namespace = "spec.tls.namespace"))"#;
    let text = text(&config("dynamic").kind("Bar", with_namespace));
    let part = "members[\"spec\",\"tls\"],name[\"secretName\"]namespace[\"namespace\"])";
    assert!(text.contains(part), "{text}");
    assert_eq!(
        refused("types", "owns(example.com/v1/Bar)"),
        "`example.com/v1/Bar`: `example.com/v1/Bar` is cluster-scoped, so a namespaced object cannot own such objects: remove it"
    );
}

#[test]
fn names_that_collide_name_both_places() {
    for (declaration, expected) in [
        (
            r#"index(path = "spec.target.name", name = "by_secret"), references(v1/Secret = "spec.tls.secretName")"#,
            "`\"spec.tls.secretName\"`: the lister has the method `by_secret` already: choose another accessor, as in `references(v1/Secret(path = .., accessor = \"other_secrets\"))` (the first one is here: `\"spec.target.name\"`)",
        ),
        (
            r#"selects(v1/Pod = "spec.labels"), selects(v1/Service = "spec.labels")"#,
            "`\"spec.labels\"`: the lister has the method `selecting` already: choose another accessor, as in `selects(v1/Service(path = .., accessor = \"other_services\"))` (the first one is here: `\"spec.labels\"`)",
        ),
        (
            r#"owns(v1/Pod), selects(v1/Pod = "spec.labels")"#,
            "`\"spec.labels\"`: two relations have the method `pods`: choose another accessor, as in `selects(v1/Pod(path = .., accessor = \"other_pods\"))` (the first one is here: `v1/Pod`)",
        ),
    ] {
        assert_eq!(refused("types", declaration), expected);
    }
}
