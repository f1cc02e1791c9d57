//! [`SessionApi`]: the verbs of `kube::Api`, with their writes noted.

use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Api;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::core::Status;
use kube::core::subresource::Scale;
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

use super::cache::{Content, Written};
use super::notes::{Note, Target, newer};
use super::shared::Shared;
use super::write::{CAUSE, Concern, OwnWrite};
use crate::base::names::{group_of, qualified};
use crate::object::{Object, ObjectKey, ResourceVersion, Uid};

/// First status code of an answer after which the write may have been carried out.
const SERVER_ERROR: u16 = 500;

/// Verbs of `kube::Api` whose writes a [`Session`](super::Session) notes. Cheap to clone.
///
/// A write is noted before its answer is returned. A write that fails with a status below 500 has
/// changed nothing. After any other failure, or if the future is dropped, the outcome is unknown:
/// reads ask the server before they continue. Dry runs are not noted.
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
    note: Option<Note>,
    /// Version of the object in a cache before the request, for a deletion.
    known: Option<(Uid, ResourceVersion)>,
}

/// Object of an answer.
trait Answer {
    fn json(&self) -> Value;
    fn shared(&self) -> Arc<dyn std::any::Any + Send + Sync>;
}

impl<K: Object + Clone + Serialize> Answer for K {
    fn json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn shared(&self) -> Arc<dyn std::any::Any + Send + Sync> {
        Arc::new(self.clone())
    }
}

// === impl SessionApi ===

