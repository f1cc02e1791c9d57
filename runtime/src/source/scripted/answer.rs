//! Answers of a scripted source.

use std::fmt;

use futures::future;
use futures::stream::{self, BoxStream, Stream, StreamExt as _};
use tokio::sync::mpsc;

use crate::source::ListPart;
use crate::status::SourceError;
use crate::wire::{ListMeta, RawEvent, RawObject, Rejected};

/// Answer to one request: a list of `ListPart`s, or a watch of `RawEvent`s.
pub struct Answer<T>(Reply<T>);

/// Answer to one LIST request.
pub type ListAnswer = Answer<ListPart>;

/// Answer to one WATCH request.
pub type WatchAnswer = Answer<RawEvent>;

type AnswerParts<T> = BoxStream<'static, Result<T, SourceError>>;

enum Reply<T> {
    Parts(AnswerParts<T>),
    Refused(SourceError),
    Never,
}

/// Control side of an answer that a test sends part by part: the events of a watch, or the parts of
/// a list.
///
/// Dropping the controller ends the answer, as when a server closes the connection. It buffers up
/// to 64 parts that were not received; sending further parts waits.
#[derive(Debug)]
pub struct AnswerController<T> {
    parts: mpsc::Sender<Result<T, SourceError>>,
}

/// Capacity of an [`AnswerController`], in parts.
const CONTROLLED_PARTS: usize = 64;

/// Error of a part that cannot be sent because the answer's stream was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the receiver has dropped the answer")]
pub struct AnswerDropped;

// === impl Answer ===

impl<T: Send + 'static> Answer<T> {
    /// Creates an answer whose parts the test sends one by one. A list without a [`ListPart::End`]
    /// is truncated.
    #[must_use]
    pub fn controlled() -> (AnswerController<T>, Self) {
        let (parts, receiver) = mpsc::channel(CONTROLLED_PARTS);
        let sent = stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|part| (part, receiver))
        });
        (AnswerController { parts }, Self(Reply::Parts(sent.boxed())))
    }

    /// Creates an answer that fails the request.
    #[must_use]
    pub fn error(error: impl Into<SourceError>) -> Self {
        Self(Reply::Refused(error.into()))
    }

    /// Creates an answer that never arrives.
    #[must_use]
    pub fn never() -> Self {
        Self(Reply::Never)
    }

    /// Creates an answer of these parts, followed by `end`.
    fn of(
        parts: impl IntoIterator<Item = T>,
        end: impl Stream<Item = Result<T, SourceError>> + Send + 'static,
    ) -> Self {
        let parts: Vec<_> = parts.into_iter().map(Ok).collect();
        Self(Reply::Parts(stream::iter(parts).chain(end).boxed()))
    }

    pub(super) async fn into_stream(self) -> Result<AnswerParts<T>, SourceError> {
        match self.0 {
            Reply::Parts(parts) => Ok(parts),
            Reply::Refused(error) => Err(error),
            Reply::Never => future::pending().await,
        }
    }
}

impl Answer<ListPart> {
    /// Creates a page with these objects.
    #[must_use]
    pub fn items(objects: impl IntoIterator<Item = RawObject>, meta: ListMeta) -> Self {
        Self::results(objects.into_iter().map(Ok), meta)
    }

    /// Creates a page in which some items are rejected.
    #[must_use]
    pub fn results(
        items: impl IntoIterator<Item = Result<RawObject, Rejected>>,
        meta: ListMeta,
    ) -> Self {
        let items = ListPart::Items(items.into_iter().collect());
        Self::parts([items, ListPart::End(meta)])
    }

    /// Creates an answer of these parts; the stream ends after the last one.
    #[must_use]
    pub fn parts(parts: impl IntoIterator<Item = ListPart>) -> Self {
        Self::of(parts, stream::empty())
    }

    /// Creates a page that fails with an error after these objects.
    #[must_use]
    pub fn breaks_off(objects: impl IntoIterator<Item = RawObject>, error: SourceError) -> Self {
        let items = ListPart::Items(objects.into_iter().map(Ok).collect());
        Self::of([items], stream::iter([Err(error)]))
    }
}

impl Answer<RawEvent> {
    /// Creates a watch of these events, which the server then closes.
    #[must_use]
    pub fn events(events: impl IntoIterator<Item = RawEvent>) -> Self {
        Self::of(events, stream::empty())
    }

    /// Creates a watch of these events, which then stays open.
    #[must_use]
    pub fn stays_open(events: impl IntoIterator<Item = RawEvent>) -> Self {
        Self::of(events, stream::pending())
    }

    /// Creates a watch of these events, which then fails.
    #[must_use]
    pub fn breaks_off(events: impl IntoIterator<Item = RawEvent>, error: SourceError) -> Self {
        Self::of(events, stream::iter([Err(error)]))
    }
}

impl<T> fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Reply::Parts(_) => "Parts",
            Reply::Refused(_) => "Refused",
            Reply::Never => "Never",
        })
    }
}

// === impl AnswerController ===

impl<T> AnswerController<T> {
    /// Sends a part; waits while 64 parts have not been received.
    ///
    /// # Errors
    ///
    /// Fails if the answer's stream was dropped.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the part was not sent.
    pub async fn send(&self, part: T) -> Result<(), AnswerDropped> {
        self.parts.send(Ok(part)).await.map_err(|_| AnswerDropped)
    }

    /// Ends the answer with an error, after the parts that were sent.
    ///
    /// # Errors
    ///
    /// Fails if the answer's stream was dropped.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the answer ends without the error.
    pub async fn fail(self, error: SourceError) -> Result<(), AnswerDropped> {
        self.parts.send(Err(error)).await.map_err(|_| AnswerDropped)
    }

    /// Ends the answer without an error, after the parts that were sent.
    pub fn close(self) {
        drop(self);
    }

    /// Waits until the receiver has dropped the answer.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn dropped(&self) {
        self.parts.closed().await;
    }
}
