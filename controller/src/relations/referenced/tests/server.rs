//! In-memory API server with Secrets, config maps and Nodes behind a `kube::Client`, without a
//! socket. Works with a paused clock.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt as _};
use http::{Request, Response, Uri};
use http_body::Frame;
use http_body_util::StreamBody;
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::object::ObjectKey;

/// Returns the status with which a request of this scope fails.
type Failures = Box<dyn Fn(&Scope) -> Option<Value> + Send>;

/// Type, resource and object of a change.
type Change = (&'static str, String, Value);

/// Server with a history of all changes. Clones are the same server.
#[derive(Clone)]
pub(super) struct Server {
    state: Arc<Mutex<State>>,
    /// Number of the last version, and number of times that all watches were closed.
    changed: Arc<watch::Sender<(u64, u64)>>,
}

#[derive(Default)]
struct State {
    objects: BTreeMap<(String, ObjectKey), Value>,
    /// Changes. The version of a change is its position plus 1.
    log: Vec<Change>,
    /// Oldest version that a watch can continue from.
    oldest: u64,
    /// Number of changes that requests for whole namespaces see; `None` for all.
    seen_by_namespaces: Option<usize>,
    requests: Vec<String>,
    failures: Option<Failures>,
}

/// Scope of a request.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    pub(super) resource: String,
    pub(super) namespace: Option<String>,
    pub(super) name: Option<String>,
}

type Answer = Response<StreamBody<BoxStream<'static, Result<Frame<Bytes>, Infallible>>>>;

// === impl Scope ===

impl Scope {
    fn of(uri: &Uri) -> Self {
        let parts: Vec<&str> = uri.path().split('/').skip(3).collect();
        let (namespace, resource) = match parts[..] {
            ["namespaces", namespace, resource] => (Some(namespace.to_owned()), resource),
            [resource] => (None, resource),
            _ => panic!("unknown path {uri}"),
        };
        let query = uri.query().unwrap_or_default();
        let selector = query
            .split('&')
            .find_map(|part| part.strip_prefix("fieldSelector="));
        let name = selector.map(|selector| selector.rsplit("%3D").next().unwrap().to_owned());
        Self {
            resource: resource.to_owned(),
            namespace,
            name,
        }
    }

    fn selects(&self, resource: &str, key: &ObjectKey) -> bool {
        self.resource == resource
            && self
                .namespace
                .as_deref()
                .is_none_or(|namespace| key.namespace() == Some(namespace))
            && self.name.as_deref().is_none_or(|name| key.name() == name)
    }

    fn shown(&self) -> String {
        let namespace = self.namespace.as_deref().unwrap_or_default();
        let name = self.name.as_deref().unwrap_or("*");
        format!("{} {namespace}/{name}", self.resource)
    }
}

// === impl State ===

impl State {
    /// Returns the changes that requests of this scope see.
    fn seen(&self, scope: &Scope) -> &[Change] {
        let lag = self
            .seen_by_namespaces
            .filter(|_| scope.resource == "secrets" && scope.name.is_none());
        &self.log[..lag.unwrap_or(self.log.len())]
    }
}

fn key_of(object: &Value) -> ObjectKey {
    let meta = &object["metadata"];
    ObjectKey::new(meta["namespace"].as_str(), meta["name"].as_str().unwrap())
}

// === impl Server ===

impl Server {
    pub(super) fn new() -> Self {
        let server = Self {
            state: Arc::default(),
            changed: Arc::new(watch::Sender::default()),
        };
        // A list of an empty history would have no version.
        server.put("nodes", &ObjectKey::cluster("first"), &json!({}));
        server
    }

