//! Items that generated code may name, as `informer::__private`: those of the runtime, the wrapper of
//! a kind, and its relations.

mod lookups;
mod owner;
mod related;
mod relations;
mod wrappers;

pub use std::sync::Arc;

#[doc(hidden)]
pub use informer_runtime::private::*;
// Items of the runtime that the macros below name.
pub use informer_runtime::{
    Lister, MakeInformers, ObjectKey, ResourceInfo, Scope, SharedInformer, Snapshot, Storage, Typed,
};

pub use self::lookups::{
    Cluster, DynamicLookups, FromDefinition, FromType, Lookups, Namespaced, Source, WithLookups,
};
pub use self::owner::{controlled, controller_of, controller_uid};
pub use self::related::{
    Beside, Each, Find, Keys, Named, RefersTo, Related, RelationOf, json_keys, json_selectors,
    of_places, of_relations,
};
pub use crate::relations::RelatedObject;
#[doc(hidden)]
pub use crate::{__reference as reference, __wrappers as wrappers};
