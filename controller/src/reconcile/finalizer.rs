//! [`finalizer`]: cleanup before an object is deleted.

use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use http::header::CONTENT_TYPE;
use informer_runtime::ObjectKey;
use kube::api::{Patch, PatchParams};
use kube::core::Request;
use kube::{Api, Resource};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::base::request::within;
use crate::workqueue::{Action, ReconcileError};

/// Time for which the answer to a patch is awaited.
const ANSWER: Duration = Duration::from_secs(30);
const JSON_PATCH: HeaderValue = HeaderValue::from_static("application/json-patch+json");

/// Step of the work on an object with a finalizer; see [`finalizer`].
#[derive(Debug, Clone)]
pub enum FinalizerStep<K> {
    /// The object is not being deleted: apply its desired state.
    Apply(Arc<K>),
    /// The object is being deleted: undo everything that applying has done. Called until it
    /// succeeds.
    Cleanup(Arc<K>),
}

/// Error of a [`finalizer`].
#[derive(Debug, thiserror::Error)]
pub enum FinalizerError {
    /// The callback failed to apply the object.
    #[error("apply failed")]
    Apply(#[source] Box<dyn Error + Send + Sync>),
    /// The callback failed to clean up. The object stays until cleanup succeeds.
    #[error("cleanup failed")]
    Cleanup(#[source] Box<dyn Error + Send + Sync>),
    /// The finalizer could not be added. The object was not applied.
    #[error("cannot add the finalizer {finalizer}")]
    Add {
        /// Name of the finalizer.
        finalizer: String,
        /// Response of the API server.
        #[source]
        source: kube::Error,
    },
    /// The object that is not in the cache could not be read. It was not cleaned up.
    #[error("cannot read {key}, which is not in the cache, to remove its finalizer")]
    Get {
        /// Namespace and name of the object.
        key: ObjectKey,
        /// Response of the API server.
        #[source]
        source: kube::Error,
    },
    /// The finalizer could not be removed. Cleanup runs again.
    #[error("cannot remove the finalizer {finalizer}")]
    Remove {
        /// Name of the finalizer.
        finalizer: String,
        /// Response of the API server.
        #[source]
        source: kube::Error,
    },
}

/// Calls `reconcile` for an object, and guarantees that every applied object is cleaned up before
/// its deletion.
///
/// Adds the finalizer `name` to an object without it, before the object is applied. Removes the
/// finalizer from an object that is being deleted, after [`FinalizerStep::Cleanup`] has succeeded.
/// Until then the API server keeps the object. After adding the finalizer, the call goes on with the
/// object of the server's answer: the event of that change may never lead to another call, because
/// a filter such as [`changed`](crate::Controller::changed) ignores it. An object that is being
/// deleted without this finalizer is left unchanged.
///
/// An informer with a selector shows an object that leaves the selector as a deleted one, and
/// [`Controller::run`](crate::Controller::run) skips its key: the finalizer stays, and the deletion of
/// the object then waits for ever. With a selector, use
/// [`run_keys`](crate::Controller::run_keys), and call [`release`] for keys that are not in the cache.
///
/// `object` may be slightly stale, as cached objects are: the list of finalizers is changed only if
/// it is still the list in `object`, and if no other object has taken the name. Otherwise the error
/// is [`Add`](FinalizerError::Add) or [`Remove`](FinalizerError::Remove), and the next attempt
/// receives the newer object. `name` must be qualified, such as `example.com/cleanup`.
///
/// kube-runtime's counterpart has the same name and guarantee; this function returns this crate's
/// [`Action`].
///
/// # Errors
///
/// Fails if `reconcile` fails, or if the list of finalizers cannot be changed: also if the API server
/// does not answer for 30 s. If the object is gone when its finalizer is to be removed, the call
/// succeeds.
///
/// # Cancel safety
///
/// The object may keep or lack its finalizer when the future is dropped. A later call continues
/// correctly.
///
/// # Examples
///
/// ```
/// # mod informer { pub use informer_controller::*; pub use informer_runtime::*; }
/// use std::sync::Arc;
///
/// use informer::finalizer::{FinalizerError, FinalizerStep};
/// use informer::{Action, finalizer};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::{Api, Client, ResourceExt as _};
///
/// async fn reconcile(object: Arc<ConfigMap>, client: Arc<Client>) -> Result<Action, FinalizerError> {
///     let namespace = object.namespace().unwrap_or_default();
///     let api: Api<ConfigMap> = Api::namespaced((*client).clone(), &namespace);
///     finalizer(&api, "example.com/bucket", object, async |step| match step {
///         FinalizerStep::Apply(object) => create_bucket(&object).await,
///         FinalizerStep::Cleanup(object) => delete_bucket(&object).await,
///     })
///     .await
/// }
/// # async fn create_bucket(_: &ConfigMap) -> std::io::Result<Action> { Ok(Action::Done) }
/// # async fn delete_bucket(_: &ConfigMap) -> std::io::Result<Action> { Ok(Action::Done) }
/// ```
pub async fn finalizer<K, F, Fut, A, E>(
    api: &Api<K>,
    name: &str,
    object: Arc<K>,
    reconcile: F,
) -> Result<Action, FinalizerError>
where
    K: Resource + Clone + Debug + DeserializeOwned,
    F: FnOnce(FinalizerStep<K>) -> Fut,
    Fut: Future<Output = Result<A, E>>,
    A: Into<Action>,
    E: ReconcileError,
{
    let meta = object.meta();
    let position = position_of(&*object, name);
    if meta.deletion_timestamp.is_some() {
        return match position {
            Some(position) => clean_up(api, name, position, object, reconcile).await,
            None => Ok(Action::Done),
        };
    }
    let guarded = if position.is_some() {
        object
    } else {
        let finalizers = meta.finalizers.as_deref().unwrap_or_default();
        match patch(api, &*object, addition(finalizers, name)).await {
            Ok(added) => Arc::new(added),
            Err(source) => {
                return Err(FinalizerError::Add {
                    finalizer: name.to_owned(),
                    source,
                });
            }
        }
    };
    match Box::pin(reconcile(FinalizerStep::Apply(guarded))).await {
        Ok(action) => Ok(action.into()),
        Err(error) => Err(FinalizerError::Apply(error.into_error())),
    }
}

/// Frees an object that is not in the cache, although it may exist: one that has left the selector or
/// the filter of the informer. Asks the API server for the object of this key; if that has the
/// finalizer `name`, calls `reconcile` with [`FinalizerStep::Cleanup`], and removes the finalizer.
///
/// For the keys that a cache with a selector or a filter does not have, in
/// [`Controller::run_keys`](crate::Controller::run_keys): a watch reports an object that leaves a
/// selector as a deleted one. Without this call the object keeps its finalizer, and a later deletion
/// waits for ever. `reconcile` may be that of [`finalizer()`]. An object without the finalizer, or one
/// that is gone, is left unchanged. An object that has entered the selector again meanwhile is applied
/// again when the cache has it.
///
/// # Errors
///
/// Same as [`finalizer()`]. Also fails if the API server does not return the object.
///
/// # Cancel safety
///
/// Same as [`finalizer()`].
///
/// # Examples
///
/// ```
/// # mod informer { pub use informer_controller::*; pub use informer_runtime::*; }
/// use std::sync::Arc;
///
/// use informer::finalizer::{FinalizerError, FinalizerStep};
/// use informer::{Action, Lister, ObjectKey, finalizer};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::{Api, Client};
///
/// struct Context {
///     client: Client,
///     /// Of an informer with a label selector.
///     maps: Lister<ConfigMap>,
/// }
///
/// async fn reconcile(key: ObjectKey, context: Arc<Context>) -> Result<Action, FinalizerError> {
///     let namespace = key.namespace().unwrap_or_default();
///     let api: Api<ConfigMap> = Api::namespaced(context.client.clone(), namespace);
///     match context.maps.get_by_key(&key) {
///         Some(object) => finalizer(&api, "example.com/bucket", object, step).await,
///         None => finalizer::release(&api, "example.com/bucket", &key, step).await,
///     }
/// }
/// # async fn step(_: FinalizerStep<ConfigMap>) -> std::io::Result<Action> { Ok(Action::Done) }
/// ```
pub async fn release<K, F, Fut, A, E>(
    api: &Api<K>,
    name: &str,
    key: &ObjectKey,
    reconcile: F,
) -> Result<Action, FinalizerError>
where
    K: Resource + Clone + Debug + DeserializeOwned,
    F: FnOnce(FinalizerStep<K>) -> Fut,
    Fut: Future<Output = Result<A, E>>,
    A: Into<Action>,
    E: ReconcileError,
{
    match within(ANSWER, api.get(key.name())).await {
        Ok(object) => match position_of(&object, name) {
            Some(position) => clean_up(api, name, position, Arc::new(object), reconcile).await,
            None => Ok(Action::Done),
        },
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(Action::Done),
        Err(source) => Err(FinalizerError::Get {
            key: key.clone(),
            source,
        }),
    }
}

/// Returns the position of the finalizer `name` in the list of an object.
fn position_of(object: &impl Resource, name: &str) -> Option<usize> {
    let finalizers = object.meta().finalizers.as_deref().unwrap_or_default();
    finalizers.iter().position(|finalizer| finalizer == name)
}

/// Calls `reconcile` to clean up, and then removes the finalizer from its position.
async fn clean_up<K, F, Fut, A, E>(
    api: &Api<K>,
    name: &str,
    position: usize,
    object: Arc<K>,
    reconcile: F,
) -> Result<Action, FinalizerError>
where
    K: Resource + Clone + Debug + DeserializeOwned,
    F: FnOnce(FinalizerStep<K>) -> Fut,
    Fut: Future<Output = Result<A, E>>,
    E: ReconcileError,
{
    let cleanup = FinalizerStep::Cleanup(Arc::clone(&object));
    let cleaned = Box::pin(reconcile(cleanup)).await;
    cleaned.map_err(|error| FinalizerError::Cleanup(error.into_error()))?;
    match patch(api, &*object, removal(position, name)).await {
        Ok(_) => Ok(Action::Done),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(Action::Done),
        Err(source) => Err(FinalizerError::Remove {
            finalizer: name.to_owned(),
            source,
        }),
    }
}

/// Returns the operations that append the finalizer, if the list is unchanged.
fn addition(finalizers: &[String], name: &str) -> [Value; 2] {
    if finalizers.is_empty() {
        return [
            json!({ "op": "test", "path": "/metadata/finalizers", "value": null }),
            json!({ "op": "add", "path": "/metadata/finalizers", "value": [name] }),
        ];
    }
    [
        json!({ "op": "test", "path": "/metadata/finalizers", "value": finalizers }),
        json!({ "op": "add", "path": "/metadata/finalizers/-", "value": name }),
    ]
}

/// Returns the operations that remove the finalizer at its position, if it is still there.
fn removal(position: usize, name: &str) -> [Value; 2] {
    let path = format!("/metadata/finalizers/{position}");
    [
        json!({ "op": "test", "path": path, "value": name }),
        json!({ "op": "remove", "path": path }),
    ]
}

/// Applies a JSON patch, unless another object has taken the name. Returns the patched object.
async fn patch<K>(api: &Api<K>, object: &K, operations: [Value; 2]) -> Result<K, kube::Error>
where
    K: Resource + Clone + Debug + DeserializeOwned,
{
    let meta = object.meta();
    let mut checked = Vec::from(operations);
    if let Some(uid) = &meta.uid {
        let is_same = json!({ "op": "test", "path": "/metadata/uid", "value": uid });
        checked.insert(0, is_same);
    }
    let name = meta.name.as_deref().unwrap_or_default();
    // kube's own JSON patch needs a feature and two more crates, and differs only in the content
    // type.
    let mut request = Request::new(api.resource_url())
        .patch(name, &PatchParams::default(), &Patch::Merge(&checked))
        .map_err(kube::Error::BuildRequest)?;
    request.headers_mut().insert(CONTENT_TYPE, JSON_PATCH);
    let client = api.clone().into_client();
    within(ANSWER, client.request::<K>(request)).await
}
