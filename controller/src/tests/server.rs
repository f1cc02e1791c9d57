//! API server in memory behind a `kube::Client`, without a socket: reads, writes, and faults. Works
//! with a paused clock.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt as _};
use http::{Method, Request, Response, Uri};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use informer_runtime::{ObjectKey, Selector, SharedInformerFactory, WatchListMode};
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;

/// Verb, resource and object of a change.
type Change = (&'static str, String, Value);

/// Returns the code and the reason with which a read fails.
type Failures = Box<dyn Fn(&Target) -> Option<(u16, &'static str)> + Send>;

type Bytestream = BoxStream<'static, Result<Frame<Bytes>, io::Error>>;

/// Result of a write whose answer is lost.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    Request,
    Answer,
}

/// Server with a history of all changes. Clones are the same server.
#[derive(Clone)]
pub(crate) struct Server {
    state: Arc<Mutex<State>>,
    /// Number of times that something changed, and that all watches were closed, and broken.
    changed: Arc<watch::Sender<[u64; 3]>>,
}

#[derive(Default)]
struct State {
    objects: BTreeMap<(String, ObjectKey), Value>,
    /// Changes. The version of a change is its position plus 1.
    log: Vec<Change>,
    /// Oldest version that a watch can continue from.
    oldest: usize,
    /// Resources whose watches are silent.
    held: BTreeSet<String>,
    /// Version that lists at "0" return; `None` for the newest.
    stale: Option<usize>,
    /// Greatest delay of an event, and of an answer.
    delay: Duration,
    lost: Option<Lost>,
    failures: Option<Failures>,
    /// Number of changes that reads of many Secrets see; `None` for all.
    seen_secrets: Option<usize>,
    /// `true` if shard selectors are applied.
    is_sharded: bool,
    /// `true` if the deletion of a collection is answered without a list.
    answers_with_status: bool,
    rng: fastrand::Rng,
    requests: Vec<(Method, Uri)>,
    prefix: &'static str,
}

/// Subject of a request.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) resource: String,
    namespace: Option<String>,
    /// Name in the path.
    name: Option<String>,
    subresource: Option<String>,
    query: BTreeMap<String, String>,
    /// `true` if the answer has the metadata only.
    is_metadata: bool,
}

// === impl Target ===

impl Target {
    fn of(uri: &Uri) -> Self {
        let parts: Vec<&str> = uri.path().split('/').skip(1).collect();
        let rest = if parts[0] == "api" {
            &parts[2..]
        } else {
            &parts[3..]
        };
        let (namespace, rest) = match rest {
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => {
                (Some((*namespace).to_owned()), rest)
            }
            rest => (None, rest),
        };
        let text = |position: usize| rest.get(position).map(|part| (*part).to_owned());
        let query = uri.query().unwrap_or_default().split('&');
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=')?;
            Some((name.to_owned(), percent_decoded(value)))
        };
        Self {
            resource: text(0).unwrap(),
            namespace,
            name: text(1),
            subresource: text(2),
            query: query.filter_map(pair).collect(),
            is_metadata: false,
        }
    }

    /// Returns a parameter of the query; empty if it is missing.
    fn text(&self, name: &str) -> &str {
        self.query.get(name).map(String::as_str).unwrap_or_default()
    }

    /// Returns the only name that the field selector selects.
    pub(crate) fn selected_name(&self) -> Option<&str> {
        let mut terms = self.text("fieldSelector").split(',');
        terms.find_map(|term| term.strip_prefix("metadata.name="))
    }

    /// Reports whether the field selector selects an object. Some fields have other names in selectors.
    fn selects_fields(&self, object: &Value) -> bool {
        let terms = self.text("fieldSelector").split(',');
        let mut terms = terms.filter(|term| !term.is_empty());
        terms.all(|term| {
            let (path, value) = term.split_once('=').unwrap();
            let path = match path {
                "status.successful" => "status.succeeded",
                "source" => "source.component",
                path => path,
            };
            let found = object.pointer(&format!("/{}", path.replace('.', "/")));
            match found {
                Some(Value::String(text)) => text == value,
                Some(Value::Number(number)) => number.to_string() == value,
                Some(_) => false,
                None => matches!(value, "" | "0"),
            }
        })
    }

    pub(crate) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    pub(crate) fn is_watch(&self) -> bool {
        self.text("watch") == "true"
    }

    fn verb(&self) -> &'static str {
        if self.is_watch() { "WATCH" } else { "LIST" }
    }

    /// Returns the object in the requested form.
    fn form(&self, object: &Value) -> Value {
        if !self.is_metadata {
            return object.clone();
        }
        let kind = "PartialObjectMetadata";
        json!({ "kind": kind, "apiVersion": "meta.k8s.io/v1", "metadata": object["metadata"] })
    }

    fn selects(&self, resource: &str, object: &Value) -> bool {
        let key = key_of(object);
        let labels: BTreeMap<String, String> =
            serde_json::from_value(object["metadata"]["labels"].clone()).unwrap_or_default();
        let selector: Selector = self.text("labelSelector").parse().unwrap();
        self.resource == resource
            && (self.namespace.is_none() || self.namespace.as_deref() == key.namespace())
            && self.selects_fields(object)
            && selector.matches(&labels)
            && self.is_in_shard(object)
    }

    /// Reports whether the hash of an object lies in a range of the shard selector.
    fn is_in_shard(&self, object: &Value) -> bool {
        let Some(selector) = self.query.get("shardSelector") else {
            return true;
        };
        selector.split(" || ").any(|range| {
            let parts: Vec<&str> = range.split(['(', ',', ')']).map(str::trim).collect();
            let [_, path, start, end, ""] = parts.as_slice() else {
                panic!("{selector}");
            };
            let bound = |text: &str| {
                u128::from_str_radix(text.trim_matches('\'').trim_start_matches("0x"), 16)
            };
            let text = object["metadata"][path.rsplit('.').next().unwrap()].as_str();
            let hash = u128::from(crate::shards::hash(text.unwrap_or_default()));
            (bound(start).unwrap()..bound(end).unwrap()).contains(&hash)
        })
    }
}

