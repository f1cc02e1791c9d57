//! Server-side apply, as controllers use it.

use http::Request;
use informer_apiserver::ApiServer;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams, PostParams};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::support::{
    Lines, config_map, config_maps, crd, created, error_of, patched, send, server, started,
};

fn map(data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "c" }, "data": data })
}

fn by(manager: &str) -> PatchParams {
    PatchParams::apply(manager)
}

async fn apply(maps: &Api<ConfigMap>, manager: &str, data: Value) -> kube::Result<ConfigMap> {
    maps.patch("c", &by(manager), &Patch::Apply(map(&data)))
        .await
}

/// Returns the managers of an object, each as `name operation subresource`, with their fields.
/// Sorted by name, because the server sorts by seconds.
fn owners(object: &impl ResourceExt) -> Vec<(String, Value)> {
    let entries = object.managed_fields().iter();
    let mut owners: Vec<_> = entries
        .map(|entry| {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            let parts = [&entry.manager, &entry.operation, &entry.subresource].map(text);
            let fields = entry.fields_v1.as_ref().map(|fields| fields.0.clone());
            (parts.join(" ").trim_end().to_owned(), fields.unwrap())
        })
        .collect();
    owners.sort_by(|a, b| a.0.cmp(&b.0));
    owners
}

#[tokio::test]
async fn an_apply_creates_and_then_changes_its_fields() {
    let server = server().await;
    let maps = config_maps(&server);
    let created = apply(&maps, "one", json!({ "a": "1", "b": "1" }))
        .await
        .unwrap();
    assert_eq!(
        owners(&created),
        [(
            "one Apply".to_owned(),
            json!({ "f:data": { "f:a": {}, "f:b": {} } })
        )]
    );
    let changed = apply(&maps, "one", json!({ "a": "2" })).await.unwrap();
    assert_eq!(
        changed.data.clone().unwrap().len(),
        1,
        "what is applied no more is gone"
    );
    // Nothing changes, so there is no new version and no event.
    let again = apply(&maps, "one", json!({ "a": "2" })).await.unwrap();
    assert_eq!(again, changed);
    server.shutdown().await;
}

#[tokio::test]
async fn fields_of_another_manager_conflict_without_force() {
    let server = server().await;
    let maps = config_maps(&server);
    apply(&maps, "one", json!({ "a": "1", "b": "1" }))
        .await
        .unwrap();
    let Err(kube::Error::Api(status)) = apply(&maps, "two", json!({ "a": "2", "b": "2" })).await
    else {
        panic!("should have been a conflict")
    };
    assert_eq!((status.code, status.reason.as_str()), (409, "Conflict"));
    assert_eq!(
        status.message,
        "Apply failed with 2 conflicts: conflicts with \"one\":\n- .data.a\n- .data.b"
    );
    let causes = status.details.unwrap().causes;
    let cause = &causes[0];
    assert_eq!(
        [&cause.reason, &cause.message, &cause.field],
        ["FieldManagerConflict", "conflict with \"one\"", ".data.a"]
    );
    let forced = Patch::Apply(map(&json!({ "a": "2" })));
    let forced = maps.patch("c", &by("two").force(), &forced).await.unwrap();
    assert_eq!(
        owners(&forced),
        [
            ("one Apply".to_owned(), json!({ "f:data": { "f:b": {} } })),
            ("two Apply".to_owned(), json!({ "f:data": { "f:a": {} } })),
        ]
    );
    server.shutdown().await;
}

#[tokio::test]
async fn an_update_owns_the_fields_that_it_changes() {
    let server = server().await;
    let maps = config_maps(&server);
    let mut known = apply(&maps, "one", json!({ "a": "1", "b": "1" }))
        .await
        .unwrap();
    known
        .data
        .as_mut()
        .unwrap()
        .insert("a".to_owned(), "2".to_owned());
    let params = PostParams {
        field_manager: Some("editor".to_owned()),
        ..PostParams::default()
    };
    let updated = maps.replace("c", &params, &known).await.unwrap();
    let names: Vec<String> = owners(&updated).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["editor Update", "one Apply"]);
    let rejected = apply(&maps, "one", json!({ "a": "1", "b": "1" })).await;
    assert_eq!(error_of(rejected), (409, "Conflict".to_owned()));
    // Without `fieldManager`, the manager is the program in `User-Agent`.
    let request = Request::patch("/api/v1/namespaces/default/configmaps/c")
        .header("content-type", "application/merge-patch+json")
        .header("user-agent", "my-program/1.2 (linux)")
        .body(br#"{"data":{"b":"2"}}"#.to_vec())
        .unwrap();
    assert_eq!(send(&server, request).await.0, 200);
    let names: Vec<String> = owners(&maps.get("c").await.unwrap())
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert!(names.contains(&"my-program Update".to_owned()), "{names:?}");
    server.shutdown().await;
}

