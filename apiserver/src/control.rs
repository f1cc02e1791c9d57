//! The side of the server that tests look at and turn.

pub(crate) mod activity;
pub(crate) mod requests;
pub(crate) mod watches;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::control::requests::{Matcher, RecordedRequest};
use crate::control::watches::End;
use crate::fault::Fault;
use crate::registry::ResourceId;
use crate::route::{Part, Route, Target, Verb};
use crate::shared::Shared;
use crate::state::State;
use crate::status::ApiError;
use crate::store::{Members, metadata_str};
use crate::write::{DeleteOptions, WriteOptions};

/// Looks into a server and makes things go wrong. Clones control the same server.
///
/// Where a method takes a `resource`, it is a plural (`pods`) or, where groups share a plural,
/// `plural.group` (`events.events.k8s.io`).
#[derive(Debug, Clone)]
pub struct Control {
    shared: Arc<Shared>,
}

// === impl Control ===

impl Control {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    // --- requests ---

    /// The last requests (10,000 by default), the oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<Arc<RecordedRequest>> {
        self.shared.requests.recent()
    }

    /// How many requests did `verb` on the plural `resource` since the start or the last
    /// [reset](Self::reset_requests).
    #[must_use]
    pub fn count(&self, verb: Verb, resource: &str) -> u64 {
        self.shared.requests.count(verb, resource)
    }

    /// Forgets all requests and counts.
    pub fn reset_requests(&self) {
        self.shared.requests.reset();
    }

    /// The first remembered request that matches, at once or when it arrives.
    ///
    /// # Cancel safety
    ///
    /// Nothing is taken out of the log, so nothing is lost.
    pub async fn await_request(&self, matcher: Matcher) -> Arc<RecordedRequest> {
        self.await_nth_request(matcher, 1).await
    }

    /// The `nth` remembered request that matches, counted from 1, at once or when it arrives.
    ///
    /// # Cancel safety
    ///
    /// Nothing is taken out of the log, so nothing is lost.
    pub async fn await_nth_request(&self, matcher: Matcher, nth: usize) -> Arc<RecordedRequest> {
        self.shared.requests.wait(&matcher, nth).await
    }

    /// Holds every request that comes from now on before anything is done about it.
    pub fn pause_requests(&self) {
        self.shared.activity.shut(true);
    }

    /// Lets the held requests, and those that come, pass.
    pub fn resume_requests(&self) {
        self.shared.activity.shut(false);
    }

    /// Lets one request pass, now or when it comes, while the others are held.
    pub fn step_request(&self) {
        self.shared.activity.step();
    }

    /// How many requests are held.
    #[must_use]
    pub fn held_requests(&self) -> usize {
        self.shared.activity.held()
    }

    /// Resolves when exactly `count` requests are held.
    ///
    /// # Cancel safety
    ///
    /// Safe.
    pub async fn await_held_requests(&self, count: usize) {
        let mut changed = self.shared.activity.subscribe();
        while self.held_requests() != count {
            // The sender lives in `shared`, so this cannot fail.
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Resolves when nothing is going on: no request without an answer, no watch with something
    /// to send, no object that the garbage collector is to look at. What clients make of what
    /// they have got is not known here; nor is an answer that is still on its way.
    ///
    /// Never, while a request or a watch is held or stalled.
    ///
    /// # Cancel safety
    ///
    /// Safe.
    pub async fn await_idle(&self) {
        let mut requests = self.shared.activity.subscribe();
        let mut watches = self.shared.watches.subscribe();
        while !self.busy_with().is_empty() {
            // The senders live in `shared`, so neither can fail.
            tokio::select! {
                _ = requests.changed() => {}
                _ = watches.changed() => {}
            }
        }
    }

    /// Checks that nothing is going on, in the sense of [`await_idle`](Self::await_idle).
    ///
    /// # Panics
    ///
    /// If something is, saying what.
    #[track_caller]
    pub fn assert_idle(&self) {
        let busy = self.busy_with();
        assert!(busy.is_empty(), "the server is not idle: {busy}");
    }

    fn busy_with(&self) -> String {
        let running = self.shared.activity.running();
        let positions = self.shared.watches.positions();
        let state = self.shared.state();
        let behind = |(resource, settled): &&(ResourceId, Option<u64>)| {
            settled.is_none_or(|at| state.log.after(*resource, at).next().is_some())
        };
        let watches = positions.iter().filter(behind).count();
        let mut busy = Vec::new();
        if running > 0 {
            busy.push(format!("{running} requests without an answer"));
        }
        if watches > 0 {
            busy.push(format!("{watches} watches with events to send"));
        }
        if !state.collector.is_idle() {
            busy.push("objects to collect".to_owned());
        }
        busy.join(", ")
    }

    // --- watches ---

    /// How many watches of `resource` are running.
    #[must_use]
    pub fn watch_count(&self, resource: &str) -> usize {
        self.shared.watches.count(resource)
    }

    /// Resolves when exactly `count` watches of `resource` are running.
    ///
    /// # Cancel safety
    ///
    /// Safe.
    pub async fn await_watches(&self, resource: &str, count: usize) {
        self.shared.watches.wait(resource, count).await;
    }

    /// Breaks the connections of all watches.
    pub fn disconnect_watches(&self) {
        self.shared.watches.end(None, End::Cut);
    }

    /// Breaks the connections of the watches of `resource`.
    pub fn disconnect_watches_of(&self, resource: &str) {
        self.shared.watches.end(Some(resource), End::Cut);
    }

    /// Ends all watches cleanly, as a timeout does.
    pub fn close_watches(&self) {
        self.shared.watches.end(None, End::Clean);
    }

    /// Ends the watches of `resource` cleanly, as a timeout does.
    pub fn close_watches_of(&self, resource: &str) {
        self.shared.watches.end(Some(resource), End::Clean);
    }

    /// Ends all watches with an `ERROR` event of code 410, as a server does that cannot go on from
    /// where they are.
    pub fn expire_watches(&self) {
        self.shared.watches.end(None, End::Expired);
    }

    /// Ends the watches of `resource` with an `ERROR` event of code 410.
    pub fn expire_watches_of(&self, resource: &str) {
        self.shared.watches.end(Some(resource), End::Expired);
    }

    /// Makes every object what it was at `resource_version`, which counts on from there, and
    /// breaks the connections of all watches: etcd restored from a backup. Versions that clients
    /// have seen are given a second time.
    ///
    /// # Errors
    ///
    /// If the version is still to come, is older than the event window, or if a
    /// `CustomResourceDefinition` has changed since.
    pub fn rewind_to(&self, resource_version: u64) -> Result<(), ApiError> {
        self.shared.state().rewind(resource_version)?;
        self.disconnect_watches();
        Ok(())
    }

    /// Forgets every event: a watch or list from before the last event answers 410. Running
    /// watches that have read everything go on.
    pub fn compact(&self) {
        self.shared.state().log.compact();
    }

    // --- garbage collection ---

    /// Keeps the garbage collector from working, or lets it work off what has come up. Held, it is
    /// what a real one is between two of its rounds: the owner is gone, its dependents are not yet.
    pub fn hold_garbage_collection(&self, hold: bool) {
        let mut state = self.shared.state();
        state.collector.held = hold;
        state.settle();
        drop(state);
        self.shared.activity.notify();
    }

    /// Lets a held garbage collector look at one object. False if there is none to look at.
    #[expect(
        clippy::must_use_candidate,
        reason = "to step is what it is called for"
    )]
    pub fn step_garbage_collection(&self) -> bool {
        let worked = self.shared.state().collect_one();
        self.shared.activity.notify();
        worked
    }

    // --- faults ---

    /// Makes the next `n` requests that match fail. Faults apply in the order in which they were
    /// given, one to a request.
    pub fn fail_next(&self, n: usize, matcher: Matcher, fault: Fault) {
        if n > 0 {
            self.shared.switches().faults.arm(n, matcher, fault);
        }
    }

    /// Takes back the faults that have not happened.
    pub fn clear_faults(&self) {
        self.shared.switches().faults.clear();
    }

    /// How many requests are still to fail.
    #[must_use]
    pub fn faults_left(&self) -> usize {
        self.shared.switches().faults.waiting()
    }

    /// Answers `sendInitialEvents` with 422 Invalid, as a server without WatchList does.
    pub fn refuse_watch_list(&self, refuse: bool) {
        self.shared.switches().refuse_watch_list = refuse;
    }

    /// Answers every request for `resource` with 403 Forbidden, in RBAC's words. Running watches
    /// go on.
    pub fn set_forbidden(&self, resource: &str, forbidden: bool) {
        let mut switches = self.shared.switches();
        if forbidden {
            switches.forbidden.insert(resource.to_owned());
        } else {
            switches.forbidden.remove(resource);
        }
    }

    // --- state ---

    /// The resourceVersion of the newest change.
    #[must_use]
    pub fn current_resource_version(&self) -> u64 {
        self.shared.state().revision()
    }

    /// The objects of `resource`, complete documents in the order of a list; none if there is no
    /// such resource. Read from the state, not over HTTP.
    #[must_use]
    pub fn objects(&self, resource: &str) -> Vec<Value> {
        let (resource, objects) = {
            let state = self.shared.state();
            let Some(resource) = state.registry.named(resource).map(Arc::clone) else {
                return Vec::new();
            };
            let table = state.table(resource.id);
            let objects = table.into_iter().flat_map(|table| table.values());
            let objects: Vec<_> = objects.map(Arc::clone).collect();
            (resource, objects)
        };
        let version = resource
            .versions
            .first()
            .map_or("", |version| &version.name);
        let api_version = resource.api_version(version);
        objects
            .iter()
            .map(|object| object.to_value(&resource.kind, &api_version))
            .collect()
    }

    /// Creates an object without HTTP, and without making a request of it. `apiVersion` and `kind`
    /// say which resource, `metadata.namespace` where (default: `default`). Unlike a POST it keeps
    /// `status`. Returns the object as it was stored.
    ///
    /// # Errors
    ///
    /// As a POST.
    pub fn create_direct(&self, object: Value) -> Result<Value, ApiError> {
        self.direct(object, |state, target, object| {
            state.create(target, object, WITH_STATUS)
        })
    }

    /// Replaces an object without HTTP, as [`create_direct`](Self::create_direct) creates one.
    /// Replaces `status` as well.
    ///
    /// # Errors
    ///
    /// As a PUT.
    pub fn update_direct(&self, object: Value) -> Result<Value, ApiError> {
        self.direct(object, |state, target, object| {
            state.update(target, object, WITH_STATUS)
        })
    }

    /// Deletes the object at `path` (`/api/v1/namespaces/default/pods/x`) without HTTP.
    ///
    /// # Errors
    ///
    /// As a DELETE.
    pub fn delete_direct(&self, path: &str) -> Result<(), ApiError> {
        let mut state = self.shared.state();
        let target = resolve(&state, path)?;
        state.delete(&target, &DeleteOptions::default())?;
        Ok(())
    }

    /// Stores `object` at `path` (`/api/v1/namespaces/default/pods/x`) as it is: no rule is
    /// applied, nothing is filled in but `metadata.resourceVersion`, if `metadata` is an object.
    /// A `kind` or `apiVersion` that is not the resource's is kept and served.
    ///
    /// # Errors
    ///
    /// If `path` does not name an object of a served resource, or `object` is no JSON object.
    pub fn put_raw(&self, path: &str, object: Value) -> Result<u64, ApiError> {
        let Value::Object(mut members) = object else {
            return Err(ApiError::bad_request("the object is not a JSON object"));
        };
        let mut state = self.shared.state();
        let target = resolve(&state, path)?;
        drop_own_type(&target, &mut members);
        let stored = state.put(&target.resource, &target.namespace, &target.name, members);
        Ok(stored.revision)
    }

    /// Creates `object`, or the items if it is a list.
    pub(crate) fn load(&self, mut object: Value) -> Result<(), ApiError> {
        let is_list = object
            .get("kind")
            .and_then(Value::as_str)
            .is_some_and(|kind| kind.ends_with("List"));
        match object.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) if is_list => {
                for item in items {
                    self.load(item)?;
                }
            }
            _ => {
                self.create_direct(object)?;
            }
        }
        Ok(())
    }

    fn direct(
        &self,
        object: Value,
        change: impl FnOnce(&mut State, &Target, Value) -> Result<Arc<crate::store::Stored>, ApiError>,
    ) -> Result<Value, ApiError> {
        let (target, stored) = {
            let mut state = self.shared.state();
            let target = target_of(&state, &object)?;
            let stored = change(&mut state, &target, object)?;
            (target, stored)
        };
        Ok(stored.to_value(&target.resource.kind, &target.api_version()))
    }
}

