//! [`StoreFailure`]: failures of a user's store.

use std::error::Error;

/// Error of a [`WriteThroughStore`](crate::shared_informer::WriteThroughStore).
pub type StoreError = Box<dyn Error + Send + Sync>;

/// Failure of a [`WriteThroughStore`](crate::shared_informer::WriteThroughStore) to store a batch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFailure {
    /// The store returned an error.
    #[error("the WriteThroughStore rejected a batch")]
    Failed(#[source] StoreError),
    /// The store panicked. The panic message is omitted, because it may quote an object.
    #[error("the WriteThroughStore panicked")]
    Panicked,
}
