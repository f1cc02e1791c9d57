//! Which objects belong together: by selectors, and by owner references.

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

use crate::__private::metadata;
use crate::{Lister, Object, Selector};

/// A kind that has Pods: it selects them by labels and is their controller.
///
/// Implemented for `DaemonSet`, `Job`, `ReplicaSet`, `ReplicationController` and `StatefulSet`;
/// implement it for a kind of yours that has Pods itself.
pub trait PodOwner {
    /// The metadata, of which namespace and uid are read.
    fn meta(&self) -> &ObjectMeta;

    /// What selects the Pods; `None` if there is nothing that does, or if it is invalid.
    fn selector(&self) -> Option<Selector>;
}

/// A kind that says which objects it is about, by their labels.
pub(super) trait Selecting {
    /// `None` selects nothing.
    fn selects(&self) -> Option<Selector>;
}

/// Those objects in the namespace of `selected` that select it; none if it has no labels, as it
/// was never meant then.
pub(super) fn selecting<K: Object + Selecting>(
    lister: &Lister<K>,
    selected: &ObjectMeta,
) -> Vec<Arc<K>> {
    match &selected.labels {
        Some(labels) if !labels.is_empty() => covering(lister, selected),
        Some(_) | None => Vec::new(),
    }
}

/// Those objects in the namespace of `selected` that select it, even if it has no labels.
pub(super) fn covering<K: Object + Selecting>(
    lister: &Lister<K>,
    selected: &ObjectMeta,
) -> Vec<Arc<K>> {
    in_namespace_of(lister, selected, |candidate| {
        let selector = candidate.selects();
        selector.is_some_and(|selector| selector.matches(selected.labels.as_ref()))
    })
}

/// Those objects in the namespace of `owner` that `selector` matches and that `owner` controls.
pub(super) fn controlled<K: Object>(
    lister: &Lister<K>,
    owner: &ObjectMeta,
    selector: Option<Selector>,
) -> Vec<Arc<K>> {
    let (Some(uid), Some(selector)) = (&owner.uid, selector) else {
        return Vec::new();
    };
    in_namespace_of(lister, owner, |candidate| {
        let metadata = metadata(candidate);
        let owners = metadata.owner_references.iter().flatten();
        let mut controllers = owners.filter(|owner| owner.controller == Some(true));
        controllers.any(|controller| controller.uid == *uid)
            && selector.matches(metadata.labels.as_ref())
    })
}

/// Those objects in one namespace that `accepts` takes, ordered by name.
fn in_namespace_of<K: Object>(
    lister: &Lister<K>,
    other: &ObjectMeta,
    accepts: impl Fn(&K) -> bool,
) -> Vec<Arc<K>> {
    let Some(namespace) = &other.namespace else {
        return Vec::new();
    };
    let snapshot = lister.snapshot();
    let handles = snapshot.namespace(namespace).map(|entry| &entry.handle);
    handles.filter(|handle| accepts(handle)).cloned().collect()
}

/// Any selector; none if it is invalid.
fn valid(selector: Option<&LabelSelector>) -> Option<Selector> {
    Selector::try_from(selector?).ok()
}

/// A selector that, if it is empty, matches nothing: with an empty one the API server refuses the
/// kinds that have Pods, and to match every Pod would be a grave mistake.
fn not_empty(selector: Option<&LabelSelector>) -> Option<Selector> {
    valid(selector).filter(|selector| !selector.is_empty())
}

/// The selector of a kind that is older than label selectors.
fn labelled(labels: Option<&BTreeMap<String, String>>) -> Option<Selector> {
    let selector = Selector::from_labels(labels?).ok()?;
    Some(selector).filter(|selector| !selector.is_empty())
}

// Some specifications are optional up to Kubernetes 1.36 and mandatory from 1.37 on. `into` makes
// an `Option<&Spec>` of either.
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
    // As its own controller has it: the API server takes an empty one with `manualSelector`.
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

/// What selects the `ReplicaSet`s of a Deployment.
pub(super) fn of_deployment(deployment: &Deployment) -> Option<Selector> {
    let spec: Option<&DeploymentSpec> = (&deployment.spec).into();
    not_empty(Some(&spec?.selector))
}