const WITH_STATUS: WriteOptions = WriteOptions {
    dry_run: false,
    with_status: true,
    strict: false,
};

fn resolve(state: &State, path: &str) -> Result<Target, ApiError> {
    let Route::Resource(path) = Route::parse(path) else {
        return Err(ApiError::no_such_resource());
    };
    let target = path
        .resolve(&state.registry)
        .filter(|target| !target.name.is_empty());
    target.ok_or_else(ApiError::no_such_resource)
}

/// Where an object belongs, by what it says itself.
fn target_of(state: &State, object: &Value) -> Result<Target, ApiError> {
    let text = |field: &str| {
        object
            .get(field)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let resource = state.registry.of_kind(api_version, kind).ok_or_else(|| {
        ApiError::bad_request(format!(
            "no matches for kind {kind:?} in version {api_version:?}"
        ))
    })?;
    let nothing = Map::new();
    let members: &Members = object.as_object().unwrap_or(&nothing);
    let namespace = match (resource.namespaced, metadata_str(members, "namespace")) {
        (false, _) => "",
        (true, "") => "default",
        (true, namespace) => namespace,
    };
    Ok(Target {
        resource: Arc::clone(resource),
        version: api_version
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned(),
        namespace: namespace.to_owned(),
        name: metadata_str(members, "name").to_owned(),
        part: Part::Object,
    })
}

/// Takes out the type if it is the resource's own; a foreign one stays.
fn drop_own_type(target: &Target, members: &mut Members) {
    let text = |field: &str| members.get(field).and_then(Value::as_str);
    let own_kind = text("kind").is_none_or(|kind| kind == target.resource.kind);
    let own_version = text("apiVersion").is_none_or(|version| version == target.api_version());
    if own_kind && own_version {
        members.remove("kind");
        members.remove("apiVersion");
        return;
    }
    members
        .entry("kind")
        .or_insert_with(|| target.resource.kind.clone().into());
    members
        .entry("apiVersion")
        .or_insert_with(|| target.api_version().into());
}