#[tokio::test]
async fn managed_fields_are_kept_from_the_first_apply_or_always_on_request() {
    let server = server().await;
    let maps = config_maps(&server);
    let plain = created(&maps, &config_map("c")).await;
    assert!(plain.managed_fields().is_empty());
    let patch = Patch::Merge(json!({ "data": { "a": "1" } }));
    let first = patched(&maps, "c", &patch).await;
    assert!(first.managed_fields().is_empty());
    let rejected = apply(&maps, "one", json!({ "a": "2" })).await;
    let Err(kube::Error::Api(status)) = rejected else {
        panic!("should have been a conflict")
    };
    assert_eq!(
        status.message,
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.a"
    );
    server.shutdown().await;

    let server = started(ApiServer::builder().managed_fields(true)).await;
    let maps = config_maps(&server);
    let followed = created(&maps, &config_map("c")).await;
    let first = patched(&maps, "c", &patch).await;
    assert!(
        followed.managed_fields().is_empty(),
        "a name alone is nobody's"
    );
    assert!(
        first.managed_fields().is_empty(),
        "nor are its managed fields kept later"
    );
    let mut labelled = config_map("l");
    labelled.labels_mut().insert("a".to_owned(), "b".to_owned());
    let followed = created(&maps, &labelled).await;
    assert_eq!(owners(&followed).len(), 1);
    server.shutdown().await;
}

#[tokio::test]
async fn managers_in_a_document_are_kept() {
    let entry = json!({
        "manager": "given", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
        "fieldsV1": { "f:data": { "f:a": {} } }, "time": "2020-01-01T00:00:00Z",
    });
    let mut object = map(&json!({ "a": "1" }));
    object["metadata"]["managedFields"] = json!([entry]);
    let server = started(ApiServer::builder().object(&object)).await;
    let maps = config_maps(&server);
    let found = maps.get("c").await.unwrap();
    assert_eq!(
        serde_json::to_value(found.managed_fields()).unwrap(),
        json!([entry])
    );
    let rejected = apply(&maps, "one", json!({ "a": "2" })).await;
    assert_eq!(error_of(rejected), (409, "Conflict".to_owned()));
    // An empty entry clears the managers, as in the real server.
    let forget = Patch::Merge(json!({ "metadata": { "managedFields": [{}] } }));
    let found = patched(&maps, "c", &forget).await;
    assert!(found.managed_fields().is_empty());
    server.shutdown().await;
}

#[tokio::test]
async fn a_dry_run_answers_and_changes_nothing() {
    let server = server().await;
    let maps = config_maps(&server);
    let params = PatchParams {
        dry_run: true,
        ..by("one")
    };
    let patch = Patch::Apply(map(&json!({ "a": "1" })));
    let answer = maps.patch("c", &params, &patch).await.unwrap();
    assert_eq!(owners(&answer).len(), 1);
    assert!(maps.get_opt("c").await.unwrap().is_none());
    let kept = apply(&maps, "one", json!({ "a": "1" })).await.unwrap();
    let patch = Patch::Apply(map(&json!({ "a": "2" })));
    let answer = maps.patch("c", &params, &patch).await.unwrap();
    assert_eq!(answer.data.unwrap()["a"], "2");
    assert_eq!(maps.get("c").await.unwrap(), kept);
    server.shutdown().await;
}

#[tokio::test]
async fn an_apply_is_an_event_only_if_it_changes_something() {
    let server = server().await;
    let maps = config_maps(&server);
    let mut lines = Lines::open(&server, "/api/v1/configmaps?watch=true").await;
    apply(&maps, "one", json!({ "a": "1" })).await.unwrap();
    apply(&maps, "one", json!({ "a": "1" })).await.unwrap();
    apply(&maps, "one", json!({ "a": "2" })).await.unwrap();
    // A new owner is a change, the first time.
    apply(&maps, "two", json!({ "a": "2" })).await.unwrap();
    apply(&maps, "two", json!({ "a": "2" })).await.unwrap();
    crate::support::put(&server, "last");
    let expected = ["ADDED c", "MODIFIED c", "MODIFIED c", "ADDED last"];
    let last = lines.shorts(4).await;
    assert_eq!(last, expected);
    server.shutdown().await;
}

