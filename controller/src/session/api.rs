//! [`SessionApi`]: the verbs of `kube::Api`, with their writes noted.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use kube::Api;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::core::Status;
use kube::core::subresource::Scale;
use serde::Serialize;

use super::notes::{Note, Target};
use super::shared::Shared;
use super::write::{Answer, CAUSE, Concern, OwnWrite};
use crate::base::names::{group_of, qualified};
use crate::object::{Object, ObjectKey, ResourceVersion, Uid};
use crate::storage::Entry;

/// First status code of an answer after which the write may have been carried out.
const SERVER_ERROR: u16 = 500;

/// Verbs of `kube::Api` whose writes a [`Session`](super::Session) notes. Cheap to clone.
///
/// A write is noted before its answer is returned. A write that fails with a status below 500 has
/// changed nothing. After any other failure, the outcome is unknown: reads ask the server before they
/// continue. Dry runs are not noted.
///
/// # Cancel safety
///
/// If the future of a write is dropped, its outcome is unknown, and noted as such.
#[derive(Debug, Clone)]
pub struct SessionApi<K> {
    shared: Arc<Shared>,
    api: Api<K>,
    resource: Arc<str>,
    namespace: Arc<str>,
    params: PostParams,
}

/// Request that was sent. If it is dropped before its answer arrived, its outcome is unknown.
struct Sent<'a> {
    shared: &'a Shared,
    /// `None` for a dry run.
    note: Option<Note>,
}

// === impl SessionApi ===

impl<K: Object> SessionApi<K> {
    pub(super) fn new(shared: Arc<Shared>, api: Api<K>) -> Self {
        Self {
            shared,
            resource: resource_of(api.resource_url()),
            namespace: api.namespace().unwrap_or_default().into(),
            api,
            params: PostParams::default(),
        }
    }

    /// Sets the parameters of [`create`](Self::create), [`replace`](Self::replace) and their
    /// subresources: the field manager, and dry runs.
    #[must_use]
    pub fn params(mut self, params: PostParams) -> Self {
        self.params = params;
        self
    }

    /// Returns the `kube::Api`, for reads from the server, logs and other verbs. Its writes are not
    /// noted.
    #[must_use]
    pub fn kube(&self) -> &Api<K> {
        &self.api
    }
}

impl<K: Object + Clone + fmt::Debug + Serialize> SessionApi<K> {
    /// Creates an object, with its name or with `generateName`.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::create` does.
    pub async fn create(&self, object: &K) -> kube::Result<K> {
        let sent = self.send_object("create", object);
        sent.object(self.api.create(&self.params, object).await)
    }

    /// Replaces an object. Its name is that of `object`.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::replace` does.
    pub async fn replace(&self, object: &K) -> kube::Result<K> {
        let sent = self.send_object("replace", object);
        let answer = self.api.replace(name_of(object), &self.params, object);
        sent.object(answer.await)
    }

    /// Replaces the status of an object. Its name is that of `object`.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::replace_status` does.
    pub async fn replace_status(&self, object: &K) -> kube::Result<K> {
        let sent = self.send_object("replace", object);
        let answer = self
            .api
            .replace_status(name_of(object), &self.params, object);
        sent.object(answer.await)
    }

    /// Patches an object, in any way: JSON patch, merge patch, strategic merge patch, or server-side
    /// apply, which may create the object.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::patch` does.
    pub async fn patch<P: Serialize + fmt::Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> kube::Result<K> {
        let sent = self.send("patch", name, None, params.dry_run);
        sent.object(self.api.patch(name, params, patch).await)
    }

    /// Patches the status of an object.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::patch_status` does.
    pub async fn patch_status<P: Serialize + fmt::Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> kube::Result<K> {
        self.patch_subresource("status", name, params, patch).await
    }

