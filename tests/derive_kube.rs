//! `#[derive(Informer)]` beside the real `#[derive(CustomResource)]`, serde and schemars.
//!
//! The diagnostics and the awkward places are tested in informer-derive, which does without kube;
//! here is what only the real one can show: that both read the same attributes in the same way.

#![deny(missing_docs, unused_qualifications)]

use informer_derive::Informer;
use kube::core::NamespaceResourceScope;
use kube::{CustomResource, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "samplecontroller.k8s.io",
    version = "v1alpha1",
    kind = "Foo",
    namespaced
)]
#[kube(
    status = "FooStatus",
    shortname = "f",
    crates(k8s_openapi = "k8s_openapi")
)]
#[kube(printcolumn(json_path = ".spec.replicas", name = "Replicas", type_ = "integer"))]
#[informer(crate = runtime, index = "spec.deploymentName", index = "spec.replicas")]
#[informer(index = "status.phase", index = "metadata.labels['app']")]
#[informer(
    index = "spec.podTemplate.images",
    index = "metadata.ownerReferences.uid"
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FooSpec {
    deployment_name: String,
    replicas: Option<i32>,
    pod_template: Option<PodTemplate>,
}

#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]
pub(crate) struct PodTemplate {
    images: Vec<String>,
}

#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]
pub(crate) struct FooStatus {
    phase: Option<String>,
}

/// The fields of the spec stand at the root of the document.
#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "NetworkPolicy",
    root = "FlatPolicy"
)]
#[kube(no_spec)]
#[informer(crate = runtime, index = "policyTypes")]
#[serde(rename_all = "camelCase")]
struct NetworkPolicySpec {
    policy_types: Vec<String>,
}

/// The derive on the root type, through kube's.
#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Gateway",
    singular = "gate",
    namespaced
)]
#[kube(derive = "Informer")]
#[kube(attr = r#"informer(crate = runtime, accessor = "gates", scope = "Namespaced")"#)]
#[kube(attr = r#"informer(index = "spec.host")"#)]
struct GatewaySpec {
    host: String,
}

/// The generic types as far as generated code needs them.
mod runtime {
    use std::borrow::Borrow;
    use std::sync::Arc;

    use kube::Resource;
    use serde::de::DeserializeOwned;

    /// One document for every type.
    pub(super) struct SharedInformerFactory(pub(super) &'static str);

    #[derive(Clone, Debug)]
    pub(super) struct SharedInformer<K>(Arc<K>);

    #[derive(Clone, Debug)]
    pub(super) struct Lister<K>(Arc<K>);

    #[derive(Clone, Debug)]
    pub(super) struct NamespaceLister<K>(pub(super) Option<Arc<K>>);

    #[derive(Clone, Debug)]
    pub(super) struct Index<K, V>(Arc<K>, Vec<V>);

    impl SharedInformerFactory {
        pub(super) fn informer<K: Resource + DeserializeOwned>(&self) -> SharedInformer<K> {
            let object = serde_json::from_str(self.0);
            SharedInformer(Arc::new(
                object.unwrap_or_else(|error| unreachable!("{error}")),
            ))
        }
    }

    impl<K> SharedInformer<K> {
        pub(super) fn lister(&self) -> Lister<K> {
            Lister(Arc::clone(&self.0))
        }
    }

    impl<K: Resource<Scope = super::NamespaceResourceScope>> Lister<K> {
        pub(super) fn namespace(&self, namespace: &str) -> NamespaceLister<K> {
            let inside = self.0.meta().namespace.as_deref() == Some(namespace);
            NamespaceLister(inside.then(|| Arc::clone(&self.0)))
        }
    }

    impl<K, V: Ord> Index<K, V> {
        pub(super) fn get<Q: ?Sized + Ord>(&self, value: &Q) -> Vec<Arc<K>>
        where
            V: Borrow<Q>,
        {
            let hits = self.1.iter().filter(|v| (*v).borrow() == value);
            hits.map(|_| Arc::clone(&self.0)).collect()
        }
    }

    pub(super) mod __private {
        use super::{Arc, Index, SharedInformer};

        pub(crate) use informer_runtime::private::*;

        pub(crate) fn index<K, V>(
            informer: &SharedInformer<K>,
            _name: &'static str,
            values: impl Fn(&K) -> Vec<V>,
        ) -> Index<K, V> {
            Index(Arc::clone(&informer.0), values(&informer.0))
        }
    }
}

const FOO: &str = r#"{
    "apiVersion": "samplecontroller.k8s.io/v1alpha1", "kind": "Foo",
    "metadata": {
        "name": "a", "namespace": "default", "labels": {"app": "shop"},
        "ownerReferences": [{"apiVersion": "v1", "kind": "X", "name": "x", "uid": "u1"}]
    },
    "spec": {"deploymentName": "web", "replicas": 2, "podTemplate": {"images": ["i1", "i2"]}},
    "status": {"phase": "Ready"}
}"#;

/// S-08.
#[test]
fn s08_paths_are_spelt_as_in_the_document_that_serde_reads() {
    let lister = runtime::SharedInformerFactory(FOO).foos().lister();
    assert_eq!(lister.by_deployment_name("web").len(), 1);
    assert_eq!(lister.by_replicas(2).len(), 1);
    assert_eq!(lister.by_phase("Ready").len(), 1);
    assert_eq!(lister.by_app("shop").len(), 1);
    assert_eq!(lister.by_images("i2").len(), 1);
    assert_eq!(lister.by_uid("u1").len(), 1);
    assert!(lister.by_deployment_name("db").is_empty());
}

/// S-02.
#[test]
fn s02_the_namespace_lister_sees_its_namespace_only() {
    let lister = runtime::SharedInformerFactory(FOO).foos().lister();
    let inside: FooNamespaceLister = lister.namespace("default");
    assert!(inside.0.is_some());
    assert!(lister.namespace("other").0.is_none());
}

#[test]
fn fields_of_a_type_without_spec_are_at_the_root() {
    let document = r#"{
        "apiVersion": "example.com/v1", "kind": "NetworkPolicy",
        "metadata": {"name": "a"}, "policyTypes": ["Ingress"]
    }"#;
    let informer: FlatPolicyInformer = runtime::SharedInformerFactory(document).network_policies();
    assert_eq!(informer.lister().by_policy_types("Ingress").len(), 1);
}

#[test]
fn kube_derive_hands_the_derive_on_to_the_root_type() {
    let document = r#"{
        "apiVersion": "example.com/v1", "kind": "Gateway",
        "metadata": {"name": "a"}, "spec": {"host": "h"}
    }"#;
    let lister = runtime::SharedInformerFactory(document).gates().lister();
    assert_eq!(lister.by_host("h").len(), 1);
}

/// The accessors above are these plurals: if kube-derive ever changes its rule, this fails.
#[test]
fn plurals_are_those_that_kube_derive_gives() {
    assert_eq!(Foo::plural(&()), "foos");
    assert_eq!(FlatPolicy::plural(&()), "networkpolicies");
    assert_eq!(Gateway::plural(&()), "gates");
}
