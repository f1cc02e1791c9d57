//! Creating, reading, changing and deleting objects.

use http::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::support::{
    Lines, config_map, config_maps, created, error_of, get, patched, pod, pods, replaced, send,
    server,
};

#[tokio::test]
async fn a_new_object_gets_its_metadata_from_the_server() {
    let server = server().await;
    let created = created(&pods(&server), &pod("a")).await;
    assert_eq!(created.namespace().as_deref(), Some("default"));
    assert_eq!(created.uid().unwrap().len(), 36);
    assert_eq!(created.metadata.generation, Some(1));
    assert!(created.creation_timestamp().is_some());
    let version = server.control().current_resource_version().to_string();
    assert_eq!(created.resource_version(), Some(version));
    assert_eq!(
        created.status.as_ref().unwrap().phase.as_deref(),
        Some("Pending")
    );
    assert_eq!(pods(&server).get("a").await.unwrap(), created);
}

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
async fn errors_have_the_words_of_the_real_server() {
    let server = server().await;
    let maps = config_maps(&server);
    created(&maps, &config_map("a")).await;

    let message = |result: Result<ConfigMap, kube::Error>| match result {
        Err(kube::Error::Api(status)) => (status.code, status.message),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        message(maps.get("x").await),
        (404, r#"configmaps "x" not found"#.to_owned())
    );
    assert_eq!(
        message(maps.create(&PostParams::default(), &config_map("a")).await),
        (409, r#"configmaps "a" already exists"#.to_owned())
    );
    let elsewhere: Api<ConfigMap> = Api::namespaced(server.client().unwrap(), "nowhere");
    assert_eq!(
        message(
            elsewhere
                .create(&PostParams::default(), &config_map("a"))
                .await
        ),
        (404, r#"namespaces "nowhere" not found"#.to_owned())
    );
    let (code, text) = message(
        maps.create(&PostParams::default(), &config_map("A_b"))
            .await,
    );
    assert_eq!(code, 422);
    assert!(text.starts_with(r#"ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b""#));
    let (code, text) = message(
        maps.create(&PostParams::default(), &ConfigMap::default())
            .await,
    );
    assert_eq!(code, 422);
    assert!(text.contains("metadata.name: Required value: name or generateName is required"));
}

#[tokio::test]
async fn an_error_has_details() {
    let server = server().await;
    let (code, status) = get(&server, "/apis/apps/v1/namespaces/default/deployments/x").await;
    assert_eq!(code, 404);
    let expected = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "deployments.apps \"x\" not found", "reason": "NotFound",
        "details": { "name": "x", "group": "apps", "kind": "deployments" }, "code": 404,
    });
    assert_eq!(status, expected);
}

#[tokio::test]
async fn the_body_must_fit_the_path() {
    let server = server().await;
    let post = |body: Value| {
        http::Request::post("/api/v1/namespaces/default/configmaps")
            .header("content-type", "application/json")
            .body(body.to_string().into_bytes())
            .unwrap()
    };
    for (document, expected) in [
        (
            json!({ "metadata": { "name": "a", "namespace": "kube-system" } }),
            400,
        ),
        (json!({ "kind": "Pod", "metadata": { "name": "a" } }), 400),
        (
            json!({ "apiVersion": "v2", "metadata": { "name": "a" } }),
            400,
        ),
        (
            json!({ "metadata": { "name": "a", "labels": { "a": 1 } } }),
            400,
        ),
        (json!({ "metadata": "a" }), 400),
        (json!([]), 400),
        (
            json!({ "metadata": { "name": "a", "resourceVersion": "5" } }),
            500,
        ),
        (json!({ "metadata": { "name": "a", "labels": null } }), 201),
    ] {
        let (code, answer) = send(&server, post(document.clone())).await;
        assert_eq!(code, expected, "{document} gave {answer}");
    }
    let broken = http::Request::post("/api/v1/namespaces/default/configmaps");
    assert_eq!(
        send(&server, broken.body(b"{".to_vec()).unwrap()).await.0,
        400
    );
    let html = http::Request::post("/api/v1/namespaces/default/configmaps")
        .header("content-type", "text/html");
    assert_eq!(
        send(&server, html.body(b"{}".to_vec()).unwrap()).await.0,
        415
    );
}

#[tokio::test]
async fn names_are_generated_on_request() {
    let server = server().await;
    let map: ConfigMap =
        serde_json::from_value(json!({ "metadata": { "generateName": "web-" } })).unwrap();
    let first = created(&config_maps(&server), &map).await;
    let second = created(&config_maps(&server), &map).await;
    assert_ne!(first.name_any(), second.name_any());
    assert!(first.name_any().starts_with("web-") && first.name_any().len() == 9);
}

#[tokio::test]
async fn a_stale_update_is_a_conflict() {
    let server = server().await;
    let maps = config_maps(&server);
    let old = created(&maps, &config_map("a")).await;
    let mut newer = old.clone();
    newer.data = Some([("k".to_owned(), "v".to_owned())].into());
    let newer = replaced(&maps, "a", &newer).await;
    assert_ne!(newer.resource_version(), old.resource_version());
    let rejected = maps.replace("a", &PostParams::default(), &old).await;
    assert_eq!(error_of(rejected), (409, "Conflict".to_owned()));

    let mut other = newer.clone();
    other.metadata.uid = Some("another".to_owned());
    let rejected = maps.replace("a", &PostParams::default(), &other).await;
    assert_eq!(error_of(rejected), (409, "Conflict".to_owned()));

    let mut unconditional = old;
    unconditional.metadata.resource_version = None;
    let written = replaced(&maps, "a", &unconditional).await;
    assert_eq!(written.data, None);
}

#[tokio::test]
async fn an_update_without_a_change_keeps_the_version() {
    let server = server().await;
    let maps = config_maps(&server);
    let map = created(&maps, &config_map("a")).await;
    let before = server.control().current_resource_version();
    let same = replaced(&maps, "a", &map).await;
    let patch = Patch::Merge(json!({ "metadata": { "labels": null } }));
    let patched = patched(&maps, "a", &patch).await;
    assert_eq!((same, patched), (map.clone(), map));
    assert_eq!(server.control().current_resource_version(), before);
}

#[tokio::test]
async fn generation_follows_the_spec_and_status_has_its_own_endpoint() {
    let server = server().await;
    let pods = pods(&server);
    let mut pod = created(&pods, &pod("a")).await;

    pod.spec.as_mut().unwrap().node_name = Some("n1".to_owned());
    pod.status.as_mut().unwrap().phase = Some("Running".to_owned());
    let pod = replaced(&pods, "a", &pod).await;
    assert_eq!(pod.metadata.generation, Some(2));
    assert_eq!(
        pod.status.as_ref().unwrap().phase.as_deref(),
        Some("Pending")
    );

    let status = json!({ "status": { "phase": "Running" }, "spec": { "nodeName": "n2" } });
    let status = Patch::Merge(status);
    let pod = pods
        .patch_status("a", &PatchParams::default(), &status)
        .await
        .unwrap();
    assert_eq!(
        pod.status.as_ref().unwrap().phase.as_deref(),
        Some("Running")
    );
    assert_eq!(pod.spec.as_ref().unwrap().node_name.as_deref(), Some("n1"));
    assert_eq!(pod.metadata.generation, Some(2));

    let mut replaced = pod.clone();
    replaced.status.as_mut().unwrap().phase = Some("Failed".to_owned());
    replaced.metadata.labels = None;
    let replaced = pods
        .replace_status("a", &PostParams::default(), &replaced)
        .await
        .unwrap();
    assert_eq!(replaced.labels(), pod.labels());
    let read: Pod = pods.get_status("a").await.unwrap();
    assert_eq!(read.status.unwrap().phase.as_deref(), Some("Failed"));
}

#[tokio::test]
async fn patches_are_merge_or_json() {
    let server = server().await;
    let maps = config_maps(&server);
    created(&maps, &config_map("a")).await;
    let json_patch = |operations: Value| {
        http::Request::patch("/api/v1/namespaces/default/configmaps/a")
            .header("content-type", "application/json-patch+json")
            .body(operations.to_string().into_bytes())
            .unwrap()
    };
    let operations = json!([
        { "op": "add", "path": "/data", "value": { "k": "1" } },
        { "op": "test", "path": "/metadata/name", "value": "a" },
    ]);
    let (code, patched) = send(&server, json_patch(operations)).await;
    assert_eq!((code, &patched["data"]), (200, &json!({ "k": "1" })));
    let failing = json!([{ "op": "test", "path": "/data/k", "value": "2" }]);
    let (code, rejected) = send(&server, json_patch(failing)).await;
    assert_eq!((code, &rejected["reason"]), (422, &json!("Invalid")));
    // A document that would be too deep to be decoded again is rejected.
    let nested = (1..80).fold(json!([]), |inner, _| json!([inner]));
    let deeper = format!("/other{}/-", "/0".repeat(60));
    let nesting = json!([
        { "op": "add", "path": "/other", "value": nested },
        { "op": "copy", "from": "/other", "path": deeper },
    ]);
    let (code, rejected) = send(&server, json_patch(nesting)).await;
    assert_eq!((code, &rejected["reason"]), (400, &json!("BadRequest")));

    let stale = Patch::Merge(json!({ "metadata": { "resourceVersion": "1" }, "data": null }));
    let rejected = maps.patch("a", &PatchParams::default(), &stale).await;
    assert_eq!(error_of(rejected), (409, "Conflict".to_owned()));
}

#[tokio::test]
async fn strategic_merge_patches_merge_the_lists_of_built_in_kinds() {
    let server = server().await;
    let api = pods(&server);
    created(&api, &pod("a")).await;
    let patch = Patch::Strategic(json!({ "spec": { "containers": [
        { "name": "main", "env": [{ "name": "K", "value": "1" }] },
        { "name": "side", "image": "y" },
    ]}}));
    let params = PatchParams::default();
    let patched = api.patch("a", &params, &patch).await.unwrap();
    let containers = patched.spec.unwrap().containers;
    let images: Vec<_> = containers.iter().map(|c| c.image.as_deref()).collect();
    assert_eq!(images, [Some("x"), Some("y")]);
    assert_eq!(containers[0].env.as_ref().unwrap()[0].name, "K");

    let ready = |status: &str| {
        Patch::Strategic(json!({ "status": { "conditions": [
            { "type": "Ready", "status": status },
        ]}}))
    };
    let other = Patch::Strategic(json!({ "status": { "conditions": [
        { "type": "PodScheduled", "status": "True" },
    ]}}));
    for patch in [ready("False"), other, ready("True")] {
        api.patch_status("a", &params, &patch).await.unwrap();
    }
    let conditions = api
        .get("a")
        .await
        .unwrap()
        .status
        .unwrap()
        .conditions
        .unwrap();
    let mut states: Vec<_> = conditions.iter().map(|c| (&*c.type_, &*c.status)).collect();
    states.sort_unstable();
    assert_eq!(states, [("PodScheduled", "True"), ("Ready", "True")]);
}

#[tokio::test]
async fn finalizers_hold_an_object_until_the_last_is_gone() {
    let server = server().await;
    let maps = config_maps(&server);
    let mut map = config_map("a");
    map.metadata.finalizers = Some(vec!["x/y".to_owned()]);
    created(&maps, &map).await;
    let path = "/api/v1/configmaps?watch=1";
    let mut events = Lines::open(&server, path).await;

    let pending = maps.delete("a", &DeleteParams::default()).await.unwrap();
    let pending = pending.left().expect("the object, since it is still there");
    assert!(pending.metadata.deletion_timestamp.is_some());
    let before = server.control().current_resource_version();
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(server.control().current_resource_version(), before);

    let more = Patch::Merge(json!({ "metadata": { "finalizers": ["x/y", "z/z"] } }));
    let rejected = maps.patch("a", &PatchParams::default(), &more).await;
    assert_eq!(error_of(rejected), (422, "Invalid".to_owned()));

    let none = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    patched(&maps, "a", &none).await;
    assert_eq!(error_of(maps.get("a").await).0, 404);
    let expected = ["ADDED a", "MODIFIED a", "DELETED a"];
    assert_eq!(events.shorts(3).await, expected);
}

#[tokio::test]
async fn a_delete_checks_its_preconditions() {
    let server = server().await;
    let maps = config_maps(&server);
    let map = created(&maps, &config_map("a")).await;
    let only = |uid: Option<&str>, version: Option<&str>| {
        DeleteParams::default().preconditions(Preconditions {
            uid: uid.map(str::to_owned),
            resource_version: version.map(str::to_owned),
        })
    };
    assert_eq!(
        error_of(maps.delete("a", &only(Some("u"), None)).await).0,
        409
    );
    assert_eq!(
        error_of(maps.delete("a", &only(None, Some("1"))).await).0,
        409
    );
    let (uid, version) = (map.uid().unwrap(), map.resource_version().unwrap());
    let gone = maps
        .delete("a", &only(Some(&uid), Some(&version)))
        .await
        .unwrap();
    assert_eq!(gone.right().unwrap().details.unwrap().uid, uid);
}

#[tokio::test]
async fn a_collection_is_deleted_by_selector() {
    let server = server().await;
    let pods = pods(&server);
    for name in ["a", "b", "c"] {
        created(&pods, &pod(name)).await;
    }
    let picked = ListParams::default().labels("app in (a, c)");
    let deleted = pods
        .delete_collection(&DeleteParams::default(), &picked)
        .await
        .unwrap();
    assert_eq!(deleted.left().unwrap().items.len(), 2);
    let left = pods.list(&ListParams::default()).await.unwrap();
    assert_eq!(
        left.items
            .iter()
            .map(ResourceExt::name_any)
            .collect::<Vec<_>>(),
        ["b"]
    );
}

#[tokio::test]
async fn dry_runs_change_nothing() {
    let server = server().await;
    let maps = config_maps(&server);
    let before = server.control().current_resource_version();
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    maps.create(&dry, &config_map("a")).await.unwrap();
    assert_eq!(error_of(maps.get("a").await).0, 404);
    created(&maps, &config_map("a")).await;
    maps.delete("a", &DeleteParams::default().dry_run())
        .await
        .unwrap();
    maps.get("a").await.unwrap();
    assert_eq!(server.control().current_resource_version(), before + 1);
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

#[tokio::test]
async fn only_the_verbs_of_discovery_are_allowed() {
    let server = server().await;
    let path = "/api/v1/componentstatuses";
    assert_eq!(get(&server, path).await.0, 200);
    assert_eq!(get(&server, &format!("{path}?watch=1")).await.0, 405);
    let post = http::Request::post(path).body(b"{}".to_vec()).unwrap();
    assert_eq!(send(&server, post).await.0, 405);
    assert_eq!(get(&server, "/api/v1/nonsense").await.0, 404);
    assert_eq!(
        get(&server, "/apis/no.such.group/v1/things").await,
        (404, Value::from("404 page not found\n"))
    );
}

/// As in the real server: a status of a built-in kind comes with annotations, that of a custom kind
/// without.
#[tokio::test]
async fn a_patch_of_a_status_keeps_its_annotations() {
    let server = server().await;
    let control = server.control();
    let web = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
        "spec": { "selector": { "matchLabels": { "app": "web" } } },
    });
    control.create_direct(web).unwrap();
    let body = json!({
        "metadata": { "annotations": { "note": "a" }, "labels": { "tier": "front" } },
        "status": { "replicas": 1 },
    });
    let request = Request::patch("/apis/apps/v1/namespaces/default/deployments/web/status")
        .header("content-type", "application/merge-patch+json")
        .body(body.to_string().into_bytes());
    let (code, object) = send(&server, request.unwrap()).await;
    assert_eq!(code, 200, "{object}");
    assert_eq!(object["metadata"]["annotations"], json!({ "note": "a" }));
    assert_eq!(object["metadata"]["labels"], Value::Null);
    assert_eq!(object["status"]["replicas"], 1);
}
