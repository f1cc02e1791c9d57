//! What to do about a cache being behind: wait for it, lay one's own writes over it, check it.
//!
//! A cache reflects what the server said a moment ago. A controller that writes and then reads may
//! not find its own write yet, act on the old state, and write again. Three ways out:
//!
//! - Wait. [`SharedInformer::wait_for_resource_version`] with the version that a write returned,
//!   [`SharedInformer::wait_for_deletion`] with the uid of what was deleted: reads see the write
//!   afterwards, and nothing is kept twice.
//! - Do not wait. A [`MutationCache`] lays the objects that writes returned over the store, until
//!   the informer has caught up.
//! - Remember for a while. An [`ExpiringStore`] holds what one knows for a time, such as
//!   expectations of creations that are on their way.
//!
//! [`ConsistencyCheck`] compares a cache with its server, for tests and for suspicion.
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
