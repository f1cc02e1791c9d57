//! From the frames of a body to list parts and watch events.

use std::time::Duration;
use std::vec;

use futures::stream::{self, StreamExt as _};

use super::config::Timeouts;
use super::frames::Frames;
use crate::source::{ListPart, ListStream, SourceError, WatchStream};
use crate::wire::{EventSplitter, ListSplitter, RawEvent};

/// The parts of a list, as they arrive.
pub(super) fn list(frames: Frames, splitter: ListSplitter, timeouts: &Timeouts) -> ListStream {
    let list = List {
        frames,
        splitter,
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
    limit: Duration,
}

// === impl List ===

impl List {
    /// The next part, and what is left after it.
    async fn next(mut self) -> Result<(ListPart, Option<Self>), SourceError> {
        let mut items = Vec::new();
        while let Some(frame) = self.frames.next(self.limit).await? {
            self.splitter.push(&frame, &mut items)?;
            if !items.is_empty() {
                return Ok((ListPart::Items(items), Some(self)));
            }
        }
        Ok((ListPart::End(self.splitter.finish()?), None))
    }
}

/// The events of a watch that the server should close after `timeout`.
pub(super) fn watch(
    frames: Frames,
    splitter: EventSplitter,
    timeouts: &Timeouts,
    timeout: Duration,
) -> WatchStream {
    let watch = Watch {
        frames,
        splitter: Some(splitter),
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

struct Watch {
    frames: Frames,
    /// `None` at the end of the body.
    splitter: Option<EventSplitter>,
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
                self.failure = splitter.push(&frame, &mut events).err().map(Into::into);
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
