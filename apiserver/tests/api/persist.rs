//! Objects that survive a restart.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use informer_apiserver::{ApiServer, StartError};
use serde_json::{Value, json};

use crate::support::{Lines, get, put, soon};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

async fn start(path: &Path) -> ApiServer {
    start_at((Ipv4Addr::LOCALHOST, 0).into(), path).await
}

/// Starts at a fixed address: another one would change the Service `kubernetes` and its endpoints.
async fn start_at(address: SocketAddr, path: &Path) -> ApiServer {
    let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "given" } });
    let builder = ApiServer::builder().bind(address).persist(path);
    builder.object(&map).start().await.unwrap()
}

#[tokio::test]
async fn objects_definitions_and_versions_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.redb");
    let server = start(&path).await;
    let control = server.control();
    control
        .create_direct(json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "foos.example.com" },
            "spec": {
                "group": "example.com", "scope": "Cluster",
                "names": { "plural": "foos", "kind": "Foo" },
                "versions": [{ "name": "v1", "served": true, "storage": true }],
            },
        }))
        .unwrap();
    let foo = json!({ "apiVersion": "example.com/v1", "kind": "Foo", "metadata": { "name": "f" } });
    control.create_direct(foo).unwrap();
    for name in ["a", "b", "c"] {
        put(&server, name);
    }
    control.delete_direct(&format!("{MAPS}/b")).unwrap();
    control
        .put_raw(
            &format!("{MAPS}/raw"),
            json!({ "kind": "Odd", "metadata": { "name": "raw" } }),
        )
        .unwrap();
    let before = [
        get(&server, MAPS).await,
        get(&server, "/apis/example.com/v1/foos").await,
    ];
    let version = control.current_resource_version();
    let address = server.address();
    soon(server.shutdown()).await;

    let server = start_at(address, &path).await;
    let control = server.control();
    assert_eq!(control.current_resource_version(), version);
    let after = [
        get(&server, MAPS).await,
        get(&server, "/apis/example.com/v1/foos").await,
    ];
    assert_eq!(after, before);
    // A client at the last version resumes; a client at an older one receives an error.
    let watch = |version: u64| format!("{MAPS}?watch=1&resourceVersion={version}");
    let mut resumed = Lines::open(&server, &watch(version)).await;
    put(&server, "d");
    let (kind, object) = resumed.next().await.unwrap();
    assert_eq!(
        (kind.as_str(), &object["metadata"]["name"]),
        ("ADDED", &json!("d"))
    );
    assert_eq!(
        object["metadata"]["resourceVersion"],
        (version + 1).to_string()
    );
    let mut late = Lines::open(&server, &watch(version - 1)).await;
    assert_eq!(late.next().await.unwrap().1["code"], Value::from(410));
    soon(server.shutdown()).await;
}

#[tokio::test]
async fn rewound_changes_stay_undone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.redb");
    let server = start(&path).await;
    put(&server, "a");
    server
        .control()
        .rewind_to(server.control().current_resource_version() - 1)
        .unwrap();
    put(&server, "b");
    soon(server.shutdown()).await;
    let server = start(&path).await;
    assert_eq!(get(&server, &format!("{MAPS}/a")).await.0, 404);
    assert_eq!(get(&server, &format!("{MAPS}/b")).await.0, 200);
}

#[tokio::test]
async fn a_file_of_another_format_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.redb");
    std::fs::write(&path, vec![b'x'; 10_000]).unwrap();
    let rejected = ApiServer::builder().persist(&path).start().await;
    assert!(matches!(rejected, Err(StartError::Persist { .. })));
}
