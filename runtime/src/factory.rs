//! [`SharedInformerFactory`]: one informer per resource, shared by all callers.
//!
//! The identity of an informer is data: resource, form (typed, dynamic, metadata), storage,
//! namespace, selectors, the name of the transform, and the dropped fields. Requests with the same
//! identity share one watch. Informers with different identities of one type coexist.

mod builder;
mod discover;
mod error;
mod identity;
mod maker;
mod memory;
mod partition;
mod registry;
mod shared_informer_factory;
mod stored_as;
mod sync;
#[cfg(test)]
pub(crate) mod tests;

pub use self::builder::SharedInformerFactoryBuilder;
pub use self::error::{CacheSyncError, DiscoverError, NotReady, ShutdownError, StartError};
pub use self::maker::MakeInformers;
pub use self::memory::MemoryUsage;
#[doc(hidden)]
pub use self::partition::Partition;
pub use self::shared_informer_factory::SharedInformerFactory;
pub use self::stored_as::StoredAs;
pub use self::sync::SyncResult;
pub use crate::storage::Budget;
