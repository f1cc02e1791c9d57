//! Answers of a scripted source.

use futures::future;
use futures::stream::{self, BoxStream, StreamExt as _};
use tokio::sync::mpsc;

use crate::source::{ListPart, ListStream, WatchStream};
use crate::status::SourceError;
use crate::wire::{ListMeta, RawEvent, RawObject, Rejected};

/// Answer to one LIST request.
#[derive(Debug)]
pub struct ListAnswer(ListReply);

#[derive(Debug)]
enum ListReply {
    /// These parts, followed by an optional error.
    Parts(Vec<ListPart>, Option<SourceError>),
    Controlled(mpsc::Receiver<Result<ListPart, SourceError>>),
    Refused(SourceError),
    Never,
}

/// Answer to one WATCH request.
#[derive(Debug)]
pub struct WatchAnswer(WatchReply);

#[derive(Debug)]
enum WatchReply {
    Events(Vec<RawEvent>, AfterEvents),
    Controlled(mpsc::Receiver<Result<RawEvent, SourceError>>),
    Refused(SourceError),
    Never,
}

#[derive(Debug)]
enum AfterEvents {
    Close,
    StayOpen,
    Fail(SourceError),
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

/// Controls an answer to a LIST.
pub type ListController = AnswerController<ListPart>;

/// Controls an answer to a WATCH.
pub type WatchController = AnswerController<RawEvent>;

/// Capacity of an [`AnswerController`], in parts.
const CONTROLLED_PARTS: usize = 64;

/// Error of a part that cannot be sent because the answer's stream was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the receiver has dropped the answer")]
pub struct AnswerDropped;

// === impl ListAnswer ===

impl ListAnswer {
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
        Self(ListReply::Parts(vec![items, ListPart::End(meta)], None))
    }

    /// Creates an answer of these parts; the stream ends after the last one.
    #[must_use]
    pub fn parts(parts: impl IntoIterator<Item = ListPart>) -> Self {
        Self(ListReply::Parts(parts.into_iter().collect(), None))
    }

    /// Creates a page that fails with an error after these objects.
    #[must_use]
    pub fn breaks_off(objects: impl IntoIterator<Item = RawObject>, error: SourceError) -> Self {
        let items = ListPart::Items(objects.into_iter().map(Ok).collect());
        Self(ListReply::Parts(vec![items], Some(error)))
    }

    /// Creates an answer that fails the request.
    #[must_use]
    pub fn error(error: impl Into<SourceError>) -> Self {
        Self(ListReply::Refused(error.into()))
    }

    /// Creates an answer that never arrives.
    #[must_use]
    pub fn never() -> Self {
        Self(ListReply::Never)
    }

    /// Creates a page whose parts the test sends one by one. Without a [`ListPart::End`] the page
    /// is truncated.
    #[must_use]
    pub fn controlled() -> (ListController, Self) {
        let (parts, receiver) = mpsc::channel(CONTROLLED_PARTS);
        (
            AnswerController { parts },
            Self(ListReply::Controlled(receiver)),
        )
    }

    pub(super) async fn into_stream(self) -> Result<ListStream, SourceError> {
        match self.0 {
            ListReply::Controlled(receiver) => Ok(receive(receiver)),
            ListReply::Parts(parts, error) => {
                let parts = parts.into_iter().map(Ok).chain(error.map(Err));
                Ok(stream::iter(parts).boxed())
            }
            ListReply::Refused(error) => Err(error),
            ListReply::Never => future::pending().await,
        }
    }
}

// === impl WatchAnswer ===

impl WatchAnswer {
    /// Creates a watch of these events, which the server then closes.
    #[must_use]
    pub fn events(events: impl IntoIterator<Item = RawEvent>) -> Self {
        Self::with_events(events, AfterEvents::Close)
    }

    /// Creates a watch of these events, which then stays open.
    #[must_use]
    pub fn stays_open(events: impl IntoIterator<Item = RawEvent>) -> Self {
        Self::with_events(events, AfterEvents::StayOpen)
    }

    /// Creates a watch of these events, which then fails.
    #[must_use]
    pub fn breaks_off(events: impl IntoIterator<Item = RawEvent>, error: SourceError) -> Self {
        Self::with_events(events, AfterEvents::Fail(error))
    }

    /// Creates a watch whose events the test sends one by one.
    #[must_use]
    pub fn controlled() -> (WatchController, Self) {
        let (parts, receiver) = mpsc::channel(CONTROLLED_PARTS);
        (
            AnswerController { parts },
            Self(WatchReply::Controlled(receiver)),
        )
    }

    /// Creates an answer that fails the request.
    #[must_use]
    pub fn error(error: impl Into<SourceError>) -> Self {
        Self(WatchReply::Refused(error.into()))
    }

    /// Creates an answer that never arrives.
    #[must_use]
    pub fn never() -> Self {
        Self(WatchReply::Never)
    }

    fn with_events(events: impl IntoIterator<Item = RawEvent>, after: AfterEvents) -> Self {
        Self(WatchReply::Events(events.into_iter().collect(), after))
    }

    pub(super) async fn into_stream(self) -> Result<WatchStream, SourceError> {
        match self.0 {
            WatchReply::Events(events, after) => {
                let events = stream::iter(events.into_iter().map(Ok));
                Ok(match after {
                    AfterEvents::Close => events.boxed(),
                    AfterEvents::StayOpen => events.chain(stream::pending()).boxed(),
                    AfterEvents::Fail(error) => events
                        .chain(stream::once(future::ready(Err(error))))
                        .boxed(),
                })
            }
            WatchReply::Controlled(receiver) => Ok(receive(receiver)),
            WatchReply::Refused(error) => Err(error),
            WatchReply::Never => future::pending().await,
        }
    }
}

fn receive<T: Send + 'static>(
    receiver: mpsc::Receiver<Result<T, SourceError>>,
) -> BoxStream<'static, Result<T, SourceError>> {
    stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|part| (part, receiver))
    })
    .boxed()
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

    /// Returns `true` if the receiver has dropped the answer.
    #[must_use]
    pub fn is_dropped(&self) -> bool {
        self.parts.is_closed()
    }
}