impl<K: Object> SessionApi<K> {
    pub(super) fn new(shared: Arc<Shared>, api: Api<K>) -> Self {
        let (resource, namespace) = parse(api.resource_url());
        Self {
            shared,
            api,
            resource,
            namespace,
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
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the outcome is unknown, and noted as such.
    pub async fn create(&self, object: &K) -> kube::Result<K> {
        let sent = self.send("create", object.meta().name.as_deref(), Some(object.meta()));
        let sent = sent.unless(self.params.dry_run);
        let answer = self.api.create(&self.params, object).await;
        sent.object(answer)
    }

    /// Replaces an object. Its name is that of `object`.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::replace` does.
    ///
    /// # Cancel safety
    ///
    /// Same as [`create`](Self::create).
    pub async fn replace(&self, object: &K) -> kube::Result<K> {
        let (name, sent) = self.replacing(object);
        let answer = self.api.replace(name, &self.params, object).await;
        sent.object(answer)
    }

    /// Replaces the status of an object. Its name is that of `object`.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::replace_status` does.
    ///
    /// # Cancel safety
    ///
    /// Same as [`create`](Self::create).
    pub async fn replace_status(&self, object: &K) -> kube::Result<K> {
        let (name, sent) = self.replacing(object);
        let answer = self.api.replace_status(name, &self.params, object).await;
        sent.object(answer)
    }

    /// Patches an object, in any way: JSON patch, merge patch, strategic merge patch, or server-side
    /// apply, which may create the object.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::patch` does.
    ///
    /// # Cancel safety
    ///
    /// Same as [`create`](Self::create).
    pub async fn patch<P: Serialize + fmt::Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> kube::Result<K> {
        let sent = self.send("patch", Some(name), None).unless(params.dry_run);
        let answer = self.api.patch(name, params, patch).await;
        sent.object(answer)
    }

    /// Patches the status of an object.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::patch_status` does.
    ///
    /// # Cancel safety
    ///
    /// Same as [`create`](Self::create).
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
    ///
    /// # Cancel safety
    ///
    /// Same as [`create`](Self::create).
    pub async fn patch_subresource<P: Serialize + fmt::Debug>(
        &self,
        subresource: &str,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> kube::Result<K> {
        let sent = self.send("patch", Some(name), None).unless(params.dry_run);
        let answer = self.api.patch_subresource(subresource, name, params, patch);
        sent.object(answer.await)
    }

    /// Patches the scale of an object.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::patch_scale` does.
    ///
    /// # Cancel safety
    ///
    /// Same as [`create`](Self::create).
    pub async fn patch_scale<P: Serialize + fmt::Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> kube::Result<Scale> {
        let sent = self.send("patch", Some(name), None).unless(params.dry_run);
        let answer = self.api.patch_scale(name, params, patch).await;
        sent.end(answer, |sent, scale| sent.version(&scale.metadata, None))
    }

    /// Deletes an object. Returns the object if it remains for now, because of finalizers or of a
    /// grace period.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::delete` does.
    ///
    /// # Cancel safety
    ///
    /// Same as [`create`](Self::create).
    pub async fn delete(&self, name: &str, params: &DeleteParams) -> kube::Result<Option<K>> {
        let mut sent = self.send("delete", Some(name), None).unless(params.dry_run);
        sent.remember();
        let answer = self.api.delete(name, params).await;
        let answer = sent.end(answer, |sent, answer| {
            let remaining = answer
                .as_ref()
                .left()
                .filter(|object| remains(object.meta()));
            if let Some(object) = remaining {
                sent.version(object.meta(), Some(object));
            } else {
                let meta = answer.as_ref().left().map(K::meta);
                let uid = meta.and_then(|meta| meta.uid.as_deref());
                sent.gone(uid.or_else(|| uid_of(answer.as_ref().right()?)));
            }
        })?;
        Ok(answer.left().filter(|object| remains(object.meta())))
    }

    /// Deletes the objects that `list` selects. Reads then wait for the server's version.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::delete_collection` does.
    ///
    /// # Cancel safety
    ///
    /// Same as [`create`](Self::create).
    pub async fn delete_collection(
        &self,
        params: &DeleteParams,
        list: &ListParams,
    ) -> kube::Result<()> {
        let sent = self.send("deletecollection", None, None);
        let sent = sent.unless(params.dry_run);
        let answer = self.api.delete_collection(params, list).await;
        // Dropped with the outcome unknown: the answer has no version that contains all deletions.
        answer.map(drop).inspect_err(|error| {
            if has_changed_nothing(error) {
                sent.forget();
            }
        })
    }

    /// Returns the name of an object that is to be replaced, and the request.
    fn replacing<'o>(&self, object: &'o K) -> (&'o str, Sent<'_>) {
        let name = object.meta().name.as_deref().unwrap_or_default();
        let sent = self.send("replace", Some(name), Some(object.meta()));
        (name, sent.unless(self.params.dry_run))
    }

    fn send(&self, verb: &'static str, name: Option<&str>, meta: Option<&ObjectMeta>) -> Sent<'_> {
        let name = name.filter(|name| !name.is_empty());
        let write = OwnWrite {
            verb,
            resource: Arc::clone(&self.resource),
            namespace: Arc::clone(&self.namespace),
            name: name.map(Arc::from),
            uid: None,
            resource_version: ResourceVersion::UNSET,
            since: Instant::now(),
            object: None,
        };
        let mut concerns: Vec<Concern> = CAUSE.try_with(Clone::clone).into_iter().collect();
        if let Some(meta) = meta {
            concerns.extend(owners(meta, &self.namespace));
        } else {
            let owners = |object: &K| Some(owners(object.meta(), &self.namespace));
            let known = write.concern();
            let known = known.and_then(|concern| self.shared.find(&concern, owners));
            concerns.extend(known.into_iter().flatten());
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
            note: Some(note),
            known: None,
        }
    }
}

impl<K> Clone for SessionApi<K>
where
    Api<K>: Clone,
{
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            api: self.api.clone(),
            resource: Arc::clone(&self.resource),
            namespace: Arc::clone(&self.namespace),
            params: self.params.clone(),
        }
    }
}

impl<K> fmt::Debug for SessionApi<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionApi")
            .field("resource", &self.resource)
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

// === impl Sent ===

impl Sent<'_> {
    fn unless(mut self, is_dry_run: bool) -> Self {
        self.note = self.note.take().filter(|_| !is_dry_run);
        self
    }

    /// Remembers the version of the object before the request: when its answer arrives, caches may
    /// show the deletion already.
    fn remember(&mut self) {
        let own = self.note.as_ref().and_then(|note| note.write.concern());
        self.known = own.and_then(|own| self.shared.known(&own));
    }

    fn forget(mut self) {
        self.note = None;
    }

