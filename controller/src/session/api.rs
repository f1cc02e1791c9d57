//! [`SessionApi`]: the verbs of `kube::Api`, with their writes noted.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use informer_runtime::{Object, ResourceVersion};
use kube::Api;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::core::subresource::Scale;
use serde::Serialize;

use super::notes::Note;
use super::sent::{End, Sent, end_of, owners};
use super::shared::{SessionShared, Written};
use super::write::{CAUSE, OwnWrite};
use crate::base::names::{non_empty, qualified};

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
    shared: Arc<SessionShared>,
    api: Api<K>,
    resource: Arc<str>,
    namespace: Arc<str>,
    params: PostParams,
}

// === impl SessionApi ===

impl<K: Object> SessionApi<K> {
    pub(super) fn new(shared: Arc<SessionShared>, api: Api<K>) -> Self {
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
        sent.end(answer, |sent, scale| {
            sent.version(&scale.metadata, End::Remains, &Written::Unchanged);
        })
    }

    /// Deletes an object. Returns the object unless it is gone now: it remains because of finalizers or
    /// of a grace period.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::delete` does.
    pub async fn delete(&self, name: &str, params: &DeleteParams) -> kube::Result<Option<K>> {
        let sent = self.send("delete", name, None, params.dry_run);
        let answer = self.api.delete(name, params).await;
        let deleted = sent.end(answer, |sent, answer| {
            if let Some(object) = answer.as_ref().left() {
                sent.deleted(object);
            } else if let Some(status) = answer.as_ref().right() {
                sent.gone(status);
            }
        })?;
        Ok(deleted.left().filter(|object| end_of(object) != End::Gone))
    }

    /// Deletes the objects that `list` selects. The answer names them; without it, the server is asked
    /// for those that remain.
    ///
    /// # Errors
    ///
    /// Fails as `kube::Api::delete_collection` does. Some objects may be deleted nevertheless.
    pub async fn delete_collection(
        &self,
        params: &DeleteParams,
        list: &ListParams,
    ) -> kube::Result<()> {
        let mut sent = self.send("deletecollection", "", None, params.dry_run);
        match self.api.delete_collection(params, list).await {
            Ok(answer) => {
                if let Some(deleted) = answer.left() {
                    sent.collection(&deleted.items, params);
                }
                Ok(())
            }
            Err(error) => {
                if matches!(error, kube::Error::BuildRequest(_)) {
                    sent.note = None;
                }
                Err(error)
            }
        }
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
        if is_dry_run {
            return Sent {
                shared: &self.shared,
                note: None,
                before: Vec::new(),
            };
        }
        let mut write = OwnWrite {
            verb,
            resource: Arc::clone(&self.resource),
            namespace: Arc::clone(&self.namespace),
            name: non_empty(name).map(Arc::from),
            uid: None,
            resource_version: ResourceVersion::UNSET,
        };
        let (before, known) = self.shared.before(&write);
        let mut concerns = BTreeSet::new();
        if let Ok(cause) = CAUSE.try_with(Clone::clone) {
            concerns.insert(cause);
        }
        if let Some(meta) = meta {
            concerns.extend(owners(meta, &self.namespace));
        } else {
            // When the answer to a deletion arrives, caches may show it already.
            for entry in before.iter().filter_map(|before| before.entry.as_ref()) {
                if let Some(object) = entry.object_ref::<K>() {
                    concerns.extend(owners(object.meta(), &self.namespace));
                }
            }
            if verb == "delete"
                && let Some((uid, version)) = known
            {
                write.uid = Some(uid);
                write.resource_version = version;
            }
        }
        let prefix = meta.and_then(|meta| meta.generate_name.as_deref());
        let note = Note {
            concerns,
            prefix: prefix.map(Arc::from),
            ..Note::new(write, self.api.resource_url())
        };
        Sent {
            shared: &self.shared,
            note: Some(note),
            before,
        }
    }
}

fn name_of<K: Object>(object: &K) -> &str {
    object.meta().name.as_deref().unwrap_or_default()
}

/// Returns the plural name with the group, of the path of a resource.
fn resource_of(url: &str) -> Arc<str> {
    let mut parts = url.trim_matches('/').split('/');
    let group = match parts.next() {
        Some("apis") => parts.next().unwrap_or_default(),
        Some(_) | None => "",
    };
    qualified(parts.next_back().unwrap_or_default(), group)
}
