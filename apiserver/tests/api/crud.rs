//! Creating, reading, changing and deleting objects.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{DeleteParams, Patch, PostParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::support::{config_map, config_maps, created, error_of, patched, pod, pods, server};

#[tokio::test]
async fn resource_versions_increase_over_all_resources() {
    let server = server().await;
    let mut versions = Vec::new();
    for i in 0..3 {
        let name = format!("n{i}");
        let pod = created(&pods(&server), &pod(&name)).await;
        let map = config_maps(&server);
        let map = created(&map, &config_map(&name)).await;
        versions.push(pod.resource_version().unwrap().parse::<u64>().unwrap());
        versions.push(map.resource_version().unwrap().parse::<u64>().unwrap());
    }
    assert!(versions.is_sorted_by(|a, b| a < b), "{versions:?}");
}

#[tokio::test]
async fn a_deleted_namespace_is_removed_with_its_contents() {
    let server = server().await;
    let namespaces: Api<Namespace> = Api::all(server.client().unwrap());
    let namespace: Namespace =
        serde_json::from_value(json!({ "metadata": { "name": "x" } })).unwrap();
    created(&namespaces, &namespace).await;
    let maps: Api<ConfigMap> = Api::namespaced(server.client().unwrap(), "x");
    let mut held = config_map("held");
    held.metadata.finalizers = Some(vec!["x/y".to_owned()]);
    created(&maps, &held).await;
    created(&maps, &config_map("free")).await;

    namespaces
        .delete("x", &DeleteParams::default())
        .await
        .unwrap();
    let terminating = namespaces.get("x").await.unwrap();
    assert_eq!(
        terminating.status.unwrap().phase.as_deref(),
        Some("Terminating")
    );
    assert_eq!(error_of(maps.get("free").await).0, 404);
    let rejected = maps
        .create(&PostParams::default(), &config_map("new"))
        .await;
    assert_eq!(error_of(rejected), (403, "Forbidden".to_owned()));

    let none = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    patched(&maps, "held", &none).await;
    assert_eq!(error_of(namespaces.get("x").await).0, 404);
    let rejected = namespaces.delete("default", &DeleteParams::default()).await;
    assert_eq!(error_of(rejected), (403, "Forbidden".to_owned()));
}
