//! [`Sent`]: a request, and what its answer tells about the write.

use std::sync::Arc;

use informer_runtime::{Object, ObjectKey, ResourceVersion, Uid};
use kube::api::{DeleteParams, ObjectMeta, PropagationPolicy};
use kube::core::Status;
use serde::Serialize;
use serde_json::Value;

use super::notes::{FoundObject, Note, NoteTarget};
use super::shared::{SessionShared, Written};
use super::state::Before;
use super::write::Concern;
use crate::base::names::{group_of, non_empty, qualified};

/// First status code of an answer after which the write may have been carried out.
const SERVER_ERROR: u16 = 500;

/// Request that was sent. If it is dropped before its answer arrived, its outcome is unknown.
pub(super) struct Sent<'a> {
    pub(super) shared: &'a SessionShared,
    /// `None` for a dry run.
    pub(super) note: Option<Note>,
    /// State of the caches before the request.
    pub(super) before: Vec<Before>,
}

/// Knowledge that an answer gives about the end of an object that is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The object remains for now.
    Remains,
    /// The object is gone.
    Gone,
    Unknown,
}

// === impl Sent ===

impl Sent<'_> {
    /// Notes the answer, or an unknown outcome.
    pub(super) fn end<A>(
        mut self,
        answer: kube::Result<A>,
        note: impl FnOnce(Self, &A),
    ) -> kube::Result<A> {
        match &answer {
            Ok(answer) => note(self, answer),
            Err(error) if has_changed_nothing(error) => self.note = None,
            Err(_) => drop(self),
        }
        answer
    }

    /// Notes an answer that is the object.
    pub(super) fn object<K: Object + Serialize>(self, answer: kube::Result<K>) -> kube::Result<K> {
        self.end(answer, |sent, object| {
            // A write that removes the last finalizer of a deleted object ends the object.
            let end = match object.meta().deletion_timestamp {
                Some(_) => end_of(object),
                None => End::Remains,
            };
            sent.answered(object, end);
        })
    }

    /// Notes an answer with an object that is deleted.
    pub(super) fn deleted<K: Object + Serialize>(self, object: &K) {
        self.answered(object, end_of(object));
    }

    fn answered<K: Object + Serialize>(self, object: &K, end: End) {
        let json = || serde_json::to_value(object).unwrap_or_default();
        self.version(object.meta(), end, &Written::Object(&json));
    }

    /// Notes the version of an answer.
    pub(super) fn version(mut self, meta: &ObjectMeta, end: End, written: &Written<'_>) {
        let Some(mut note) = self.note.take() else {
            return;
        };
        let written_object = FoundObject::of(meta);
        note.write.resource_version = written_object.version;
        if note.write.resource_version.is_exact() {
            note.target = match end {
                End::Remains => NoteTarget::Version,
                End::Gone => NoteTarget::Gone,
                End::Unknown => NoteTarget::Unknown,
            };
        }
        if let Some(name) = &meta.name {
            note.write.name = Some(name.as_str().into());
        }
        note.write.uid = written_object.uid;
        note.concerns.extend(owners(meta, &note.write.namespace));
        self.shared.note(note, written, &self.before);
    }

    /// Notes the end of an object. A cache that has reached a version of the object knew it. Without one,
    /// the server is asked for the object.
    pub(super) fn gone(mut self, status: &Status) {
        let Some(mut note) = self.note.take() else {
            return;
        };
        let uid = uid_of(status).map(Uid::new);
        if uid.is_some() && note.write.uid == uid {
            note.target = NoteTarget::Gone;
        } else {
            note.write.uid = uid;
            note.write.resource_version = ResourceVersion::UNSET;
        }
        self.shared.note(note, &Written::Unchanged, &self.before);
    }

    /// Notes the end of each object of a collection, as they were before.
    pub(super) fn collection<K: Object + Serialize>(
        mut self,
        deleted: &[K],
        params: &DeleteParams,
    ) {
        let Some(base) = self.note.take() else {
            return;
        };
        for object in deleted {
            let note = note_of_deletion(&base, object, params);
            let json = || serde_json::to_value(object).unwrap_or_default();
            self.shared.note(note, &Written::Object(&json), &[]);
        }
    }
}