    pub(super) fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let answer = server.answer(request.uri());
            async move { Ok::<_, Infallible>(answer) }
        });
        Client::new(service, "default")
    }

    /// Creates or replaces an object.
    pub(super) fn put(&self, resource: &str, key: &ObjectKey, data: &Value) {
        let mut state = self.state.lock();
        let version = state.log.len() as u64 + 1;
        let id = (resource.to_owned(), key.clone());
        let existing = state.objects.get(&id);
        let uid = match existing {
            Some(object) => object["metadata"]["uid"].clone(),
            None => json!(format!("uid-{version}")),
        };
        let verb = if existing.is_some() {
            "MODIFIED"
        } else {
            "ADDED"
        };
        let object = json!({
            "metadata": {
                "namespace": key.namespace(), "name": key.name(), "uid": uid,
                "resourceVersion": version.to_string(),
            },
            "data": data,
        });
        state.objects.insert(id, object.clone());
        state.log.push((verb, resource.to_owned(), object));
        drop(state);
        self.changed.send_modify(|(last, _)| *last = version);
    }

    pub(super) fn delete(&self, resource: &str, key: &ObjectKey) {
        let mut state = self.state.lock();
        let version = state.log.len() as u64 + 1;
        if let Some(mut object) = state.objects.remove(&(resource.to_owned(), key.clone())) {
            object["metadata"]["resourceVersion"] = json!(version.to_string());
            state.log.push(("DELETED", resource.to_owned(), object));
            drop(state);
            self.changed.send_modify(|(last, _)| *last = version);
        }
    }

    /// Returns the versions of the objects of a resource.
    pub(super) fn versions(&self, resource: &str) -> BTreeMap<ObjectKey, String> {
        let state = self.state.lock();
        let objects = state.objects.iter().filter(|((of, _), _)| of == resource);
        let version = |object: &Value| {
            object["metadata"]["resourceVersion"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        objects
            .map(|((_, key), object)| (key.clone(), version(object)))
            .collect()
    }

    /// Forbids the requests that match, and no others.
    pub(super) fn forbid(&self, matches: impl Fn(&Scope) -> bool + Send + 'static) {
        self.refuse(403, "Forbidden", matches);
    }

    /// Fails the requests that match, and no others.
    pub(super) fn fail(&self, matches: impl Fn(&Scope) -> bool + Send + 'static) {
        self.refuse(500, "InternalError", matches);
    }

    /// Answers the requests that match with this status, and no others.
    pub(super) fn refuse(
        &self,
        code: u16,
        reason: &'static str,
        matches: impl Fn(&Scope) -> bool + Send + 'static,
    ) {
        let status = json!({
            "kind": "Status", "status": "Failure", "reason": reason, "code": code,
            "message": "refused",
        });
        let failure = move |scope: &Scope| matches(scope).then(|| status.clone());
        self.state.lock().failures = Some(Box::new(failure));
    }

    /// Hides all later changes from lists and watches of whole namespaces, as an API server does
    /// whose watch cache lags.
    pub(super) fn lag(&self) {
        let mut state = self.state.lock();
        state.seen_by_namespaces = Some(state.log.len());
    }

    /// Ends the lag.
    pub(super) fn catch_up(&self) {
        self.state.lock().seen_by_namespaces = None;
        self.changed.send_modify(|_| ());
    }

    /// Closes all watches.
    pub(super) fn disconnect(&self) {
        self.changed.send_modify(|(_, closed)| *closed += 1);
    }

    /// Forgets the history, so that no watch can continue.
    pub(super) fn compact(&self) {
        let mut state = self.state.lock();
        state.oldest = state.log.len() as u64 + 1;
        drop(state);
        // The next version is newer than the forgotten ones.
        self.put("nodes", &ObjectKey::cluster("compacted"), &json!({}));
        self.disconnect();
    }

    /// Returns the requests since the last call, except those for config maps, in order.
    pub(super) fn take_requests(&self) -> Vec<String> {
        let mut requests = std::mem::take(&mut self.state.lock().requests);
        requests.retain(|request| !request.contains("configmaps"));
        requests
    }

    fn answer(&self, uri: &Uri) -> Answer {
        let scope = Scope::of(uri);
        let query = uri.query().unwrap_or_default();
        let is_watch = query.contains("watch=true");
        let mut state = self.state.lock();
        let verb = if is_watch { "WATCH" } else { "LIST" };
        state.requests.push(format!("{verb} {}", scope.shown()));
        let failure = state
            .failures
            .as_ref()
            .and_then(|failures| failures(&scope));
        if let Some(status) = failure {
            let code = status["code"].as_u64().unwrap();
            return answered(code.try_into().unwrap(), once(&status));
        }
        if is_watch {
            let from = query
                .split('&')
                .find_map(|part| part.strip_prefix("resourceVersion="));
            let from = from.unwrap_or_default().parse().unwrap();
            if (from as u64) < state.oldest {
                let expired = json!({"type": "ERROR", "object": {
                    "kind": "Status", "status": "Failure", "reason": "Expired", "code": 410,
                }});
                return answered(200, once(&expired));
            }
            drop(state);
            return answered(200, self.watch(scope, from));
        }
        let seen = state.seen(&scope);
        let mut items: BTreeMap<ObjectKey, &Value> = BTreeMap::new();
        for (verb, resource, object) in seen {
            let key = key_of(object);
            if scope.selects(resource, &key) {
                items.remove(&key);
                items.extend((*verb != "DELETED").then_some((key, object)));
            }
        }
        let items: Vec<&Value> = items.into_values().collect();
        let list = json!({"metadata": {"resourceVersion": seen.len().to_string()}, "items": items});
        answered(200, once(&list))
    }

    fn watch(
        &self,
        scope: Scope,
        from: usize,
    ) -> BoxStream<'static, Result<Frame<Bytes>, Infallible>> {
        let mut changed = self.changed.subscribe();
        let opened = changed.borrow_and_update().1;
        let next = (self.clone(), changed, from);
        stream::unfold(next, move |(server, mut changed, mut position)| {
            let scope = scope.clone();
            async move {
                loop {
                    if changed.borrow_and_update().1 != opened {
                        return None;
                    }
                    let change = server.state.lock().seen(&scope).get(position).cloned();
                    let Some((verb, resource, object)) = change else {
                        changed.changed().await.ok()?;
                        continue;
                    };
                    position += 1;
                    let key = key_of(&object);
                    if scope.selects(&resource, &key) {
                        let event = json!({"type": verb, "object": object});
                        let frame = Frame::data(Bytes::from(format!("{event}\n")));
                        return Some((Ok(frame), (server, changed, position)));
                    }
                }
            }
        })
        .boxed()
    }
}

fn once(body: &Value) -> BoxStream<'static, Result<Frame<Bytes>, Infallible>> {
    let frame = Frame::data(Bytes::from(format!("{body}\n")));
    stream::iter([Ok(frame)]).boxed()
}

fn answered(code: u16, body: BoxStream<'static, Result<Frame<Bytes>, Infallible>>) -> Answer {
    Response::builder()
        .status(code)
        .body(StreamBody::new(body))
        .unwrap()
}
