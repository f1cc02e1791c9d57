//! Turns the frames of a body into list parts and watch events.

use std::time::Duration;

use futures::stream::{self, StreamExt as _};

use super::config::Timeouts;
use super::frames::Frames;
use super::negotiation::{JsonRequired, Negotiation};
use crate::source::{ListPart, ListStream, WatchStream};
use crate::status::SourceError;
use crate::wire::{EventSplitter, ListSplitter, RawEvent, SplitError};

/// Maximum number of events for which a watch keeps memory.
const KEPT: usize = 32;

/// Returns the parts of a list as they arrive. Fails as soon as `json` is set.
pub(super) fn list(
    frames: Frames,
    splitter: ListSplitter,
    json: Option<JsonRequired>,
    timeouts: &Timeouts,
) -> ListStream {
    let list = List {
        frames,
        splitter,
        json,
        limit: timeouts.list_progress,
    };
    stream::unfold(Some(list), |list| async {
        match list?.next().await {
            Ok((part, list)) => Some((Ok(part), list)),
            Err(error) => Some((Err(error), None)),
        }
    })
    .boxed()
}

struct List {
    frames: Frames,
    splitter: ListSplitter,
    json: Option<JsonRequired>,
    limit: Duration,
}

// === impl List ===

impl List {
    /// Returns the next part, and the rest of the list.
    async fn next(mut self) -> Result<(ListPart, Option<Self>), SourceError> {
        let mut items = Vec::new();
        check(self.json.as_ref())?;
        while let Some(frame) = self.frames.next(self.limit).await? {
            let pushed = self.splitter.push(&frame, &mut items);
            pushed.map_err(|error| failed(error, self.json.as_ref()))?;
            if !items.is_empty() {
                return Ok((ListPart::Items(items), Some(self)));
            }
        }
        Ok((ListPart::End(self.splitter.finish()?), None))
    }
}

/// Fails if the objects so far should be requested in JSON.
fn check(json: Option<&JsonRequired>) -> Result<(), SourceError> {
    match json {
        Some(json) if json.is_set() => Err(SourceError::Protobuf(
            "an object has an unsupported form".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Converts the error of a splitter. Sets `json` if the body should be requested in JSON.
fn failed(error: SplitError, json: Option<&JsonRequired>) -> SourceError {
    if let (SplitError::Unusual(_), Some(json)) = (&error, json) {
        json.set();
    }
    error.into()
}

/// Returns the events of a watch that the server should close after `timeout`. Fails as soon as
/// `json` is set.
pub(super) fn watch(
    frames: Frames,
    splitter: EventSplitter,
    json: Option<JsonRequired>,
    timeouts: &Timeouts,
    timeout: Duration,
) -> WatchStream {
    // Boxed, because each event moves the state of the stream.
    let watch = Box::new(Watch {
        frames,
        splitter: Some(splitter),
        json,
        events: Vec::new(),
        failure: None,
        limit: timeout.saturating_add(timeouts.watch_grace),
        limit_with_bookmarks: timeouts.watch_progress,
    });
    stream::unfold(watch, |mut watch| async {
        let event = watch.next().await?;
        Some((event, watch))
    })
    .boxed()
}

/// Returns the same events. If a streaming list ends before its closing bookmark, although gzip was
/// requested and the response was not compressed, disables gzip in `negotiation`.
pub(super) fn detect_broken_gzip(
    watch: WatchStream,
    negotiation: Option<Negotiation>,
) -> WatchStream {
    let Some(negotiation) = negotiation else {
        return watch;
    };
    stream::unfold((watch, Some(negotiation)), |(mut watch, mut doubt)| async {
        let event = watch.next().await;
        match (&event, &doubt) {
            (
                Some(Ok(RawEvent::Bookmark {
                    initial_events_end: true,
                    ..
                })),
                _,
            ) => doubt = None,
            (None | Some(Err(SourceError::Truncated { .. })), Some(negotiation)) => {
                negotiation.disable_gzip();
            }
            _ => {}
        }
        Some((event?, (watch, doubt)))
    })
    .boxed()
}

struct Watch {
    frames: Frames,
    /// `None` at the end of the body.
    splitter: Option<EventSplitter>,
    /// `None` also after this flag has ended the watch.
    json: Option<JsonRequired>,
    /// Events of the last frame, the next one last. An event often has a frame of its own, so the
    /// memory is used again.
    events: Vec<RawEvent>,
    /// Error after these events.
    failure: Option<SourceError>,
    /// Maximum duration of silence.
    limit: Duration,
    /// Maximum duration of silence after a bookmark.
    limit_with_bookmarks: Duration,
}

// === impl Watch ===

impl Watch {
    async fn next(&mut self) -> Option<Result<RawEvent, SourceError>> {
        loop {
            if let Err(error) = check(self.json.as_ref()) {
                (self.splitter, self.json, self.failure) = (None, None, None);
                self.events.clear();
                return Some(Err(error));
            }
            if let Some(event) = self.events.pop() {
                if matches!(event, RawEvent::Bookmark { .. }) {
                    self.limit = self.limit.min(self.limit_with_bookmarks);
                }
                return Some(Ok(event));
            }
            if let Some(error) = self.failure.take() {
                self.splitter = None;
                return Some(Err(error));
            }
            self.read().await?;
        }
    }

    /// Reads a frame; returns `None` at the end of the body.
    async fn read(&mut self) -> Option<()> {
        let splitter = self.splitter.as_mut()?;
        match self.frames.next(self.limit).await {
            Ok(Some(frame)) => {
                self.events.shrink_to(KEPT);
                let pushed = splitter.push(&frame, &mut self.events);
                self.events.reverse();
                let json = self.json.as_ref();
                self.failure = pushed.err().map(|error| failed(error, json));
            }
            Ok(None) => {
                let end = self.splitter.take()?.finish();
                self.failure = end.err().map(Into::into);
            }
            Err(error) => self.failure = Some(error),
        }
        Some(())
    }
}
