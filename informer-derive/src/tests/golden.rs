//! Readable expansions. `UPDATE_GOLDEN=1 cargo test -p informer-derive golden` accepts the current
//! output.

use std::path::Path;

use syn::parse_quote;

/// Compares the expansion of `input` with `tests/golden/<name>`.
fn check(name: &str, input: &syn::DeriveInput) {
    let file: syn::File =
        syn::parse2(crate::derive(input)).expect("the expansion is a list of items");
    let found = prettyplease::unparse(&file);
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "the expansion differs from {}; UPDATE_GOLDEN=1 accepts it:\n{found}",
        path.display()
    );
}

#[test]
fn golden_namespaced_with_indices() {
    check(
        "foo.txt",
        &parse_quote! {
            #[kube(group = "samplecontroller.k8s.io", version = "v1alpha1", kind = "Foo", namespaced)]
            #[informer(index = "spec.deploymentName", index = "spec.replicas")]
            #[informer(index = "metadata.labels['app']", index = "spec.template.ports.name")]
            #[informer(index = spec.template.node_name)]
            #[informer(index(name = "by_owner", with = owners, value = "Uid"))]
            #[serde(rename_all = "camelCase")]
            pub struct FooSpec {
                pub deployment_name: String,
                pub replicas: Option<i32>,
                pub template: Option<Template>,
            }
        },
    );
}

#[test]
fn golden_cluster_scoped_root() {
    check(
        "zone.txt",
        &parse_quote! {
            #[informer(accessor = "zones", scope = "Cluster", crate = "crate::inf")]
            pub(crate) struct Zone {
                metadata: ObjectMeta,
            }
        },
    );
}

/// A relation to several places has one entry, and each place pairs a name with its namespace.
#[test]
fn golden_relations() {
    check(
        "website.txt",
        &parse_quote! {
            #[kube(group = "example.com", version = "v1", kind = "Website", namespaced)]
            #[informer(
                owns(Deployment, core::v1::Service(accessor = "fronts")),
                references(
                    Secret = spec.tls.secret_name,
                    Secret = "spec.tokenSecrets",
                    Secret(path = "spec.pull.name", accessor = "pull_secrets"),
                    ConfigMap(path = spec.configs.name, namespace = spec.configs.namespace),
                    Deployment(
                        path = spec.scale.target.name,
                        namespace = metadata.labels["target-namespace"],
                        kind = spec.scale.target.kind,
                        accessor = "scaled",
                    ),
                ),
                selects(Pod = spec.selector, Pod(path = "spec.exclude", accessor = "excluded")),
            )]
            #[serde(rename_all = "camelCase")]
            pub struct WebsiteSpec {
                pub tls: Option<Tls>,
                pub token_secrets: Vec<String>,
                pub pull: LocalObjectReference,
                pub configs: Vec<Config>,
                pub scale: Scale,
                pub selector: LabelSelector,
                pub exclude: Option<BTreeMap<String, String>>,
            }
        },
    );
}

/// Next to errors, an outline has every item that a user may refer to.
#[test]
fn golden_fallback() {
    check(
        "fallback.txt",
        &parse_quote! {
            #[kube(group = "example.com", version = "v1", kind = "Bar", namespaced)]
            #[informer(index = "spec.nme", references(Secret = "spec.nme", ConfigMap = "spec.name"))]
            pub struct BarSpec {
                pub name: String,
            }
        },
    );
}
