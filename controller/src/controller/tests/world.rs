//! Calls of `reconcile` that are written down.

use std::sync::Arc;

use informer_runtime::ObjectKey;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;
use parking_lot::Mutex;

use crate::tests::running::Running;
use crate::tests::secs;
use crate::workqueue::Action;

/// Running informer over a source with objects.
pub(super) type World = Running;

/// Calls of `reconcile` and of the error policy, in order.
pub(super) type Seen = Mutex<Vec<String>>;

pub(super) fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("a", name)
}

/// Writes the name down.
pub(super) async fn note(object: Arc<ConfigMap>, seen: Arc<Seen>) -> Result<(), std::io::Error> {
    seen.lock().push(object.name_any());
    Ok(())
}

/// Writes begin and end down, and takes a second.
pub(super) async fn slow(
    object: Arc<ConfigMap>,
    seen: Arc<Seen>,
) -> Result<Action, std::io::Error> {
    seen.lock().push(format!("begin {}", object.name_any()));
    tokio::time::sleep(secs(1)).await;
    seen.lock().push(format!("end {}", object.name_any()));
    Ok(Action::RequeueAfter(secs(5)))
}
