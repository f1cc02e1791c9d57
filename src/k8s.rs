//! Informers and listers of the built-in kinds, by group and version:
//! `factory.apps().v1().deployments()`.
//!
//! [`SharedInformerFactoryExt`] puts the groups on the factory; each has a module here, with a
//! module per version that holds `DeploymentInformer`, `DeploymentLister` and so on.
//! [`for_resource`] finds an informer by the name of its resource. What `lister-gen` calls
//! expansions, questions such as which `DaemonSet`s a Pod belongs to, are in [`expansions`].
//!
//! # Which kinds
//!
//! Every kind of `k8s-openapi` that can be listed and watched, in the versions of Kubernetes that
//! have it: a kind that came with 1.36 is here if your program enables `v1_36` or later. Those in
//! stable versions are always here, those in beta versions with the feature `k8s-beta`, those in
//! alpha versions with `k8s-alpha`.
//!
//! `ComponentStatus` is left out. The API server lists it but refuses to watch it (its verbs are
//! `get` and `list`, the answer to a watch is 405), so that an informer of it would never sync;
//! client-go has one that does not.
//!
//! Some objects are served in two versions or groups, such as `HorizontalPodAutoscaler` in
//! `autoscaling` `v1` and `v2`, or `Event` in the core group and in `events.k8s.io`. Each of their
//! informers has a watch and a cache of its own: choose one.

pub mod expansions;

// Laid out by the generator: `informer-gen check` compares it as it is.
#[rustfmt::skip]
mod generated;

#[doc(inline)]
pub use self::generated::*;
