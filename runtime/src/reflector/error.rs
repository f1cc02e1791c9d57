//! What can fail while following a resource.

use std::sync::Arc;
use std::time::Duration;

use crate::source::SourceError;
use crate::storage::ObjectError;
use crate::wire::{ApiStatus, Rejected};

/// One failure of a reflector. All are survived: it goes on after a delay.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectorError {
    /// A list failed.
    #[error("list failed")]
    List(#[source] SourceError),
    /// A watch could not be opened.
    #[error("watch could not be opened")]
    Connect(#[source] SourceError),
    /// A watch ended in an error.
    #[error("watch failed")]
    Watch(#[source] SourceError),
    /// A watch was closed at once, without an event.
    #[error("very short watch: closed by the server within 1 s, without an event")]
    VeryShortWatch,
    /// The server refuses streaming lists; the informer lists for the next 30 minutes.
    #[error("streaming list refused, listing instead")]
    WatchListRefused(#[source] SourceError),
    /// A streaming list did not come to its end.
    #[error("streaming list without its closing bookmark for {} s, listing instead", .0.as_secs_f64())]
    BookmarkMissing(Duration),
    /// A version of an object could not be taken in. The others are not affected.
    #[error("object not taken in")]
    Object(#[source] Arc<ObjectError>),
    /// An item or event was not of the resource that was asked for, or had no readable header.
    #[error("object refused")]
    Rejected(#[source] Rejected),
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
