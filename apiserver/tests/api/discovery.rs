//! Discovery, as `kube` and `kubectl` use it.

use informer_apiserver::ApiServer;
use kube::core::GroupVersionKind;
use kube::discovery::{self, Discovery, Scope, verbs};
use serde_json::json;

use crate::support::{crd, get, server, started};

#[tokio::test]
async fn kube_discovers_every_built_in_kind() {
    let server = server().await;
    let client = server.client().unwrap();
    let classic = Discovery::new(client.clone()).run().await.unwrap();
    let aggregated = Discovery::new(client).run_aggregated().await.unwrap();
    for found in [classic, aggregated] {
        let deployment = GroupVersionKind::gvk("apps", "v1", "Deployment");
        let (resource, capabilities) = found.resolve_gvk(&deployment).unwrap();
        assert_eq!(resource.plural, "deployments");
        assert_eq!(capabilities.scope, Scope::Namespaced);
        assert!(capabilities.supports_operation(verbs::WATCH));
        assert!(
            capabilities
                .subresources
                .iter()
                .any(|(r, _)| r.plural.ends_with("status"))
        );

        let components = GroupVersionKind::gvk("", "v1", "ComponentStatus");
        let (_, capabilities) = found.resolve_gvk(&components).unwrap();
        assert_eq!(capabilities.scope, Scope::Cluster);
        assert!(!capabilities.supports_operation(verbs::WATCH));

        let autoscaling = found.get("autoscaling").unwrap();
        assert_eq!(autoscaling.versions().collect::<Vec<_>>(), ["v2", "v1"]);
        let kinds: usize = found
            .groups()
            .map(|group| {
                let of = |version| group.versioned_resources(version).len();
                group.versions().map(of).sum::<usize>()
            })
            .sum();
        // 109 listable kinds, and 6 reviews.
        assert_eq!(kinds, 115);
    }
}

#[tokio::test]
async fn custom_resources_come_and_go() {
    let foos = crd(
        "Foo",
        "Cluster",
        &json!([{ "name": "v1", "served": true, "storage": true }]),
    );
    let server = started(ApiServer::builder().object(&foos)).await;
    let kind = GroupVersionKind::gvk("example.com", "v1", "Foo");
    let client = server.client().unwrap();
    let (resource, capabilities) = discovery::pinned_kind(&client, &kind).await.unwrap();
    assert_eq!(
        (resource.plural.as_str(), capabilities.scope),
        ("foos", Scope::Cluster)
    );
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.example.com";
    server.control().delete_direct(path).unwrap();
    assert!(discovery::pinned_kind(&client, &kind).await.is_err());
    assert_eq!(get(&server, "/apis/example.com").await.0, 404);
}
