//! Custom resources shaped like those of well-known projects: their manifests, types as `kopium`
//! writes them, and the generated code for both, with the real runtime and the real kube-derive.
//!
//! The generated code contains tests, which run here and check that each type matches its
//! definition. They compare the generator's reading of `#[kube(..)]` with kube-derive's.

#[allow(
    missing_docs,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "kopium's form"
)]
pub mod api;

#[deny(unused_qualifications, unreachable_pub)]
pub mod generated {
    //! Output of `build.rs`.
    include!(concat!(env!("OUT_DIR"), "/real.rs"));
}

#[path = "../../../../tests/support/fed.rs"]
mod fed;

use std::sync::Arc;

use fed::{Result, factory, feed};
use generated::SharedInformerFactoryExt as _;
use informer::{GroupVersionResource, Object, ObjectKey, SharedInformer};
use kube::core::DynamicObject;

fn resource<K: Object>(informer: &SharedInformer<K>) -> String {
    informer.resource().to_string()
}

#[tokio::test]
async fn every_informer_follows_the_resource_that_its_manifest_names() -> Result {
    let factory = factory()?;
    let resources = [
        resource(&factory.chaos_mesh().v1alpha1().network_chaos()),
        resource(&factory.externaldns().v1alpha1().dns_endpoints()),
        resource(&factory.k8s().v1().network_attachment_definitions()),
        resource(&factory.snapshot().v1().volume_snapshots()),
        resource(&factory.snapshot_schedules().v1().schedules()),
        resource(&factory.cert_manager().v1().cluster_issuers()),
        resource(&factory.names().v1().interfaces()),
        resource(&factory.names().v1().shared_informer_factories()),
        resource(&factory.example().v1().netpolicies()),
    ];
    assert_eq!(
        resources,
        [
            "networkchaos.v1alpha1.chaos-mesh.org",
            "dnsendpoints.v1alpha1.externaldns.k8s.io",
            "network-attachment-definitions.v1.k8s.cni.cncf.io",
            "volumesnapshots.v1.snapshot.storage.k8s.io",
            "schedules.v1.snapshot.example.com",
            "clusterissuers.v1.cert-manager.io",
            "interfaces.v1.names.example.com",
            "sharedinformerfactories.v1.names.example.com",
            "netpolicies.v1.example.com",
        ]
    );
    Ok(())
}

/// The wrappers of a kind without a Rust type know its scope, like other wrappers.
#[tokio::test]
async fn kinds_without_a_type_are_read_like_others() -> Result {
    let factory = factory()?;
    let networks = factory.k8s().v1().network_attachment_definitions();
    feed(
        &networks,
        serde_json::json!({
            "apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition",
            "metadata": {"name": "a", "namespace": "default", "labels": {"team": "x"}},
            "spec": {"config": "{}"}
        }),
    )?;
    let lister = networks.lister();
    let found: Option<Arc<DynamicObject>> = lister.namespace("default").get("a");
    assert_eq!(found.ok_or("not found")?.data["spec"]["config"], "{}");
    assert!(lister.namespace("other").get("a").is_none());
    assert_eq!(lister.by_team("x").len(), 1);

    let issuers = factory.cert_manager().v1().cluster_issuers();
    feed(
        &issuers,
        serde_json::json!({
            "apiVersion": "cert-manager.io/v1", "kind": "ClusterIssuer", "metadata": {"name": "a"},
            "spec": {"acme": {"retries": 3, "solvers": [{"class": "x"}, {}, {"class": "y"}]}}
        }),
    )?;
    let lister = issuers.lister();
    assert!(lister.get("a").is_some());
    assert!(lister.get("b").is_none());
    for class in ["x", "y"] {
        assert_eq!(lister.by_class(class).len(), 1, "{class}");
        let key = ObjectKey::cluster(class);
        assert_eq!(lister.by_ingress_class(&key).len(), 1, "{class}");
    }
    assert!(lister.by_class("z").is_empty());
    assert!(lister.by_retries(3).is_some());
    assert!(lister.by_retries(4).is_none());
    Ok(())
}

/// G13: a type may have several informers. The accessor returns the shared one.
#[tokio::test]
async fn g13_an_informer_is_more_than_its_type() -> Result {
    let factory = factory()?;
    let all = factory.example().v1().netpolicies();
    let one = factory.informer_with::<api::source_only::NetworkPolicy>(
        informer::InformerOptions::new().namespace("one"),
    );
    assert!(all.namespaces().is_empty());
    assert_eq!(one.namespaces(), ["one".into()]);
    feed(
        &one,
        serde_json::json!({
            "apiVersion": "example.com/v1", "kind": "NetworkPolicy",
            "metadata": {"name": "a", "namespace": "one"}, "spec": {"allow": []}
        }),
    )?;
    assert!(all.lister().is_empty(), "two caches");
    assert_eq!(one.lister().len(), 1);
    Ok(())
}

#[tokio::test]
async fn built_in_and_custom_resources_are_found_by_name_together() -> Result {
    let factory = factory()?;
    let find = |group, resource| {
        let resource = GroupVersionResource::new(group, "v1", resource);
        informer::k8s::for_resource(&factory, &resource)
            .or_else(|| generated::for_resource(&factory, &resource))
            .map(|informer| informer.resource().api_resource.kind.clone())
    };
    assert_eq!(find("", "pods").as_deref(), Some("Pod"));
    assert_eq!(
        find("names.example.com", "listers").as_deref(),
        Some("Lister")
    );
    assert_eq!(
        find("k8s.cni.cncf.io", "network-attachment-definitions").as_deref(),
        Some("NetworkAttachmentDefinition")
    );
    assert_eq!(find("example.com", "networkpolicies"), None);
    Ok(())
}