fn thing_definition() -> CustomResourceDefinition {
    let condition = json!({ "type": "object", "properties": {
        "type": { "type": "string" }, "status": { "type": "string" },
    } });
    let schema = json!({ "type": "object", "properties": {
        "spec": { "type": "object", "properties": { "size": { "type": "integer" } } },
        "status": { "type": "object", "properties": {
            "conditions": {
                "type": "array", "items": condition,
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
            },
        } },
    } });
    serde_json::from_value(json!({
        "metadata": { "name": "things.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": { "plural": "things", "kind": "Thing" },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": schema },
            }],
        },
    }))
    .unwrap()
}

#[tokio::test]
async fn two_controllers_share_the_conditions_of_a_status() {
    let server = started(ApiServer::builder().object(&thing_definition())).await;
    let kind = GroupVersionKind::gvk("example.com", "v1", "Thing");
    let resource = ApiResource::from_gvk_with_plural(&kind, "things");
    let things: Api<DynamicObject> =
        Api::namespaced_with(server.client().unwrap(), "default", &resource);
    let thing = |rest: Value| {
        let mut thing =
            json!({ "apiVersion": "example.com/v1", "kind": "Thing", "metadata": { "name": "t" } });
        thing
            .as_object_mut()
            .unwrap()
            .extend(rest.as_object().unwrap().clone());
        Patch::Apply(thing)
    };
    let condition = |name: &str, status: &str| {
        thing(json!({ "status": { "conditions": [{ "type": name, "status": status }] } }))
    };
    let missing = things
        .patch_status("t", &by("a"), &condition("A", "True"))
        .await;
    assert_eq!(error_of(missing), (404, "NotFound".to_owned()));
    let spec =
        thing(json!({ "spec": { "size": 1 }, "status": { "conditions": [{ "type": "X" }] } }));
    let created = things.patch("t", &by("user"), &spec).await.unwrap();
    assert_eq!(
        created.data.get("status"),
        None,
        "the status is for its own endpoint"
    );
    things
        .patch_status("t", &by("a"), &condition("A", "True"))
        .await
        .unwrap();
    let both = things
        .patch_status("t", &by("b"), &condition("B", "True"))
        .await
        .unwrap();
    let item = |name: &str| {
        let mut items = serde_json::Map::new();
        items.insert(
            format!("k:{{\"type\":{name:?}}}"),
            json!({ ".": {}, "f:type": {}, "f:status": {} }),
        );
        json!({ "f:status": { "f:conditions": items } })
    };
    assert_eq!(
        owners(&both),
        [
            ("a Apply status".to_owned(), item("A")),
            ("b Apply status".to_owned(), item("B")),
            (
                "user Apply".to_owned(),
                json!({ "f:spec": { "f:size": {} } })
            ),
        ]
    );
    let rejected = things
        .patch_status("t", &by("b"), &condition("A", "False"))
        .await;
    let Err(kube::Error::Api(status)) = rejected else {
        panic!("should have been a conflict")
    };
    assert_eq!(
        status.message,
        "Apply failed with 1 conflict: conflict with \"a\" with subresource \"status\": \
         .status.conditions[type=\"A\"].status"
    );
    let left = things
        .patch_status("t", &by("b"), &thing(json!({ "status": {} })))
        .await
        .unwrap();
    let conditions = left.data.pointer("/status/conditions").unwrap();
    assert_eq!(conditions, &json!([{ "type": "A", "status": "True" }]));
    let bogus = thing(json!({ "spec": { "sise": 1 } }));
    let Err(kube::Error::Api(status)) = things.patch("t", &by("user"), &bogus).await else {
        panic!("should have been rejected")
    };
    assert_eq!(status.code, 500);
    assert!(
        status
            .message
            .ends_with(".spec.sise: field not declared in schema"),
        "{}",
        status.message
    );
    server.shutdown().await;
}

