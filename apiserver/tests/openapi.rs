//! The schemas of built-in kinds equal the real server's, and the paths are among its paths.
//!
//! Needs `kube-apiserver` and `etcd` in the folder that `KUBEBUILDER_ASSETS` names. With
//! `INFORMER_WRITE_SCHEMAS` set, the test rewrites the file of schemas, for another version of
//! Kubernetes.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failure fails the test; clippy exempts only the test functions themselves"
)]

#[path = "support/assets.rs"]
mod assets;

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use http::Request;
use informer_apiserver::ApiServer;
use informer_apiserver::envtest::Environment;
use kube::Client;
use serde_json::{Map, Value};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/registry/schemas.json.gz");

/// Enables all APIs, including alpha ones, because the schemas of all kinds are needed.
const ALL: &str = "--runtime-config=api/all=true";

async fn get(client: &Client, path: &str) -> Value {
    let request = Request::get(path).body(Vec::new()).unwrap();
    client.request(request).await.unwrap()
}

/// Returns the documents by path, for example `apis/apps/v1`.
async fn documents(client: &Client) -> Map<String, Value> {
    let index = get(client, "/openapi/v3").await;
    let mut documents = Map::new();
    for path in index["paths"].as_object().unwrap().keys() {
        let document = get(client, &format!("/openapi/v3/{path}")).await;
        documents.insert(path.clone(), document);
    }
    documents
}

/// Returns the schemas of all documents. Schemas of several kinds, such as options, list different
/// kinds in each document; they are never looked up by kind.
fn schemas(documents: &Map<String, Value>) -> Map<String, Value> {
    let mut all = Map::new();
    for document in documents.values() {
        let schemas = document["components"]["schemas"].as_object();
        for (name, schema) in schemas.into_iter().flatten() {
            let mut schema = schema.clone();
            let kinds = schema.get("x-kubernetes-group-version-kind");
            if kinds.and_then(Value::as_array).is_some_and(|k| k.len() > 1) {
                let members = schema.as_object_mut().unwrap();
                members.remove("x-kubernetes-group-version-kind");
            }
            all.insert(name.clone(), schema);
        }
    }
    all
}

fn packed() -> Map<String, Value> {
    let mut text = String::new();
    let file = std::fs::File::open(FILE).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn pack(schemas: &Map<String, Value>) {
    let file = std::fs::File::create(FILE).unwrap();
    let mut packer = GzEncoder::new(file, Compression::best());
    let text = serde_json::to_string(schemas).unwrap();
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap();
}

/// Returns the members that identify the meaning of an operation.
fn meaning(operation: &Value) -> [&Value; 2] {
    ["x-kubernetes-action", "x-kubernetes-group-version-kind"].map(|member| &operation[member])
}

#[tokio::test]
async fn the_documents_match_the_real_ones() {
    let Some(assets) = assets::assets() else {
        return;
    };
    let real = Environment::start_with(&assets, &[ALL]).await.unwrap();
    let client = Client::try_from(real.kube_config()).unwrap();
    let theirs = documents(&client).await;
    real.stop().await;
    let schemas = schemas(&theirs);
    if std::env::var_os("INFORMER_WRITE_SCHEMAS").is_some() {
        pack(&schemas);
    }
    let known = packed();
    for (name, schema) in &schemas {
        assert_eq!(known.get(name), Some(schema), "{name}");
    }
    assert_eq!(known.len(), schemas.len());

    let server = ApiServer::builder().start().await.unwrap();
    let ours = documents(&server.client().unwrap()).await;
    let mut operations = 0;
    for (path, document) in &ours {
        for (url, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                if method == "parameters" {
                    continue;
                }
                let real = &theirs[path]["paths"][url][method];
                assert_eq!(meaning(operation), meaning(real), "{method} {url}");
                operations += 1;
            }
        }
    }
    assert!(operations > 500, "only {operations} operations");
    server.shutdown().await;
}
