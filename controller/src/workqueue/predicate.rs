//! Predicates: functions that decide which updates of an object concern a controller.
//!
//! A predicate is a function of the old and the new object of an update. Where one is accepted, such as
//! [`Controller::changed`](crate::Controller::changed), a closure over the fields that matter is one
//! too: `|old, new| old.data != new.data`. Adds, deletions and resyncs never reach a predicate, and an
//! update that begins a deletion counts as a change whatever the predicate says.
//!
//! controller-runtime's counterpart is the package `predicate`, kube-runtime's the module
//! `predicates`.
//!
//! # Examples
//!
//! ```
//! # use informer_controller::Controller;
//! # use informer_runtime::SharedInformer;
//! # use informer_controller::workqueue::predicate;
//! # use k8s_openapi::api::apps::v1::Deployment;
//! # fn doc(deployments: SharedInformer<Deployment>) {
//! let controller: Controller<Deployment, kube::Error> = Controller::new("rollout", &deployments)
//!     .changed(predicate::or(
//!         predicate::generation_changed,
//!         predicate::annotation_changed,
//!     ));
//! # }
//! ```

use std::sync::Arc;

use informer_runtime::storage::HasController;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Function that compares the old with the new object of an update.
pub(crate) type Changed<T> = Arc<dyn Fn(&T, &T) -> bool + Send + Sync>;

/// Returns `changed` as a value. An update that begins a deletion is a change, whatever it says.
pub(crate) fn or_deletion<T: HasController>(
    changed: impl Fn(&T, &T) -> bool + Send + Sync + 'static,
) -> Changed<T> {
    Arc::new(or(changed, deletion_began))
}

/// Reports whether the generation changed, which counts the changes of the spec: a change of status,
/// labels or annotations alone is none. Objects without a generation, such as a `ConfigMap`, count as
/// changed.
///
/// controller-runtime's counterpart is `GenerationChangedPredicate`.
#[must_use]
pub fn generation_changed<T: HasController>(old: &T, new: &T) -> bool {
    differ(old, new, |old, new| {
        old.generation != new.generation || new.generation.is_none()
    })
}

/// Reports whether a label changed. controller-runtime's counterpart is `LabelChangedPredicate`.
#[must_use]
pub fn label_changed<T: HasController>(old: &T, new: &T) -> bool {
    differ(old, new, |old, new| old.labels != new.labels)
}

/// Reports whether an annotation changed. controller-runtime's counterpart is
/// `AnnotationChangedPredicate`.
#[must_use]
pub fn annotation_changed<T: HasController>(old: &T, new: &T) -> bool {
    differ(old, new, |old, new| old.annotations != new.annotations)
}

/// Returns the predicate that counts an update as a change if `first` or `second` does.
/// controller-runtime's counterpart is `predicate.Or`.
pub fn or<T>(
    first: impl Fn(&T, &T) -> bool + Send + Sync + 'static,
    second: impl Fn(&T, &T) -> bool + Send + Sync + 'static,
) -> impl Fn(&T, &T) -> bool + Send + Sync + 'static {
    move |old, new| first(old, new) || second(old, new)
}

/// Reports whether the object is being deleted since the update.
fn deletion_began<T: HasController>(old: &T, new: &T) -> bool {
    differ(old, new, |old, new| {
        old.deletion_timestamp.is_none() && new.deletion_timestamp.is_some()
    })
}

/// Reports whether the metadata of two objects differ. Metadata that cannot be read may have changed.
fn differ<T: HasController>(
    old: &T,
    new: &T,
    differ: impl FnOnce(&ObjectMeta, &ObjectMeta) -> bool,
) -> bool {
    match (old.metadata(), new.metadata()) {
        (Ok(old), Ok(new)) => differ(&old, &new),
        (Err(_), _) | (_, Err(_)) => true,
    }
}

#[cfg(test)]
mod tests;
