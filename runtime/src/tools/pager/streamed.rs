//! List from the initial events of a watch (KEP-3157). The pager tries it first, if allowed.

use std::num::NonZeroU32;
use std::time::Duration;

use futures::StreamExt as _;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::part::{Fetched, Item, Part};
use crate::object::ResourceVersion;
use crate::source::{ListerWatcher, WatchOptions};
use crate::status::{SourceError, TimeoutPhase};
use crate::wire::RawEvent;

/// Time after which the API server closes the watch. Chosen far above the duration of a list whose
/// items are consumed as they arrive.
pub(super) const WATCH_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// Time without data before the closing bookmark after which the list has failed, as in a
/// reflector.
const SILENCE: Duration = Duration::from_secs(30);

/// End of a streaming list.
pub(super) enum Ended {
    /// The list ended with its closing bookmark, with an error that was passed on, or because the
    /// receiver was dropped.
    Over,
    /// The list failed before any item was passed on, so that the pager can fall back to pages.
    BeforeFirstPart(SourceError),
}

/// Passes on a streaming list, in parts of `part_size` items. Reads nothing from the server while
/// the channel has no capacity for a part.
pub(super) async fn fetch(
    source: &dyn ListerWatcher,
    options: WatchOptions,
    part_size: NonZeroU32,
    parts: &mpsc::Sender<Fetched>,
) -> Ended {
    let size = usize::try_from(part_size.get()).unwrap_or(usize::MAX);
    let mut events = match timeout(SILENCE, source.watch(options)).await {
        Ok(Ok(events)) => events,
        Ok(Err(error)) => return Ended::BeforeFirstPart(error),
        Err(_) => return Ended::BeforeFirstPart(silence()),
    };
    let mut is_first = true;
    while let Ok(permit) = parts.reserve().await {
        let mut items = Vec::new();
        let version = loop {
            if items.len() >= size {
                break Ok(None);
            }
            match timeout(SILENCE, events.next()).await {
                Ok(Some(Ok(event))) => match read(event) {
                    Ok(Read::Item(item)) => items.push(item),
                    Ok(Read::Nothing) => {}
                    Ok(Read::End(version)) => break Ok(Some(version)),
                    Err(error) => break Err(error),
                },
                Ok(Some(Err(error))) => break Err(error),
                Ok(None) => break Err(malformed("the watch ended without the closing bookmark")),
                Err(_) => break Err(silence()),
            }
        };
        match version {
            Err(error) if is_first => return Ended::BeforeFirstPart(error),
            Err(error) => {
                permit.send(Err(error));
                return Ended::Over;
            }
            Ok(version) => {
                let is_last = version.is_some();
                permit.send(Ok(Part { items, version }));
                if is_last {
                    return Ended::Over;
                }
            }
        }
        is_first = false;
    }
    Ended::Over
}

enum Read {
    Item(Item),
    Nothing,
    End(ResourceVersion),
}

/// Interprets an event as a part of the list. A change or deletion of an object is an error,
/// because the object may have been passed on already. client-go's `handleWatchList` rejects such
/// events too.
fn read(event: RawEvent) -> Result<Read, SourceError> {
    match event {
        RawEvent::Added(raw) => Ok(Read::Item(Ok(raw))),
        RawEvent::Rejected(rejected) => Ok(Read::Item(Err(rejected))),
        RawEvent::Bookmark {
            resource_version,
            initial_events_end: true,
        } => Ok(Read::End(resource_version)),
        RawEvent::Bookmark { .. } | RawEvent::Unknown { .. } => Ok(Read::Nothing),
        RawEvent::Error(status) => Err(SourceError::Status(status.into())),
        RawEvent::Modified(_) | RawEvent::Deleted(_) => {
            Err(malformed("an object changed before the end of the list"))
        }
    }
}

fn malformed(what: &str) -> SourceError {
    SourceError::Malformed(format!("streaming list: {what}"))
}

fn silence() -> SourceError {
    SourceError::Timeout {
        phase: TimeoutPhase::Progress,
        after: SILENCE,
    }
}
