//! What a scripted source answers with.

use futures::future;
use futures::stream::{self, BoxStream, StreamExt as _};
use tokio::sync::mpsc;

use crate::source::{ListPart, ListStream, WatchStream};
use crate::status::SourceError;
use crate::wire::{ListMeta, RawEvent, RawObject, Rejected};

/// What one LIST request is answered with.
#[derive(Debug)]
pub struct ListAnswer(ListReply);

#[derive(Debug)]
enum ListReply {
    /// These parts, and then possibly an error.
    Parts(Vec<ListPart>, Option<SourceError>),
    Controlled(mpsc::Receiver<Result<ListPart, SourceError>>),
    Refused(SourceError),
    Never,
}

/// What one WATCH request is answered with.
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

/// The test's end of an answer that it sends part by part: a watch's events, or a list's parts.
///
/// Dropping it ends the answer, as a server does. Holds up to 64 parts that were not taken;
/// further ones wait.
#[derive(Debug)]
pub struct AnswerController<T> {
    parts: mpsc::Sender<Result<T, SourceError>>,
}

/// Controls an answer to a LIST.
pub type ListController = AnswerController<ListPart>;

/// Controls an answer to a WATCH.
pub type WatchController = AnswerController<RawEvent>;

/// How many parts wait in an [`AnswerController`].
const CONTROLLED_PARTS: usize = 64;

/// Says that the answer's stream was dropped: nobody receives the part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the answer was dropped by its receiver")]
pub struct AnswerDropped;

// === impl ListAnswer ===

impl ListAnswer {
    /// A page with these objects.
    #[must_use]
    pub fn items(objects: impl IntoIterator<Item = RawObject>, meta: ListMeta) -> Self {
        Self::results(objects.into_iter().map(Ok), meta)
    }

    /// A page some of whose items are refused.
    #[must_use]
    pub fn results(
        items: impl IntoIterator<Item = Result<RawObject, Rejected>>,
        meta: ListMeta,
    ) -> Self {
        let items = ListPart::Items(items.into_iter().collect());
        Self(ListReply::Parts(vec![items, ListPart::End(meta)], None))
    }

    /// These parts, as they are; the stream ends after the last one.
    #[must_use]
    pub fn parts(parts: impl IntoIterator<Item = ListPart>) -> Self {
        Self(ListReply::Parts(parts.into_iter().collect(), None))
    }

    /// A page that breaks off with an error after these objects.
    #[must_use]
    pub fn breaks_off(objects: impl IntoIterator<Item = RawObject>, error: SourceError) -> Self {
        let items = ListPart::Items(objects.into_iter().map(Ok).collect());
        Self(ListReply::Parts(vec![items], Some(error)))
    }

    /// The request fails.
    #[must_use]
    pub fn error(error: impl Into<SourceError>) -> Self {
        Self(ListReply::Refused(error.into()))
    }

    /// The request is never answered.
    #[must_use]
    pub fn never() -> Self {
        Self(ListReply::Never)
    }

    /// A page whose parts the test sends one by one. Without a [`ListPart::End`] it is cut off.
    #[must_use]
    pub fn controlled() -> (ListController, Self) {
        let (parts, receiver) = mpsc::channel(CONTROLLED_PARTS);
        (
            AnswerController { parts },
            Self(ListReply::Controlled(receiver)),
        )
    }

    pub(super) async fn give(self) -> Result<ListStream, SourceError> {
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
    /// These events, and then the server closes the watch.
    #[must_use]
    pub fn events(events: impl IntoIterator<Item = RawEvent>) -> Self {
        Self::with_events(events, AfterEvents::Close)
    }

    /// These events, and then silence.
    #[must_use]
    pub fn stays_open(events: impl IntoIterator<Item = RawEvent>) -> Self {
        Self::with_events(events, AfterEvents::StayOpen)
    }

    /// These events, and then the stream fails.
    #[must_use]
    pub fn breaks_off(events: impl IntoIterator<Item = RawEvent>, error: SourceError) -> Self {
        Self::with_events(events, AfterEvents::Fail(error))
    }

    /// A watch whose events the test sends one by one.
    #[must_use]
    pub fn controlled() -> (WatchController, Self) {
        let (parts, receiver) = mpsc::channel(CONTROLLED_PARTS);
        (
            AnswerController { parts },
            Self(WatchReply::Controlled(receiver)),
        )
    }

    /// The request fails.
    #[must_use]
    pub fn error(error: impl Into<SourceError>) -> Self {
        Self(WatchReply::Refused(error.into()))
    }

    /// The request is never answered.
    #[must_use]
    pub fn never() -> Self {
        Self(WatchReply::Never)
    }

    fn with_events(events: impl IntoIterator<Item = RawEvent>, after: AfterEvents) -> Self {
        Self(WatchReply::Events(events.into_iter().collect(), after))
    }

    pub(super) async fn give(self) -> Result<WatchStream, SourceError> {
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
    /// Sends a part, waiting while 64 were not taken.
    ///
    /// # Errors
    ///
    /// The answer's stream was dropped.
    ///
    /// # Cancel safety
    ///
    /// A dropped future has not sent the part.
    pub async fn send(&self, part: T) -> Result<(), AnswerDropped> {
        self.parts.send(Ok(part)).await.map_err(|_| AnswerDropped)
    }

    /// Ends the answer with an error, behind the parts that were sent.
    ///
    /// # Errors
    ///
    /// The answer's stream was dropped.
    ///
    /// # Cancel safety
    ///
    /// A dropped future ends the answer without the error.
    pub async fn fail(self, error: SourceError) -> Result<(), AnswerDropped> {
        self.parts.send(Err(error)).await.map_err(|_| AnswerDropped)
    }

    /// Ends the answer without an error, behind the parts that were sent.
    pub fn close(self) {
        drop(self);
    }

    /// Waits until the other side has dropped the answer.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn dropped(&self) {
        self.parts.closed().await;
    }

    /// Whether the other side has dropped the answer.
    #[must_use]
    pub fn is_dropped(&self) -> bool {
        self.parts.is_closed()
    }
}
