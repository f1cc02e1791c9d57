//! [`SharedInformerFactory`]: one informer per resource, however many ask for it.
//!
//! An informer's identity is data: resource, form (typed, dynamic, metadata), storage, namespace,
//! selectors, the transform's name and the fields that are dropped. The same identity twice is one watch; two identities of one type live
//! side by side.

mod builder;
mod discover;
mod error;
mod generic;
mod identity;
mod maker;
mod registry;
mod shared_informer_factory;
mod stored_as;
mod sync;
#[cfg(test)]
pub(crate) mod tests;

pub use self::builder::SharedInformerFactoryBuilder;
#[cfg(any(test, fuzzing))]
pub(crate) use self::discover::discover;
pub use self::error::{CacheSyncError, DiscoverError, StartError};
pub use self::generic::GenericInformer;
pub use self::maker::MakeInformers;
pub use self::shared_informer_factory::SharedInformerFactory;
pub use self::stored_as::StoredAs;
pub use self::sync::SyncResult;
