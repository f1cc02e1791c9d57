//! The generic machinery of `informer`: knows no concrete type.

mod buckets;
mod connect;
mod cores;
mod enqueue;
mod entry;
mod event;
mod key;
#[cfg(test)]
mod logged;
mod object;
mod panic;
mod selector;
mod status;
mod storage;
mod sync;
mod version;

pub mod cache;
pub mod consistency;
pub mod controller;
pub mod delta_fifo;
pub mod factory;
pub mod indexer;
#[cfg(feature = "kube-runtime")]
pub mod kube_runtime;
pub mod lister;
pub mod metrics;
pub mod pager;
#[doc(hidden)]
pub mod private;
pub mod processor;
pub mod reflector;
pub mod retry_watcher;
pub mod shared_informer;
pub mod source;
pub mod until;
pub mod wire;
pub mod workqueue;

pub use self::connect::connect;
pub use self::enqueue::{EnqueueInto, EnqueueOwner, Owned, enqueue_into, enqueue_owner};
pub use self::entry::{Entry, Undecodable};
pub use self::event::{Added, Deleted, Event, Origin, Updated};
pub use self::factory::{
    CacheSyncError, GenericInformer, InformerOptions, MakeInformers, Selectors,
    SharedInformerFactory, SharedInformerFactoryBuilder, SyncResult,
};
pub use self::indexer::Snapshot;
pub use self::key::{ObjectKey, ParseKeyError};
pub use self::lister::{GetError, Index, Lister, NamespaceLister};
pub use self::metrics::InformerMetrics;
pub use self::object::{
    ClusterScope, GroupVersionResource, NamespacedScope, Object, ResourceInfo, ResourceScope, Scope,
};
pub use self::processor::{
    EventHandler, EventHandlerFuncs, EventStream, HandlerOptions, HandlerRegistration, WhenFull,
    async_handler, filtered,
};
pub use self::reflector::{ErrorHandler, ReflectorConfig, ReflectorError, WatchListMode};
pub use self::selector::{
    FieldSelector, FieldSelectorError, Operator, ParseSelectorError, Requirement, RequirementError,
    Selector,
};
pub use self::shared_informer::{SharedInformer, SyncError};
pub use self::status::{InformerState, InformerStatus, StatusChanges, StopCause};
pub use self::storage::{
    ObjectError, Packed, PackedMemory, PackedObject, PathStorage, Storage, StorageMetrics,
    Transform, Typed,
};
pub use self::version::{ResourceVersion, Uid};
pub use self::wire::{DropFields, FieldPath};
pub use self::workqueue::{Action, AddOptions, LOW_PRIORITY, PriorityOrder, WorkQueue};