#[tokio::test]
async fn a_scale_transfers_the_ownership_of_the_replicas() {
    let server = server().await;
    let deployments: Api<Deployment> = Api::default_namespaced(server.client().unwrap());
    let web = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
        "spec": {
            "replicas": 1, "selector": { "matchLabels": { "app": "web" } },
            "template": { "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "web", "image": "web:1" }] } },
        },
    });
    deployments
        .patch("web", &by("user"), &Patch::Apply(&web))
        .await
        .unwrap();
    let scale = |replicas: i32| {
        json!({
            "apiVersion": "autoscaling/v1", "kind": "Scale",
            "metadata": { "name": "web" }, "spec": { "replicas": replicas },
        })
    };
    let apply = Patch::Apply(&web);
    let (user, other) = (by("user"), by("applier"));
    let conflict = || async {
        match deployments.patch("web", &user, &apply).await {
            Err(kube::Error::Api(status)) => status.message,
            other => panic!("should have been a conflict: {other:?}"),
        }
    };
    let applied = Patch::Apply(scale(3));
    let rejected = deployments.patch_scale("web", &other, &applied).await;
    assert_eq!(error_of(rejected), (409, "Conflict".to_owned()));
    let forced = other.clone().force();
    let scaled = deployments.patch_scale("web", &forced, &applied).await;
    assert_eq!(scaled.unwrap().spec.unwrap().replicas, Some(3));
    assert_eq!(
        conflict().await,
        "Apply failed with 1 conflict: conflict with \"applier\" with subresource \"scale\": .spec.replicas"
    );
    let merged = Patch::Merge(scale(4));
    let scaled = deployments.patch_scale("web", &by("scaler"), &merged).await;
    assert_eq!(scaled.unwrap().spec.unwrap().replicas, Some(4));
    assert_eq!(
        conflict().await,
        "Apply failed with 1 conflict: conflict with \"scaler\" with subresource \"scale\" using apps/v1: .spec.replicas"
    );
    let wrong = Patch::Apply(json!({ "apiVersion": "apps/v1", "kind": "Scale" }));
    for (name, patch, code) in [("web", &wrong, 400), ("none", &applied, 404)] {
        let refused = deployments.patch_scale(name, &other, patch).await;
        assert_eq!(error_of(refused).0, code, "{name}");
    }
    let found = deployments.get("web").await.unwrap();
    assert_eq!(found.spec.replicas, Some(4));
    server.shutdown().await;
}

#[tokio::test]
async fn a_document_may_be_yaml() {
    let server = server().await;
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: text}\ndata:\n  text: |\n    one\n    two\n";
    let request = Request::patch("/api/v1/namespaces/default/configmaps/text?fieldManager=me")
        .header("content-type", "application/apply-patch+yaml")
        .body(text.as_bytes().to_vec())
        .unwrap();
    let (code, created) = send(&server, request).await;
    assert_eq!(
        (code, &created["data"]["text"]),
        (201, &json!("one\ntwo\n"))
    );
    server.shutdown().await;
}

/// A document or its managed fields that would be too deep to be decoded again is rejected.
#[tokio::test]
async fn documents_that_are_nested_too_deeply_are_rejected() {
    let server = started(ApiServer::builder().object(&thing_definition())).await;
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!({ "x": inner }));
    let apply = |path: &str, text: String| {
        let request = Request::patch(format!("{path}?fieldManager=me"));
        let request = request.header("content-type", "application/apply-patch+yaml");
        request.body(text.into_bytes()).unwrap()
    };
    let open = crd(
        "Open",
        "Cluster",
        &json!([{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            } } }]),
    );
    server.control().create_direct(open).unwrap();
    let path = "/apis/example.com/v1/opens/o";
    for levels in [100, 119, 124, 300] {
        let body = json!({ "apiVersion": "example.com/v1", "kind": "Open", "metadata": { "name": "o" }, "spec": nested(levels) });
        let (code, answer) = send(&server, apply(path, body.to_string())).await;
        assert_eq!(
            code,
            if levels == 100 { 201 } else { 400 },
            "{levels}: {answer}"
        );
        let (_, found) = crate::support::get(&server, path).await;
        assert_eq!(found["metadata"]["name"], "o");
    }
    server.shutdown().await;
}

#[tokio::test]
async fn an_apply_needs_a_manager_and_no_managed_fields() {
    let server = server().await;
    let maps = config_maps(&server);
    let nobody = PatchParams::default();
    let rejected = maps
        .patch("c", &nobody, &Patch::Apply(map(&json!({}))))
        .await;
    assert_eq!(error_of(rejected), (422, "Invalid".to_owned()));
    let mut owned = map(&json!({}));
    owned["metadata"]["managedFields"] = json!([]);
    let Err(kube::Error::Api(status)) = maps.patch("c", &by("one"), &Patch::Apply(owned)).await
    else {
        panic!("should have been rejected")
    };
    assert_eq!(status.message, "metadata.managedFields must be nil");
    let known = apply(&maps, "one", json!({ "a": "1" })).await.unwrap();
    apply(&maps, "one", json!({ "a": "2" })).await.unwrap();
    let mut stale = map(&json!({ "a": "3" }));
    stale["metadata"]["resourceVersion"] = known.resource_version().into();
    let rejected = maps.patch("c", &by("one"), &Patch::Apply(stale)).await;
    assert_eq!(error_of(rejected), (409, "Conflict".to_owned()));
    server.shutdown().await;
}
