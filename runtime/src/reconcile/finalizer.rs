//! [`finalizer`]: clean-up before an object goes.

use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;

use http::HeaderValue;
use http::header::CONTENT_TYPE;
use kube::api::{Patch, PatchParams};
use kube::core::Request;
use kube::{Api, Resource};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::workqueue::{Action, ReconcileError};

const JSON_PATCH: HeaderValue = HeaderValue::from_static("application/json-patch+json");

/// What is to be done for an object that has a finalizer; see [`finalizer`].
#[derive(Debug, Clone)]
pub enum FinalizerStep<K> {
    /// The object is there to stay: bring about what it asks for.
    Apply(Arc<K>),
    /// The object is being deleted: undo all that applying did. Called until it succeeds.
    Cleanup(Arc<K>),
}

/// Why a [`finalizer`] did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum FinalizerError {
    /// Applying the object failed.
    #[error("applying failed")]
    Apply(#[source] Box<dyn Error + Send + Sync>),
    /// Cleaning up failed: the object stays until it succeeds.
    #[error("cleaning up failed")]
    Cleanup(#[source] Box<dyn Error + Send + Sync>),
    /// The finalizer was not added. Nothing was applied.
    #[error("cannot add the finalizer {finalizer}")]
    Add {
        /// The name of the finalizer.
        finalizer: String,
        /// What the server said.
        #[source]
        source: kube::Error,
    },
    /// The finalizer was not removed. Cleaning up comes once more.
    #[error("cannot remove the finalizer {finalizer}")]
    Remove {
        /// The name of the finalizer.
        finalizer: String,
        /// What the server said.
        #[source]
        source: kube::Error,
    },
}

/// Calls `reconcile` for an object so that nothing is applied without being cleaned up later.
///
/// Adds the finalizer `name` to an object that has none before anything is applied, and removes it from
/// an object that is being deleted once [`FinalizerStep::Cleanup`] succeeded. Until then the server keeps
/// the object. After adding and after removing nothing else is done: the change comes back as an event. An
/// object that is being deleted without this finalizer is left alone.
///
/// `object` may be a little behind, as objects of a cache are: a change of the list of finalizers is made on
/// the condition that the list is the one that was seen. If it is not, the error is an
/// [`Add`](FinalizerError::Add) or [`Remove`](FinalizerError::Remove), and the next attempt has the newer
/// object. `name` is qualified, as in `example.com/cleanup`.
///
/// kube-runtime's counterpart has the same name and promise; this one returns this crate's [`Action`].
///
/// # Errors
///
/// `reconcile` failed, or the list of finalizers could not be changed. An object that is gone when its
/// finalizer is to be removed is no error.
///
/// # Cancel safety
///
/// Dropping the future leaves the object with its finalizer, or without: call it again.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use std::sync::Arc;
///
/// use informer::{Action, FinalizerError, FinalizerStep, finalizer};
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
    let finalizers = meta.finalizers.as_deref().unwrap_or_default();
    let position = finalizers.iter().position(|finalizer| finalizer == name);
    let is_deleted = meta.deletion_timestamp.is_some();
    match (is_deleted, position) {
        (true, None) => Ok(Action::Done),
        (false, Some(_)) => {
            let applied = reconcile(FinalizerStep::Apply(object)).await;
            let action = applied.map_err(|error| FinalizerError::Apply(error.into_error()))?;
            Ok(action.into())
        }
        (false, None) => {
            let operations = addition(finalizers, name);
            let added = patch(api, &*object, &operations).await;
            added.map_err(|source| FinalizerError::Add {
                finalizer: name.to_owned(),
                source,
            })?;
            Ok(Action::Done)
        }
        (true, Some(position)) => {
            let operations = removal(position, name);
            let cleaned = reconcile(FinalizerStep::Cleanup(Arc::clone(&object))).await;
            cleaned.map_err(|error| FinalizerError::Cleanup(error.into_error()))?;
            match patch(api, &*object, &operations).await {
                Err(kube::Error::Api(status)) if status.code == 404 => {}
                removed => removed.map_err(|source| FinalizerError::Remove {
                    finalizer: name.to_owned(),
                    source,
                })?,
            }
            Ok(Action::Done)
        }
    }
}

/// Adds a finalizer behind those that were seen.
fn addition(finalizers: &[String], name: &str) -> Value {
    if finalizers.is_empty() {
        return json!([
            { "op": "test", "path": "/metadata/finalizers", "value": null },
            { "op": "add", "path": "/metadata/finalizers", "value": [name] },
        ]);
    }
    json!([
        { "op": "test", "path": "/metadata/finalizers", "value": finalizers },
        { "op": "add", "path": "/metadata/finalizers/-", "value": name },
    ])
}

/// Removes the finalizer from where it was seen.
fn removal(position: usize, name: &str) -> Value {
    let path = format!("/metadata/finalizers/{position}");
    json!([
        { "op": "test", "path": path, "value": name },
        { "op": "remove", "path": path },
    ])
}

async fn patch<K>(api: &Api<K>, object: &K, operations: &Value) -> Result<(), kube::Error>
where
    K: Resource + Clone + Debug + DeserializeOwned,
{
    let name = object.meta().name.as_deref().unwrap_or_default();
    // kube takes a JSON patch with a feature and two crates more; its type of content is all that differs.
    let request = Request::new(api.resource_url());
    let mut request = request
        .patch(name, &PatchParams::default(), &Patch::Merge(operations))
        .map_err(kube::Error::BuildRequest)?;
    request.headers_mut().insert(CONTENT_TYPE, JSON_PATCH);
    let patched = api.clone().into_client().request::<K>(request).await;
    patched.map(drop)
}
