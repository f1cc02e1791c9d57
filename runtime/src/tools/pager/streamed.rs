//! A list as the initial events of a watch (KEP-3157): what a pager asks for first where it may.

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

/// When the server shall close the watch: far beyond what a list takes whose items are handled as
/// they come.
pub(super) const WATCH_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// How long the server may be silent before the closing bookmark, as in a reflector.
const SILENCE: Duration = Duration::from_secs(30);

/// How a streaming list ended.
pub(super) enum Ended {
    /// With its closing bookmark, with an error that was passed on, or because nobody wants it.
    Over,
    /// Before anything of it was passed on, so that the list can be asked for in pages.
    BeforeTheFirst(SourceError),
}

/// Passes a streaming list on, in parts of `part_size` items. Takes nothing from the server while
/// there is no place for a part.
pub(super) async fn fetch(
    source: &dyn ListerWatcher,
    options: WatchOptions,
    part_size: NonZeroU32,
    parts: &mpsc::Sender<Fetched>,
) -> Ended {
    let size = usize::try_from(part_size.get()).unwrap_or(usize::MAX);
    let mut events = match timeout(SILENCE, source.watch(options)).await {
        Ok(Ok(events)) => events,
        Ok(Err(error)) => return Ended::BeforeTheFirst(error),
        Err(_) => return Ended::BeforeTheFirst(silence()),
    };
    let mut is_first = true;
    while let Ok(place) = parts.reserve().await {
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
                Ok(None) => break Err(malformed("it ended without its closing bookmark")),
                Err(_) => break Err(silence()),
            }
        };
        match version {
            Err(error) if is_first => return Ended::BeforeTheFirst(error),
            Err(error) => {
                place.send(Err(error));
                return Ended::Over;
            }
            Ok(version) => {
                let is_last = version.is_some();
                place.send(Ok(Part { items, version }));
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

/// What an event is to a list. Those that change or delete an object are nothing that can be
/// passed on: the object is handled already. client-go's `handleWatchList` refuses them too.
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
            Err(malformed("it changed an object that it had listed"))
        }
    }
}

fn malformed(what: &str) -> SourceError {
    SourceError::Malformed(format!("the streaming list: {what}"))
}

fn silence() -> SourceError {
    SourceError::Timeout {
        phase: TimeoutPhase::Progress,
        after: SILENCE,
    }
}
