//! Lists: pages, versions, selectors, forms.

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{ListParams, VersionMatch};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use informer_apiserver::ApiServer;

use crate::support::{config_maps, error_of, fill, get, put, server, started};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["metadata"]["name"].as_str().unwrap())
        .collect()
}

fn version(list: &Value) -> &str {
    list["metadata"]["resourceVersion"].as_str().unwrap()
}

#[tokio::test]
async fn pages_show_one_revision_despite_later_changes() {
    let server = server().await;
    fill(&server, 5);
    let (_, first) = get(&server, &format!("{MAPS}?limit=2")).await;
    assert_eq!(names(&first), ["c-00000", "c-00001"]);
    assert_eq!(first["metadata"]["remainingItemCount"], 3);

    put(&server, "c-00001a");
    put(&server, "c-00003a");
    server
        .control()
        .delete_direct(&format!("{MAPS}/c-00002"))
        .unwrap();
    let changed = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "data": { "new": "" },
        "metadata": { "name": "c-00004" },
    });
    server.control().update_direct(changed).unwrap();

    let token = first["metadata"]["continue"].as_str().unwrap();
    let (_, second) = get(&server, &format!("{MAPS}?limit=2&continue={token}")).await;
    assert_eq!(names(&second), ["c-00002", "c-00003"]);
    assert_eq!(version(&second), version(&first));
    let token = second["metadata"]["continue"].as_str().unwrap();
    let (_, third) = get(&server, &format!("{MAPS}?limit=2&continue={token}")).await;
    assert_eq!(names(&third), ["c-00004"]);
    assert_eq!(third["items"][0]["data"], Value::Null);
    assert_eq!(third["metadata"].get("continue"), None);

    let (_, now) = get(&server, MAPS).await;
    assert_eq!(
        names(&now),
        [
            "c-00000", "c-00001", "c-00001a", "c-00003", "c-00003a", "c-00004"
        ]
    );
}

#[tokio::test]
async fn an_old_continue_token_expires_and_offers_an_inconsistent_rest() {
    let server = server().await;
    fill(&server, 4);
    let first = config_maps(&server)
        .list(&ListParams::default().limit(2))
        .await
        .unwrap();
    let token = first.metadata.continue_.unwrap();
    put(&server, "c-00002a");
    server.control().compact();

    let next = ListParams::default().limit(2).continue_token(&token);
    let expired = match config_maps(&server).list(&next).await {
        Err(kube::Error::Api(status)) => status,
        other => panic!("{other:?}"),
    };
    assert_eq!((expired.code, expired.reason.as_str()), (410, "Expired"));
    let rest = expired.metadata.unwrap().continue_.unwrap();
    let rest = ListParams::default().continue_token(&rest);
    let rest = config_maps(&server).list(&rest).await.unwrap();
    let rest: Vec<_> = rest.items.iter().map(ResourceExt::name_any).collect();
    assert_eq!(rest, ["c-00002", "c-00002a", "c-00003"]);
}

#[tokio::test]
async fn the_window_ends_after_as_many_events_as_configured() {
    let server = started(ApiServer::builder().event_window(3)).await;
    fill(&server, 4);
    let newest = server.control().current_resource_version();
    let exact = |version| {
        let exact = VersionMatch::Exact;
        ListParams::default()
            .at(&format!("{version}"))
            .matching(exact)
    };
    let maps = config_maps(&server);
    assert_eq!(maps.list(&exact(newest - 3)).await.unwrap().items.len(), 1);
    assert_eq!(
        error_of(maps.list(&exact(newest - 4)).await),
        (410, "Expired".to_owned())
    );
}

#[tokio::test]
async fn w06_a_limit_is_ignored_at_version_zero() {
    let query = format!("{MAPS}?limit=1&resourceVersion=0");
    let server = server().await;
    fill(&server, 3);
    assert_eq!(names(&get(&server, &query).await.1).len(), 3);
}

#[tokio::test]
async fn lists_are_ordered_by_key_over_namespaces_and_narrowed_by_selectors() {
    let server = started(ApiServer::builder().create_namespaces(true)).await;
    for (namespace, name, node) in [("b", "a", "n1"), ("a-b", "z", "n1"), ("a", "x", "n2")] {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod", "spec": { "nodeName": node },
            "metadata": { "namespace": namespace, "name": name, "labels": { "app": name } },
        });
        server.control().create_direct(pod).unwrap();
    }
    let all: Api<Pod> = Api::all(server.client().unwrap());
    for (params, expected) in [
        (ListParams::default(), vec!["a-b/z", "a/x", "b/a"]),
        (
            ListParams::default().fields("spec.nodeName=n1"),
            vec!["a-b/z", "b/a"],
        ),
        (
            ListParams::default().fields("metadata.namespace=a"),
            vec!["a/x"],
        ),
        (
            ListParams::default().labels("app in (x,a)"),
            vec!["a/x", "b/a"],
        ),
        (
            ListParams::default()
                .labels("app!=x")
                .fields("metadata.name!=a"),
            vec!["a-b/z"],
        ),
    ] {
        let list = all.list(&params).await.unwrap();
        let keys: Vec<_> = list
            .items
            .iter()
            .map(|pod| format!("{}/{}", pod.namespace().unwrap(), pod.name_any()))
            .collect();
        assert_eq!(keys, expected, "{params:?}");
    }
    let one: Api<Pod> = Api::namespaced(server.client().unwrap(), "a");
    assert_eq!(
        one.list(&ListParams::default()).await.unwrap().items.len(),
        1
    );
    assert_eq!(
        error_of(all.list(&ListParams::default().labels("a b")).await).0,
        400
    );
}

/// A list of many chunks arrives complete.
#[tokio::test]
async fn long_lists_are_served_in_chunks() {
    let server = server().await;
    fill(&server, 20_000);
    let maps: Api<ConfigMap> = Api::all(server.client().unwrap());
    let list = maps.list(&ListParams::default()).await.unwrap();
    assert_eq!(list.items.len(), 20_000);
    assert!(list.items.is_sorted_by_key(ResourceExt::name_any));
}
