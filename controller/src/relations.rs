//! Relations between objects: owners and dependents, references, selectors.
//!
//! Generated code declares the relations of a kind (`owns(..)`, `references(..)`, `selects(..)` in
//! `#[informer(..)]`). It implements [`Owns`], [`References`] and [`Selects`] for the kind's
//! informer, and adds accessors to the informer and to the lister:
//!
//! | relation | from the object | from the related object | changes |
//! |---|---|---|---|
//! | owns | [`OwnedObjects`]: `graph.deployments_of(&site)` | the controller reference | enqueue the owner |
//! | references | [`ReferencedObjects`]: `graph.secrets_of(&site)` | `lister.by_secret(&key)` | enqueue the referrers |
//! | selects | [`SelectedObjects`]: `graph.pods_of(&site)` | `lister.selecting(&pod)` | enqueue the selecting objects |
//!
//! # Examples
//!
//! Generated code is not required. [`Reference`] and [`LabelSelection`] are values:
//!
//! ```
//! # use informer_controller::WorkQueue;
//! # use informer_runtime::{ObjectKey, SharedInformerFactory};
//! use informer_controller::relations::{Reference, ReferencedObjects};
//! use k8s_openapi::api::core::v1::{Node, Pod};
//!
//! /// The Node of a Pod.
//! const NODE: Reference<Pod, Node> = Reference::new("by_node", |pod: &Pod| {
//!     let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
//!     node.map(ObjectKey::cluster).into_iter().collect()
//! });
//!
//! # fn doc(factory: &SharedInformerFactory, queue: &WorkQueue<ObjectKey>) -> Result<(), Box<dyn std::error::Error>> {
//! let pods = factory.informer::<Pod>();
//! let nodes = ReferencedObjects::new(&pods, NODE, factory);
//! // A change of a Node enqueues its Pods.
//! nodes.enqueue_into(queue)?;
//! let on_node = nodes.referrers(&ObjectKey::cluster("node-1"));
//! # Ok(())
//! # }
//! ```
//!
//! # Cost
//!
//! [`ReferencedCache`] caches only the objects that others mention, instead of all objects of their
//! type. Each relation reads indices that are added on first use. A relation that is not used costs
//! nothing.

mod enqueue_related;
mod error;
mod owned;
mod referenced;
mod references;
mod related;
mod relation;
mod selected;
mod selection;
#[cfg(test)]
mod tests;

pub use self::enqueue_related::EnqueueRelated;
pub use self::error::RelatedError;
pub use self::owned::{OwnedObjects, Owns};
pub use self::referenced::{
    ReferencedCache, ReferencedCacheBuilder, ReferencedError, ReferencedStatus,
};
pub use self::references::{ReferencedObjects, References, RelatedObject, referrers};
pub use self::related::RelatedObjects;
pub use self::relation::{Reference, Relation};
pub use self::selected::{SelectedObjects, Selects};
pub use self::selection::{LabelSelection, selecting};