fn percent_decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |decoded, part| {
        let (code, rest) = part.split_at(2);
        let byte = u8::from_str_radix(code, 16).unwrap();
        format!("{decoded}{}{rest}", char::from(byte))
    })
}

fn key_of(object: &Value) -> ObjectKey {
    let meta = &object["metadata"];
    ObjectKey::new(
        meta["namespace"].as_str(),
        meta["name"].as_str().unwrap_or_default(),
    )
}

/// Returns the list of the objects, which are of one kind.
fn list_of(version: &str, items: &[Value]) -> Value {
    json!({ "kind": "List", "apiVersion": "v1", "metadata": { "resourceVersion": version }, "items": items })
}

fn bookmark() -> Change {
    ("BOOKMARK", "*".to_owned(), json!({}))
}

fn merge(object: &mut Value, patch: &Value) {
    let Some(members) = patch.as_object() else {
        *object = patch.clone();
        return;
    };
    if !object.is_object() {
        *object = json!({});
    }
    for (name, value) in members {
        if value.is_null() {
            object.as_object_mut().unwrap().remove(name);
        } else {
            merge(&mut object[name], value);
        }
    }
}

fn has_items(list: &Value) -> bool {
    list.as_array().is_some_and(|list| !list.is_empty())
}

fn success(details: &Value) -> Value {
    json!({ "kind": "Status", "status": "Success", "metadata": {}, "details": details })
}

fn failure(code: u16, reason: &str) -> (u16, Value) {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "reason": reason, "code": code, "message": reason,
    });
    (code, status)
}

// === impl Server ===

impl Server {
    pub(crate) fn new(seed: u64) -> Self {
        let state = State {
            // A list of an empty history would have no version.
            log: vec![bookmark()],
            rng: fastrand::Rng::with_seed(seed),
            ..State::default()
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            changed: Arc::default(),
        }
    }

    pub(crate) fn client(&self) -> Client {
        self.client_unless(Arc::default())
    }

