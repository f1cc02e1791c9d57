//! Relations between objects: selectors, and owner references.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{
    DaemonSet, DaemonSetSpec, Deployment, DeploymentSpec, ReplicaSet, ReplicaSetSpec, StatefulSet,
    StatefulSetSpec,
};
use k8s_openapi::api::batch::v1::{Job, JobSpec};
use k8s_openapi::api::core::v1::{ReplicationController, ReplicationControllerSpec};
use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};

use crate::relations::LabelSelection;
use crate::{__private, Lister, Object, Selector};

/// Kind that selects Pods by labels and is their controller.
///
/// Implemented for `DaemonSet`, `Job`, `ReplicaSet`, `ReplicationController` and `StatefulSet`.
/// Implement it for your own kinds that create Pods.
pub trait PodOwner {
    /// Returns the metadata. Only namespace and uid are read.
    fn meta(&self) -> &ObjectMeta;

    /// Returns the selector of the Pods; `None` if it is missing or invalid.
    fn selector(&self) -> Option<Selector>;
}

/// Kind that selects objects by their labels.
pub(super) trait Selecting {
    /// Returns the selector. `None` selects nothing.
    fn selects(&self) -> Option<Selector>;
}

/// Returns the objects in the namespace of `selected` that select it. An object without labels is
/// never selected.
pub(super) fn selecting<K: Object + Selecting, T: Object<DynamicType = ()>>(
    lister: &Lister<K>,
    selected: &T,
) -> Vec<Arc<K>> {
    match &selected.meta().labels {
        Some(labels) if !labels.is_empty() => covering(lister, selected),
        Some(_) | None => Vec::new(),
    }
}

/// Returns the objects in the namespace of `selected` that select it, even if it has no labels.
pub(super) fn covering<K: Object + Selecting, T: Object<DynamicType = ()>>(
    lister: &Lister<K>,
    selected: &T,
) -> Vec<Arc<K>> {
    let selection: LabelSelection<K, T> =
        LabelSelection::new("expansion: selector", |object: &K| {
            object.selects().into_iter().collect()
        });
    __private::Find::find(&selection, lister, selected)
}

/// Returns the objects in the namespace of `owner` that `selector` matches and `owner` controls.
pub(super) fn controlled<K: Object>(
    lister: &Lister<K>,
    owner: &ObjectMeta,
    selector: Option<Selector>,
) -> Vec<Arc<K>> {
    let (Some(uid), Some(selector)) = (&owner.uid, selector) else {
        return Vec::new();
    };
    let mut controlled = __private::controlled(lister, uid);
    controlled.retain(|object| {
        let metadata = object.meta();
        metadata.namespace == owner.namespace && selector.matches(metadata.labels.as_ref())
    });
    controlled
}

/// Parses any selector; returns `None` if it is invalid.
fn valid(selector: Option<&LabelSelector>) -> Option<Selector> {
    Selector::try_from(selector?).ok()
}

/// Parses a selector that must not be empty. The API server rejects empty selectors of the kinds
/// that have Pods, and an empty selector would match every Pod.
fn not_empty(selector: Option<&LabelSelector>) -> Option<Selector> {
    valid(selector).filter(|selector| !selector.is_empty())
}

/// Parses the selector of a kind that is older than label selectors: a plain map.
fn labelled(labels: Option<&BTreeMap<String, String>>) -> Option<Selector> {
    let selector = Selector::from_labels(labels?).ok()?;
    Some(selector).filter(|selector| !selector.is_empty())
}

// Some specs are optional up to Kubernetes 1.36 and required since 1.37. `into` converts both to
// `Option<&Spec>`.
macro_rules! pod_owners {
    ($($kind:ty: |$spec:ident: &$of:ty| $selector:expr;)*) => {$(
        impl Selecting for $kind {
            fn selects(&self) -> Option<Selector> {
                let $spec: Option<&$of> = (&self.spec).into();
                let $spec = $spec?;
                $selector
            }
        }

        impl PodOwner for $kind {
            fn meta(&self) -> &ObjectMeta {
                &self.metadata
            }

            fn selector(&self) -> Option<Selector> {
                self.selects()
            }
        }
    )*};
}

pod_owners! {
    DaemonSet: |spec: &DaemonSetSpec| not_empty(Some(&spec.selector));
    // The API server accepts an empty selector with `manualSelector`.
    Job: |spec: &JobSpec| valid(spec.selector.as_ref());
    ReplicaSet: |spec: &ReplicaSetSpec| not_empty(Some(&spec.selector));
    ReplicationController: |spec: &ReplicationControllerSpec| labelled(spec.selector.as_ref());
    StatefulSet: |spec: &StatefulSetSpec| not_empty(Some(&spec.selector));
}

impl Selecting for PodDisruptionBudget {
    fn selects(&self) -> Option<Selector> {
        let spec: Option<&PodDisruptionBudgetSpec> = (&self.spec).into();
        valid(spec?.selector.as_ref())
    }
}

/// Selector of the `ReplicaSet`s of a Deployment.
pub(super) fn of_deployment(deployment: &Deployment) -> Option<Selector> {
    let spec: Option<&DeploymentSpec> = (&deployment.spec).into();
    not_empty(Some(&spec?.selector))
}
