//! Tables, as `kubectl get` requests them.

use serde_json::{Value, json};

use crate::support::{Lines, fill, get_as, put, server};

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
