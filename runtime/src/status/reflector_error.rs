//! [`ReflectorError`]: failures while following a resource.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::base::text::size;
use crate::object::ResourceVersion;
use crate::status::SourceError;
use crate::storage::ObjectError;
use crate::wire::{ApiStatus, Rejected};

/// Failure of a reflector. A reflector survives every failure: it tries again after a delay.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ReflectorError {
    /// A list failed.
    List(SourceError),
    /// A watch could not be opened.
    Connect(SourceError),
    /// A watch ended in an error.
    Watch(SourceError),
    /// The server closed a watch at once, without an event.
    VeryShortWatch,
    /// The server refused a streaming list, so the reflector lists instead: only this time if the
    /// request is not permitted or the resource is not served (401, 403, 404), otherwise for the
    /// next 30 minutes.
    WatchListRefused(SourceError),
    /// A streaming list sent no closing bookmark for this long, so the reflector lists instead.
    BookmarkMissing(Duration),
    /// A watch had no bookmark for this long, although the server sends them: something in between, such
    /// as a proxy that buffers, holds events back. The watch goes on.
    Lagging(Duration),
    /// The server is at an older resourceVersion than before, for example after a restore of etcd
    /// from a backup. The current state of the server replaces the cached state, whatever its
    /// version: either the list that revealed this, or the next one.
    WentBack {
        /// Version that the server had reached before, and is now behind.
        last: ResourceVersion,
    },
    /// A version of an object did not decode, or the transform rejected it. Other objects are not
    /// affected.
    Object(Arc<ObjectError>),
    /// An item or event was not of the requested resource, or had no readable header.
    Rejected(Rejected),
    /// The memory that the informers of the factory cannot evict exceeds the
    /// [`Budget`](crate::factory::Budget), and this informer holds the largest part of it. The
    /// informer goes on.
    OverBudget {
        /// Bytes that this informer holds and cannot evict.
        held: usize,
        /// Bytes of the budget.
        budget: usize,
        /// `true` if the storage of the informer evicts bodies, as `Tiered` does. What remains are
        /// headers, labels, owners and the values of indices.
        evicts: bool,
    },
    /// Any failure but one of an object, if the informer watches several namespaces.
    InNamespace {
        /// Name of the namespace.
        namespace: Arc<str>,
        /// The failure.
        failure: Box<ReflectorError>,
    },
}

// === impl ReflectorError ===

impl ReflectorError {
    /// Returns the error of the source, if a source failed.
    #[must_use]
    pub fn source_error(&self) -> Option<&SourceError> {
        if let Self::InNamespace { failure, .. } = self {
            return failure.source_error();
        }
        if let Self::List(error)
        | Self::Connect(error)
        | Self::Watch(error)
        | Self::WatchListRefused(error) = self
        {
            return Some(error);
        }
        None
    }

    /// Returns the `Status` that the API server answered, if it did.
    #[must_use]
    pub fn status(&self) -> Option<&ApiStatus> {
        self.source_error()?.status()
    }

    /// Returns `true` if the failure concerns one object, not the connection.
    #[must_use]
    pub fn is_about_one_object(&self) -> bool {
        matches!(self, Self::Object(_) | Self::Rejected(_))
    }
}

impl fmt::Display for ReflectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(_) => f.write_str("list failed"),
            Self::Connect(_) => f.write_str("watch could not be opened"),
            Self::Watch(_) => f.write_str("watch failed"),
            Self::VeryShortWatch => {
                f.write_str("very short watch: closed by the server within 1 s, without an event")
            }
            Self::WatchListRefused(_) => f.write_str("streaming list refused, listing instead"),
            Self::BookmarkMissing(deadline) => write!(
                f,
                "streaming list got no closing bookmark for {} s, listing instead",
                deadline.as_secs_f64()
            ),
            Self::Lagging(silence) => write!(
                f,
                "changes come late: no bookmark for {} s; a proxy between here and the API server may \
                 hold answers back, so switch its buffering off",
                silence.as_secs_f64()
            ),
            Self::WentBack { last } => write!(
                f,
                "the API server is behind resourceVersion \"{last}\", which it had reached before; \
                 it may have been restored from a backup, and its current state replaces the cache"
            ),
            Self::OverBudget {
                held,
                budget,
                evicts,
            } => {
                let remedy = if *evicts {
                    "raise the budget or cache fewer objects"
                } else {
                    "raise the budget, cache fewer objects, or use `Tiered` storage"
                };
                write!(
                    f,
                    "memory budget of {} exceeded: this informer holds {} that it cannot \
                     evict; {remedy}",
                    size(*budget),
                    size(*held)
                )
            }
            Self::Object(_) => f.write_str("object rejected"),
            Self::Rejected(_) => f.write_str("invalid item or event"),
            Self::InNamespace { namespace, failure } => {
                write!(f, "namespace `{namespace}`: {failure}")
            }
        }
    }
}

/// Implemented by hand: `thiserror` would return the `Arc` as the source, instead of its content.
impl Error for ReflectorError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        if let Self::Object(cause) = self {
            return Some(&**cause);
        }
        if let Self::Rejected(cause) = self {
            return Some(cause);
        }
        // `Display` already prints the failure in a namespace.
        self.source_error().map(|cause| cause as _)
    }
}