    /// Patches another subresource that answers with the object, such as `resize`.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::patch_subresource` does.
    pub async fn patch_subresource<P: Serialize + fmt::Debug>(
        &self,
        subresource: &str,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> kube::Result<K> {
        let sent = self.send("patch", name, None, params.dry_run);
        let answer = self.api.patch_subresource(subresource, name, params, patch);
        sent.object(answer.await)
    }

    /// Patches the scale of an object.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::patch_scale` does.
    pub async fn patch_scale<P: Serialize + fmt::Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> kube::Result<Scale> {
        let sent = self.send("patch", name, None, params.dry_run);
        let answer = self.api.patch_scale(name, params, patch).await;
        sent.end(answer, |sent, scale| sent.version(&scale.metadata, None))
    }

    /// Deletes an object. Returns the object if it remains for now, because of finalizers or of a
    /// grace period.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::delete` does.
    pub async fn delete(&self, name: &str, params: &DeleteParams) -> kube::Result<Option<K>> {
        let sent = self.send("delete", name, None, params.dry_run);
        let answer = self.api.delete(name, params).await;
        let answer = sent.end(answer, |sent, answer| {
            let object = answer.as_ref().left();
            match object.filter(|object| remains(object.meta())) {
                Some(object) => sent.written(object),
                None => sent.gone(object.map_or_else(
                    || uid_of(answer.as_ref().right()?),
                    |object| object.meta().uid.as_deref(),
                )),
            }
        })?;
        Ok(answer.left().filter(|object| remains(object.meta())))
    }

    /// Deletes the objects that `list` selects. Reads then wait for the server's version.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::delete_collection` does.
    pub async fn delete_collection(
        &self,
        params: &DeleteParams,
        list: &ListParams,
    ) -> kube::Result<()> {
        let sent = self.send("deletecollection", "", None, params.dry_run);
        let answer = self.api.delete_collection(params, list).await;
        // The outcome stays unknown: the answer has no version that contains all deletions.
        sent.end(answer.map(drop), |sent, ()| drop(sent))
    }

    fn send_object(&self, verb: &'static str, object: &K) -> Sent<'_> {
        let meta = Some(object.meta());
        self.send(verb, name_of(object), meta, self.params.dry_run)
    }

    /// Prepares the note of a request. `meta` is what the request sends.
    fn send(
        &self,
        verb: &'static str,
        name: &str,
        meta: Option<&ObjectMeta>,
        is_dry_run: bool,
    ) -> Sent<'_> {
        let mut write = OwnWrite {
            verb,
            resource: Arc::clone(&self.resource),
            namespace: Arc::clone(&self.namespace),
            name: Some(name).filter(|name| !name.is_empty()).map(Arc::from),
            uid: None,
            resource_version: ResourceVersion::UNSET,
            object: None,
        };
        let mut concerns: BTreeSet<Concern> = CAUSE.try_with(Clone::clone).into_iter().collect();
        if let Some(meta) = meta {
            concerns.extend(owners(meta, &self.namespace));
        } else if let Some(own) = write.concern() {
            // When the answer to a deletion arrives, caches may show it already.
            let (held, known) = self.shared.known(&own);
            let objects = held.iter().filter_map(Entry::object_ref::<K>);
            concerns.extend(objects.flat_map(|object| owners(object.meta(), &self.namespace)));
            if let Some((uid, version)) = known.filter(|_| verb == "delete") {
                (write.uid, write.resource_version) = (Some(uid), version);
            }
        }
        let note = Note {
            write,
            target: Target::Unknown,
            concerns,
            left_out: Vec::new(),
            exits: Vec::new(),
            url: self.api.resource_url().into(),
        };
        Sent {
            shared: &self.shared,
            note: Some(note).filter(|_| !is_dry_run),
        }
    }
}

// === impl Sent ===

impl Sent<'_> {
    /// Notes the answer, or an unknown outcome.
    fn end<A>(mut self, answer: kube::Result<A>, note: impl FnOnce(Self, &A)) -> kube::Result<A> {
        match &answer {
            Ok(answer) => note(self, answer),
            Err(error) if has_changed_nothing(error) => self.note = None,
            Err(_) => drop(self),
        }
        answer
    }

    /// Notes an answer that is the object.
    fn object<K: Object + Clone + Serialize>(self, answer: kube::Result<K>) -> kube::Result<K> {
        self.end(answer, Self::written)
    }

    fn written<K: Object + Clone + Serialize>(self, object: &K) {
        self.version(object.meta(), Some(Arc::new(object.clone())));
    }

    /// Notes the version of an answer.
    fn version(mut self, meta: &ObjectMeta, object: Option<Arc<dyn Answer>>) {
        let Some(note) = &mut self.note else {
            return;
        };
        let version = meta.resource_version.as_deref().unwrap_or_default();
        note.write.resource_version = ResourceVersion::new(version);
        if note.write.resource_version.is_exact() {
            // A write that removes the last finalizer of a deleted object ends the object.
            let is_end = meta.deletion_timestamp.is_some() && !remains(meta);
            note.target = if is_end {
                Target::Gone
            } else {
                Target::Version
            };
        }
        let name = meta.name.as_deref().map(Arc::from);
        note.write.name = name.or(note.write.name.take());
        note.write.uid = meta.uid.as_deref().map(Uid::new);
        note.write.object = object;
        note.concerns.extend(owners(meta, &note.write.namespace));
    }

    /// Notes the end of an object with this uid. A cache that has reached a version of the object
    /// knew it. Without one, the server is asked for its version.
    fn gone(mut self, uid: Option<&str>) {
        let Some(note) = &mut self.note else {
            return;
        };
        let uid = uid.map(Uid::new);
        if uid.is_some() && note.write.uid == uid {
            note.target = Target::Gone;
        } else {
            note.write.uid = uid;
            note.write.resource_version = ResourceVersion::UNSET;
        }
    }
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        if let Some(note) = self.note.take() {
            self.shared.note(note);
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

/// Reports whether a deleted object remains for now.
fn remains(meta: &ObjectMeta) -> bool {
    let has_finalizers = meta
        .finalizers
        .as_ref()
        .is_some_and(|list| !list.is_empty());
    let grace = meta.deletion_grace_period_seconds.unwrap_or_default();
    has_finalizers || (meta.deletion_timestamp.is_some() && grace > 0)
}

fn name_of<K: Object>(object: &K) -> &str {
    object.meta().name.as_deref().unwrap_or_default()
}

fn uid_of(status: &Status) -> Option<&str> {
    let details = status.details.as_ref()?;
    Some(details.uid.as_str()).filter(|uid| !uid.is_empty())
}

/// Returns the controlling owner as an object in the namespace, and as a cluster-scoped one: a
/// reference does not tell.
fn owners(meta: &ObjectMeta, namespace: &str) -> Vec<Concern> {
    let references = meta.owner_references.iter().flatten();
    let mut references = references.filter(|owner| owner.controller == Some(true));
    let concerns = references.next().map(|owner| {
        let of = qualified(&owner.kind, group_of(&owner.api_version));
        [None, Some(namespace)].map(|namespace| Concern {
            of: Arc::clone(&of),
            key: ObjectKey::new(namespace, &owner.name),
        })
    });
    concerns.into_iter().flatten().collect()
}

/// Returns the plural name with the group, of the path of a resource.
fn resource_of(url: &str) -> Arc<str> {
    let mut parts = url.trim_matches('/').split('/');
    let group = match (parts.next(), parts.next()) {
        (Some("apis"), Some(group)) => group,
        _ => "",
    };
    qualified(parts.next_back().unwrap_or_default(), group)
}
