//! Waits for a state, with a deadline.

use std::fmt;
use std::panic::Location;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::Control;
use crate::api::state::State;
use crate::registry::target::{ResourcePath, Target};

/// Maximum number of list items in a failure message.
const SHOWN_ITEMS: usize = 10;

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
        self.await_state(path, object_at, move |object| condition(object))
    }

    /// Resolves with the objects of the list at `path` (`/api/v1/namespaces/default/pods`,
    /// `/api/v1/pods`), in the order of the list, when `condition` holds for them, at once or after
    /// a change.
    ///
    /// # Panics
    ///
    /// As [`await_object`](Self::await_object); also if `path` does not name a list of a served
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
        self.await_state(path, list_at, move |items: &Vec<Value>| condition(items))
    }

    #[track_caller]
    fn await_state<T: Send>(
        &self,
        path: &str,
        read: Read<T>,
        mut condition: impl FnMut(&T) -> bool + Send,
    ) -> impl Future<Output = T> + Send
    where
        for<'a> Shown<'a, T>: fmt::Display,
    {
        let caller = Location::caller();
        async move {
            let deadline = Instant::now() + self.deadline;
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
                    fail(
                        caller,
                        format_args!(
                            "after {:?} the condition does not hold for `{path}`: {}",
                            self.deadline,
                            Shown(&state)
                        ),
                    );
                }
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
type Read<T> = fn(&State, &Target) -> Option<T>;

fn object_at(state: &State, target: &Target) -> Option<Value> {
    if target.name.is_empty() {
        return None;
    }
    let object = state
        .store
        .find(target.resource.id, &target.namespace, &target.name);
    Some(object.map_or(Value::Null, |object| target.document_of(object)))
}

fn list_at(state: &State, target: &Target) -> Option<Vec<Value>> {
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

/// State in a failure message.
struct Shown<'a, T>(&'a T);

impl fmt::Display for Shown<'_, Value> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_null() {
            return f.write_str("the object does not exist");
        }
        write!(f, "the last state is\n{:#}", redacted(self.0))
    }
}

impl fmt::Display for Shown<'_, Vec<Value>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the last state is a list of {} objects", self.0.len())?;
        for object in self.0.iter().take(SHOWN_ITEMS) {
            write!(f, "\n{:#}", redacted(object))?;
        }
        if self.0.len() > SHOWN_ITEMS {
            write!(f, "\nand {} more", self.0.len() - SHOWN_ITEMS)?;
        }
        Ok(())
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
            let values = shown.pointer_mut(member).and_then(Value::as_object_mut);
            for value in values.into_iter().flat_map(|values| values.values_mut()) {
                *value = "<redacted>".into();
            }
        }
        let annotations = shown.pointer_mut("/metadata/annotations");
        if let Some(applied) = annotations.and_then(|all| all.get_mut(LAST_APPLIED)) {
            *applied = "<redacted>".into();
        }
    }
    shown
}
