//! Shards: each of several replicas of a controller does a part of the work.

#[expect(
    dead_code,
    reason = "the protocol and the scope of the informers use it next"
)]
mod slices;

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the ownership of slices moves the scope next")
)]
mod scope;
mod source;

pub use self::slices::ShardBy;
#[cfg(test)]
pub(crate) use self::slices::hash;