/// Returns the note of one object of a collection that `base` has deleted.
fn note_of_deletion<K: Object + Serialize>(base: &Note, object: &K, params: &DeleteParams) -> Note {
    let meta = object.meta();
    let namespace = meta.namespace.as_deref().unwrap_or(&base.write.namespace);
    let name = meta.name.as_deref().unwrap_or_default();
    let key = ObjectKey::new(non_empty(namespace), name);
    let FoundObject { version, uid } = FoundObject::of(meta);
    let mut note = base.of_object(&key, uid, version);
    note.concerns.extend(owners(meta, namespace));
    let is_known = note.write.uid.is_some() && note.write.resource_version.is_exact();
    if is_known && !may_remain(object, params) {
        note.target = NoteTarget::Gone;
    }
    note
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        if let Some(note) = self.note.take() {
            self.shared.note(note, &Written::Unknown, &[]);
        }
    }
}

/// Reports whether the server has rejected the request, or did not receive it.
fn has_changed_nothing(error: &kube::Error) -> bool {
    if let kube::Error::Api(status) = error {
        return status.code < SERVER_ERROR;
    }
    matches!(error, kube::Error::BuildRequest(_))
}

/// Tells from the answer to its deletion, or to the last write before its end, how an object ends.
///
/// Objects end when they have no finalizer and no grace period. Namespaces have further finalizers,
/// in the specification. An object that is marked as deleted without a grace period, as namespaces
/// and definitions are, ends by rules of its own.
pub(super) fn end_of<K: Object + Serialize>(object: &K) -> End {
    let meta = object.meta();
    if has_finalizers(object) {
        return End::Remains;
    }
    match (&meta.deletion_timestamp, meta.deletion_grace_period_seconds) {
        (None, _) | (Some(_), Some(0)) => End::Gone,
        (Some(_), Some(_)) => End::Remains,
        (Some(_), None) => End::Unknown,
    }
}

/// Reports whether an object of a collection may remain after its deletion.
fn may_remain<K: Object + Serialize>(object: &K, params: &DeleteParams) -> bool {
    let has_collector_finalizer = matches!(
        params.propagation_policy,
        Some(PropagationPolicy::Foreground | PropagationPolicy::Orphan)
    );
    if has_collector_finalizer || has_finalizers(object) {
        return true;
    }
    if params.grace_period_seconds == Some(0) {
        return false;
    }
    let spec = spec_of(object);
    let grace_period = spec.pointer("/terminationGracePeriodSeconds");
    grace_period.and_then(Value::as_u64) > Some(0)
}

fn has_finalizers<K: Object + Serialize>(object: &K) -> bool {
    let finalizers = object.meta().finalizers.as_deref().unwrap_or_default();
    if !finalizers.is_empty() {
        return true;
    }
    match spec_of(object).pointer("/finalizers") {
        Some(Value::Array(in_spec)) => !in_spec.is_empty(),
        Some(_) | None => false,
    }
}

/// Returns the specification; null if the type has none.
fn spec_of<K: Serialize>(object: &K) -> Value {
    let mut value = serde_json::to_value(object).unwrap_or_default();
    value.get_mut("spec").map(Value::take).unwrap_or_default()
}

fn uid_of(status: &Status) -> Option<&str> {
    let details = status.details.as_ref()?;
    non_empty(&details.uid)
}

/// Returns the controlling owner as an object in the namespace, and as a cluster-scoped one: a
/// reference does not tell.
pub(super) fn owners(meta: &ObjectMeta, namespace: &str) -> Vec<Concern> {
    let references = meta.owner_references.as_deref().unwrap_or_default();
    let Some(owner) = references
        .iter()
        .find(|owner| owner.controller == Some(true))
    else {
        return Vec::new();
    };
    let of = qualified(&owner.kind, group_of(&owner.api_version));
    [None, Some(namespace)]
        .map(|namespace| Concern {
            of: Arc::clone(&of),
            key: ObjectKey::new(namespace, &owner.name),
        })
        .into()
}
