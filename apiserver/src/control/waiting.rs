//! Waits for a state, with a deadline.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::Location;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::Control;
use crate::api::state::ServerState;
use crate::document::str_of;
use crate::registry::target::{RequestTarget, ResourcePath};

/// Maximum number of lines of a list in a failure message, and of characters of a value.
const SHOWN_LINES: usize = 40;
const SHOWN_CHARACTERS: usize = 200;

/// Annotation in which `kubectl apply` repeats the whole object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

// === impl Control ===

impl Control {
    /// Sets the time after which [`await_object`](Self::await_object) and
    /// [`await_list`](Self::await_list) fail. Default: 10 seconds. Applies to the returned control
    /// only.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Resolves with the object at `path` (`/api/v1/namespaces/default/pods/x`) when `condition`
    /// holds for it, at once or after a change. A missing object is [`Value::Null`], and so are
    /// missing members: `object["status"]["phase"] == "Ready"` needs no further check, and
    /// `object.is_null()` waits for a deletion.
    ///
    /// `condition` sees the current state at each evaluation; changes in quick succession may
    /// appear as one state.
    ///
    /// # Panics
    ///
    /// If `condition` does not hold within [the deadline](Self::with_deadline), by tokio's clock.
    /// The message has the last state, with the data of a Secret redacted. Also if `path` does not
    /// name an object of a served resource.
    ///
    /// # Cancel safety
    ///
    /// Safe.
    #[track_caller]
    pub fn await_object(
        &self,
        path: &str,
        mut condition: impl FnMut(&Value) -> bool + Send,
    ) -> impl Future<Output = Value> + Send {
        self.await_state(path, object_at, shown_object, move |object| {
            condition(object)
        })
    }

    /// Resolves with the objects of the list at `path` (`/api/v1/namespaces/default/pods`,
    /// `/api/v1/pods`), in the order of the list, when `condition` holds for them, at once or after
    /// a change.
    ///
    /// # Panics
    ///
    /// As [`await_object`](Self::await_object); the message has the fields that changed during the
    /// wait, and a line of each object that did not change. Also if `path` does not name a list of a served
    /// resource.
    ///
    /// # Cancel safety
    ///
    /// Safe.
    #[track_caller]
    pub fn await_list(
        &self,
        path: &str,
        mut condition: impl FnMut(&[Value]) -> bool + Send,
    ) -> impl Future<Output = Vec<Value>> + Send {
        let show = |first: &Vec<Value>, last: &Vec<Value>| shown_list(first, last);
        self.await_state(path, list_at, show, move |items: &Vec<Value>| {
            condition(items)
        })
    }

    #[track_caller]
    fn await_state<T: Send>(
        &self,
        path: &str,
        read: Read<T>,
        show: fn(&T, &T) -> String,
        mut condition: impl FnMut(&T) -> bool + Send,
    ) -> impl Future<Output = T> + Send {
        let caller = Location::caller();
        async move {
            let deadline = Instant::now() + self.deadline;
            let mut first = None;
            loop {
                let Some((state, mut changed)) = self.look(path, read) else {
                    fail(
                        caller,
                        format_args!(
                            "nothing is served at `{path}`: write the path of an object or of a list, such as \
                         `/api/v1/namespaces/default/pods/x` or `/apis/example.com/v1/foos`, and install the \
                         definition of a custom resource first"
                        ),
                    );
                };
                if condition(&state) {
                    return state;
                }
                if timeout_at(deadline, changed.changed()).await.is_err() {
                    let shown = show(first.as_ref().unwrap_or(&state), &state);
                    fail(
                        caller,
                        format_args!(
                            "after {:?} the condition does not hold for `{path}`: {shown}",
                            self.deadline
                        ),
                    );
                }
                first.get_or_insert(state);
            }
        }
    }

    /// Returns the state at `path`, and a receiver that announces later changes.
    fn look<T>(&self, path: &str, read: Read<T>) -> Option<(T, watch::Receiver<()>)> {
        let state = self.shared.state();
        let target = ResourcePath::parse(path)?.resolve(&state.registry)?;
        let changed = state.store.log.subscribe(target.resource.id)?;
        Some((read(&state, &target)?, changed))
    }
}

