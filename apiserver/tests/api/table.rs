//! Tables, as `kubectl get` requests them.

use http::Request;
use informer_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::support::{Lines, crd, fill, get_as, put, send, server, started};

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

fn headings(table: &Value) -> Vec<&str> {
    let columns = table["columnDefinitions"].as_array().unwrap();
    columns
        .iter()
        .map(|c| c["name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn a_list_of_pods_has_the_usual_five_columns_and_four_wide_ones() {
    let server = server().await;
    server
        .control()
        .create_direct(json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" },
            "spec": { "containers": [{ "name": "x" }, { "name": "y" }] },
            "status": { "phase": "Running", "containerStatuses": [
                { "name": "x", "ready": true, "restartCount": 2, "state": { "running": {} } },
                { "name": "y", "ready": false, "restartCount": 1,
                  "state": { "waiting": { "reason": "CrashLoopBackOff" } } },
            ]},
        }))
        .unwrap();
    let (code, table) = get_as(&server, "/api/v1/namespaces/default/pods", TABLE).await;
    assert_eq!((code, &table["kind"]), (200, &json!("Table")));
    assert_eq!(table["apiVersion"], "meta.k8s.io/v1");
    let columns = table["columnDefinitions"].as_array().unwrap();
    let (usual, wide): (Vec<&Value>, Vec<&Value>) =
        columns.iter().partition(|column| column["priority"] == 0);
    let names = |columns: &[&Value]| -> Vec<Value> {
        columns
            .iter()
            .map(|column| column["name"].clone())
            .collect()
    };
    assert_eq!(
        names(&usual),
        ["Name", "Ready", "Status", "Restarts", "Age"]
    );
    let expected = ["IP", "Node", "Nominated Node", "Readiness Gates"];
    assert_eq!(names(&wide), expected);
    let row = &table["rows"][0];
    let cells = row["cells"].as_array().unwrap();
    assert_eq!(
        cells[..4],
        [
            json!("a"),
            json!("1/2"),
            json!("CrashLoopBackOff"),
            json!("3")
        ]
    );
    assert!(cells[4].as_str().unwrap().ends_with('s'), "{cells:?}");
    assert_eq!(row["object"]["kind"], "PartialObjectMetadata");
    assert_eq!(row["object"]["metadata"]["name"], "a");
    assert_eq!(row["object"].get("spec"), None);
}

#[tokio::test]
async fn every_kind_has_name_and_age_and_pages_and_objects_on_request() {
    let server = server().await;
    fill(&server, 3);
    let path = "/api/v1/configmaps?limit=2&includeObject=Object";
    let (_, table) = get_as(&server, path, TABLE).await;
    assert_eq!(headings(&table), ["Name", "Data", "Age"]);
    assert_eq!(table["rows"].as_array().unwrap().len(), 2);
    assert_eq!(table["rows"][0]["object"]["kind"], "ConfigMap");
    assert_eq!(table["metadata"]["remainingItemCount"], 1);
    assert!(table["metadata"]["continue"].is_string());
    let (_, table) = get_as(&server, "/api/v1/podtemplates?includeObject=None", TABLE).await;
    assert_eq!(headings(&table), ["Name", "Age"]);
    assert_eq!(table["rows"], json!([]));

    let one = "/api/v1/namespaces/default/configmaps/c-00001?includeObject=None";
    let (_, table) = get_as(&server, one, TABLE).await;
    assert_eq!(table["rows"][0]["cells"][0], "c-00001");
    assert_eq!(table["rows"][0]["object"], Value::Null);
    assert_eq!(
        table["metadata"]["resourceVersion"]
            .as_str()
            .unwrap()
            .parse::<u64>()
            .unwrap(),
        9
    );
    assert_eq!(
        get_as(&server, "/api/v1/configmaps/none", TABLE).await.0,
        404
    );
}

#[tokio::test]
async fn a_watch_names_its_columns_once() {
    let server = server().await;
    fill(&server, 1);
    let path = "/api/v1/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1";
    let mut watch = Lines::open_as(&server, path, TABLE).await;
    let (kind, first) = watch.next().await.unwrap();
    assert_eq!((kind.as_str(), &first["kind"]), ("ADDED", &json!("Table")));
    assert_eq!(headings(&first), ["Name", "Data", "Age"]);
    let (kind, bookmark) = watch.next().await.unwrap();
    assert_eq!(
        (kind.as_str(), &bookmark["kind"]),
        ("BOOKMARK", &json!("Table"))
    );
    let metadata = &bookmark["rows"][0]["object"]["metadata"];
    assert_eq!(metadata["annotations"]["k8s.io/initial-events-end"], "true");
    put(&server, "z");
    let (kind, second) = watch.next().await.unwrap();
    assert_eq!(
        (kind.as_str(), &second["columnDefinitions"]),
        ("ADDED", &Value::Null)
    );
    assert_eq!(second["rows"][0]["cells"][0], "z");
}

#[tokio::test]
async fn custom_kinds_have_the_columns_of_their_definition() {
    let definition = crd(
        "Foo",
        "Cluster",
        &json!([
            { "name": "v1", "served": true, "storage": true, "additionalPrinterColumns": [
                { "name": "Size", "type": "integer", "jsonPath": ".spec.size" },
                { "name": "Ready", "type": "string", "priority": 1,
                  "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status" },
                { "name": "Since", "type": "date", "jsonPath": ".metadata.creationTimestamp" },
            ]},
            { "name": "v1beta1", "served": true, "storage": false },
        ]),
    );
    let server = started(ApiServer::builder().object(&definition)).await;
    let foo = json!({
        "apiVersion": "example.com/v1", "kind": "Foo",
        "metadata": { "name": "a" }, "spec": { "size": 3 },
    });
    let request = Request::post("/apis/example.com/v1/foos").body(foo.to_string().into());
    assert_eq!(send(&server, request.unwrap()).await.0, 201);
    let (_, table) = get_as(&server, "/apis/example.com/v1/foos", TABLE).await;
    assert_eq!(headings(&table), ["Name", "Size", "Ready", "Since"]);
    assert_eq!(table["columnDefinitions"][2]["priority"], 1);
    let cells = table["rows"][0]["cells"].as_array().unwrap();
    assert_eq!(cells[..3], [json!("a"), json!(3), Value::Null]);
    assert!(cells[3].as_str().unwrap().ends_with('s'), "{cells:?}");
    let (_, table) = get_as(&server, "/apis/example.com/v1beta1/foos", TABLE).await;
    assert_eq!(headings(&table), ["Name", "Age"]);
}
