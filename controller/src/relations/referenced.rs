//! [`ReferencedCache`]: a cache of only those objects that other objects mention.
//!
//! ```text
//!   informer of the referrers ── mentions ──► plan ── start, stop ──► informers of the factory
//!   handlers ◄── processor ◄── controller ◄── publisher ◄── changed objects ──┘
//! ```
//!
//! `plan` decides which watches exist and which of them owns a name, `publisher` turns the owners'
//! states into deltas, and `task` does the I/O. From the deltas on, the cache consists of the same
//! parts as an informer: queue, controller, store and processor.

mod builder;
mod cache;
mod error;
mod mentions;
mod plan;
mod publisher;
mod shared;
mod status;
mod task;
#[cfg(test)]
mod tests;

pub use self::builder::ReferencedCacheBuilder;
pub use self::cache::ReferencedCache;
pub use self::error::ReferencedError;
pub use self::status::ReferencedStatus;