    /// Notes the answer, or an unknown outcome.
    fn end<A>(self, answer: kube::Result<A>, note: impl FnOnce(Self, &A)) -> kube::Result<A> {
        match &answer {
            Ok(answer) => note(self, answer),
            Err(error) if has_changed_nothing(error) => self.forget(),
            Err(_) => drop(self),
        }
        answer
    }

    fn object<K: Object + Answer>(self, answer: kube::Result<K>) -> kube::Result<K> {
        self.end(answer, |sent, object| {
            sent.version(object.meta(), Some(object));
        })
    }

    /// Notes the version of an answer.
    fn version(mut self, meta: &ObjectMeta, object: Option<&dyn Answer>) {
        let Some(mut note) = self.note.take() else {
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
        note.write.name = meta.name.as_deref().map(Arc::from).or(note.write.name);
        note.write.uid = meta.uid.as_deref().map(Uid::new);
        for owner in owners(meta, &note.write.namespace) {
            if !note.concerns.contains(&owner) {
                note.concerns.push(owner);
            }
        }
        self.note(note, meta, object);
    }

    /// Notes the end of an object with this uid.
    fn gone(mut self, uid: Option<&str>) {
        let Some(mut note) = self.note.take() else {
            return;
        };
        if let (Some(uid), Some(concern)) = (uid.map(Uid::new), note.write.concern()) {
            // A cache that has reached this version knew the object.
            let mut version = self.shared.version_of(&concern, &uid);
            if let Some((_, known)) = self.known.take_if(|(known, _)| *known == uid) {
                version = newer(version, &known);
            }
            if version.is_exact() {
                note.target = Target::Gone;
            }
            note.write.resource_version = version;
            note.write.uid = Some(uid);
        }
        self.note(note, &ObjectMeta::default(), None);
    }

    fn note(&self, note: Note, meta: &ObjectMeta, object: Option<&dyn Answer>) {
        let (namespace, key) = (Arc::clone(&note.write.namespace), note.write.key());
        let json = || object.map(Answer::json).unwrap_or_default();
        let written = Written {
            namespace: &namespace,
            key: key.as_ref(),
            content: match object {
                Some(_) => Content::Known(meta.labels.as_ref(), &json),
                None if note.target == Target::Unknown => Content::Unknown,
                None => Content::Unchanged,
            },
        };
        self.shared
            .note(note, &written, || object.map(Answer::shared));
    }
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        if let Some(note) = self.note.take() {
            self.note(note, &ObjectMeta::default(), None);
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

fn uid_of(status: &Status) -> Option<&str> {
    let details = status.details.as_ref()?;
    Some(details.uid.as_str()).filter(|uid| !uid.is_empty())
}

/// Returns the controlling owner as an object in the namespace, and as a cluster-scoped one: a
/// reference does not tell.
fn owners(meta: &ObjectMeta, namespace: &str) -> Vec<Concern> {
    let references = meta.owner_references.iter().flatten();
    let mut controllers = references.filter(|owner| owner.controller == Some(true));
    let Some(OwnerReference {
        api_version,
        kind,
        name,
        ..
    }) = controllers.next()
    else {
        return Vec::new();
    };
    let of = qualified(kind, group_of(api_version));
    let mut keys = vec![ObjectKey::cluster(name)];
    if !namespace.is_empty() {
        keys.push(ObjectKey::namespaced(namespace, name));
    }
    keys.into_iter()
        .map(|key| Concern {
            of: Arc::clone(&of),
            key,
        })
        .collect()
}

/// Returns the plural name with the group, and the namespace, of the path of a resource.
fn parse(url: &str) -> (Arc<str>, Arc<str>) {
    let parts: Vec<&str> = url.trim_matches('/').split('/').collect();
    let (group, rest) = match parts.as_slice() {
        ["api", _, rest @ ..] => ("", rest),
        ["apis", group, _, rest @ ..] => (*group, rest),
        other => ("", other),
    };
    match rest {
        ["namespaces", namespace, plural] => (qualified(plural, group), Arc::from(*namespace)),
        [.., plural] => (qualified(plural, group), Arc::default()),
        [] => (Arc::default(), Arc::default()),
    }
}
