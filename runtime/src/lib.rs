//! The generic machinery of `informer`: knows no concrete type.

mod entry;
mod event;
mod key;
mod metrics;
mod object;
mod panic;
mod selector;
mod status;
mod storage;
mod version;

pub mod controller;
pub mod delta_fifo;
pub mod factory;
pub mod indexer;
pub mod lister;
#[doc(hidden)]
pub mod private;
pub mod processor;
pub mod reflector;
pub mod shared_informer;
pub mod source;
pub mod wire;
pub mod workqueue;

pub use self::entry::{Entry, Undecodable};
pub use self::event::{Added, Deleted, Event, Origin, Updated};
pub use self::factory::{InformerOptions, SharedInformerFactory};
pub use self::key::{ObjectKey, ParseKeyError};
pub use self::lister::{Index, Lister, NamespaceLister};
pub use self::metrics::InformerMetrics;
pub use self::object::{GroupVersionResource, Object, ResourceInfo, ResourceScope, Scope};
pub use self::selector::{
    FieldSelector, FieldSelectorError, Operator, ParseSelectorError, Requirement, RequirementError,
    Selector,
};
pub use self::shared_informer::SharedInformer;
pub use self::status::{InformerState, InformerStatus};
pub use self::storage::{ObjectError, Storage, Transform, Typed};
pub use self::version::{ResourceVersion, Uid};
