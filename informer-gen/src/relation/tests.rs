use std::str::FromStr;

use super::*;
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

fn secret() -> Reference {
    Reference::to("v1/Secret")
}

/// Returns the generated text without white space, or the error.
fn text(config: &Config) -> String {
    match config.render() {
        Ok(files) => files
            .into_values()
            .flat_map(|text| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .collect(),
        Err(error) => error.to_string(),
    }
}

/// The command line supports every setting of the builder.
#[test]
fn the_command_line_supports_all_relations_of_the_builder() {
    for (text, owns) in [
        ("apps/v1/Deployment", Owns::of("apps/v1/Deployment")),
        (
            "crate::api::Foo,accessor=foes",
            Owns::of("crate::api::Foo").accessor("foes"),
        ),
    ] {
        assert_eq!(Owns::from_str(text).as_ref(), Ok(&owns), "{text}");
    }
    for (text, reference) in [
        ("v1/Secret", secret()),
        (
            "v1/Secret:spec.tls.secretName",
            secret().path("spec.tls.secretName"),
        ),
        (
            "crate::api::Bar:spec.bar",
            Reference::to("crate::api::Bar").path("spec.bar"),
        ),
        (
            "v1/Secret, rust-path=spec.secret, namespace=spec.namespace, kind=spec.kind, accessor=tokens",
            secret()
                .rust_path("spec.secret")
                .namespace("spec.namespace")
                .kind("spec.kind")
                .accessor("tokens"),
        ),
    ] {
        assert_eq!(Reference::from_str(text).as_ref(), Ok(&reference), "{text}");
    }
    let selects = Selects::of("v1/Pod").path("spec.selector");
    assert_eq!(
        Selects::from_str("v1/Pod:spec.selector"),
        Ok(selects.clone())
    );
    assert_eq!(
        Selects::from_str("v1/Pod:spec.selector,accessor=backends"),
        Ok(selects.accessor("backends"))
    );
    for (result, expected) in [
        (
            Owns::from_str("v1/Pod:spec.pod").err(),
            "`owns` has no setting `path`; it has `accessor`",
        ),
        (
            Reference::from_str("v1/Secret,pth=a").err(),
            "`references` has no setting `pth`, did you mean `path`?",
        ),
        (
            Reference::from_str("v1/Secret:a,rust-path=b").err(),
            "`references` takes one path, found another: `b`",
        ),
        (
            Selects::from_str("v1/Pod:a,kind=b").err(),
            "`selects` has no setting `kind`; it has `path`, `rust-path`, `accessor`",
        ),
    ] {
        assert_eq!(result.as_deref(), Some(expected));
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
        let config = config(module)
            .owns("Foo", "apps/v1/Deployment")
            .references("Foo", secret().path("spec.tls.secretName"))
            .selects("Foo", Selects::of("v1/Pod").path("spec.labels"));
        let text = text(&config);
        assert!(text.contains("structFooRelated;"), "{text}");
        assert!(
            text.contains("deployments,deployments_of:::k8s_openapi::api::apps::v1::Deployment;"),
            "{text}"
        );
        assert!(
            text.contains("secrets,secrets_of,by_secret:::k8s_openapi::api::core::v1::Secret="),
            "{text}"
        );
        assert!(text.contains(secrets), "{text}");
        assert!(
            text.contains("pods,pods_of,selecting:::k8s_openapi::api::core::v1::Pod="),
            "{text}"
        );
        assert!(text.contains(pods), "{text}");
    }
    let own = config("crate::api")
        .references(
            "Foo",
            secret()
                .rust_path("spec.tls.secret_name")
                .namespace("spec.tls.namespace"),
        )
        .references(
            "Foo",
            Reference::to("crate::api::Other")
                .rust_path("spec.target.name")
                .kind("spec.target.kind"),
        )
        .selects("Foo", Selects::of("v1/Pod").rust_path("spec.selector"));
    let text = text(&own);
    assert!(
        text.contains("fields[.spec*.tls*],name[.secret_name*]namespace[.namespace*])"),
        "{text}"
    );
    assert!(
        text.contains("others,others_of,by_other:crate::api::Other="),
        "{text}"
    );
    assert!(
        text.contains("fields[.spec*.target*],name[.name*]kind[.kind*])"),
        "{text}"
    );
    assert!(text.contains("path!(.spec*.selector*)"), "{text}");
}

/// Places without an accessor are one relation.
#[test]
fn references_to_one_kind_are_united_or_named() {
    let both = |second: Reference| {
        let config = config("types").references("Foo", secret().path("spec.tls.secretName"));
        text(&config.references("Foo", second))
    };
    let united = both(secret().path("spec.target.name"));
    assert!(
        united.contains("name[.secret_name*]),::informer::__private::reference!("),
        "{united}"
    );
    let named = both(secret().path("spec.target.name").accessor("pull_secrets"));
    assert!(named.contains("secrets,secrets_of,by_secret:"), "{named}");
    assert!(
        named.contains("pull_secrets,pull_secrets_of,by_pull_secrets:"),
        "{named}"
    );
    assert!(
        named.contains("Secret=by_secret,by_pull_secrets;"),
        "{named}"
    );
}

/// Returns the error of a wrong relation of `Foo`, whose objects are dynamic.
fn refused(configure: impl FnOnce(Config) -> Config) -> String {
    let error = configure(config("dynamic")).render().unwrap_err();
    error.to_string()
}

#[test]
fn wrong_relations_are_rejected_with_advice() {
    let refused = |reference: Reference| refused(|config| config.references("Foo", reference));
    let of = "of `example.com/v1/Foo` (crds.yaml:7:17):";
    for (reference, expected) in [
        (
            secret(),
            "`v1/Secret` needs a path, as in `.path(\"spec.name\")`, `path = \"spec.name\"`, \
             `path=spec.name`".to_owned(),
        ),
        (
            secret().path("spec.tls.secretNam"),
            format!("`spec.tls.secretNam` {of} `spec.tls` has no field `secretNam`, did you mean `secretName`?"),
        ),
        (
            secret().path("spec.replicas"),
            format!("`spec.replicas` {of} is not a string, which the name of an object is"),
        ),
        (
            secret().path("spec.tls"),
            format!("`spec.tls` {of} is an object; extend the path to one of its fields: `namespace`, `secretName`"),
        ),
        (
            Reference::to("v1/Secrt").path("spec.tls.secretName"),
            "`v1/Secrt` is not among the kinds to generate, did you mean `v1/Secret`?".to_owned(),
        ),
        (
            Reference::to("Secret").path("spec.tls.secretName"),
            "`Secret` is neither a kind such as `apps/v1/Deployment` nor a path of a Rust type".to_owned(),
        ),
        (
            Reference::to("example.com/v1/Bar").path("spec.target.name"),
            "`example.com/v1/Bar` has no Rust type, which the target of a relation needs".to_owned(),
        ),
        (
            Reference::to("v1/Node").path("spec.target.name").namespace("spec.tls.namespace"),
            "`v1/Node` is cluster-scoped, so its names have no namespace: remove `namespace`".to_owned(),
        ),
        (
            secret().path("spec.tls.secretName").accessor("a b"),
            "`a b` is not a Rust identifier".to_owned(),
        ),
        (
            secret().path("spec.tls.secretName").accessor("index"),
            "`by_index` is already a method of every lister; set another `accessor`".to_owned(),
        ),
        (
            secret().path("spec.tls.secretName").accessor("informer"),
            "`informer` is a name of every struct of relations; set another `accessor`".to_owned(),
        ),
        (
            secret().path("metadata.generation"),
            "`metadata.generation` is not a string, which the name of an object is".to_owned(),
        ),
        (
            secret().path("spec.tls.secretName").namespace("metadata.namespace"),
            "`v1/Secret` has its name in the metadata and its namespace or kind in another field, or the \
             reverse, which the objects of a kind without a Rust type do not support".to_owned(),
        ),
    ] {
        assert_eq!(refused(reference), format!(".references(..) / --references: {expected}"));
    }
}

#[test]
fn selectors_are_objects_or_maps_of_strings() {
    let of = "of `example.com/v1/Foo` (crds.yaml:7:17)";
    let selects = |module: &str, path: &str| {
        let config = config(module).selects("Foo", Selects::of("v1/Pod").path(path));
        config.render().err().map(|error| error.to_string())
    };
    let option = ".selects(..) / --selects:";
    assert_eq!(selects("dynamic", "spec.selector"), None);
    assert_eq!(selects("dynamic", "spec.labels"), None);
    assert_eq!(selects("types", "spec.labels"), None);
    for (module, path, why) in [
        (
            "dynamic",
            "spec.tls",
            format!(
                "{of}: is neither an object with `matchLabels` or `matchExpressions` nor a map of strings; it has \
                 `namespace`, `secretName`"
            ),
        ),
        (
            "types",
            "spec.selector",
            format!(
                "{of}: is an object, whose generated type is not a `LabelSelector` of k8s-openapi; select by a map \
                 of strings, or use a type of your own, or `dynamic`"
            ),
        ),
        (
            "types",
            "spec.replicas",
            format!("{of}: is not a map of strings"),
        ),
        (
            "dynamic",
            "metadata.name",
            "is in the metadata, which has no selectors".to_owned(),
        ),
    ] {
        assert_eq!(
            selects(module, path),
            Some(format!("{option} `{path}` {why}"))
        );
    }
}

/// The scope of both kinds is known, so that the error has the setting to add.
#[test]
fn relations_follow_the_scopes_of_the_kinds() {
    let bars = config("dynamic").references("Bar", secret().path("spec.tls.secretName"));
    assert_eq!(
        text(&bars),
        ".references(..) / --references: `v1/Secret` is namespaced, but `example.com/v1/Bar` is cluster-scoped: \
         add the path to the namespace, as in `.namespace(\"spec.tls.namespace\")`, \
         `namespace = \"spec.tls.namespace\"`, `namespace=spec.tls.namespace`"
    );
    let with_namespace = secret()
        .path("spec.tls.secretName")
        .namespace("spec.tls.namespace");
    let bars = config("dynamic").references("Bar", with_namespace);
    assert!(
        text(&bars)
            .contains("members[\"spec\",\"tls\"],name[\"secretName\"]namespace[\"namespace\"])")
    );
    assert_eq!(
        text(&config("types").owns("Foo", "example.com/v1/Bar")),
        ".owns(..) / --owns: `example.com/v1/Bar` is cluster-scoped, and `example.com/v1/Foo` is namespaced, so it \
         cannot own such objects"
    );
}

#[test]
fn names_that_collide_name_both_parties() {
    let foo = "`example.com/v1/Foo` (crds.yaml:7:17)";
    let with_index = config("types")
        .index(
            "Foo",
            crate::Index::path("spec.target.name").named("by_secret"),
        )
        .references("Foo", secret().path("spec.tls.secretName"));
    assert_eq!(
        text(&with_index),
        format!(
            "index `spec.target.name` of {foo} and referenced `::k8s_openapi::api::core::v1::Secret` of {foo} both \
             become the accessor `by_secret`; name one of them with Index::named(..) / name=.., or with \
             .accessor(..) / accessor=.."
        )
    );
    let pods = Selects::of("v1/Pod");
    let two = config("types")
        .selects("Foo", pods.clone().path("spec.labels"))
        .selects("Foo", Selects::of("v1/Service").path("spec.labels"));
    assert_eq!(
        text(&two),
        format!(
            "selected `::k8s_openapi::api::core::v1::Pod` of {foo} and selected \
             `::k8s_openapi::api::core::v1::Service` of {foo} both become the accessor `selecting`; name one of them \
             with .accessor(..) / accessor=.."
        )
    );
    let owned = config("types")
        .owns("Foo", "v1/Pod")
        .selects("Foo", pods.path("spec.labels"));
    let owned = text(&owned);
    assert!(owned.contains("both become the method `pods`;"), "{owned}");
}

/// All errors are reported at once, those of a file with their position.
#[cfg(feature = "config-file")]
#[test]
fn a_configuration_file_has_all_relations() {
    let folder = tempfile::tempdir().unwrap();
    let of_file = |relations: &str| {
        std::fs::write(folder.path().join("crds.yaml"), definitions()).unwrap();
        let file = folder.path().join("informers.toml");
        let options = format!("types = true\n[[crd]]\nfiles = \"crds.yaml\"\n{relations}");
        std::fs::write(&file, options).unwrap();
        let outcome = match Config::from_file(&file) {
            Ok(config) => text(&config),
            Err(error) => error.to_string(),
        };
        outcome.replace(&format!("{}/", folder.path().display()), "")
    };
    let text = of_file(
        "[owns]\nFoo = ['apps/v1/Deployment', {to = 'v1/Service', accessor = 'fronts'}]\n\
         [references]\nFoo = [{to = 'v1/Secret', path = 'spec.tls.secretName', namespace = 'spec.tls.namespace'}]\n\
         [selects]\nFoo = [{to = 'v1/Pod', path = 'spec.labels'}]",
    );
    for part in [
        "deployments,deployments_of:",
        "fronts,fronts_of:",
        "by_secret:",
        "namespace[.namespace*]",
        "selecting:",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(
        of_file(
            "[owns]\nFoo = ['v1/Pdo']\n[references]\nFoo = [{to = 'v1/Secret', path = 'spec.tls.secretNam'}]\n"
        ),
        "2 errors:\n\
         - informers.toml:5:8: .owns(..) / --owns: `v1/Pdo` is not among the kinds to generate, did you mean `v1/Pod`?\n\
         - informers.toml:7:34: .references(..) / --references: `spec.tls.secretNam` of `example.com/v1/Foo` \
         (crds.yaml:7:17): `spec.tls` has no member `secretNam` in its schema, did you mean `secretName`?"
    );
    for (relations, expected) in [
        (
            "[references]\nFoo = ['v1/Secret']",
            "informers.toml:5:8: invalid type: string \"v1/Secret\", expected a table such as { to = \"v1/Secret\", path = \"spec.secretName\" }",
        ),
        (
            "[references]\nFoo = [{path = 'spec.name'}]",
            "informers.toml:5:8: `references` needs the related kind, as in `to = \"v1/Secret\"`",
        ),
        (
            "[selects]\nFoo = [{to = 'v1/Pod', pth = 'a'}]",
            "informers.toml:5:8: `selects` has no setting `pth`, did you mean `path`?",
        ),
    ] {
        assert_eq!(of_file(relations), expected);
    }
}
