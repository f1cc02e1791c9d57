//! Loading of objects that a storage has evicted: [`Link`] and [`LoadError`].

use std::error::Error;
use std::sync::Arc;

use derive_where::derive_where;
use futures::future::BoxFuture;

use super::ObjectError;
use super::budget::Account;
use crate::object::{ObjectKey, ResourceVersion};
use crate::wire::RawObject;

/// Connects a storage to the memory account of its factory and to the source of its informer.
#[derive(Clone)]
#[derive_where(Debug)]
pub struct Link {
    pub(crate) account: Arc<Account>,
    #[derive_where(skip)]
    pub(crate) fetch: Arc<Fetch>,
}

/// Requests this version of an object or a later one. Returns the object as it is stored: without
/// the fields that are cut, and transformed.
pub(crate) type Fetch = dyn Fn(ObjectKey, ResourceVersion) -> Fetching + Send + Sync;

pub(crate) type Fetching = BoxFuture<'static, Result<RawObject, LoadError>>;

/// Error of loading an object.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The object was deleted, and perhaps created again.
    #[error("{0} was deleted")]
    Gone(ObjectKey),
    /// The API server forbids the request.
    #[error("loading {key} is forbidden; grant the verb `get` on the resource")]
    Forbidden {
        /// Key of the object.
        key: ObjectKey,
        /// Answer of the API server.
        #[source]
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The request failed. Another attempt may succeed.
    #[error("loading {key} failed")]
    Failed {
        /// Key of the object.
        key: ObjectKey,
        /// Cause.
        #[source]
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The object does not decode, or its transform failed.
    #[error(transparent)]
    Object(#[from] ObjectError),
}

// === impl LoadError ===

impl LoadError {
    /// Creates the error of a request that failed.
    pub(crate) fn failed(key: &ObjectKey, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed {
            key: key.clone(),
            source: source.into().into(),
        }
    }
}
