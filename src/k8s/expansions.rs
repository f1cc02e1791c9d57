//! Questions across kinds: whose Pod is this, and which Pods does it have.
//!
//! client-go writes these by hand beside its generated listers and calls them expansions. They
//! are traits here, on the generic listers, so that the generated ones have them too:
//!
//! ```
//! use informer::k8s::expansions::{DaemonSetListerExpansion as _, PodListerExpansion as _};
//! # use informer::k8s::SharedInformerFactoryExt as _;
//! # use k8s_openapi::api::{apps::v1::DaemonSet, core::v1::Pod};
//!
//! # fn doc(factory: &informer::SharedInformerFactory, daemon_set: &DaemonSet, pod: &Pod) {
//! let pods = factory.core().v1().pods().lister().controlled_by(daemon_set);
//! let daemon_sets = factory.apps().v1().daemon_sets().lister().of_pod(pod);
//! # }
//! ```
//!
//! # By labels, or by owner
//!
//! The questions that client-go has too ask from a Pod upwards and by labels alone: everything in
//! the Pod's namespace whose selector matches. Several may, and that is for the caller to find
//! odd. They answer what client-go's answer:
//!
//! - A selector that is missing or invalid matches nothing; an empty one nothing either, but for
//!   Jobs and budgets, of which it matches every Pod.
//! - A Pod without labels belongs to nothing, whatever a selector makes of that; but budgets may
//!   cover it.
//!
//! Where client-go says "nothing" with an error, these give an empty list. And where client-go
//! looks through all namespaces for a Pod that has none, these find nothing.
//!
//! [`PodListerExpansion::controlled_by`] and [`ReplicaSetListerExpansion::of_deployment`] ask
//! downwards, as controllers do: what the selector matches *and* whose owner reference names the
//! owner, by uid, as its controller.
//!
//! # Cost
//!
//! Each is a scan of one namespace, as client-go's. Where that is too slow, add an index on
//! `metadata.ownerReferences.uid`.

mod matching;

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{
    ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet,
};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Pod, ReplicationController};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;

pub use self::matching::PodOwner;
use self::matching::{controlled, selecting};
use crate::Lister;

/// More of `Lister<Pod>`.
pub trait PodListerExpansion {
    /// The Pods that `owner` controls: its selector matches them, and their controller is it.
    ///
    /// None if `owner` has no uid or no selector.
    fn controlled_by(&self, owner: &impl PodOwner) -> Vec<Arc<Pod>>;
}

/// More of `Lister<ReplicaSet>`.
pub trait ReplicaSetListerExpansion {
    /// The `ReplicaSet`s whose selector matches the Pod; client-go's `GetPodReplicaSets`.
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<ReplicaSet>>;

    /// The `ReplicaSet`s of a Deployment, old ones too: its selector matches them, and their
    /// controller is it.
    fn of_deployment(&self, deployment: &Deployment) -> Vec<Arc<ReplicaSet>>;
}

/// More of `Lister<DaemonSet>`.
pub trait DaemonSetListerExpansion {
    /// The `DaemonSet`s whose selector matches the Pod; client-go's `GetPodDaemonSets`.
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<DaemonSet>>;

    /// The `DaemonSet`s whose selector matches a revision of their history; client-go's
    /// `GetHistoryDaemonSets`.
    fn of_history(&self, history: &ControllerRevision) -> Vec<Arc<DaemonSet>>;
}

/// More of `Lister<StatefulSet>`.
pub trait StatefulSetListerExpansion {
    /// The `StatefulSet`s whose selector matches the Pod; client-go's `GetPodStatefulSets`.
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<StatefulSet>>;
}

/// More of `Lister<Job>`.
pub trait JobListerExpansion {
    /// The Jobs whose selector matches the Pod; client-go's `GetPodJobs`.
    ///
    /// A Job with an empty selector matches every Pod of its namespace that has labels; the API
    /// server takes one with `manualSelector` only.
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<Job>>;
}

/// More of `Lister<ReplicationController>`.
pub trait ReplicationControllerListerExpansion {
    /// The `ReplicationController`s whose selector matches the Pod; client-go's `GetPodControllers`.
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<ReplicationController>>;
}

/// More of `Lister<PodDisruptionBudget>`.
pub trait PodDisruptionBudgetListerExpansion {
    /// The budgets that cover the Pod; client-go's `GetPodPodDisruptionBudgets`.
    ///
    /// A budget with an empty selector covers every Pod of its namespace, with labels or without;
    /// one without a selector covers none.
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<PodDisruptionBudget>>;
}

impl PodListerExpansion for Lister<Pod> {
    fn controlled_by(&self, owner: &impl PodOwner) -> Vec<Arc<Pod>> {
        controlled(self, owner.meta(), owner.selector())
    }
}

impl ReplicaSetListerExpansion for Lister<ReplicaSet> {
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<ReplicaSet>> {
        selecting(self, &pod.metadata)
    }

    fn of_deployment(&self, deployment: &Deployment) -> Vec<Arc<ReplicaSet>> {
        let selector = matching::of_deployment(deployment);
        controlled(self, &deployment.metadata, selector)
    }
}

impl DaemonSetListerExpansion for Lister<DaemonSet> {
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<DaemonSet>> {
        selecting(self, &pod.metadata)
    }

    fn of_history(&self, history: &ControllerRevision) -> Vec<Arc<DaemonSet>> {
        selecting(self, &history.metadata)
    }
}

impl StatefulSetListerExpansion for Lister<StatefulSet> {
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<StatefulSet>> {
        selecting(self, &pod.metadata)
    }
}

impl JobListerExpansion for Lister<Job> {
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<Job>> {
        selecting(self, &pod.metadata)
    }
}

impl ReplicationControllerListerExpansion for Lister<ReplicationController> {
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<ReplicationController>> {
        selecting(self, &pod.metadata)
    }
}

impl PodDisruptionBudgetListerExpansion for Lister<PodDisruptionBudget> {
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<PodDisruptionBudget>> {
        matching::covering(self, &pod.metadata)
    }
}