    /// Returns a client whose requests fail while `is_cut` is `true`.
    pub(crate) fn client_unless(&self, is_cut: Arc<AtomicBool>) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let (server, is_cut) = (server.clone(), is_cut.load(Ordering::Relaxed));
            async move {
                if is_cut {
                    return Err(std::io::Error::other("connection refused"));
                }
                server.answer(request).await
            }
        });
        Client::new(service, "default")
    }

    /// Returns a factory that lists in pages.
    pub(crate) fn factory(&self) -> SharedInformerFactory {
        let builder = SharedInformerFactory::builder(self.client());
        builder.watch_list(WatchListMode::Never).build().unwrap()
    }

    fn wake(&self) {
        self.changed.send_modify(|[count, ..]| *count += 1);
    }

    /// Delays each event and each answer by a random time.
    pub(crate) fn delay(&self, greatest: Duration) {
        self.state.lock().delay = greatest;
    }

    /// Silences the watches of a resource.
    pub(crate) fn hold(&self, resource: &str) {
        self.state.lock().held.insert(resource.to_owned());
    }

    pub(crate) fn release(&self) {
        self.state.lock().held.clear();
        self.wake();
    }

    /// Makes lists at "0" return this moment for ever, as a watch cache does that lags.
    pub(crate) fn freeze_watch_cache(&self) {
        let mut state = self.state.lock();
        state.stale = Some(state.log.len());
    }

    /// Loses the next write, or its answer.
    pub(crate) fn lose(&self, lost: Lost) {
        self.state.lock().lost = Some(lost);
    }

    /// Loses no write that has not been sent.
    pub(crate) fn lose_nothing(&self) {
        self.state.lock().lost = None;
    }

    /// Fails the reads for which `failures` returns a code and a reason, and no others.
    pub(crate) fn fail(
        &self,
        failures: impl Fn(&Target) -> Option<(u16, &'static str)> + Send + 'static,
    ) {
        self.state.lock().failures = Some(Box::new(failures));
    }

    /// Hides all later changes from reads of many Secrets, as an API server does whose watch cache
    /// lags.
    pub(crate) fn lag(&self) {
        let mut state = self.state.lock();
        state.seen_secrets = Some(state.log.len());
    }

    /// Ends the lag.
    pub(crate) fn catch_up(&self) {
        self.state.lock().seen_secrets = None;
        self.wake();
    }

    /// Applies shard selectors from now on, or ignores them.
    pub(crate) fn shard(&self, is_sharded: bool) {
        self.state.lock().is_sharded = is_sharded;
    }

    /// Answers the deletion of a collection without the list of what was deleted.
    pub(crate) fn answer_with_status(&self) {
        self.state.lock().answers_with_status = true;
    }

    /// Prefixes all versions with a text, so that they cannot be compared.
    pub(crate) fn use_opaque_versions(&self) {
        self.state.lock().prefix = "v";
    }

    pub(crate) fn disconnect(&self) {
        self.changed.send_modify(|[_, closed, _]| *closed += 1);
    }

    /// Restores the objects as they were after the first `version` changes, and breaks the connections of
    /// all watches, as after a restore from a backup. Later changes have the versions of lost ones.
    pub(crate) fn rewind_to(&self, version: usize) {
        let mut state = self.state.lock();
        let log = &mut state.log;
        log.truncate(version);
        let mut objects = BTreeMap::new();
        for (verb, resource, object) in log.iter().filter(|(verb, ..)| *verb != "BOOKMARK") {
            let id = (resource.clone(), key_of(object));
            match *verb {
                "DELETED" => drop(objects.remove(&id)),
                _ => drop(objects.insert(id, object.clone())),
            }
        }
        state.objects = objects;
        state.oldest = state.oldest.min(version);
        drop(state);
        self.changed.send_modify(|[_, _, broken]| *broken += 1);
    }

    /// Returns the changes of a resource, each with its version.
    pub(crate) fn changes_of(&self, resource: &str) -> Vec<(usize, &'static str, Value)> {
        let state = self.state.lock();
        let numbered = (1..).zip(&state.log);
        let of = numbered.filter(|(_, (_, of, _))| of == resource);
        of.map(|(version, (verb, _, object))| (version, *verb, object.clone()))
            .collect()
    }

    /// Returns the number of changes.
    pub(crate) fn version(&self) -> usize {
        self.state.lock().log.len()
    }

    /// Forgets the history, so that no watch can continue.
    pub(crate) fn compact(&self) {
        let mut state = self.state.lock();
        state.oldest = state.log.len() + 1;
        state.log.push(bookmark());
        drop(state);
        self.disconnect();
    }

    pub(crate) fn bookmark(&self) {
        self.state.lock().log.push(bookmark());
        self.wake();
    }

    /// Creates, replaces or, with `None`, deletes an object as another client does.
    pub(crate) fn put(&self, resource: &str, key: &ObjectKey, object: Option<Value>) -> Value {
        let mut state = self.state.lock();
        if object.is_none() && state.find(resource, key).is_none() {
            return Value::Null;
        }
        let object = state.write(resource, key, object);
        drop(state);
        self.wake();
        object
    }

    pub(crate) fn objects(&self, resource: &str) -> Vec<Value> {
        let state = self.state.lock();
        let objects = state.objects.iter().filter(|((of, _), _)| of == resource);
        objects.map(|(_, object)| object.clone()).collect()
    }

    /// Drops the deleted objects of the history, which then has an empty place for each of their changes.
    pub(crate) fn forget(&self) {
        let mut state = self.state.lock();
        let state = &mut *state;
        for change in &mut state.log {
            let id = (change.1.clone(), key_of(&change.2));
            if change.0 != "BOOKMARK" && !state.objects.contains_key(&id) {
                *change = ("FORGOTTEN", String::new(), Value::Null);
            }
        }
    }

    /// Returns method and URI of the requests since the last call.
    pub(crate) fn take_requests(&self) -> Vec<String> {
        let requests = std::mem::take(&mut self.state.lock().requests);
        let lines = requests
            .iter()
            .map(|(method, uri)| format!("{method} {uri}"));
        lines.collect()
    }

    /// Returns the reads since the last call: `LIST secrets ns/a`.
    pub(crate) fn take_reads(&self) -> Vec<String> {
        let requests = std::mem::take(&mut self.state.lock().requests);
        let reads = requests.iter().map(|(_, uri)| {
            let target = Target::of(uri);
            let namespace = target.namespace.as_deref().unwrap_or_default();
            let name = target.selected_name().unwrap_or("*");
            format!("{} {} {namespace}/{name}", target.verb(), target.resource)
        });
        reads.collect()
    }

    /// Returns the reads since the last call, with their shard selectors.
    pub(crate) fn take_shard_reads(&self) -> Vec<(&'static str, String)> {
        let requests = std::mem::take(&mut self.state.lock().requests);
        let reads = requests.iter().map(|(_, uri)| {
            let target = Target::of(uri);
            (
                target.verb(),
                target.text("shardSelector").replace('+', " "),
            )
        });
        reads.collect()
    }

    async fn pause(&self) {
        let pause = {
            let mut state = self.state.lock();
            let greatest = u64::try_from(state.delay.as_millis()).unwrap();
            Duration::from_millis(state.rng.u64(0..=greatest))
        };
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }

    async fn answer(
        &self,
        request: Request<Body>,
    ) -> Result<Response<StreamBody<Bytestream>>, std::io::Error> {
        let (head, body) = request.into_parts();
        let mut target = Target::of(&head.uri);
        let accepted = head
            .headers
            .get("accept")
            .and_then(|accepted| accepted.to_str().ok());
        target.is_metadata = accepted.is_some_and(|accepted| accepted.contains("Partial"));
        let body = body.collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let request = (head.method.clone(), head.uri);
        self.state.lock().requests.push(request);
        if head.method == Method::GET {
            let failures = |state: &State| state.failures.as_ref()?(&target);
            let failed = failures(&self.state.lock());
            if let Some((code, reason)) = failed {
                let (code, mut status) = failure(code, reason);
                status["message"] = json!("refused");
                return Ok(respond(code, once(&status)));
            }
            if !self.state.lock().is_sharded {
                target.query.remove("shardSelector");
            }
            if target.is_watch() {
                return Ok(respond(200, self.watch(target)));
            }
            let (code, list) = self.state.lock().list(&target);
            return Ok(respond(code, once(&list)));
        }
        let lost = self.state.lock().lost.take();
        if lost == Some(Lost::Request) {
            return Err(std::io::Error::other("connection reset"));
        }
        let (code, answer) = self.state.lock().change(&head.method, &target, body);
        self.wake();
        self.pause().await;
        if lost == Some(Lost::Answer) {
            return Err(std::io::Error::other("connection reset"));
        }
        Ok(respond(code, once(&answer)))
    }

    fn watch(&self, target: Target) -> Bytestream {
        let mut changed = self.changed.subscribe();
        let [_, closed, broken] = *changed.borrow_and_update();
        let from = target.text("resourceVersion").trim_start_matches('v');
        let from: usize = from.parse().unwrap_or_default();
        let is_initial = target.query.contains_key("sendInitialEvents");
        if !is_initial && from < self.state.lock().oldest {
            let (_, expired) = failure(410, "Expired");
            return once(&json!({ "type": "ERROR", "object": expired }));
        }
        let (initial, from) = if is_initial {
            self.state.lock().initial_events(&target)
        } else {
            (Vec::new(), from)
        };
        let initial = initial
            .into_iter()
            .map(|event| Ok(Frame::data(Bytes::from(format!("{event}\n")))));
        let next = (self.clone(), changed, from);
        let live = stream::unfold(next, move |(server, mut changed, mut position)| {
            let target = target.clone();
            async move {
                loop {
                    let [_, ends, breaks] = *changed.borrow_and_update();
                    if breaks != broken {
                        // A reader ends with the first error.
                        let reset = io::Error::other("connection reset");
                        return Some((Err(reset), (server, changed, position)));
                    }
                    if ends != closed {
                        return None;
                    }
                    let event = server.state.lock().event(&target, position);
                    let Some(event) = event else {
                        changed.changed().await.ok()?;
                        continue;
                    };
                    position += 1;
                    if !event.is_null() {
                        server.pause().await;
                        let frame = Frame::data(Bytes::from(format!("{event}\n")));
                        return Some((Ok(frame), (server, changed, position)));
                    }
                }
            }
        });
        stream::iter(initial).chain(live).boxed()
    }
}

