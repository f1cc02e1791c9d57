//! Informers and listers of the built-in kinds, by group and version:
//! `factory.apps().v1().deployments()`.
//!
//! [`SharedInformerFactoryExt`] adds a method per API group to the factory. Each group has a module
//! here, with a module per version that contains `DeploymentInformer`, `DeploymentLister` and so
//! on. [`for_resource`] returns an informer by the name of its resource. Queries that `lister-gen`
//! calls expansions, such as the `DaemonSet`s of a Pod, are in [`expansions`].
//!
//! # Kinds
//!
//! All kinds of `k8s-openapi` that can be listed and watched are available, in the Kubernetes
//! versions that have them: a kind that was added in 1.36 is available if your program enables
//! `v1_36` or later. Kinds in stable versions are always available. Kinds in beta versions need the
//! feature `k8s-beta`, kinds in alpha versions the feature `k8s-alpha`.
//!
//! `ComponentStatus` is left out. The API server lists it but rejects watches with 405 (its verbs
//! are `get` and `list`), so an informer of it would never sync. client-go has such an informer.
//!
//! Some objects are served in two versions or groups, such as `HorizontalPodAutoscaler` in
//! `autoscaling` `v1` and `v2`, or `Event` in the core group and in `events.k8s.io`. Each of their
//! informers has its own watch and cache, so use only one of them.

pub mod expansions;

// Formatted by the generator: `informer-gen check` compares the file byte by byte.
#[rustfmt::skip]
mod generated;

#[doc(inline)]
pub use self::generated::*;
