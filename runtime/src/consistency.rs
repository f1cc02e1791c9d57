//! Tools against a stale cache: wait for it, overlay the program's own writes on it, or check it.
//!
//! A cache reflects an earlier state of the server. A controller that writes and then reads may not
//! find its own write yet, act on the old state, and write again. There are three remedies:
//!
//! - Wait. [`SharedInformer::wait_for_resource_version`] takes the version that a write returned,
//!   [`SharedInformer::wait_for_deletion`] the uid of a deleted object. Later reads see the write,
//!   and no object is stored twice.
//! - Do not wait. A [`MutationCache`] overlays the objects that writes returned on the store, until
//!   the informer has caught up.
//! - Remember for a limited time. An [`ExpiringStore`] holds values until they expire, such as
//!   expectations of creations in flight.
//!
//! [`ConsistencyCheck`] compares a cache with its server, for tests and for diagnosis.
//!
//! [`SharedInformer::wait_for_resource_version`]: crate::SharedInformer::wait_for_resource_version
//! [`SharedInformer::wait_for_deletion`]: crate::SharedInformer::wait_for_deletion

mod check;
mod expiring;
mod lru;
mod mutation_cache;
mod overlay;

pub use self::check::{CheckError, Checked, ConsistencyCheck, Difference, Identity, Skipped};
pub use self::expiring::ExpiringStore;
pub use self::mutation_cache::{MutationCache, MutationCacheOptions};
pub use self::overlay::NotOverlaid;
pub use crate::shared_informer::FreshnessError;

#[cfg(test)]
mod tests;
