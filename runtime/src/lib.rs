//! Generic machinery of `informer`. It knows no concrete type.

// Layers of the crate. A module uses only modules above it in this list; `tests/edges` has the
// exact table.

mod base;
mod coverage;

pub use informer_wire::wire;

/// Vocabulary of objects, of `informer-wire`.
pub mod object {
    pub use informer_wire::object::*;

    pub(crate) use crate::base::footprint::Footprint;
}

pub mod event;
pub mod status;
pub mod storage;

pub mod delta_fifo;
pub mod indexer;
pub mod processor;
pub mod source;

pub mod lister;
pub mod reflector;

pub mod shared_informer;

pub mod cache;
pub mod factory;

#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod private;

#[cfg(test)]
use informer_test_harness::logged;
#[cfg(test)]
mod tests;

pub use self::coverage::Selectors;
pub use self::event::{Added, Deleted, Event, Origin, Updated};
pub use self::factory::{
    CacheSyncError, MakeInformers, SharedInformerFactory, SharedInformerFactoryBuilder, SyncResult,
};
pub use self::indexer::{Index, Snapshot};
pub use self::lister::{GetError, Lister, NamespaceLister};
pub use self::object::{
    ClusterScope, FieldSelector, FieldSelectorError, GroupVersionResource, IntOrString,
    NamespacedScope, Object, ObjectKey, Operator, ParseKeyError, ParseSelectorError, Requirement,
    RequirementError, ResourceInfo, ResourceScope, ResourceVersion, Scope, Selector, Uid,
};
pub use self::processor::{
    EventHandler, EventHandlerFuncs, EventStream, HandlerOptions, HandlerRegistration, WhenFull,
    async_handler, filtered,
};
pub use self::reflector::{ErrorHandler, WatchListMode};
pub use self::shared_informer::{
    ConfigError, GenericInformer, InformerConfig, InformerOptions, SharedInformer, SyncError,
};
pub use self::source::connect;
pub use self::status::{
    InformerMetrics, InformerState, InformerStatus, ReflectorError, StatusChanges, StopCause,
};
pub use self::storage::{
    Entry, ObjectError, PackedMemory, PathStorage, Storage, StorageMetrics, Transform, Typed,
    Undecodable,
};
#[cfg(feature = "packed")]
pub use self::storage::{Packed, PackedObject, PackedSettings, Tiered};
pub use self::wire::{DropFields, FieldPath};
