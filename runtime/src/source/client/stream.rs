//! From the frames of a body to list parts and watch events.

use std::time::Duration;
use std::vec;

use futures::stream::{self, StreamExt as _};

use super::config::Timeouts;
use super::frames::Frames;
use super::negotiation::{JsonWanted, Negotiation};
use crate::source::{ListPart, ListStream, WatchStream};
use crate::status::SourceError;
use crate::wire::{EventSplitter, ListSplitter, RawEvent, SplitError};

/// The parts of a list, as they arrive. It fails as soon as `json` says that JSON is wanted.
pub(super) fn list(
    frames: Frames,
    splitter: ListSplitter,
    json: Option<JsonWanted>,
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
    json: Option<JsonWanted>,
    limit: Duration,
}

// === impl List ===

impl List {
    /// The next part, and what is left after it.
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

/// Fails if the objects so far are better asked for in JSON.
fn check(json: Option<&JsonWanted>) -> Result<(), SourceError> {
    match json {
        Some(json) if json.is_set() => Err(SourceError::Protobuf(
            "an object is in an unusual form".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// What a splitter's failure means, which may be that JSON is wanted.
fn failed(error: SplitError, json: Option<&JsonWanted>) -> SourceError {
    if let (SplitError::Unusual(_), Some(json)) = (&error, json) {
        json.set();
    }
    error.into()
}

/// The events of a watch that the server should close after `timeout`. It fails as soon as
/// `json` says that JSON is wanted.
pub(super) fn watch(
    frames: Frames,
    splitter: EventSplitter,
    json: Option<JsonWanted>,
    timeouts: &Timeouts,
    timeout: Duration,
) -> WatchStream {
    let watch = Watch {
        frames,
        splitter: Some(splitter),
        json,
        events: Vec::new().into_iter(),
        failure: None,
        limit: timeout.saturating_add(timeouts.watch_grace),
        limit_with_bookmarks: timeouts.watch_progress,
    };
    stream::unfold(watch, |mut watch| async {
        let event = watch.next().await?;
        Some((event, watch))
    })
    .boxed()
}

/// The same events. A streaming list that ends before its closing bookmark, although gzip was asked
/// for and none came, makes `negotiation` give gzip up.
pub(super) fn noting_spoilt_gzip(
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
                negotiation.spoil_gzip();
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
    /// `None` when it has ended the watch, too.
    json: Option<JsonWanted>,
    /// Events of the last frame.
    events: vec::IntoIter<RawEvent>,
    /// What follows behind them.
    failure: Option<SourceError>,
    /// For how long nothing may come.
    limit: Duration,
    /// The same, once a bookmark has come.
    limit_with_bookmarks: Duration,
}

// === impl Watch ===

impl Watch {
    async fn next(&mut self) -> Option<Result<RawEvent, SourceError>> {
        loop {
            if let Err(error) = check(self.json.as_ref()) {
                (self.splitter, self.json, self.failure) = (None, None, None);
                self.events = Vec::new().into_iter();
                return Some(Err(error));
            }
            if let Some(event) = self.events.next() {
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

    /// Reads a frame; `None` if the body has ended.
    async fn read(&mut self) -> Option<()> {
        let splitter = self.splitter.as_mut()?;
        match self.frames.next(self.limit).await {
            Ok(Some(frame)) => {
                let mut events = Vec::new();
                let pushed = splitter.push(&frame, &mut events);
                let json = self.json.as_ref();
                self.failure = pushed.err().map(|error| failed(error, json));
                self.events = events.into_iter();
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