// === impl State ===

impl State {
    fn version(&self, number: usize) -> String {
        format!("{}{number}", self.prefix)
    }

    fn find(&self, resource: &str, key: &ObjectKey) -> Option<Value> {
        let id = (resource.to_owned(), key.clone());
        self.objects.get(&id).cloned()
    }

    /// Returns the changes that a read sees.
    fn seen(&self, target: &Target) -> &[Change] {
        let is_of_many = target.resource == "secrets" && target.selected_name().is_none();
        let seen = self.seen_secrets.filter(|_| is_of_many);
        &self.log[..seen.unwrap_or(self.log.len())]
    }

    /// Returns the event of a change for a watch; null for a change that the watch does not see.
    /// Returns nothing while the watch is silent.
    fn event(&self, target: &Target, position: usize) -> Option<Value> {
        if self.held.contains(&target.resource) {
            return None;
        }
        let (verb, resource, object) = self.seen(target).get(position)?;
        if *verb == "BOOKMARK" {
            let meta = json!({ "resourceVersion": self.version(position + 1) });
            let (version, kind) = match target.resource.as_str() {
                "secrets" => ("v1", "Secret"),
                "serviceaccounts" => ("v1", "ServiceAccount"),
                "namespaces" => ("v1", "Namespace"),
                "pods" => ("v1", "Pod"),
                "jobs" => ("batch/v1", "Job"),
                "customresourcedefinitions" => {
                    ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
                }
                _ => ("v1", "ConfigMap"),
            };
            let object = json!({ "kind": kind, "apiVersion": version, "metadata": meta });
            return Some(json!({ "type": "BOOKMARK", "object": target.form(&object) }));
        }
        let earlier = &self.log[..position];
        let same = |(_, of, old): &&Change| of == resource && key_of(old) == key_of(object);
        let before = earlier.iter().rev().find(same);
        let before = before.filter(|(verb, ..)| *verb != "DELETED");
        let was = before.is_some_and(|(_, _, old)| target.selects(resource, old));
        let is = *verb != "DELETED" && target.selects(resource, object);
        let verb = match (was, is) {
            (false, false) => return Some(Value::Null),
            (false, true) => "ADDED",
            (true, true) => "MODIFIED",
            (true, false) => "DELETED",
        };
        Some(json!({ "type": verb, "object": target.form(object) }))
    }

