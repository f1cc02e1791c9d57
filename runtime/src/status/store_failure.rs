//! Why a store of the user's is behind.

use std::error::Error;

/// What a [`WriteThroughStore`](crate::shared_informer::WriteThroughStore) may fail with.
pub type StoreError = Box<dyn Error + Send + Sync>;

/// Why a [`WriteThroughStore`](crate::shared_informer::WriteThroughStore) did not take a batch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFailure {
    /// It said so.
    #[error("the store did not take a batch")]
    Failed(#[source] StoreError),
    /// It panicked. Says nothing more: a panic's message may quote an object.
    #[error("the store panicked")]
    Panicked,
}
