//! Shards: each of several replicas of a controller does a part of the work.

#[expect(
    dead_code,
    reason = "the protocol and the scope of the informers use it next"
)]
mod slices;

pub use self::slices::ShardBy;