    fn list(&self, target: &Target) -> (u16, Value) {
        if let Some(name) = &target.name {
            let key = ObjectKey::new(target.namespace.as_deref(), name);
            let object = self.find(&target.resource, &key);
            return object.map_or_else(|| failure(404, "NotFound"), |found| (200, found));
        }
        let newest = self.seen(target).len();
        let stale = self.stale.filter(|_| target.text("resourceVersion") == "0");
        let (mut seen, mut offset) = (stale.unwrap_or(newest), 0);
        if let Some((version, items)) = target.text("continue").split_once('.') {
            (seen, offset) = (version.parse().unwrap(), items.parse().unwrap());
        }
        let mut items = BTreeMap::new();
        for (verb, resource, object) in &self.log[..seen] {
            if *verb != "BOOKMARK" && *resource == target.resource {
                items.remove(&key_of(object));
                if *verb != "DELETED" && target.selects(resource, object) {
                    items.insert(key_of(object), target.form(object));
                }
            }
        }
        let limit = match target.text("resourceVersion") {
            // The watch cache does not page.
            "0" => usize::MAX,
            _ => target.text("limit").parse().unwrap_or(usize::MAX),
        };
        let count = items.len();
        let items: Vec<_> = items.into_values().skip(offset).take(limit).collect();
        let mut meta = json!({ "resourceVersion": self.version(seen) });
        let end = offset + items.len();
        if end < count {
            meta["continue"] = json!(format!("{seen}.{end}"));
        }
        if let Some(selector) = target.query.get("shardSelector") {
            meta["shardInfo"] = json!({ "selector": selector });
        }
        (200, json!({ "metadata": meta, "items": items }))
    }

