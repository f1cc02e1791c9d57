//! Custom resource definitions and their resources.

use informer_apiserver::ApiServer;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{DeleteParams, DynamicObject, ListParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::json;

use crate::support::{Lines, created, error_of, get, started};

fn definition() -> CustomResourceDefinition {
    let schema = json!({ "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } });
    serde_json::from_value(json!({
        "metadata": { "name": "foos.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": { "plural": "foos", "kind": "Foo", "shortNames": ["f"] },
            "versions": [
                { "name": "v1beta1", "served": true, "storage": false, "schema": schema },
                { "name": "v1", "served": true, "storage": true, "schema": schema, "subresources": { "status": {} } },
                { "name": "v1alpha1", "served": false, "storage": false, "schema": schema },
            ],
        },
    }))
    .unwrap()
}

fn foo_resource(version: &str) -> ApiResource {
    let kind = GroupVersionKind::gvk("example.com", version, "Foo");
    ApiResource::from_gvk_with_plural(&kind, "foos")
}

fn foos(server: &ApiServer, version: &str) -> Api<DynamicObject> {
    Api::namespaced_with(server.client().unwrap(), "default", &foo_resource(version))
}

fn foo(version: &str, name: &str) -> DynamicObject {
    DynamicObject::new(name, &foo_resource(version)).data(json!({ "spec": { "size": 1 } }))
}

#[tokio::test]
async fn versions_share_objects_under_their_own_api_version() {
    let server = started(ApiServer::builder().object(&definition())).await;
    created(&foos(&server, "v1"), &foo("v1", "a")).await;
    let (_, list) = get(&server, "/apis/example.com/v1beta1/foos").await;
    assert_eq!(list["apiVersion"], "example.com/v1beta1");
    assert_eq!(list["items"][0]["apiVersion"], "example.com/v1beta1");
    assert_eq!(list["items"][0]["kind"], "Foo");
    let mut new = Lines::open(
        &server,
        "/apis/example.com/v1/foos?watch=1&resourceVersion=0",
    )
    .await;
    let mut old = Lines::open(
        &server,
        "/apis/example.com/v1beta1/foos?watch=1&resourceVersion=0",
    )
    .await;
    for (events, version) in [
        (&mut new, "example.com/v1"),
        (&mut old, "example.com/v1beta1"),
    ] {
        assert_eq!(events.next().await.unwrap().1["apiVersion"], json!(version));
    }
    server
        .control()
        .delete_direct("/apis/example.com/v1/namespaces/default/foos/a")
        .unwrap();
    for (events, version) in [
        (&mut new, "example.com/v1"),
        (&mut old, "example.com/v1beta1"),
    ] {
        let (kind, object) = events.next().await.unwrap();
        assert_eq!(
            (kind.as_str(), &object["apiVersion"]),
            ("DELETED", &json!(version))
        );
    }
}

#[tokio::test]
async fn deleting_a_definition_ends_its_watches_and_objects() {
    let server = started(ApiServer::builder().object(&definition())).await;
    created(&foos(&server, "v1"), &foo("v1", "a")).await;
    let path = "/apis/example.com/v1/foos?watch=1";
    let mut events = Lines::open(&server, path).await;
    let definitions: Api<CustomResourceDefinition> = Api::all(server.client().unwrap());
    definitions
        .delete("foos.example.com", &DeleteParams::default())
        .await
        .unwrap();
    assert_eq!(events.shorts(3).await, ["ADDED a", "DELETED a", "end"]);
    assert_eq!(
        error_of(foos(&server, "v1").list(&ListParams::default()).await).0,
        404
    );

    created(&definitions, &definition()).await;
    assert_eq!(
        foos(&server, "v1")
            .list(&ListParams::default())
            .await
            .unwrap()
            .items
            .len(),
        0
    );
    created(&foos(&server, "v1"), &foo("v1", "b")).await;
    assert_eq!(Lines::open(&server, path).await.short().await, "ADDED b");
}

#[tokio::test]
async fn a_definition_can_gain_and_lose_versions() {
    let server = started(ApiServer::builder().object(&definition())).await;
    created(&foos(&server, "v1"), &foo("v1", "a")).await;
    let definitions: Api<CustomResourceDefinition> = Api::all(server.client().unwrap());
    let mut changed = definitions.get("foos.example.com").await.unwrap();
    changed.spec.versions[0].served = false;
    changed.spec.versions[2].served = true;
    definitions
        .replace("foos.example.com", &PostParams::default(), &changed)
        .await
        .unwrap();
    assert_eq!(get(&server, "/apis/example.com/v1beta1/foos").await.0, 404);
    assert_eq!(
        foos(&server, "v1alpha1")
            .list(&ListParams::default())
            .await
            .unwrap()
            .items
            .len(),
        1
    );
}
