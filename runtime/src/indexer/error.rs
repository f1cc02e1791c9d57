//! Errors of indices, and of waiting for a version.

use std::sync::Arc;
use std::time::Duration;

use super::IndexName;
use crate::base::panic::{HINT, Panicked};
use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::{Entry, IndexFunctionError, ObjectError};

/// Failure of an index function for one object.
///
/// The object stays in the store and in the other indices.
#[derive(Debug, thiserror::Error)]
#[error("index `{index}` has no values for object `{key}`")]
pub struct IndexError {
    /// Name of the index.
    pub index: IndexName,
    /// Key of the object.
    pub key: ObjectKey,
    /// Version of the object.
    pub resource_version: ResourceVersion,
    /// Cause of the failure.
    #[source]
    pub cause: IndexErrorCause,
}

/// Cause of an index function's failure.
#[derive(Debug, thiserror::Error)]
pub enum IndexErrorCause {
    /// The function returned an error.
    #[error(transparent)]
    Failed(IndexFunctionError),
    /// The function, or a comparison of its values, panicked. The panic message is omitted, because
    /// it may quote the object.
    #[error("index function panicked; {HINT}")]
    Panicked,
}

/// Error of adding an index: the store has another index of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an index named `{name}` exists already{}", over(definition.as_deref()))]
pub struct AddIndexError {
    /// Name that is in use.
    pub name: IndexName,
    /// Definition of the existing index: a path, or the function of a generated index. `None` for
    /// an index that was added with a function.
    pub definition: Option<Arc<str>>,
}

fn over(definition: Option<&str>) -> String {
    definition.map_or_else(String::new, |definition| format!(", over `{definition}`"))
}

/// Error of a lookup in an index by name.
#[derive(Debug, thiserror::Error)]
pub enum IndexLookupError {
    /// The store has no index of this name.
    #[error("index with name `{name}` does not exist")]
    Unknown {
        /// Name that was requested.
        name: IndexName,
    },
    /// The index function failed for the object of the request.
    #[error(transparent)]
    Failed(#[from] IndexError),
}

/// Error of a wait for the cache.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FreshnessError {
    /// The resourceVersions cannot be compared.
    #[error("resourceVersion `{wanted}` cannot be compared with the store's, `{stored}`")]
    Incomparable {
        /// Version that was waited for.
        wanted: ResourceVersion,
        /// Version of the store.
        stored: ResourceVersion,
    },
    /// The cache did not reach the expected state within the time limit.
    #[error("the cache did not reach the expected state within {} s: it is at resourceVersion `{stored}`", after.as_secs_f64())]
    Timeout {
        /// Time limit of the wait.
        after: Duration,
        /// resourceVersion of the cache at the time limit.
        stored: ResourceVersion,
    },
    /// The informer was stopped before the cache reached the expected state.
    #[error("the informer was stopped")]
    Stopped,
}

// === impl IndexError ===

impl IndexError {
    pub(super) fn new(index: &IndexName, entry: &Entry, cause: IndexErrorCause) -> Self {
        Self {
            index: index.clone(),
            key: entry.key.clone(),
            resource_version: entry.resource_version.clone(),
            cause,
        }
    }
}

// === impl IndexErrorCause ===

impl IndexErrorCause {
    /// Returns `true` if the function could not read the object, because its body was evicted.
    pub(super) fn is_eviction(&self) -> bool {
        let Self::Failed(error) = self else {
            return false;
        };
        let error = error.downcast_ref::<ObjectError>();
        error.is_some_and(|error| matches!(error, ObjectError::Evicted { .. }))
    }
}

impl From<Panicked> for IndexErrorCause {
    fn from(Panicked: Panicked) -> Self {
        Self::Panicked
    }
}
