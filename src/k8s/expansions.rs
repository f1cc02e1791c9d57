//! Lookups across kinds: the owners of a Pod, and the Pods of an owner.
//!
//! client-go has the same lookups as hand-written expansions of its generated listers. Here they
//! are traits on the generic listers, which the generated listers inherit:
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
//! The lookups of client-go start from a Pod and use labels alone: they return every object in the
//! Pod's namespace whose selector matches. More than one object may match. The results are those of
//! client-go:
//!
//! - A missing or invalid selector matches nothing. An empty selector matches nothing either,
//!   except for Jobs and budgets, where it matches every Pod.
//! - A Pod without labels belongs to no object, whatever the selectors are. Budgets may cover it.
//!
//! Where client-go returns an error for no match, these return an empty list. For a Pod without a
//! namespace, client-go searches all namespaces; these find nothing.
//!
//! [`PodListerExpansion::controlled_by`] and [`ReplicaSetListerExpansion::of_deployment`] start
//! from the owner, as controllers do. They return the objects that the selector matches *and* whose
//! controller reference has the uid of the owner.
//!
//! # Cost
//!
//! The first lookup of a kind adds an index to its lister, which reads all cached objects: of the
//! selectors, or of the controlling owners. A lookup takes time in proportion to the objects whose
//! selector requires one of the labels, or to the objects of the owner. In client-go, each lookup
//! scans a namespace.

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

/// Lookups of `Lister<Pod>`.
pub trait PodListerExpansion {
    /// Returns the Pods that `owner` controls: its selector matches them, and their controller
    /// reference names it.
    ///
    /// Returns no Pods if `owner` has no uid or no selector.
    fn controlled_by(&self, owner: &impl PodOwner) -> Vec<Arc<Pod>>;
}

/// Lookups of `Lister<ReplicaSet>`.
pub trait ReplicaSetListerExpansion {
    /// Returns the `ReplicaSet`s whose selector matches the Pod; client-go's `GetPodReplicaSets`.
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<ReplicaSet>>;

    /// Returns the `ReplicaSet`s of a Deployment, including old ones: its selector matches them,
    /// and their controller reference names it.
    fn of_deployment(&self, deployment: &Deployment) -> Vec<Arc<ReplicaSet>>;
}

/// Lookups of `Lister<DaemonSet>`.
pub trait DaemonSetListerExpansion {
    /// Returns the `DaemonSet`s whose selector matches the Pod; client-go's `GetPodDaemonSets`.
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<DaemonSet>>;

    /// Returns the `DaemonSet`s whose selector matches a revision of their history; client-go's
    /// `GetHistoryDaemonSets`.
    fn of_history(&self, history: &ControllerRevision) -> Vec<Arc<DaemonSet>>;
}

/// Lookups of `Lister<StatefulSet>`.
pub trait StatefulSetListerExpansion {
    /// Returns the `StatefulSet`s whose selector matches the Pod; client-go's `GetPodStatefulSets`.
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<StatefulSet>>;
}

/// Lookups of `Lister<Job>`.
pub trait JobListerExpansion {
    /// Returns the Jobs whose selector matches the Pod; client-go's `GetPodJobs`.
    ///
    /// A Job with an empty selector matches every Pod of its namespace that has labels. The API
    /// server accepts an empty selector only with `manualSelector`.
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<Job>>;
}

/// Lookups of `Lister<ReplicationController>`.
pub trait ReplicationControllerListerExpansion {
    /// Returns the `ReplicationController`s whose selector matches the Pod; client-go's
    /// `GetPodControllers`.
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<ReplicationController>>;
}

/// Lookups of `Lister<PodDisruptionBudget>`.
pub trait PodDisruptionBudgetListerExpansion {
    /// Returns the budgets that cover the Pod; client-go's `GetPodPodDisruptionBudgets`.
    ///
    /// A budget with an empty selector covers every Pod of its namespace, with or without labels. A
    /// budget without a selector covers no Pod.
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<PodDisruptionBudget>>;
}

impl PodListerExpansion for Lister<Pod> {
    fn controlled_by(&self, owner: &impl PodOwner) -> Vec<Arc<Pod>> {
        controlled(self, owner.meta(), owner.selector())
    }
}

impl ReplicaSetListerExpansion for Lister<ReplicaSet> {
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<ReplicaSet>> {
        selecting(self, pod)
    }

    fn of_deployment(&self, deployment: &Deployment) -> Vec<Arc<ReplicaSet>> {
        let selector = matching::of_deployment(deployment);
        controlled(self, &deployment.metadata, selector)
    }
}

impl DaemonSetListerExpansion for Lister<DaemonSet> {
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<DaemonSet>> {
        selecting(self, pod)
    }

    fn of_history(&self, history: &ControllerRevision) -> Vec<Arc<DaemonSet>> {
        selecting(self, history)
    }
}

impl StatefulSetListerExpansion for Lister<StatefulSet> {
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<StatefulSet>> {
        selecting(self, pod)
    }
}

impl JobListerExpansion for Lister<Job> {
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<Job>> {
        selecting(self, pod)
    }
}

impl ReplicationControllerListerExpansion for Lister<ReplicationController> {
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<ReplicationController>> {
        selecting(self, pod)
    }
}

impl PodDisruptionBudgetListerExpansion for Lister<PodDisruptionBudget> {
    fn of_pod(&self, pod: &Pod) -> Vec<Arc<PodDisruptionBudget>> {
        matching::covering(self, pod)
    }
}