/// Reads the state at a path; `None` if the path names something else.
type Read<T> = fn(&ServerState, &RequestTarget) -> Option<T>;

fn object_at(state: &ServerState, target: &RequestTarget) -> Option<Value> {
    if target.name.is_empty() {
        return None;
    }
    let object = state
        .store
        .find(target.resource.id, &target.namespace, &target.name);
    Some(object.map_or(Value::Null, |object| target.document_of(object)))
}

fn list_at(state: &ServerState, target: &RequestTarget) -> Option<Vec<Value>> {
    if !target.name.is_empty() {
        return None;
    }
    let prefix = match target.namespace.as_str() {
        "" => String::new(),
        namespace => format!("{namespace}/"),
    };
    let objects = state.store.starting_with(target.resource.id, &prefix);
    Some(objects.map(|object| target.document_of(object)).collect())
}

/// Panics with the location of the test's call. `#[track_caller]` does not reach through an
/// `async fn`, so the panic's own location is in this file.
#[expect(clippy::panic, reason = "documented: the wait of a test fails")]
fn fail(caller: &Location<'_>, message: fmt::Arguments<'_>) -> ! {
    panic!("{message}\nwaited for at {caller}")
}

fn shown_object(_: &Value, last: &Value) -> String {
    if last.is_null() {
        return "the object does not exist".to_owned();
    }
    format!("the last state is\n{:#}", redacted(last))
}

/// Returns the objects of a list by `namespace/name`, without what must not be shown.
fn by_key(objects: &[Value]) -> BTreeMap<String, Value> {
    let mut shown = BTreeMap::new();
    for object in objects {
        shown.insert(key(object), redacted(object));
    }
    shown
}

fn key(object: &Value) -> String {
    let namespace = str_of(object.pointer("/metadata/namespace"));
    let name = str_of(object.pointer("/metadata/name"));
    if namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}/{name}")
    }
}

/// Returns the changes from the first to the last state of a list.
fn shown_list(first: &[Value], last: &[Value]) -> String {
    let before = by_key(first);
    let after = by_key(last);
    let mut lines = Vec::new();
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for key in keys {
        let old = before.get(key).unwrap_or(&Value::Null);
        let new = after.get(key).unwrap_or(&Value::Null);
        if old == new {
            let mut rest = new.as_object().cloned().unwrap_or_default();
            for member in ["apiVersion", "kind", "metadata"] {
                rest.remove(member);
            }
            lines.push(format!("{key} is {}", cut(&rest.into())));
        } else {
            changes(key, old, new, &mut lines);
        }
    }
    let mut text = format!("the last state is a list of {} objects", last.len());
    for line in lines.iter().take(SHOWN_LINES) {
        text.push_str("\n  ");
        text.push_str(line);
    }
    if lines.len() > SHOWN_LINES {
        text.push_str("\n  ..");
    }
    text
}

/// Adds a line for each field that differs.
fn changes(path: &str, old: &Value, new: &Value, lines: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(before), Value::Object(after)) => {
            let members: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for member in members {
                changes(
                    &format!("{path}.{member}"),
                    &old[member],
                    &new[member],
                    lines,
                );
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for at in 0..before.len().max(after.len()) {
                changes(&format!("{path}[{at}]"), &old[at], &new[at], lines);
            }
        }
        _ if old == new => {}
        _ => lines.push(format!("{path}: {} → {}", cut(old), cut(new))),
    }
}

fn cut(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

/// Returns the document without managed fields and without the values of a Secret.
fn redacted(object: &Value) -> Value {
    let mut shown = object.clone();
    if let Some(metadata) = shown.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    if shown.get("kind").and_then(Value::as_str) == Some("Secret") {
        for member in ["/data", "/stringData"] {
            if let Some(Value::Object(values)) = shown.pointer_mut(member) {
                for value in values.values_mut() {
                    *value = "<redacted>".into();
                }
            }
        }
        if let Some(annotations) = shown.pointer_mut("/metadata/annotations")
            && let Some(applied) = annotations.get_mut(LAST_APPLIED)
        {
            *applied = "<redacted>".into();
        }
    }
    shown
}
