//! Helpers that the tests share.

use std::time::Duration;

use futures::{AsyncBufReadExt, StreamExt, TryStreamExt};
use http::Request;
use informer_apiserver::{ApiServer, Builder};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::PostParams;
use kube::{Api, Client};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Timeout of every wait in a test.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) async fn server() -> ApiServer {
    ApiServer::builder().start().await.unwrap()
}

/// Awaits `future`, and fails instead of hanging.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("the wait timed out")
}

pub(crate) fn pods(server: &ApiServer) -> Api<Pod> {
    Api::namespaced(server.client().unwrap(), "default")
}

pub(crate) fn config_maps(server: &ApiServer) -> Api<ConfigMap> {
    Api::namespaced(server.client().unwrap(), "default")
}

pub(crate) fn config_map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap()
}

/// Returns the definition of a kind in the group `example.com`, with these versions.
pub(crate) fn crd(kind: &str, scope: &str, versions: &Value) -> Value {
    let plural = format!("{}s", kind.to_lowercase());
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.example.com") },
        "spec": {
            "group": "example.com", "scope": scope, "versions": versions,
            "names": { "plural": plural, "kind": kind },
        },
    })
}

/// Creates `count` config maps named `c-00000`, `c-00001`, … without HTTP.
pub(crate) fn fill(server: &ApiServer, count: usize) {
    for i in 0..count {
        put(server, &format!("c-{i:05}"));
    }
}

/// Creates the config map `name` without HTTP.
pub(crate) fn put(server: &ApiServer, name: &str) {
    let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } });
    server.control().create_direct(object).unwrap();
}

/// Returns the code and reason of the `Status` of a failed call.
pub(crate) fn error_of<T>(result: Result<T, kube::Error>) -> (u16, String) {
    match result {
        Err(kube::Error::Api(status)) => (status.code, status.reason),
        Err(other) => panic!("not an answer of the server: {other}"),
        Ok(_) => panic!("should have been rejected"),
    }
}

/// Sends a GET and returns the code and the JSON body.
pub(crate) async fn get(server: &ApiServer, path: &str) -> (u16, Value) {
    get_as(server, path, "application/json").await
}

pub(crate) async fn get_as(server: &ApiServer, path: &str, accept: &str) -> (u16, Value) {
    let request = Request::get(path)
        .header("accept", accept)
        .body(Vec::new())
        .unwrap();
    send(server, request).await
}

/// Sends a request and returns the code and the JSON body; a body that is not JSON as a string.
pub(crate) async fn send(server: &ApiServer, request: Request<Vec<u8>>) -> (u16, Value) {
    send_as(server.client().unwrap(), request).await
}

/// Sends a request like [`send`], with another client.
pub(crate) async fn send_as(client: Client, request: Request<Vec<u8>>) -> (u16, Value) {
    let response = soon(client.send(request.map(Into::into))).await.unwrap();
    let code = response.status().as_u16();
    let body = soon(response.into_body().collect_bytes()).await.unwrap();
    let value = serde_json::from_slice(&body)
        .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&body).into_owned()));
    (code, value)
}

/// A raw watch, read line by line.
pub(crate) struct Lines(futures::stream::BoxStream<'static, std::io::Result<String>>);

impl Lines {
    pub(crate) async fn open(server: &ApiServer, path: &str) -> Self {
        Self::open_as(server, path, "application/json").await
    }

    pub(crate) async fn open_as(server: &ApiServer, path: &str, accept: &str) -> Self {
        let client = server.client().unwrap();
        let request = Request::get(path)
            .header("accept", accept)
            .body(Vec::new())
            .unwrap();
        let body = soon(client.request_stream(request)).await.unwrap();
        let lines = futures::io::BufReader::new(Box::pin(body)).lines();
        Self(lines.boxed())
    }

    /// Returns the type and the object of the next event; `None` at the clean end.
    pub(crate) async fn next(&mut self) -> Option<(String, Value)> {
        let line = soon(self.0.try_next()).await.unwrap()?;
        let mut event: Value = serde_json::from_str(&line).unwrap();
        let kind = event["type"].as_str().unwrap().to_owned();
        Some((kind, event["object"].take()))
    }

    /// Returns the next event in the form `ADDED a`.
    pub(crate) async fn short(&mut self) -> String {
        match self.next().await {
            Some((kind, object)) => match object["metadata"]["name"].as_str() {
                Some(name) => format!("{kind} {name}"),
                None => kind,
            },
            None => "end".to_owned(),
        }
    }

    /// Returns the next `n` events in the form of [`Lines::short`].
    pub(crate) async fn shorts(&mut self, n: usize) -> Vec<String> {
        let mut events = Vec::new();
        for _ in 0..n {
            events.push(self.short().await);
        }
        events
    }

    /// Reads the rest of the body, and reports whether it ends cleanly.
    pub(crate) async fn ends_cleanly(&mut self) -> bool {
        loop {
            match soon(self.0.try_next()).await {
                Ok(Some(_)) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }
}

/// Object that is sent and received.
pub(crate) trait Object: Clone + std::fmt::Debug + Serialize + DeserializeOwned {}

impl<K: Clone + std::fmt::Debug + Serialize + DeserializeOwned> Object for K {}

pub(crate) async fn started(builder: Builder) -> ApiServer {
    builder.start().await.unwrap()
}

/// Creates an object, which succeeds.
pub(crate) async fn created<K: Object>(api: &Api<K>, object: &K) -> K {
    api.create(&PostParams::default(), object).await.unwrap()
}
