//! What can go wrong with indices, and while waiting.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::IndexName;
use crate::base::panic::{HINT, Panicked};
use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::{Entry, IndexFunctionError};

/// An index function failed for one object.
///
/// The object stays stored, and in the other indices.
#[derive(Debug, thiserror::Error)]
#[error("index `{index}` has no values for object `{key}`")]
pub struct IndexError {
    /// The index.
    pub index: IndexName,
    /// The object.
    pub key: ObjectKey,
    /// The object's version.
    pub resource_version: ResourceVersion,
    /// Why.
    #[source]
    pub cause: IndexErrorCause,
}

/// Why an index function gave no values.
#[derive(Debug)]
pub enum IndexErrorCause {
    /// It returned an error.
    Failed(IndexFunctionError),
    /// It panicked, or the comparison of its values did. Says nothing more: a panic's message may
    /// quote the object.
    Panicked,
}

/// An index was not added: the store has another one of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an index named `{name}` exists already{}", over(definition.as_deref()))]
pub struct AddIndexError {
    /// The name that is taken.
    pub name: IndexName,
    /// What the index that has it is over: a path, or the function of a generated index; `None` for one that was
    /// added with a function.
    pub definition: Option<Arc<str>>,
}

fn over(definition: Option<&str>) -> String {
    definition.map_or_else(String::new, |definition| format!(", over `{definition}`"))
}

/// An index was asked for by name and could not answer.
#[derive(Debug, thiserror::Error)]
pub enum IndexLookupError {
    /// The store has no index of this name.
    #[error("index with name `{name}` does not exist")]
    Unknown {
        /// The name that was asked for.
        name: IndexName,
    },
    /// The index function failed for the object that was asked about.
    #[error(transparent)]
    Failed(#[from] IndexError),
}

/// A resourceVersion cannot be waited for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("resourceVersion `{wanted}` cannot be compared with the store's, `{stored}`")]
pub struct WaitError {
    /// The version that was waited for.
    pub wanted: ResourceVersion,
    /// The store's version.
    pub stored: ResourceVersion,
}

// === impl IndexError ===

impl IndexError {
    pub(super) fn new<H>(index: &IndexName, entry: &Entry<H>, cause: IndexErrorCause) -> Self {
        Self {
            index: index.clone(),
            key: entry.key.clone(),
            resource_version: entry.resource_version.clone(),
            cause,
        }
    }
}

// === impl IndexErrorCause ===

impl From<Panicked> for IndexErrorCause {
    fn from(Panicked: Panicked) -> Self {
        Self::Panicked
    }
}

impl fmt::Display for IndexErrorCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => fmt::Display::fmt(error, f),
            Self::Panicked => write!(f, "index function panicked; {HINT}"),
        }
    }
}

impl Error for IndexErrorCause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Failed(error) => error.source(),
            Self::Panicked => None,
        }
    }
}

// === impl AddIndexError ===

impl AddIndexError {
    pub(super) fn new(name: IndexName, definition: Option<Arc<str>>) -> Self {
        Self { name, definition }
    }
}

// === impl IndexLookupError ===

impl IndexLookupError {
    pub(super) fn unknown(name: &str) -> Self {
        Self::Unknown { name: name.into() }
    }
}
