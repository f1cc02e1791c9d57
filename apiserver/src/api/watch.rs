//! Parameters and starting position of a watch.

use std::time::Duration;

use http::StatusCode;
use tokio::sync::watch;

use crate::api::list::ListRequest;
use crate::api::query::{Query, Version};
use crate::api::selector::Selector;
use crate::api::state::ServerState;
use crate::config::{Config, MAX_WATCH, WATCH_TIMEOUT};
use crate::registry::target::RequestTarget;
use crate::status::ApiError;

/// Maximum number of objects or events that a watcher reads at once.
pub(crate) const BATCH: usize = 64;

/// Parameters of a watch.
#[derive(Debug)]
pub(crate) struct WatchRequest {
    pub(crate) selector: Selector,
    pub(crate) version: Version,
    pub(crate) bookmarks: bool,
    /// Value of `sendInitialEvents`.
    pub(crate) initial_events: Option<bool>,
    pub(crate) timeout: Duration,
}

// === impl WatchRequest ===

impl WatchRequest {
    pub(crate) fn parse(
        query: &Query,
        refuse_watch_list: bool,
        config: &Config,
    ) -> Result<Self, ApiError> {
        let timeout = query.number("timeoutSeconds")?.unwrap_or(0);
        query.number("limit")?;
        let selector = Selector::parse(query.get("labelSelector"), query.get("fieldSelector"))?;
        let mut initial_events = query.initial_events(refuse_watch_list)?;
        // In the real server, too, this is an internal error and not a bad request.
        let version = query
            .version()
            .map_err(|error| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "", error))?;
        let bookmarks = query.flag("allowWatchBookmarks");
        // A legacy watch that starts with the current state is executed like a streaming list: a
        // bookmark ends its initial events, too.
        let starts_with_state = matches!(version, Version::Unset | Version::Any);
        if starts_with_state && bookmarks && !refuse_watch_list && initial_events.is_none() {
            initial_events = Some(true);
        }
        let seconds = u64::try_from(timeout).unwrap_or(0);
        Ok(Self {
            selector: selector.with_shard(query, config.sharding)?,
            version,
            bookmarks,
            initial_events,
            timeout: match seconds {
                0 => WATCH_TIMEOUT,
                seconds => Duration::from_secs(seconds).min(MAX_WATCH),
            },
        })
    }
}

/// Starting position of a watch.
pub(crate) struct WatchStart {
    pub(crate) position: u64,
    /// List of the objects that the watch starts with. A watch that is not read holds this position
    /// and no objects.
    pub(crate) initial: Option<ListRequest>,
    pub(crate) changed: watch::Receiver<()>,
}

pub(crate) fn start_watch(
    state: &ServerState,
    target: &RequestTarget,
    request: &WatchRequest,
) -> Result<WatchStart, ApiError> {
    state.current(target)?;
    request.selector.check(target)?;
    let newest = state.store.revision();
    let oldest = state.store.log.watchable();
    let (with_state, position) = match (request.initial_events, request.version) {
        (Some(true), Version::At(least)) if least > newest => {
            return Err(ApiError::too_large_resource_version(least, newest));
        }
        (Some(true), _) | (None, Version::Unset | Version::Any) => (true, newest),
        (Some(false), Version::Unset | Version::Any) => (false, newest),
        (_, Version::At(requested)) if requested < oldest => {
            return Err(ApiError::too_old(requested, oldest));
        }
        (_, Version::At(requested)) => (false, requested),
    };
    let pages = || ListRequest::in_pages(request.selector.clone(), position, BATCH);
    Ok(WatchStart {
        position,
        initial: with_state.then(pages),
        changed: state
            .store
            .log
            .subscribe(target.resource.id)
            .ok_or_else(ApiError::no_such_resource)?,
    })
}
