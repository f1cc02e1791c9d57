//! What can fail while following a resource.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::object::ResourceVersion;
use crate::status::SourceError;
use crate::storage::ObjectError;
use crate::wire::{ApiStatus, Rejected};

/// One failure of a reflector. All are survived: it goes on after a delay.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ReflectorError {
    /// A list failed.
    List(SourceError),
    /// A watch could not be opened.
    Connect(SourceError),
    /// A watch ended in an error.
    Watch(SourceError),
    /// A watch was closed at once, without an event.
    VeryShortWatch,
    /// A streaming list was refused, and a list is asked for instead: this time only if the request
    /// is not permitted or its resource not served (401, 403, 404), else for the next 30 minutes.
    WatchListRefused(SourceError),
    /// A streaming list did not come to its end.
    BookmarkMissing(Duration),
    /// The server is at an older resourceVersion than it was before, as after a restore of its
    /// storage from a backup. What it has now is followed, whatever its version: the list that
    /// showed it, or the one that is asked for next, replaces what was cached.
    WentBack {
        /// The version that it has not got to (again).
        last: ResourceVersion,
    },
    /// A version of an object could not be taken in. The others are not affected.
    Object(Arc<ObjectError>),
    /// An item or event was not of the resource that was asked for, or had no readable header.
    Rejected(Rejected),
}

// === impl ReflectorError ===

impl ReflectorError {
    /// The error of the source, if one is behind this.
    #[must_use]
    pub fn source_error(&self) -> Option<&SourceError> {
        match self {
            Self::List(error)
            | Self::Connect(error)
            | Self::Watch(error)
            | Self::WatchListRefused(error) => Some(error),
            Self::VeryShortWatch
            | Self::BookmarkMissing(_)
            | Self::WentBack { .. }
            | Self::Object(_)
            | Self::Rejected(_) => None,
        }
    }

    /// The API server's answer, if one is behind this.
    #[must_use]
    pub fn status(&self) -> Option<&ApiStatus> {
        self.source_error()?.status()
    }

    /// Whether it is about one object and not about the connection.
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
                "streaming list without its closing bookmark for {} s, listing instead",
                deadline.as_secs_f64()
            ),
            Self::WentBack { last } => write!(
                f,
                "the server is behind resourceVersion \"{last}\", which it had reached before: \
                 was it restored from a backup? what it has now is followed"
            ),
            Self::Object(_) => f.write_str("object not taken in"),
            Self::Rejected(_) => f.write_str("object refused"),
        }
    }
}

/// By hand, because a derived one would give the `Arc` and not what is in it.
impl Error for ReflectorError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::List(cause)
            | Self::Connect(cause)
            | Self::Watch(cause)
            | Self::WatchListRefused(cause) => Some(cause),
            Self::Object(cause) => Some(&**cause),
            Self::Rejected(cause) => Some(cause),
            Self::VeryShortWatch | Self::BookmarkMissing(_) | Self::WentBack { .. } => None,
        }
    }
}