    /// Returns the events that begin a streaming list, and the number of changes that they reflect.
    fn initial_events(&self, target: &Target) -> (Vec<Value>, usize) {
        let (_, list) = self.list(target);
        let items = list["items"].as_array().unwrap().iter();
        let items = items.map(|object| json!({ "type": "ADDED", "object": object }));
        let meta = json!({
            "resourceVersion": list["metadata"]["resourceVersion"],
            "annotations": { "k8s.io/initial-events-end": "true" },
        });
        let end = json!({ "kind": "ConfigMap", "apiVersion": "v1", "metadata": meta });
        let end = json!({ "type": "BOOKMARK", "object": end });
        (items.chain([end]).collect(), self.log.len())
    }

    /// Stores or removes an object. Returns it with its new version.
    fn write(&mut self, resource: &str, key: &ObjectKey, object: Option<Value>) -> Value {
        let version = self.version(self.log.len() + 1);
        let id = (resource.to_owned(), key.clone());
        let existing = self.find(resource, key);
        let (verb, mut object) = match (object, &existing) {
            (Some(object), None) => ("ADDED", object),
            (Some(object), Some(_)) => ("MODIFIED", object),
            (None, existing) => ("DELETED", existing.clone().unwrap_or_default()),
        };
        let random = self.rng.u128(..);
        let (head, tail) = (random >> 96, random & 0xffff_ffff_ffff);
        let uid = json!(format!("{head:08x}-0000-4000-8000-{tail:012x}"));
        let uid = existing.map_or(uid, |existing| existing["metadata"]["uid"].clone());
        let given = object["metadata"]["uid"].take();
        let uid = Some(given).filter(Value::is_string).unwrap_or(uid);
        object["metadata"]["namespace"] = json!(key.namespace());
        object["metadata"]["name"] = json!(key.name());
        object["metadata"]["uid"] = uid;
        object["metadata"]["resourceVersion"] = json!(version);
        if verb == "DELETED" {
            self.objects.remove(&id);
        } else {
            self.objects.insert(id, object.clone());
        }
        self.log.push((verb, resource.to_owned(), object.clone()));
        object
    }

    /// Deletes an object by the rules of its kind, and returns the answer.
    fn delete(&mut self, resource: &str, key: &ObjectKey, options: &Value) -> Value {
        let Some(mut object) = self.find(resource, key) else {
            return success(&json!({}));
        };
        let mut finalizers = object["metadata"]["finalizers"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        match options["propagationPolicy"].as_str() {
            Some("Foreground") => finalizers.push(json!("foregroundDeletion")),
            Some("Orphan") => finalizers.push(json!("orphan")),
            _ => {}
        }
        if resource == "customresourcedefinitions" {
            finalizers.push(json!("customresourcecleanup.apiextensions.k8s.io"));
        }
        finalizers.dedup();
        let spec = &object["spec"];
        let grace = options["gracePeriodSeconds"].as_u64();
        let grace = grace
            .or(spec["terminationGracePeriodSeconds"].as_u64())
            .unwrap_or(0);
        let is_namespace = has_items(&spec["finalizers"]);
        if finalizers.is_empty() && grace == 0 && !is_namespace {
            let uid = object["metadata"]["uid"].clone();
            self.write(resource, key, None);
            return success(&json!({ "name": key.name(), "uid": uid }));
        }
        let meta = &mut object["metadata"];
        if meta["deletionTimestamp"].is_null() {
            meta["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
            // Namespaces and definitions have no grace period.
            if !is_namespace && resource != "customresourcedefinitions" {
                meta["deletionGracePeriodSeconds"] = json!(grace);
            }
            meta["finalizers"] = json!(finalizers);
            return self.write(resource, key, Some(object));
        }
        object
    }

    fn change(&mut self, method: &Method, target: &Target, mut body: Value) -> (u16, Value) {
        let namespace = target.namespace.as_deref();
        let resource = target.resource.as_str();
        if *method == Method::POST {
            let meta = &mut body["metadata"];
            if meta["name"].as_str().is_none_or(str::is_empty) {
                let prefix = meta["generateName"].as_str().unwrap();
                meta["name"] = json!(format!("{prefix}{}", self.log.len()));
            }
            let key = ObjectKey::new(namespace, body["metadata"]["name"].as_str().unwrap());
            if self.find(resource, &key).is_some() {
                return failure(409, "AlreadyExists");
            }
            return (201, self.write(resource, &key, Some(body)));
        }
        let Some(name) = &target.name else {
            let selected = self
                .objects
                .iter()
                .filter(|((of, _), object)| target.selects(of, object));
            let keys: Vec<ObjectKey> = selected.map(|((_, key), _)| key.clone()).collect();
            let mut deleted = Vec::new();
            for key in keys {
                deleted.extend(self.find(resource, &key));
                self.delete(resource, &key, &body);
            }
            if self.answers_with_status {
                return (200, success(&json!({})));
            }
            return (200, list_of(&self.version(self.log.len()), &deleted));
        };
        let key = ObjectKey::new(namespace, name);
        let Some(existing) = self.find(resource, &key) else {
            return failure(404, "NotFound");
        };
        let expected = &body["metadata"]["resourceVersion"];
        if !expected.is_null() && *expected != existing["metadata"]["resourceVersion"] {
            return failure(409, "Conflict");
        }
        let mut object = match *method {
            Method::PUT => body,
            Method::PATCH => {
                let mut object = existing.clone();
                merge(&mut object, &body);
                object
            }
            Method::DELETE => return (200, self.delete(resource, &key, &body)),
            _ => return failure(405, "MethodNotAllowed"),
        };
        object["metadata"]["resourceVersion"] = existing["metadata"]["resourceVersion"].clone();
        object["metadata"]["uid"] = existing["metadata"]["uid"].clone();
        let meta = &object["metadata"];
        let has_grace = meta["deletionGracePeriodSeconds"].as_u64() > Some(0);
        let remains =
            has_grace || has_items(&meta["finalizers"]) || has_items(&object["spec"]["finalizers"]);
        if !meta["deletionTimestamp"].is_null() && !remains {
            self.write(resource, &key, None);
            return (200, object);
        }
        let is_same = object == existing;
        let written = if is_same {
            existing
        } else {
            self.write(resource, &key, Some(object))
        };
        if target.subresource.as_deref() == Some("scale") {
            let meta = &written["metadata"];
            let scale = json!({
                "metadata": {
                    "name": name, "namespace": namespace, "uid": meta["uid"],
                    "resourceVersion": meta["resourceVersion"],
                },
            });
            return (200, scale);
        }
        (200, written)
    }
}

fn once(body: &Value) -> Bytestream {
    let frame = Frame::data(Bytes::from(format!("{body}\n")));
    stream::iter([Ok(frame)]).boxed()
}

fn respond(code: u16, body: Bytestream) -> Response<StreamBody<Bytestream>> {
    Response::builder()
        .status(code)
        .body(StreamBody::new(body))
        .unwrap()
}
